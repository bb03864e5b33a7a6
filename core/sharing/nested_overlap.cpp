#include "core/sharing/nested_overlap.h"

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <utility>

#include "core/base/checked_math.h"
#include "core/sharing/modular.h"
#include "core/sharing/progression_overlap.h"
#include "core/sharing/stop_watch.h"

namespace dlscope::core {
namespace {

std::int64_t to_signed(std::uint64_t value) { return static_cast<std::int64_t>(value); }
std::uint64_t to_unsigned(std::int64_t value) { return static_cast<std::uint64_t>(value); }

// Tests for a quotient of 0 first, which is the usual case, because a division costs more than the rest of a step.
std::uint64_t quotient(std::uint64_t value, std::uint64_t divisor) { return value < divisor ? 0 : value / divisor; }

// The level of `count` copies of `inner`; `inner` itself if there is one copy.
const NestedLevel* repeat(const NestedLevel& inner, std::uint64_t stride, std::uint64_t count, NestedLevel& storage) {
  if (count == 1) return &inner;
  storage = {&inner, stride, count, stride * (count - 1) + inner.span, count * inner.size};
  return &storage;
}

struct Blocks {
  std::int64_t first = 0;
  std::int64_t last = -1;

  std::uint64_t count() const { return last < first ? 0 : to_unsigned(last - first + 1); }
};

// The copies of set.inner that can meet [begin, end).
Blocks blocks_meeting(const NestedLevel& set, std::int64_t begin, std::int64_t end) {
  const std::int64_t stride = to_signed(set.stride);
  Blocks blocks;
  blocks.first = std::max<std::int64_t>(0, floor_div(begin - to_signed(set.inner->span), stride) + 1);
  blocks.last = std::min<std::int64_t>(to_signed(set.count) - 1, floor_div(end - 1, stride));
  return blocks;
}

std::uint64_t quotient_of_multiple(std::uint64_t multiple, std::uint64_t divisor) {
  return multiple == divisor ? 1 : multiple / divisor;
}

// The pairs of copies (k, l) with 0 <= k < na, 0 <= l < nb and k p - l q = difference; p and q without a common divisor.
struct CopyPairs {
  std::uint64_t count = 0;
  std::int64_t first = 0;  // the lowest such k
};

CopyPairs copies_meeting(std::uint64_t unsigned_p, std::uint64_t unsigned_q, std::int64_t difference, std::int64_t na,
                         std::int64_t nb) {
  const std::int64_t p = to_signed(unsigned_p), q = to_signed(unsigned_q);
  // 0 <= l < nb and 0 <= k < na both bound k.
  std::int64_t low = std::max<std::int64_t>(0, difference);
  std::int64_t high = std::min(na - 1, difference + (nb - 1) * q);
  if (p != 1) {
    low = std::max<std::int64_t>(0, ceil_div(difference, p));
    high = std::min(na - 1, floor_div(difference + (nb - 1) * q, p));
  }
  if (high < low) return {};
  if (q == 1) return {to_unsigned(high - low) + 1, low};
  const std::int64_t residue = solve_residue(difference, p, q);  // of k, modulo q
  std::int64_t ahead = (residue - low) % q;
  if (ahead < 0) ahead += q;
  low += ahead;
  if (high < low) return {};
  return {to_unsigned((high - low) / q) + 1, low};
}

bool is_progression(const NestedLevel& set) { return set.inner != nullptr && set.inner->inner == nullptr; }

bool is_rows(const NestedLevel& set) {
  if (set.inner == nullptr) return false;
  const NestedLevel& row = *set.inner;
  return row.inner == nullptr || (row.inner->inner == nullptr && set.stride % row.stride == 0);
}

// The rows of a set for which is_rows() is true. A row that is one run is divided into columns of the progression's unit.
RowsOfRuns rows_of(const NestedLevel& set, const Progression& progression, std::int64_t offset) {
  const NestedLevel& row = *set.inner;
  if (row.inner != nullptr) return {set.stride, set.count, row.stride, row.count, row.inner->count};
  const auto distance = to_unsigned(offset < 0 ? -offset : offset);
  const std::uint64_t unit = common_divisor(progression.run, {row.count, set.stride, progression.stride, distance});
  return {set.stride, set.count, unit, row.count / unit, unit};
}

// Counts by descending both chains together. Copies of one level do not overlap, so the counts of parts add up. Spans are below
// 2^60 bytes, so the sum of two fits 63 bits.
class Descent {
  static constexpr std::uint64_t kWatchedPerStep = 16, kWatchedPerSum = 256;  // steps of the StopWatch
  static constexpr std::uint64_t kNoWalk = ~std::uint64_t{0};

