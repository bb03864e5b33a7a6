// ShownValues: what the values, the statistics and the heat map show of the selected tensor: the tensor itself, or one of the fields
// of its elements as a tensor of its own (core/inventory/field_view.h). FieldChoices: which field a person chose, by tensor.
// thread: UI.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>

#include "app/models/focus/focus.h"
#include "app/models/tensors/snapshot_index.h"
#include "core/inventory/field_view.h"

namespace dlscope::app {

struct ShownValues {
  core::TensorPart part;                  // whose values are shown; without a snapshot: no tensor is selected
  std::uint32_t tensor = core::kNone32;   // the selected one, in the index
  std::uint16_t field = core::kNone16;    // of it; kNone16: all of it
  std::uint64_t values_per_element = 1;   // of the selected tensor: those of the field's sub-array
  core::FieldLayout layout_of_field = {};

  [[nodiscard]] static ShownValues of_tensor(const SnapshotIndex& index, std::uint32_t tensor);

  [[nodiscard]] const core::SnapshotPtr& snapshot() const { return part.snapshot; }
  [[nodiscard]] const core::TensorRecord& record() const { return part.record(); }
  [[nodiscard]] core::LayoutView layout() const { return part.layout(); }
  // The value that a focus on the selected tensor is on, as an element of record(): of a sub-array the one with the focus's first
  // byte, else its first. nullopt: the focus is on no element of the selected tensor.
  [[nodiscard]] std::optional<std::uint64_t> value_at(const Focus& focus) const;
  // The other way round: on the selected tensor's element that has this value, and on the value's bytes.
  [[nodiscard]] Focus focus_on(std::uint64_t value) const;
};

class FieldChoices {
 public:
  static constexpr std::size_t kMaxTensors = 256;  // the choice made first is forgotten first

  // field: an index into fields_of(); kNone16: all of them. Kept by the tensor's name, so that it holds for later scans.
  void choose(const SnapshotIndex& index, std::uint32_t tensor, std::uint16_t field);
  // The field of that tensor to show; a chosen one that it no longer has is none.
  [[nodiscard]] std::uint16_t field_of(const SnapshotIndex& index, std::uint32_t tensor) const;
  // Of the selected tensor. generation: of the index, rises with each one. Valid until the next call.
  [[nodiscard]] const ShownValues& shown(const IndexPtr& index, std::uint64_t generation, std::uint32_t selected);

 private:
  struct Choice {
    std::string tensor, field;
    std::uint16_t number = 0;  // of the field: two may have one name
  };
  std::deque<Choice> choices_;  // oldest first
  ShownValues shown_;
  IndexPtr index_;  // that shown_ is of
  std::uint64_t generation_ = 0;
};

}  // namespace dlscope::app
