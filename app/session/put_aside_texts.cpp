#include "app/session/put_aside_texts.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <utility>
#include <vector>

#include "core/base/utf8.h"

namespace dlscope::app {
namespace {

std::string file_name(const std::string& path) { return std::filesystem::path(path).filename().string(); }

// Which of several texts of one script it is: when it was stored, and how it ends.
std::string told_apart(const UnsavedText& text) {
  constexpr std::size_t kMostShown = 60;
  const std::size_t end = text.text.find_last_not_of(" \t\r\n");
  if (end == std::string::npos) return fmt::format("stored {}, blank", text.stored_at);
  const std::size_t before = text.text.rfind('\n', end);
  std::string last = text.text.substr(before + 1, end - before);  // npos + 1 is the beginning
  last.erase(0, last.find_first_not_of(" \t\r"));
  const bool whole = last.size() <= kMostShown;
  if (!whole) last.resize(core::utf8_prefix(last, kMostShown).size());
  return fmt::format("stored {}, which ends with “{}{}”", text.stored_at, last, whole ? "" : "…");
}

}  // namespace

void PutAsideText::remove_stored() const {
  if (text.file.empty())
    store.forget();
  else
    UnsavedTextStore::remove(text);
}

void PutAsideTexts::put(UnsavedText text, UnsavedTextStore store, std::uint64_t document) {
  jobs_.post(Lane::files, [this, store, text, id = last_id_ + 1](const std::stop_token&) -> JobPool::Apply {
    const auto kept = store.keep(text);
    if (kept) return [this, id] { note_kept(id); };
    return [this, id, why = kept.error().message] {
      const auto found = std::ranges::find(texts_, id, &PutAsideText::id);
      if (found == texts_.end()) return;
      found->why_not_kept = why;
      notices_.add(Tone::warn, "The text that was put aside cannot be kept for a later session: " + why);
      if (!is_shown(*found)) say_hidden(*found);
    };
  });
  const std::string name = text.script_path.empty() ? "untitled" : file_name(text.script_path);
  offer({.id = ++last_id_,
         .text = std::move(text),
         .store = std::move(store),
         .document = document,
         .offered_as = "The changed text of " + name + " was put aside."},
        true);
}

void PutAsideTexts::offer_left_behind(const UnsavedTextStore& store) {
  jobs_.post(Lane::files, [this, store](const std::stop_token&) -> JobPool::Apply {
    auto found = store.left_behind();
    if (found.empty()) return {};
    return [this, found = std::move(found)] {
      for (const UnsavedText& text : found) {  // newest first
        if (texts_.size() >= kMax) break;
        const std::string name = text.script_path.empty() ? "a script without a file" : file_name(text.script_path);
        offer({.id = ++last_id_,
               .text = text,
               .store = UnsavedTextStore(std::string()),
               .offered_as = fmt::format("An earlier session left unsaved text of {}, {}.", name, told_apart(text)),
               .is_kept = true},
              false);
      }
    };
  });
}

void PutAsideTexts::offer(PutAsideText text, bool newest) {
  show(text);
  if (newest)
    texts_.push_back(std::move(text));
  else
    texts_.push_front(std::move(text));
  settle();
}

void PutAsideTexts::show(PutAsideText& text) {
  text.notice = notices_.offer(Tone::accent, text.offered_as, "Restore", command::RestoreText{text.id});
}

bool PutAsideTexts::is_shown(const PutAsideText& text) const {
  return std::ranges::find(notices_.all(), text.notice, &Notice::id) != notices_.all().end();
}

void PutAsideTexts::say_hidden(const PutAsideText& text) {
  notices_.add(Tone::warn, text.offered_as +
                               " It could not be stored. There is no room to offer it now; it is offered again when another one "
                               "was restored, saved or dismissed.");
}

void PutAsideTexts::settle() {
  auto text = texts_.begin();
  while (static_cast<std::size_t>(texts_.end() - text) > kMax) {
    const bool was_shown = is_shown(*text);
    notices_.dismiss(text->notice);
    if (text->is_kept) {
      text = texts_.erase(text);
      continue;
    }
    if (was_shown && !text->why_not_kept.empty()) say_hidden(*text);
    ++text;
  }
  for (; text != texts_.end(); ++text) {
    if (!is_shown(*text)) show(*text);
  }
}

std::optional<PutAsideText> PutAsideTexts::take(std::uint64_t id) {
  const auto found = std::ranges::find(texts_, id, &PutAsideText::id);
  if (found == texts_.end()) return std::nullopt;
  notices_.dismiss(found->notice);
  PutAsideText taken = std::move(*found);
  texts_.erase(found);
  settle();
  return taken;
}

std::vector<PutAsideText> PutAsideTexts::not_kept() const {
  std::vector<PutAsideText> out;
  std::ranges::copy_if(texts_, std::back_inserter(out), [](const PutAsideText& text) { return !text.is_kept; });
  return out;
}

void PutAsideTexts::note_kept(std::uint64_t id) {
  const auto found = std::ranges::find(texts_, id, &PutAsideText::id);
  if (found == texts_.end()) return;
  found->is_kept = true;
  found->why_not_kept.clear();
  settle();
}

void PutAsideTexts::forget_saved(std::uint64_t document, const std::string& text) {
  const auto found = std::ranges::find_if(
      texts_, [&](const PutAsideText& aside) { return aside.document == document && aside.text.text == text; });
  if (found != texts_.end()) remove(found);
}

void PutAsideTexts::give_up(std::uint64_t notice) {
  const auto found = std::ranges::find(texts_, notice, &PutAsideText::notice);
  if (found == texts_.end()) return;
  notices_.dismiss(notice);
  const std::string name = found->text.script_path.empty() ? "a script without a file" : file_name(found->text.script_path);
  notices_.add(Tone::plain, "Removed the unsaved text of " + name + ".", "Undo", command::RestoreText{found->id});
  removed_.push_back(std::move(*found));
  texts_.erase(found);
  if (removed_.size() > kMax) {
    forget(std::move(removed_.front()));
    removed_.pop_front();
  }
  settle();
}

bool PutAsideTexts::undo_removal(std::uint64_t id) {
  const auto found = std::ranges::find(removed_, id, &PutAsideText::id);
  if (found == removed_.end()) return false;
  texts_.push_back(std::move(*found));
  removed_.erase(found);
  settle();
  return true;
}

void PutAsideTexts::forget_removed() {
  for (const PutAsideText& text : std::exchange(removed_, {})) text.remove_stored();
}

void PutAsideTexts::remove(Place gone) {
  notices_.dismiss(gone->notice);
  forget(std::move(*gone));
  texts_.erase(gone);
  settle();
}

void PutAsideTexts::forget(PutAsideText removed) {
  jobs_.post(Lane::files, [text = std::move(removed)](const std::stop_token&) -> JobPool::Apply {
    text.remove_stored();
    return {};
  });
}

}  // namespace dlscope::app