 public:
  Descent(std::uint64_t& steps_left, const std::stop_token& stop)
      : steps_left_(steps_left), watch_(stop, StopWatch::FirstLook::after_work) {}

  // Adds the common bytes of a (at `at`) and b (at `at` + offset), multiplied by `times`.
  void add(const NestedLevel& a, const NestedLevel& b, std::int64_t offset, std::int64_t at, std::uint64_t times) {
    if (offset >= to_signed(a.span) || -offset >= to_signed(b.span) || failed_) return;
    if (steps_left_ == 0 || !watch_.go_on(kWatchedPerStep)) {
      failed_ = true;
      return;
    }
    --steps_left_;
    if (a.inner == nullptr) return add_run(a.span, b, offset, at, times);
    if (b.inner == nullptr) return add_run_in_a(a, b.span, offset, at, times);
    if (a.stride == b.stride) return add_families(a, b, a.stride, offset, at, times);
    add_unequal_strides(a, b, offset, at, times);
  }

  bool result(CommonBytes& out) const {
    out = {count_, to_unsigned(lowest_)};
    return !failed_;
  }

 private:
  void found(std::uint64_t count, std::int64_t lowest, std::uint64_t times) {
    if (count == 0) return;
    lowest_ = count_ == 0 ? lowest : std::min(lowest_, lowest);
    count_ += count * times;
  }

  // a is one run [0, run); b is any set.
  void add_run(std::uint64_t run, const NestedLevel& b, std::int64_t offset, std::int64_t at, std::uint64_t times) {
    if (offset >= 0 && to_unsigned(offset) + b.span <= run) return found(b.size, at + offset, times);
    const std::uint64_t begin = to_unsigned(std::max<std::int64_t>(0, -offset));
    const std::uint64_t end = to_unsigned(std::min(to_signed(b.span), to_signed(run) - offset));
    const std::uint64_t count = count_below(b, end) - count_below(b, begin);
    if (count != 0) found(count, at + offset + to_signed(next_in(b, begin)), times);
  }

  // b is one run [offset, offset + run); a is any set.
  void add_run_in_a(const NestedLevel& a, std::uint64_t run, std::int64_t offset, std::int64_t at, std::uint64_t times) {
    if (offset <= 0 && to_signed(a.span) <= offset + to_signed(run)) return found(a.size, at, times);
    const std::uint64_t begin = to_unsigned(std::max<std::int64_t>(0, offset));
    const std::uint64_t end = to_unsigned(std::min(to_signed(a.span), offset + to_signed(run)));
    const std::uint64_t count = count_below(a, end) - count_below(a, begin);
    if (count != 0) found(count, at + to_signed(next_in(a, begin)), times);
  }

  // If each inner copy fits into g bytes: the two families of copies that can meet (see the header).
  void add_families(const NestedLevel& a, const NestedLevel& b, std::uint64_t g, std::int64_t offset, std::int64_t at,
                    std::uint64_t times) {
    const std::int64_t divisor = to_signed(g);
    const std::int64_t steps = offset >= 0 && offset < divisor ? 0 : floor_div(offset, divisor);
    const std::int64_t rest = offset - steps * divisor;
    const std::uint64_t p = quotient_of_multiple(a.stride, g), q = quotient_of_multiple(b.stride, g);
    const auto add_family = [&](std::int64_t difference, std::int64_t inner_offset) {
      const CopyPairs pairs = copies_meeting(p, q, difference, to_signed(a.count), to_signed(b.count));
      if (pairs.count > 0) add(*a.inner, *b.inner, inner_offset, at + pairs.first * to_signed(a.stride), times * pairs.count);
    };
    if (rest < to_signed(a.inner->span)) add_family(steps, rest);
    if (divisor - rest < to_signed(b.inner->span)) add_family(steps + 1, rest - divisor);
  }

