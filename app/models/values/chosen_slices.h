// ChosenSlices: the slice of a tensor that the person chose to see, copy, hand over and export, as typed; by the tensor's name.
// No I/O; thread: UI.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/tensor/axis_slice.h"

namespace dlscope::app {

// What is chosen of one tensor.
struct ChosenSlice {
  std::string text;                   // as typed; "": all of the tensor
  std::vector<core::AxisSlice> axes;  // what `text` says, or, where that is no slice of the tensor, the last text that was one
  std::string problem;                // why `text` is no slice of it and what to do, in sentences; "": it is one

  [[nodiscard]] bool any() const { return !axes.empty(); }
};

class ChosenSlices {
 public:
  static constexpr std::size_t kMost = 64, kMostBytes = 256;  // tensors whose slice is kept, and bytes of a text

  // A longer text is cut. Of more than kMost tensors the one whose slice was changed longest ago is forgotten.
  void choose(std::string_view name, std::string_view text, std::span<const std::int64_t> shape);
  [[nodiscard]] ChosenSlice of(std::string_view name, std::span<const std::int64_t> shape) const;

 private:
  struct Choice {
    std::string name, text, last_good;
  };
  std::vector<Choice> choices_;  // the one changed last at the end
};

}  // namespace dlscope::app
