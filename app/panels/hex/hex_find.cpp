#include "app/panels/hex/hex_find.h"

#include <fmt/core.h>
#include <imgui.h>
#include <misc/cpp/imgui_stdlib.h>

#include <algorithm>
#include <utility>

#include "app/models/actions/key_hints.h"
#include "app/models/hex/byte_owners.h"
#include "app/models/text/format.h"
#include "app/models/text/name_path.h"
#include "app/models/text/no_matches.h"
#include "app/panels/hex/hex_table.h"
#include "app/panels/hex/hex_tools.h"
#include "app/widgets/marks.h"

namespace dlscope::app {
namespace {

constexpr std::uint64_t kSearchedAtOnce = std::uint64_t{64} << 20;  // bytes; a longer search becomes a listed task
constexpr std::size_t kNameLength = 40;
constexpr int kHitLines = 6;  // of the list, visible at once
constexpr std::string_view kEarlierLook = " The tensors were scanned again since: other data may be there now.";

// The task for what was typed; nullopt: find_problem says why not.
std::optional<HexTask> asked_task(const FrameContext& context, HexPanelState& state) {
  const core::TensorRecord* tensor = shown_tensor(context);
  const ShownValues& values = context.values;  // of that tensor: all of it, or the chosen field
  std::optional<OwnNumbers> own;
  if (tensor != nullptr) own = own_numbers(*values.snapshot(), values.record());
  auto pattern = BytePattern::parse(state.find_text, own);
  state.find_problem = pattern ? "" : pattern.error().message;
  if (!pattern) {
    state.find_open = true;
    return std::nullopt;
  }
  state.searched_of = what_is_searched(context, state);
  HexTask task{.number = ++state.task_number, .search = {}, .subject = {}};
  task.everywhere = tensor == nullptr || state.scope == HexScope::everything;
  task.subject = task.everywhere ? "all memory" : shortened_name(context.index->snapshot->name(*tensor), kNameLength);
  task.search = ByteSearch{.pattern = std::move(*pattern), .first = state.rows.first, .last = state.rows.last};
  task.search->from = state.rows.first;
  // A value without the name of a dtype is one of the tensor's: it is looked for where elements may lie, not across two of them. All else
  // is found at any byte, since fields of records and slices lie at any.
  if (task.search->pattern.is_of_own() && !task.everywhere && values.record().has_layout) {
    const ValuePlaces places = places_of_values(values.record().address, values.layout(), task.search->pattern.size());
    task.search->origin = places.origin;
    task.search->step = places.step;
  }
  task.search->most = kSearchedAtOnce;
  return task;
}

void start(HexPanelState& state, HexTask task, Commands& commands) {
  state.searching = true;
  state.said = task.long_search ? fmt::format("Searching for {} …", task.search->pattern.description()) : "";
  commands.push(command::WorkOnBytes{std::move(task)});
}

void list_all(const FrameContext& context, HexPanelState& state, Commands& commands) {
  auto task = asked_task(context, state);
  if (!task) return;
  task->lists = task->long_search = true;
  task->search->most = ~std::uint64_t{0};
  state.hits.clear();
  state.hits_message.clear();
  start(state, std::move(*task), commands);
}

std::string said_of_list(const HexAnswer& answer) {
  const std::string of = answer.task.search->pattern.description();
  std::string text = answer.hits.empty() ? fmt::format("{}: {}", kNoMatches, of)
                                         : fmt::format("{}: {}", counted(answer.hits.size(), "match", "matches"), of);
  text += fmt::format(" ({} searched", human_bytes(answer.found.searched));
  if (answer.found.unreadable > 0) text += fmt::format(", {} of it could not be read", human_bytes(answer.found.unreadable));
  text += ").";
  return answer.found.next ? text + " There may be more: the list ends here." : text;
}

void take_list(HexPanelState& state, HexAnswer& answer) {
  state.hits.clear();
  for (MemoryHit& hit : answer.hits) state.hits.push_back({std::move(hit), std::nullopt});
  state.hits_generation = state.searched_of.generation;
  state.hits_message = said_of_list(answer);
  state.said.clear();
}

// The owner of the match's byte, determined when its row is first drawn.
const std::string& owner_of(const FrameContext& context, HexPanelState& state, HexPanelState::Hit& hit) {
  if (!hit.owner) {
    ByteOwners owners;
    owners.find(context.index, context.generation, state.space, hit.at.address, 1, context.selected);
    const bool known = context.index != nullptr && !owners.owners().empty();
    hit.owner = known ? owner_text(*context.index, owners.owners().front(), hit.at.address) : std::string();
  }
  return *hit.owner;
}

void draw_hit(const FrameContext& context, HexPanelState& state, HexPanelState::Hit& hit, Commands& commands) {
  ImGui::PushFont(context.fonts.mono, 0.0F);
  const bool is_here = state.cursor == hit.at.address;
  const bool clicked = ImGui::Selectable(grouped_address(hit.at.address).c_str(), is_here);
  ImGui::PopFont();
  explain("Shows it in the rows below.");
  ImGui::SameLine(0, context.px(14));
  draw_text(owner_of(context, state, hit));
  ImGui::SameLine(0, context.px(14));
  draw_text(hit.at.mapping, context.theme.dim);
  if (clicked) go_to_address(context, state, hit.at.address, commands);
}

void draw_hits(const FrameContext& context, HexPanelState& state, Commands& commands) {
  if (state.hits_message.empty()) return;
  if (state.hits_generation != context.generation) {
    for (HexPanelState::Hit& hit : state.hits) hit.owner.reset();  // names and elements belong to the earlier snapshot
    state.hits_generation = context.generation;
    if (!state.hits_message.ends_with(kEarlierLook)) state.hits_message += kEarlierLook;
  }
  draw_wrapped_text(state.hits_message, context.theme.dim);
  if (state.hits.empty()) return;
  const int lines = std::min(kHitLines, static_cast<int>(state.hits.size()));
  const float height = ImGui::GetTextLineHeightWithSpacing() * static_cast<float>(lines) + ImGui::GetStyle().WindowPadding.y * 2;
  if (ImGui::BeginChild("matches", {0, std::min(height, ImGui::GetContentRegionAvail().y * 0.4F)}, ImGuiChildFlags_Borders)) {
    ImGuiListClipper clipper;
    clipper.Begin(static_cast<int>(state.hits.size()));
    while (clipper.Step()) {
      for (int row = clipper.DisplayStart; row < clipper.DisplayEnd; ++row) {
        ImGui::PushID(row);
        draw_hit(context, state, state.hits[static_cast<std::size_t>(row)], commands);
        ImGui::PopID();
      }
    }
  }
  ImGui::EndChild();
}

// The range was too long to search at once: continues as a listed task.
void go_on_as_task(HexPanelState& state, const HexAnswer& answer, std::uint64_t searched, Commands& commands) {
  HexTask task = answer.task;
  task.search->from = *answer.found.next;
  task.search->most = ~std::uint64_t{0};
  task.searched = searched;
  task.long_search = true;
  start(state, std::move(task), commands);
}

}  // namespace

HexPanelState::SaidOf what_is_searched(const FrameContext& context, const HexPanelState& state) {
  const bool everywhere = shown_tensor(context) == nullptr || state.scope == HexScope::everything;
  return {.generation = context.generation,
          .code_began = context.moment.code_began,
          .tensor = everywhere ? core::kNone32 : context.selected,
          .field = everywhere ? core::kNone16 : context.values.field,
          .scope = everywhere ? HexScope::everything : state.scope};
}

void find_next(const FrameContext& context, HexPanelState& state, bool forward, Commands& commands) {
  auto task = asked_task(context, state);
  if (!task) return;
  // From the byte after the cursor (backward: before it); the first search in a range includes its first byte.
  if ((forward && state.cursor >= state.rows.last) || (!forward && state.cursor <= state.rows.first)) {
    state.said = forward ? "The cursor is on the last byte." : "The cursor is on the first byte.";
    return;
  }
  const bool at_begin = state.cursor == state.rows.first && !state.selection;
  task->search->forward = forward;
  task->search->from = forward ? (at_begin ? state.rows.first : state.cursor + 1) : state.cursor - 1;
  start(state, std::move(*task), commands);
}

void take_search(const FrameContext& context, HexPanelState& state, HexAnswer& answer, Commands& commands) {
  if (answer.task.number != state.task_number) return;
  const std::uint64_t searched = answer.task.searched + answer.found.searched;
  state.searching = false;
  const bool is_of_now = state.searched_of == what_is_searched(context, state);
  if (!answer.task.everywhere && !is_of_now) return state.said.clear();  // of a tensor that is no longer shown, or as it was
  if (answer.cancelled) {
    state.said = "The search was cancelled.";
    return;
  }
  if (!answer.problem.empty()) {
    state.said = answer.problem;
    return;
  }
  if (answer.task.lists) return take_list(state, answer);
  if (answer.found.next && !answer.task.long_search) return go_on_as_task(state, answer, searched, commands);
  const BytePattern& pattern = answer.task.search->pattern;
  if (answer.found.address) {
    const core::Address at = *answer.found.address;
    const bool is_shown = state.rows.contains(at);
    state.said =
        fmt::format("Found {} at {}{}{}.", pattern.description(), grouped_address(at),
                    answer.mapping.empty() ? "" : ", in " + answer.mapping, is_shown ? "" : ", outside of what is shown");
    if (!is_shown) return;
    put_cursor(context, state, at, commands);
    state.selection = HexSelection{at, at + (pattern.size() - 1)};
  } else {
    const std::size_t step = answer.task.search->step;
    const std::string where = step == 1 ? "" : fmt::format(", only where a value of the tensor may begin, every {} bytes", step);
    state.said = fmt::format("Not found from here to the {}: {} ({} searched{}).", answer.task.search->forward ? "end" : "beginning",
                             pattern.description(), human_bytes(searched), where);
  }
  if (answer.found.unreadable > 0) state.said += fmt::format(" {} could not be read.", human_bytes(answer.found.unreadable));
  if (!is_of_now) state.said += " Code has run since the search began, or what is shown has changed.";
}

void draw_hex_find(const FrameContext& context, HexPanelState& state, Commands& commands) {
  if (!state.find_open) return;
  ImGui::SetNextItemWidth(std::min(ImGui::GetFontSize() * 18, ImGui::GetContentRegionAvail().x));
  if (state.find_focus) ImGui::SetKeyboardFocusHere();
  state.find_focus = false;
  const bool entered = ImGui::InputTextWithHint("##find", "de ad ?? ef   'text'   float32 1.5   nan", &state.find_text,
                                                ImGuiInputTextFlags_EnterReturnsTrue | ImGuiInputTextFlags_AutoSelectAll);
  if (entered) find_next(context, state, true, commands);
  if (entered) ImGui::SetKeyboardFocusHere(-1);  // so that Enter again finds the next match
  same_line_for(button_width("Next"));
  if (ImGui::Button("Next")) find_next(context, state, true, commands);
  explain([&] { return with_keys(context.keys, ActionId::hex_find_next, "from the cursor on."); });
  same_line_for(button_width("Previous"));
  if (ImGui::Button("Previous")) find_next(context, state, false, commands);
  explain([&] { return with_keys(context.keys, ActionId::hex_find_previous, "from the cursor back."); });
  if (shown_tensor(context) == nullptr || state.scope == HexScope::everything) {
    same_line_for(button_width("List all"));
    if (ImGui::Button("List all")) list_all(context, state, commands);
    explain(
        "Every place in the memory of Python's process that holds it, by address: with the tensor it belongs to, and what is "
        "mapped there. Values are found at any byte, also across two numbers that happen to hold it. Memory of devices, the "
        "kernel's pages and the memory that dlscope shares with its host are left out. What is typed here is not in that "
        "process: no match is the search itself.");
  }
  same_line_for(button_width("Close"));
  if (ImGui::Button("Close")) state.find_open = false;
  if (!state.find_problem.empty()) draw_wrapped_text(state.find_problem, context.theme.warn);
  draw_hits(context, state, commands);
}

}  // namespace dlscope::app