  void add_unequal_strides(const NestedLevel& a, const NestedLevel& b, std::int64_t offset, std::int64_t at,
                           std::uint64_t times) {
    const std::uint64_t small = std::min(a.stride, b.stride), large = std::max(a.stride, b.stride);
    const bool is_multiple = large % small == 0;
    // The common divisor is at most this, so that often it need not be computed, which takes as long as several steps.
    const std::uint64_t most = is_multiple ? small : std::min(small / 2, large - small);
    const std::uint64_t widest = std::max(a.inner->span, b.inner->span);
    if (widest <= most) {
      const std::uint64_t g = is_multiple ? small : std::gcd(small, large);
      if (widest <= g) return add_families(a, b, g, offset, at, times);
    }
    const Blocks in_a = blocks_meeting(a, offset, offset + to_signed(b.span));
    const Blocks in_b = blocks_meeting(b, -offset, to_signed(a.span) - offset);
    const Blocks& wider = a.stride > b.stride ? in_a : in_b;
    if (wider.count() <= 2) {
      return a.stride > b.stride ? walk_a(a, b, offset, at, times, in_a) : walk_b(a, b, offset, at, times, in_b);
    }
    if (is_multiple) return small == b.stride ? split_b(a, b, offset, at, times) : split_a(a, b, offset, at, times);

    const bool walks_a = in_a.count() <= in_b.count();
    const std::uint64_t walk = walks_a ? in_a.count() : in_b.count();
    const bool is_quick = is_progression(walks_a ? a : b);  // each step of the walk is one closed form
    if (add_progression(a, b, offset, at, times, is_quick ? walk : kNoWalk)) return;

    const std::uint64_t g = std::gcd(small, large);
    const std::uint64_t phases_a = std::min(b.stride / g, a.count);
    const std::uint64_t phases_b = std::min(a.stride / g, b.count);
    const bool phases_are_fewer = phases_a < walk / phases_b;
    if ((phases_are_fewer ? phases_a * phases_b : walk) > steps_left_) {
      failed_ = true;
      return;
    }
    if (phases_are_fewer) return add_phases(a, b, offset, at, times, phases_a, phases_b);
    if (walks_a) return walk_a(a, b, offset, at, times, in_a);
    walk_b(a, b, offset, at, times, in_b);
  }

  // Sums without end: `a` is no progression of runs, or `b` no rows of runs.
  static ProgressionAndRows progression_and_rows(const NestedLevel& a, const NestedLevel& b, std::int64_t offset) {
    if (!is_progression(a) || !is_rows(b)) return {};
    const Progression progression{a.stride, a.count, a.inner->count};
    return in_units(progression, rows_of(b, progression, offset), offset);
  }

  // By floor sums, if one set is a progression of runs and the other one rows of runs; if both are both, the way that takes fewer
  // sums. False: the sets have other forms, or it would take too long, or longer than a walk of so many steps.
  bool add_progression(const NestedLevel& a, const NestedLevel& b, std::int64_t offset, std::int64_t at, std::uint64_t times,
                       std::uint64_t walk) {
    constexpr std::uint64_t kMaxSums = 64, kStepsPerSum = 10;
    constexpr std::uint64_t kFewest = 2;
    ProgressionAndRows chosen = progression_and_rows(a, b, offset);
    bool a_is_plain = true;
    if (chosen.sums > kFewest) {
      const ProgressionAndRows other = progression_and_rows(b, a, -offset);
      a_is_plain = chosen.sums <= other.sums;
      if (!a_is_plain) chosen = other;
    }
    if (chosen.sums > kMaxSums || chosen.sums > steps_left_) return false;
    if (walk <= chosen.sums * kStepsPerSum && walk <= steps_left_) return false;
    steps_left_ -= chosen.sums;
    failed_ = !watch_.go_on(chosen.sums * kWatchedPerSum);
    if (failed_) return true;
    const ProgressionCommon common = common_with_rows(chosen);
    found(common.count, at + (a_is_plain ? 0 : offset) + to_signed(common.lowest), times);
    return true;
  }

  void walk_a(const NestedLevel& a, const NestedLevel& b, std::int64_t offset, std::int64_t at, std::uint64_t times,
              Blocks blocks) {
    for (std::int64_t k = blocks.first; k <= blocks.last && !failed_; ++k) {
      const std::int64_t moved = k * to_signed(a.stride);
      add(*a.inner, b, offset - moved, at + moved, times);
    }
  }

  void walk_b(const NestedLevel& a, const NestedLevel& b, std::int64_t offset, std::int64_t at, std::uint64_t times,
              Blocks blocks) {
    for (std::int64_t l = blocks.first; l <= blocks.last && !failed_; ++l) {
      add(a, *b.inner, offset + l * to_signed(b.stride), at, times);
    }
  }

