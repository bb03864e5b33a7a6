#include "core/sharing/strided_set.h"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <utility>

#include "core/base/checked_math.h"

namespace dlscope::core {
namespace {

void sort_by_stride(std::span<Axis> axes) {
  for (std::size_t i = 1; i < axes.size(); ++i) {
    for (std::size_t at = i; at > 0 && axes[at - 1].stride > axes[at].stride; --at) std::swap(axes[at - 1], axes[at]);
  }
}

// Whether a step of `outer` leads to an element of `inner` or directly
// after its last, so that together they are one longer progression.
bool continues(const Axis& inner, const Axis& outer) {
  // Spans are below 2^63 units, so the product is below 2^64.
  const std::uint64_t behind = inner.stride * inner.count;
  return outer.stride == behind || (outer.stride < behind && outer.stride % inner.stride == 0);
}

void merge_into(Axis& inner, const Axis& outer) {
  const bool right_behind = outer.stride == inner.stride * inner.count;  // tested first: the usual case, without a division
  inner.count += (right_behind ? inner.count : outer.stride / inner.stride) * (outer.count - 1);
}

// Merges sorted axes; they stay sorted. Returns how many are left.
std::size_t merge_axes(Axis* axes, std::size_t rank) {
  std::size_t kept = 1;
  for (std::size_t i = 1; i < rank; ++i) {
    std::size_t into = 0;
    while (into < kept && !continues(axes[into], axes[i])) ++into;
    if (into == kept) {
      if (kept != i) axes[kept] = axes[i];
      ++kept;
      continue;
    }
    merge_into(axes[into], axes[i]);
    // The longer progression may now be continued by axes above it.
    for (std::size_t j = into + 1; j < kept;) {
      if (!continues(axes[into], axes[j])) {
        ++j;
        continue;
      }
      merge_into(axes[into], axes[j]);
      for (std::size_t k = j + 1; k < kept; ++k) axes[k - 1] = axes[k];
      --kept;
      j = into + 1;
    }
  }
  return kept;
}

void finish(StridedSet& set, AxisStorage& storage, std::size_t rank) {
  sort_by_stride(std::span(storage.axes).first(rank));
  rank = merge_axes(storage.axes.data(), rank);
  set.axes = std::span(storage.axes).first(rank);
  set.span = 1;
  set.nested = true;
  for (const Axis& axis : set.axes) {
    set.nested &= axis.stride >= set.span;
    set.span += axis.stride * (axis.count - 1);
  }
}

// Converts a set in bits to one in bytes if all strides but the run's are whole bytes; the run is widened to whole bytes.
void to_bytes_if_possible(StridedSet& set, AxisStorage& storage) {
  const std::size_t rank = set.axes.size();
  for (std::size_t i = 1; i < rank; ++i) {
    if (storage.axes[i].stride % 8 != 0) return;
  }
  storage.axes[0].count = (set.phase + storage.axes[0].count + 7) / 8;
  for (std::size_t i = 1; i < rank; ++i) storage.axes[i].stride /= 8;
  set.phase = 0;
  set.unit_bits = 8;
  finish(set, storage, rank);
}

}  // namespace

StridedSet bytes_of(const MemoryView& view, AxisStorage& storage) {
  StridedSet set;
  const LayoutView& layout = view.layout;
  std::int64_t lowest = 0;     // bits from element [0,...,0] to the lowest element
  std::uint64_t low_bits = 0;  // all strides ORed: shows whether any is not a whole number of bytes
  std::size_t rank = 1;
  std::uint64_t run = layout.item_bits;                  // of consecutive bits, grown by each axis that continues it
  for (std::size_t d = layout.shape.size(); d-- > 0;) {  // from the last axis: most often the strides are then sorted
    const std::int64_t count = layout.shape[d];
    const std::int64_t stride = layout.stride_bits[d];
    if (count == 0) return set;
    if (count == 1 || stride == 0) continue;
    if (stride < 0) lowest += stride * (count - 1);
    const auto step = static_cast<std::uint64_t>(stride < 0 ? -stride : stride);
    if (step == run) {  // a dense array of any rank ends here
      run *= static_cast<std::uint64_t>(count);
      continue;
    }
    low_bits |= step;
    storage.axes[rank].stride = step;
    storage.axes[rank++].count = static_cast<std::uint64_t>(count);
  }
  const std::int64_t lowest_byte = floor_div(lowest, 8);
  set.base = view.address + static_cast<std::uint64_t>(lowest_byte);
  if (low_bits % 8 == 0 && lowest % 8 == 0) {
    storage.axes[0] = {1, (run + 7) / 8};
    for (std::size_t i = 1; i < rank; ++i) storage.axes[i].stride /= 8;
    finish(set, storage, rank);
    return set;
  }
  set.unit_bits = 1;
  set.phase = static_cast<std::uint32_t>(lowest - lowest_byte * 8);
  storage.axes[0] = {1, run};
  finish(set, storage, rank);
  to_bytes_if_possible(set, storage);
  return set;
}

std::uint64_t tuple_count(std::span<const Axis> axes) {
  std::uint64_t product = 1;
  for (const Axis& axis : axes) {
    if (__builtin_mul_overflow(product, axis.count, &product)) return std::numeric_limits<std::uint64_t>::max();
  }
  return product;
}

std::uint64_t span_of(std::span<const Axis> axes) {
  std::uint64_t span = 1;
  for (const Axis& axis : axes) span += axis.stride * (axis.count - 1);
  return span;
}

bool is_nested(std::span<const Axis> axes) {
  std::uint64_t span = 1;
  for (const Axis& axis : axes) {
    if (axis.stride < span) return false;
    span += axis.stride * (axis.count - 1);
  }
  return true;
}

std::span<const Axis> clip_axes(std::span<const Axis> axes, std::uint64_t begin, std::uint64_t end, AxisStorage& storage,
                                std::uint64_t& shift) {
  std::ranges::copy(axes, storage.axes.begin());
  const auto out = std::span(storage.axes).first(axes.size());
  shift = 0;
  std::uint64_t last = span_of(axes) - 1;  // highest offset, relative to shift
  if (begin > last || begin >= end) return {};
  // Two or three rounds are enough except in contrived cases; the state after any round is a correct answer.
  bool changed = true;
  for (int round = 0; changed && round < 4; ++round) {
    changed = false;
    for (Axis& axis : out) {
      const std::uint64_t reach = axis.stride * (axis.count - 1);
      const std::uint64_t others = last - reach;
      const std::uint64_t skipped = begin > others ? (begin - others + axis.stride - 1) / axis.stride : 0;
      const std::uint64_t steps = std::min(axis.count - 1, (end - 1) / axis.stride);
      if (skipped > steps) return {};
      const std::uint64_t count = steps - skipped + 1;
      if (count == axis.count) continue;
      changed = true;
      axis.count = count;
      const std::uint64_t moved = skipped * axis.stride;
      shift += moved;
      last = others + axis.stride * (count - 1);
      begin = begin > moved ? begin - moved : 0;
      end -= moved;  // moved <= steps * stride <= end - 1
      if (begin > last) return {};
    }
  }
  std::size_t kept = 1;
  for (std::size_t i = 1; i < out.size(); ++i) {
    if (out[i].count > 1) out[kept++] = out[i];
  }
  return out.first(kept);
}

}  // namespace dlscope::core
