// Selection: which tensor is looked at, which one is held against it, the element that is pinned and the one the mouse is on.
// Kept by name over snapshots: a tensor that is there again is selected again.
#pragma once

#include <cstdint>
#include <string>

#include "app/models/focus/focus.h"
#include "app/models/tensors/snapshot_index.h"

namespace dlscope::app {

class Selection {
 public:
  enum class From : std::uint8_t {
    next_look,       // the script was looked at again
    elsewhere,       // it is of a file and the one before was not of that file, or the other way round
    another_moment,  // of the past, or back from there
  };
  // Another snapshot: what was selected, compared and pinned is found in it by name.
  void show(IndexPtr index, From from = From::next_look);

  void select(std::uint32_t tensor);  // one that does not exist: nothing
  // By name; one that does not exist yet is selected when a snapshot has it.
  void select(const std::string& name_path);
  void compare(std::uint32_t tensor);  // the compared one again, or none: nothing
  void pin(const Focus& focus);        // selects its tensor
  void let_go();                       // one thing at a time: the pin, then the compared tensor
  void hover(const Focus& focus) { hover_ = focus; }

  [[nodiscard]] std::uint32_t selected() const { return selected_; }
  [[nodiscard]] std::uint32_t compared() const { return compared_; }
  [[nodiscard]] const std::string& selected_name() const { return selected_name_; }  // also of one that does not exist yet
  [[nodiscard]] const Focus& pinned() const { return pinned_; }
  [[nodiscard]] const Focus& hovered() const { return hover_; }
  // What every view lights: what the mouse is on, else what is pinned.
  [[nodiscard]] const Focus& focus() const { return hover_.on_tensor() ? hover_ : pinned_; }
  // Rises whenever a tensor is selected, also the same one again: views scroll to it.
  [[nodiscard]] std::uint64_t revision() const { return revision_; }

 private:
  [[nodiscard]] bool knows(std::uint32_t tensor) const { return index_ && tensor < index_->size(); }
  [[nodiscard]] std::string name_of(std::uint32_t tensor) const;

  IndexPtr index_;
  std::uint32_t selected_ = core::kNone32, compared_ = core::kNone32;
  std::string selected_name_, compared_name_;
  Focus pinned_, hover_;
  bool shown_any_ = false;  // a snapshot with tensors was shown before
  std::uint64_t revision_ = 0;
};

}  // namespace dlscope::app