  // If a.stride is a multiple of b.stride: treats b as rows of length a.stride, and a remainder.
  void split_b(const NestedLevel& a, const NestedLevel& b, std::int64_t offset, std::int64_t at, std::uint64_t times) {
    const std::uint64_t per_row = a.stride / b.stride;
    NestedLevel row, rows, rest;
    const std::uint64_t whole = b.count / per_row;
    const std::uint64_t left = b.count % per_row;
    if (whole > 0) add(a, *repeat(*repeat(*b.inner, b.stride, per_row, row), a.stride, whole, rows), offset, at, times);
    if (left > 0) add(a, *repeat(*b.inner, b.stride, left, rest), offset + to_signed(whole * a.stride), at, times);
  }

  void split_a(const NestedLevel& a, const NestedLevel& b, std::int64_t offset, std::int64_t at, std::uint64_t times) {
    const std::uint64_t per_row = b.stride / a.stride;
    NestedLevel row, rows, rest;
    const std::uint64_t whole = a.count / per_row;
    const std::uint64_t left = a.count % per_row;
    const std::int64_t moved = to_signed(whole * b.stride);
    if (whole > 0) add(*repeat(*repeat(*a.inner, a.stride, per_row, row), b.stride, whole, rows), b, offset, at, times);
    if (left > 0) add(*repeat(*a.inner, a.stride, left, rest), b, offset - moved, at + moved, times);
  }

  // Walks both outer axes in steps of the least common multiple of their strides, once for every pair of starting copies. The
  // multiple is a stride times at most a count of the other set, so it does not overflow.
  void add_phases(const NestedLevel& a, const NestedLevel& b, std::int64_t offset, std::int64_t at, std::uint64_t times,
                  std::uint64_t phases_a, std::uint64_t phases_b) {
    for (std::uint64_t i = 0; i < phases_a && !failed_; ++i) {
      NestedLevel part_a;
      const std::int64_t moved_a = to_signed(i * a.stride);
      const NestedLevel* thin_a = repeat(*a.inner, a.stride * phases_a, (a.count - i + phases_a - 1) / phases_a, part_a);
      for (std::uint64_t j = 0; j < phases_b && !failed_; ++j) {
        NestedLevel part_b;
        const std::int64_t moved_b = to_signed(j * b.stride);
        const NestedLevel* thin_b = repeat(*b.inner, b.stride * phases_b, (b.count - j + phases_b - 1) / phases_b, part_b);
        add(*thin_a, *thin_b, offset + moved_b - moved_a, at + moved_a, times);
      }
    }
  }

  std::uint64_t& steps_left_;
  StopWatch watch_;
  std::uint64_t count_ = 0;
  std::int64_t lowest_ = 0;
  bool failed_ = false;
};

}  // namespace

const NestedLevel* chain_levels(std::span<const Axis> axes, NestedLevel* levels) {
  NestedLevel* level = levels;
  *level = {nullptr, 1, axes.front().count, axes.front().count, axes.front().count};
  for (const Axis& axis : axes.subspan(1)) {
    const NestedLevel& inner = *level++;
    *level = {&inner, axis.stride, axis.count, axis.stride * (axis.count - 1) + inner.span, axis.count * inner.size};
  }
  return level;
}

std::uint64_t count_below(const NestedLevel& set, std::uint64_t offset) {
  std::uint64_t below = 0;
  const NestedLevel* level = &set;
  for (; level->inner != nullptr; level = level->inner) {
    if (offset >= level->span) return below + level->size;
    const std::uint64_t copies = quotient(offset, level->stride);
    below += copies * level->inner->size;
    offset -= copies * level->stride;
  }
  return below + std::min(offset, level->count);
}

std::uint64_t next_in(const NestedLevel& set, std::uint64_t offset) {
  std::uint64_t start = 0;
  const NestedLevel* level = &set;
  for (; level->inner != nullptr; level = level->inner) {
    const std::uint64_t copies = quotient(offset, level->stride);
    start += copies * level->stride;
    offset -= copies * level->stride;
    if (offset >= level->inner->span) return start + level->stride;  // in the gap after this copy
  }
  return start + offset;
}

bool common_bytes(const NestedLevel& a, const NestedLevel& b, std::int64_t b_offset, std::uint64_t& steps_left,
                  const std::stop_token& stop, CommonBytes& out) {
  Descent descent(steps_left, stop);
  descent.add(a, b, b_offset, 0, 1);
  return descent.result(out);
}

}  // namespace dlscope::core
