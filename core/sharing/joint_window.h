// Bit sets of one or two byte sets over one window, in the largest unit that fits both: a float32 array needs one bit per
// element, not one per byte. Packed sub-byte views are built with one bit per bit and then folded to bytes.
#pragma once

#include <cstdint>
#include <optional>

#include "core/sharing/byte_set.h"
#include "core/sharing/strided_set.h"

namespace dlscope::core {

// One set over a window, ready to be built. Refers to its own storage, so it can be neither copied nor moved.
class WindowPlan {
 public:
  // `unit_bytes` divides the set's strides and run and the distance from its base to both ends of the window
  // (1 for a set in bits). `window` lies inside set.range().
  WindowPlan(const StridedSet& set, ByteRange window, std::uint64_t unit_bytes);
  WindowPlan(const WindowPlan&) = delete;
  WindowPlan& operator=(const WindowPlan&) = delete;

  [[nodiscard]] bool empty() const { return window_.axes.empty(); }
  [[nodiscard]] std::uint64_t scratch_bytes() const;
  [[nodiscard]] std::uint64_t cost_words() const { return cost_.words; }
  // What build() builds, in units. Only for a set in bytes, and not if empty().
  [[nodiscard]] const SumWindow& window() const { return window_; }
  // One bit per unit of the window. nullopt: no memory, or stopped.
  [[nodiscard]] std::optional<BitWindow> build(const std::stop_token& stop) const;

 private:
  AxisStorage storage_;
  SumWindow window_;
  SumSetCost cost_;
  unsigned group_ = 1;       // how many built bits make one unit of the result
  std::uint64_t units_ = 0;  // in the result
};

// The largest unit, in bytes, in which the set can be built: it divides every stride and the run. 1 for a set in bits.
[[nodiscard]] std::uint64_t unit_of(const StridedSet& set);
// The same for two sets together: it also divides the distance of their bases.
[[nodiscard]] std::uint64_t joint_unit(const StridedSet& a, const StridedSet& b);

// Whether a window of `units` units and this much scratch stay within the budget.
[[nodiscard]] bool within_budget(const OverlapBudget& budget, std::uint64_t units, std::uint64_t scratch_bytes);

}  // namespace dlscope::core
