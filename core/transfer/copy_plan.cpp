#include "core/transfer/copy_plan.h"

#include <algorithm>
#include <span>

#include "core/base/checked_math.h"

namespace dlscope::core {
namespace {

// All numbers are in bits at this stage.
CopyPlan raw_plan(LayoutView from, LayoutView to) {
  CopyPlan plan;
  plan.item = to.item_bits;
  for (std::size_t d = 0; d < to.shape.size(); ++d) {
    CopyAxis axis{to.shape[d], from.stride_bits[d], to.stride_bits[d]};
    if (axis.count == 0) plan.empty = true;
    if (axis.count <= 1) continue;
    if (axis.to < 0) {
      plan.from_start += (axis.count - 1) * axis.from;
      plan.to_start += (axis.count - 1) * axis.to;
      axis.from = -axis.from;
      axis.to = -axis.to;
    }
    plan.axes[plan.rank++] = axis;
  }
  return plan;
}

// count * stride; nullopt if it overflows, which never happens for axes that can be merged.
std::optional<std::int64_t> whole(std::int64_t count, std::int64_t stride) { return checked_mul(count, stride); }

// Merges an axis with the next one if it continues that one.
void merge(CopyPlan& plan) {
  std::size_t kept = 0;
  for (std::size_t i = 0; i < plan.rank; ++i) {
    const CopyAxis axis = plan.axes[i];
    CopyAxis* const outer = kept > 0 ? &plan.axes[kept - 1] : nullptr;
    if (outer != nullptr && outer->from == whole(axis.count, axis.from) && outer->to == whole(axis.count, axis.to)) {
      *outer = {outer->count * axis.count, axis.from, axis.to};
    } else {
      plan.axes[kept++] = axis;
    }
  }
  plan.rank = kept;
  if (plan.rank == 0) return;
  const CopyAxis& last = plan.axes[plan.rank - 1];
  if (last.from == plan.item && last.to == plan.item) {
    plan.item *= last.count;
    --plan.rank;
  }
}

void count_in_bytes(CopyPlan& plan) {
  std::int64_t all = plan.item | plan.from_start | plan.to_start;
  for (const CopyAxis& axis : std::span(plan.axes).first(plan.rank)) all |= axis.from | axis.to;
  plan.in_bytes = (all & 7) == 0;
  if (!plan.in_bytes) return;
  for (std::int64_t* bits : {&plan.item, &plan.from_start, &plan.to_start}) *bits /= 8;
  for (CopyAxis& axis : std::span(plan.axes).first(plan.rank)) axis = {axis.count, axis.from / 8, axis.to / 8};
}

}  // namespace

CopyPlan plan_copy(LayoutView from, LayoutView to) {
  CopyPlan plan = raw_plan(from, to);
  if (plan.empty) return plan;
  std::ranges::stable_sort(std::span(plan.axes).first(plan.rank), std::ranges::greater{}, &CopyAxis::to);
  merge(plan);
  count_in_bytes(plan);
  return plan;
}

}  // namespace dlscope::core
