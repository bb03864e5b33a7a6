// Selection: the selected tensor, the one compared with it, the pinned element and the one under the mouse. Kept by name across
// snapshots: a tensor that exists again is selected again.
#pragma once

#include <cstdint>
#include <string>

#include "app/models/focus/focus.h"
#include "app/models/tensors/snapshot_index.h"

namespace dlscope::app {

class Selection {
 public:
  enum class From : std::uint8_t {
    next_look,       // of another scan of the script
    elsewhere,       // of a file where the previous one was of a script or another file, or the other way round
    another_moment,  // of a past moment, or of the newest one again
  };
  // Takes another snapshot: the selected, compared and pinned things are looked up in it by name.
  void show(IndexPtr index, From from = From::next_look);

  void select(std::uint32_t tensor);  // an id that does not exist: deselects
  // By name; when no such tensor exists yet, it is selected as soon as a snapshot has it.
  void select(const std::string& name_path);
  void compare(std::uint32_t tensor);  // the compared tensor again, or an unknown id: none
  void pin(const Focus& focus);        // also selects its tensor
  void deselect();                     // one step: the pin if there is one, else the compared tensor
  void hover(const Focus& focus) { hover_ = focus; }

  [[nodiscard]] std::uint32_t selected() const { return selected_; }
  [[nodiscard]] std::uint32_t compared() const { return compared_; }
  [[nodiscard]] const std::string& selected_name() const { return selected_name_; }  // also when it does not exist yet
  [[nodiscard]] const Focus& pinned() const { return pinned_; }
  [[nodiscard]] const Focus& hovered() const { return hover_; }
  // What every view highlights: what the mouse is on, else what is pinned.
  [[nodiscard]] const Focus& focus() const { return hover_.on_tensor() ? hover_ : pinned_; }
  // Rises with every selection, also of the same tensor: views scroll to it.
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
