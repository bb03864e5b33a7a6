// Bit sets of one or two byte sets over one window, in the largest unit that fits both: a float32 array needs one bit
// per element, not per byte. Packed sub-byte views are built bit by bit and folded to bytes.
#pragma once

#include <cstdint>
#include <optional>

#include "core/sharing/byte_set.h"
#include "core/sharing/strided_set.h"

namespace dlscope::core {

// One set over a window, ready to be built. Borrows nothing but its own storage: neither copied nor moved.
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
  // What would be built, in units; of a set in bytes only, and not when empty().
  [[nodiscard]] const SumWindow& window() const { return window_; }
  // One bit per unit of the window. nullopt: no memory, or stopped.
  [[nodiscard]] std::optional<BitWindow> build(const std::stop_token& stop) const;

 private:
  AxisStorage storage_;
  SumWindow window_;
  SumSetCost cost_;
  unsigned group_ = 1;       // bits of the plan per unit of the result
  std::uint64_t units_ = 0;  // of the result
};

// The largest unit in which the set can be built: divides every stride and the run. 1 for a set in bits.
[[nodiscard]] std::uint64_t unit_of(const StridedSet& set);
// The same for two sets together: divides the distance of their bases too.
[[nodiscard]] std::uint64_t joint_unit(const StridedSet& a, const StridedSet& b);

// Whether a window of `units` units and this much scratch stay within the budget.
[[nodiscard]] bool within_budget(const OverlapBudget& budget, std::uint64_t units, std::uint64_t scratch_bytes);

}  // namespace dlscope::core
