// The end of a ScriptDocument: what is changed is stored, or named as lost.
#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "app/session/script_document.h"

namespace dlscope::app {
namespace {

constexpr std::chrono::seconds kDiskAnswers{1};  // one that is asked before the window closes

std::string lost_text(const std::string& path, const std::string& why) {
  const std::string name = path.empty() ? "the script" : path.substr(path.rfind('/') + 1);
  return fmt::format("The changed text of {} is lost when the window closes, because it cannot be stored: {}", name, why);
}

}  // namespace

core::Result<void> ScriptDocument::close() {
  do {
    around_.jobs.finish(Lane::files);
    around_.jobs.apply_finished();
  } while (saving_);
  around_.jobs.finish(Lane::files);  // waits for storing text after the last save
  // Each is tried, whatever becomes of another.
  std::string lost;
  const auto note_lost = [&](const std::string& path, const core::Error& why) {
    lost += (lost.empty() ? "" : " ") + lost_text(path, why.message);
  };
  for (const PutAsideText& aside : put_aside_.not_kept()) {
    const auto kept = aside.store.keep(aside.text);
    if (!kept && !may_be_lost(aside)) note_lost(aside.text.script_path, kept.error());
  }
  put_aside_.forget_removed();
  if (script_.modified) {
    const auto now = text();
    const auto kept = unsaved_.keep(to_store(*now));
    if (!kept && !may_be_lost(*now)) note_lost(script_.path, kept.error());
  } else {
    unsaved_.forget();
  }
  if (lost.empty()) return {};
  return core::fail(core::ErrorKind::environment, std::move(lost));
}

bool ScriptDocument::may_be_lost(const std::string& text) const { return may_be_lost_.text && *may_be_lost_.text == text; }

bool ScriptDocument::may_be_lost(const PutAsideText& aside) const {
  return std::ranges::find(may_be_lost_.aside, aside.id) != may_be_lost_.aside.end();
}

std::vector<PutAsideText> ScriptDocument::aside_not_kept() const {
  std::vector<PutAsideText> out = put_aside_.not_kept();
  std::erase_if(out, [&](const PutAsideText& one) { return may_be_lost(one); });
  return out;
}

void ScriptDocument::leave(std::function<void()> then) {
  if (around_.notices.take_question<command::Quit>()) {
    if (named_as_lost_.text) may_be_lost_.text = named_as_lost_.text;
    std::ranges::copy(named_as_lost_.aside, std::back_inserter(may_be_lost_.aside));
  } else if (!leave_) {
    may_be_lost_ = {};  // whoever goes on working is asked again
  }
  const std::vector<PutAsideText> aside = aside_not_kept();
  const auto now = script_.modified ? text() : nullptr;
  const bool is_now_safe = !now || may_be_lost(*now);
  if (leave_ || (is_now_safe && aside.empty())) return then();
  leave_ = std::move(then);
  leaves_at_ = std::chrono::steady_clock::now() + kDiskAnswers;
  around_.jobs.post(Lane::files, [this, store = unsaved_, now = is_now_safe ? nullptr : now,
                                  stored = is_now_safe ? UnsavedText{} : to_store(*now),
                                  aside](const std::stop_token&) -> JobPool::Apply {
    std::string words;
    Lost lost;
    if (now) {
      const auto kept = store.keep(stored);
      if (!kept) words += lost_text(stored.script_path, kept.error().message) + " ";
      if (!kept) lost.text = now;
    }
    std::vector<std::uint64_t> kept_by_now;  // there is room again
    for (const PutAsideText& one : aside) {
      const auto kept = one.store.keep(one.text);
      (kept ? kept_by_now : lost.aside).push_back(one.id);
      if (!kept) words += lost_text(one.text.script_path, kept.error().message) + " ";
    }
    return [this, words, lost, kept_by_now] {
      for (const std::uint64_t id : kept_by_now) put_aside_.note_kept(id);
      const auto go = std::exchange(leave_, nullptr);
      if (words.empty()) {
        if (go) go();
        return;
      }
      named_as_lost_ = lost;
      const char* const advice = lost.aside.empty() ? "Save it first (File > Save), or:"
                                 : !lost.text       ? "Restore it and save it first, or:"
                                                    : "Save the one, restore and save the other first, or:";
      around_.notices.add(Tone::bad, words + advice, "Close without saving", command::Quit{});
    };
  });
}

}  // namespace dlscope::app
