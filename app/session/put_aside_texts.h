// PutAsideTexts: unsaved texts that are not the one in the editor: changed ones that another script took the place of, and those
// that earlier sessions left. Each is stored in a file of its own and offered in a notice of its own, until it is restored, saved
// or removed, which can be undone until the window closes; what is left at the end is offered by the next session.
// thread: UI.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "app/models/actions/notices.h"
#include "app/models/jobs/job_pool.h"
#include "app/session/unsaved_text.h"

namespace dlscope::app {

struct PutAsideText {
  std::uint64_t id = 0;
  UnsavedText text;            // text.file: where an earlier session stored it; "": it is in `store`
  UnsavedTextStore store;      // of this session
  std::uint64_t document = 0;  // ScriptModel::document; 0: of an earlier session
  std::string offered_as = {};  // what its notice says
  std::uint64_t notice = 0;     // that offers it; it may be gone, when there was no room for it
  bool is_kept = false;           // it is stored
  std::string why_not_kept = {};  // "": it is stored, or was not tried yet

  void remove_stored() const;  // thread: a worker
};

class PutAsideTexts {
 public:
  static constexpr std::size_t kMax = 6;  // fewer than Notices::kMax: other notices need room

  PutAsideTexts(JobPool& jobs, Notices& notices) : jobs_(jobs), notices_(notices) {}

  // Offers the text and stores it in `store`, which is used for nothing else from here on. The oldest makes room: where it is
  // stored, the next session offers it; where it is not, it stays here and is offered again when there is room.
  void put(UnsavedText text, UnsavedTextStore store, std::uint64_t document);
  // Looks in the background for what earlier sessions left in that store's folder, and offers it.
  void offer_left_behind(const UnsavedTextStore& store);
  // Takes it out, to be restored; nullopt: it is not here. The caller removes what is stored when the text is safe elsewhere.
  [[nodiscard]] std::optional<PutAsideText> take(std::uint64_t id);
  // Those that could not be stored, or are not yet; oldest first.
  [[nodiscard]] std::vector<PutAsideText> not_kept() const;
  // It could be stored by now.
  void note_kept(std::uint64_t id);
  // That document's text has been saved after it was put aside.
  void forget_saved(std::uint64_t document, const std::string& text);
  // The person dismissed this notice: its text is removed, and the way back offered.
  void give_up(std::uint64_t notice);
  // Offers a removed text again. False: there is none with this id.
  [[nodiscard]] bool undo_removal(std::uint64_t id);
  // Call at the end: removes for good what was removed.
  void forget_removed();

 private:
  using Place = std::deque<PutAsideText>::iterator;

  void offer(PutAsideText text, bool newest);
  void show(PutAsideText& text);
  [[nodiscard]] bool is_shown(const PutAsideText& text) const;
  void say_hidden(const PutAsideText& text);
  // After each change: the newest kMax are offered; of the others those that are stored are dropped.
  void settle();
  void remove(Place gone);
  void forget(PutAsideText removed);

  JobPool& jobs_;
  Notices& notices_;
  std::deque<PutAsideText> texts_;    // oldest first
  std::deque<PutAsideText> removed_;  // by the person, oldest first; what is stored of them still is
  std::uint64_t last_id_ = 0;
};

}  // namespace dlscope::app
