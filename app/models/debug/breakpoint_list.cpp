#include "app/models/debug/breakpoint_list.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <tuple>
#include <utility>

#include "app/models/debug/kept_lines.h"
#include "app/models/text/format.h"

namespace dlscope::app {
namespace {

constexpr std::size_t kMaxWords = 200;  // of a condition or a log text, in a tooltip

std::string ordinal(std::uint64_t n) {
  const std::uint64_t tens = n % 100, ones = n % 10;
  const bool teen = tens >= 11 && tens <= 13;
  return fmt::format("{}{}", n, teen ? "th" : ones == 1 ? "st" : ones == 2 ? "nd" : ones == 3 ? "rd" : "th");
}

}  // namespace

std::string source_path(const std::string& script_path) {
  if (script_path.empty()) return kUnsavedScript;
  std::error_code ignored;
  const auto absolute = std::filesystem::absolute(script_path, ignored);
  return (absolute.empty() ? std::filesystem::path(script_path) : absolute).lexically_normal().string();
}

BreakpointList::BreakpointList(const std::vector<KeptBreakpoint>& kept) {
  for (const KeptBreakpoint& each : kept) {
    Breakpoint breakpoint = each;
    breakpoint.id = 0;
    if (!put(std::move(breakpoint)) || each.line_text.empty()) continue;
    line_texts_.insert_or_assign(at(each.path, each.line)->id, each.line_text);
  }
  revision_ = 0;
}

std::vector<KeptBreakpoint> BreakpointList::to_keep() const {
  std::vector<KeptBreakpoint> out;
  for (const Breakpoint& each : all_) {
    if (each.path == kUnsavedScript) continue;
    const auto text = line_texts_.find(each.id);
    out.push_back({each, text == line_texts_.end() ? std::string() : text->second});
    out.back().id = 0;
  }
  return out;
}

std::vector<KeptBreakpoint> BreakpointList::of_unsaved() const {
  std::vector<KeptBreakpoint> out;
  for (const Breakpoint& each : all_) {
    if (each.path != kUnsavedScript) continue;
    out.push_back({each, {}});  // stored with the text, in which its line has its number
    out.back().id = 0;
  }
  return out;
}

bool BreakpointList::put_unsaved(const std::vector<KeptBreakpoint>& kept) {
  bool changed = false;
  for (Breakpoint each : kept) {
    each.id = 0;
    each.path = kUnsavedScript;
    changed = put(std::move(each)) || changed;
  }
  return changed;
}

std::vector<core::wire::Breakpoint> BreakpointList::to_send() const {
  std::vector<Breakpoint> out;
  for (const Breakpoint& each : all_) {
    const std::uint32_t line = run_lines_.in_code(each.path, each.line);
    if (line == 0) continue;
    out.push_back(each);
    out.back().line = line;
  }
  return out;
}

const core::wire::Breakpoint* BreakpointList::at(std::string_view path, std::uint32_t line) const {
  const auto found = std::ranges::find_if(all_, [&](const Breakpoint& b) { return b.line == line && b.path == path; });
  return found == all_.end() ? nullptr : &*found;
}

const core::wire::Breakpoint* BreakpointList::find(std::uint64_t id) const {
  const auto found = std::ranges::find(all_, id, &Breakpoint::id);
  return found == all_.end() ? nullptr : &*found;
}

const core::wire::BreakpointState* BreakpointList::state_of(std::uint64_t id) const {
  const auto found = states_.find(id);
  return found == states_.end() ? nullptr : &found->second;
}

void BreakpointList::settle() {
  std::ranges::stable_sort(
      all_, [](const Breakpoint& a, const Breakpoint& b) { return std::tie(a.path, a.line) < std::tie(b.path, b.line); });
  const auto same_place = [](const Breakpoint& a, const Breakpoint& b) { return a.line == b.line && a.path == b.path; };
  all_.erase(std::ranges::unique(all_, same_place).begin(), all_.end());
  std::erase_if(states_, [&](const auto& state) { return find(state.first) == nullptr; });
  std::erase_if(line_texts_, [&](const auto& text) { return find(text.first) == nullptr; });
  ++revision_;
}

bool BreakpointList::run(std::string_view path, std::shared_ptr<const std::string> text) {
  const std::vector<Breakpoint> before = to_send();
  run_lines_.run(path, std::move(text));
  return to_send() != before;
}

bool BreakpointList::toggle(const std::string& path, std::uint32_t line) {
  if (const Breakpoint* there = at(path, line)) return remove(there->id);
  Breakpoint fresh;
  fresh.path = path;
  fresh.line = line;
  return put(std::move(fresh));
}

bool BreakpointList::put(Breakpoint breakpoint) {
  if (breakpoint.line == 0 || breakpoint.path.empty()) return false;
  // The host refuses a whole list when one text in it is longer.
  if (std::max(breakpoint.condition.size(), breakpoint.log_text.size()) > core::wire::kMaxExpressionBytes) return false;
  if (breakpoint.path.size() > core::wire::kMaxPathBytes) return false;
  breakpoint.hit = std::max<std::uint64_t>(breakpoint.hit, 1);
  const auto same = std::ranges::find_if(all_, [&](const Breakpoint& b) {
    return breakpoint.id != 0 ? b.id == breakpoint.id : b.line == breakpoint.line && b.path == breakpoint.path;
  });
  if (same == all_.end() && (breakpoint.id != 0 || all_.size() >= kMaxBreakpoints)) return false;
  if (same != all_.end()) {
    breakpoint.id = same->id;
    *same = std::move(breakpoint);
  } else {
    breakpoint.id = ++last_id_;
    all_.push_back(std::move(breakpoint));
  }
  settle();
  return true;
}

bool BreakpointList::remove(std::uint64_t id) {
  if (std::erase_if(all_, [&](const Breakpoint& b) { return b.id == id; }) == 0) return false;
  settle();
  return true;
}

bool BreakpointList::remove_all() {
  if (all_.empty()) return false;
  all_.clear();
  settle();
  return true;
}

bool BreakpointList::follow(std::string_view path, const LineEdit& edit) {
  run_lines_.follow(path, edit);
  bool changed = false;
  for (Breakpoint& each : all_) {
    if (each.path != path) continue;
    const std::uint32_t before = std::exchange(each.line, line_after(each.line, edit));
    changed = changed || each.line != before;
    if (const auto state = states_.find(each.id); state != states_.end() && state->second.line != 0)
      state->second.line = line_after(state->second.line, edit);
  }
  if (!changed) return false;
  std::erase_if(all_, [](const Breakpoint& b) { return b.line == 0; });
  settle();
  return true;
}

bool BreakpointList::rename(std::string_view from, const std::string& to) {
  bool changed = false;
  for (Breakpoint& each : all_) {
    if (each.path != from) continue;
    each.path = to;
    changed = true;
  }
  if (changed) settle();
  return changed;
}

bool BreakpointList::remove_of(std::string_view path) {
  if (std::erase_if(all_, [&](const Breakpoint& b) { return b.path == path; }) == 0) return false;
  settle();
  return true;
}

bool BreakpointList::find_lines(std::string_view path, std::string_view text) {
  const std::vector<Breakpoint> sent_before = to_send();
  run_lines_.open(path, text);
  std::vector<Breakpoint*> here;
  std::vector<KeptLine> kept;
  for (Breakpoint& each : all_) {
    if (each.path != path) continue;
    const auto known = line_texts_.find(each.id);
    here.push_back(&each);
    kept.push_back({each.line, known == line_texts_.end() ? std::string_view() : std::string_view(known->second)});
  }
  std::vector<std::uint32_t> found = find_kept_lines(kept, kept_lines_of(text));
  bool moved_any = false;
  for (std::size_t i = 0; i < here.size(); ++i) {
    if (found[i] == 0) {  // it stays, or gives way to one that was found where it stands
      found[i] = here[i]->line;
      while (std::ranges::count(found, found[i]) > 1) ++found[i];
    }
    moved_any = std::exchange(here[i]->line, found[i]) != found[i] || moved_any;
  }
  if (moved_any) settle();
  return note_lines(path, text) || moved_any || to_send() != sent_before;
}

bool BreakpointList::note_lines(std::string_view path, std::string_view text) {
  const std::vector<std::string_view> lines = kept_lines_of(text);
  bool changed = false;
  for (const Breakpoint& each : all_) {
    if (each.path != path || each.line > lines.size()) continue;
    const std::string_view line = lines[each.line - 1];
    std::string& kept = line_texts_[each.id];
    changed = changed || kept != line;
    kept = line;
  }
  return changed;
}

void BreakpointList::take(const core::wire::BreakpointsChanged& said) {
  states_.clear();
  for (const auto& state : said.all) {
    const Breakpoint* const known = find(state.id);
    if (known == nullptr) continue;
    core::wire::BreakpointState& kept = states_.insert_or_assign(state.id, state).first->second;
    kept.line = run_lines_.in_text(known->path, state.line);
  }
}

std::string breakpoint_text(const core::wire::Breakpoint& b, const BreakpointList& list) {
  const core::wire::BreakpointState* const state = list.state_of(b.id);
  std::string out = !b.log_text.empty() ? "Prints \"" + shortened(b.log_text, kMaxWords) + "\" and continues" : "Stops";
  if (!b.condition.empty()) out += " when " + shortened(b.condition, kMaxWords);
  if (b.hit > 1) out += fmt::format(", from the {} time on", ordinal(b.hit));
  out = b.enabled ? out + "." : "Disabled. " + out + " once it is enabled.";
  if (list.run_lines().in_code(b.path, b.line) == 0)
    out += " The line is not in the code that was run, so it counts from the next run on.";
  if (state == nullptr) return out;
  if (state->hits > 0) out += fmt::format(" Hit {} since the run began.", counted(state->hits, "time", "times"));
  if (state->line != 0 && state->line != b.line) out += fmt::format(" Set on line {}, the next with code.", state->line);
  if (!state->message.empty()) out += "\n" + shortened(state->message, kMaxWords);
  return out;
}

}  // namespace dlscope::app
