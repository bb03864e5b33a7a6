#include "core/sharing/row_sweep.h"

#include <algorithm>
#include <cstddef>
#include <functional>
#include <vector>

#include "core/sharing/bit_kernels.h"
#include "core/sharing/stop_watch.h"

namespace dlscope::core {
namespace {

constexpr std::uint64_t kWordBits = 64;
constexpr std::uint64_t kMaxScratch = 8'000'000;
constexpr std::uint64_t kMaxWords = std::uint64_t{1} << 60;     // so that a sum of several costs still fits
// Costs in bit-set words written (some 0.4 ns each, page faults included): of an element of C that enters or leaves; of a cursor
// that is checked for a row; of a row.
constexpr std::uint64_t kWordsPerEvent = 7;
constexpr std::uint64_t kWordsPerNearEvent = 4;  // of an event when the covers of a row fit into the level-2 cache
constexpr std::uint64_t kNearColumns = std::uint64_t{1} << 17;
constexpr std::uint64_t kWordsPerLook = 3;
constexpr std::uint64_t kWordsPerRow = 40;

std::uint64_t saturated(std::uint64_t a, std::uint64_t b) {
  std::uint64_t product = 0;
  return __builtin_mul_overflow(a, b, &product) || product > kMaxWords ? kMaxWords : product;
}

// How many tuples the axes other than these two make. Saturates.
std::uint64_t tuples_without(std::span<const Axis> axes, std::size_t one, std::size_t other) {
  std::uint64_t tuples = 1;
  for (std::size_t i = 0; i < axes.size(); ++i) {
    if (i != one && i != other) tuples = saturated(tuples, axes[i].count);
  }
  return tuples;
}

// Visits the elements of C in ascending rows, with a cursor for every tuple of the axes that are neither repeated nor walked.
class Cursors {
 public:
  Cursors(std::span<const std::uint64_t> starts, const Axis& walked)
      : at_(starts.begin(), starts.end()), step_(walked.stride), reach_(walked.stride * walked.count) {}

  // Visits the elements below `row_end` that have not been visited. `starts` as given to the constructor. False: stopped.
  template <class Visit>
  bool visit_below(std::uint64_t row_end, std::span<const std::uint64_t> starts, StopWatch& watch, Visit visit) {
    while (opened_ < at_.size() && starts[opened_] < row_end) ++opened_;
    for (std::size_t i = closed_; i < opened_; ++i) {
      const std::uint64_t first = at_[i];
      const std::uint64_t end = std::min(row_end, starts[i] + reach_);
      std::uint64_t at = first;
      for (; at < end; at += step_) visit(at);
      at_[i] = at;
      if (!watch.go_on(1 + (at - first) / step_)) return false;
    }
    // All walks are equally long, so they end in the order in which they start.
    while (closed_ < opened_ && at_[closed_] >= starts[closed_] + reach_) ++closed_;
    return true;
  }

 private:
  std::vector<std::uint64_t> at_;
  std::uint64_t step_;
  std::uint64_t reach_;
  std::size_t opened_ = 0;  // cursors below this have started
  std::size_t closed_ = 0;  // cursors below this have finished
};

// The sums of the remaining axes, sorted: where the cursors start. In no order if stopped; the watch remembers that.
std::vector<std::uint64_t> starts_of(const SumWindow& window, const SweepPlan& plan, StopWatch& watch) {
  std::vector<std::uint64_t> starts;
  starts.reserve(tuples_without(window.axes, plan.repeated, plan.walked));
  starts.push_back(0);
  for (std::size_t i = 0; i < window.axes.size(); ++i) {
    if (i == plan.repeated || i == plan.walked) continue;
    const std::size_t known = starts.size();
    for (std::uint64_t k = 1; k < window.axes[i].count; ++k) {
      for (std::size_t j = 0; j < known; ++j) starts.push_back(starts[j] + k * window.axes[i].stride);
    }
  }
  static_cast<void>(sort_unless_stopped(starts, watch, std::identity{}));
  return starts;
}

// The repeated axis. Its stride is the length of a row.
Axis row_of(const SumWindow& window, std::size_t repeated) {
  return repeated == SweepPlan::kNone ? Axis{span_of(window.axes), 1} : window.axes[repeated];
}

// A set of which one row of bits exists at a time.
class SweptSet {
 public:
  SweptSet(const SumWindow& window, const SweepPlan& plan, StopWatch& watch)
      : row_bits_(row_of(window, plan.repeated).stride),
        rows_(row_of(window, plan.repeated).count),
        starts_(starts_of(window, plan, watch)),
        entering_(starts_, window.axes[plan.walked]),
        leaving_(entering_),
        cover_(row_bits_),
        words_(row_bits_ / kWordBits + 3) {}

  // The end of the current row, as an offset of the sum. There is no current row before the first enter_next_row().
  [[nodiscard]] std::uint64_t row_begin() const { return row_end_ - row_bits_; }
  [[nodiscard]] std::uint64_t row_end() const { return row_end_; }
  [[nodiscard]] const std::uint64_t* words() const { return words_.data(); }
  [[nodiscard]] std::uint64_t bits_in_row() const { return set_bits_; }
  [[nodiscard]] std::span<const std::uint32_t> covers() const { return cover_; }
  [[nodiscard]] std::uint64_t bits_seen() const { return bits_seen_; }

  // False: stopped.
  bool enter_next_row(StopWatch& watch) {
    if (!watch.go_on(1)) return false;  // also if no cursor is open
    const std::uint64_t begin = row_end_;
    row_end_ += row_bits_;
    if (entered_rows_ >= rows_) {
      const std::uint64_t behind = begin - rows_ * row_bits_;  // the begin of the row whose elements leave now
      if (!leaving_.visit_below(behind + row_bits_, starts_, watch, [&](std::uint64_t at) { leave(at - behind); })) return false;
    }
    if (!entering_.visit_below(row_end_, starts_, watch, [&](std::uint64_t at) { enter(at - begin); })) return false;
    ++entered_rows_;
    bits_seen_ += set_bits_;
    return true;
  }

 private:
  // Without branches, because whether a column is covered already is unpredictable.
  void enter(std::uint64_t column) {
    std::uint32_t& cover = cover_[column];
    set_bits_ += cover == 0;
    ++cover;
    words_[column / kWordBits] |= std::uint64_t{1} << (column % kWordBits);
  }
  void leave(std::uint64_t column) {
    std::uint32_t& cover = cover_[column];
    --cover;
    const std::uint64_t bare = cover == 0;
    set_bits_ -= bare;
    words_[column / kWordBits] &= ~(bare << (column % kWordBits));
  }

  std::uint64_t row_bits_;
  std::uint64_t rows_;  // how many rows an element of C covers
  std::vector<std::uint64_t> starts_;
  Cursors entering_, leaving_;
  std::vector<std::uint32_t> cover_;  // by column
  std::vector<std::uint64_t> words_;  // the row, and two more words, which count_common_bits() may read
  std::uint64_t row_end_ = 0;
  std::uint64_t entered_rows_ = 0;
  std::uint64_t set_bits_ = 0;
  std::uint64_t bits_seen_ = 0;
};

// A set and its position in the window.
class PlacedSet {
 public:
  PlacedSet(const SumWindow& window, const SweepPlan& plan, StopWatch& watch)
      : set_(window, plan, watch), begin_(window.begin), hole_(window.hole), done_(hole_ + (span_of(window.axes) - begin_)) {}

  // The end of the current row, as a bit of the window. The set has no bits before hole().
  [[nodiscard]] std::uint64_t row_end() const { return hole_ + (set_.row_end() - begin_); }
  [[nodiscard]] std::uint64_t hole() const { return hole_; }
  [[nodiscard]] std::uint64_t done() const { return done_; }
  // Enters rows until the current one ends after bit `at` of the window; needs at >= hole(). False: stopped.
  bool move_to(std::uint64_t at, StopWatch& watch) {
    while (set_.row_end() <= begin_ + (at - hole_)) {
      if (!set_.enter_next_row(watch)) return false;
    }
    return true;
  }
  [[nodiscard]] std::uint64_t column(std::uint64_t at) const { return begin_ + (at - hole_) - set_.row_begin(); }
  [[nodiscard]] const SweptSet& set() const { return set_; }

 private:
  SweptSet set_;
  std::uint64_t begin_;  // the offset of the sum that is at bit hole_
  std::uint64_t hole_;
  std::uint64_t done_;  // no bit is set from here on
};

}  // namespace

SweepPlan plan_sweep(const SumWindow& window) {
  SweepPlan best;
  const std::span<const Axis> axes = window.axes;
  const std::uint64_t span = span_of(axes);
  const auto consider = [&](std::size_t repeated, std::size_t walked) {
    if (repeated == walked) return;
    const Axis row = row_of(window, repeated);
    const std::uint64_t cursors = tuples_without(axes, repeated, walked);
    const std::uint64_t in_c = saturated(cursors, axes[walked].count);
    if (row.stride > kMaxScratch / 4 || cursors > kMaxScratch / 24) return;
    const std::uint64_t scratch = row.stride * 4 + row.stride / 8 + 64 + cursors * 24;
    if (scratch > kMaxScratch) return;
    const std::uint64_t rows = std::min(span, window.end) / row.stride + 1;
    const std::uint64_t per_event = row.stride <= kNearColumns ? kWordsPerNearEvent : kWordsPerEvent;
    const std::uint64_t cost = saturated(in_c, 2 * per_event) + saturated(rows, 2 * cursors * kWordsPerLook + kWordsPerRow) +
                               span / kWordBits + row.stride / 2;
    if (cost < best.cost_words) best = {repeated, walked, cost, scratch};
  };
  for (std::size_t walked = 0; walked < axes.size(); ++walked) {
    consider(SweepPlan::kNone, walked);
    for (std::size_t repeated = 0; repeated < axes.size(); ++repeated) consider(repeated, walked);
  }
  return best;
}

std::optional<SweptCommon> sweep_common(const SumWindow& a, const SweepPlan& plan_a, const SumWindow& b, const SweepPlan& plan_b,
                                        std::uint64_t bits, const std::stop_token& stop) {
  StopWatch watch(stop);
  PlacedSet in_a(a, plan_a, watch), in_b(b, plan_b, watch);
  SweptCommon common;
  std::uint64_t at = std::max(in_a.hole(), in_b.hole());
  const std::uint64_t end = std::min({bits, in_a.done(), in_b.done()});
  while (at < end) {
    if (!in_a.move_to(at, watch) || !in_b.move_to(at, watch)) return std::nullopt;
    const std::uint64_t segment_end = std::min({end, in_a.row_end(), in_b.row_end()});
    const std::uint64_t length = segment_end - at;
    if (in_a.set().bits_in_row() > 0 && in_b.set().bits_in_row() > 0) {
      const std::uint64_t* const words_a = in_a.set().words();
      const std::uint64_t* const words_b = in_b.set().words();
      const std::uint64_t found = count_common_bits(words_a, in_a.column(at), words_b, in_b.column(at), length);
      if (common.count == 0 && found > 0)
        common.lowest = at + lowest_common_bit(words_a, in_a.column(at), words_b, in_b.column(at));
      common.count += found;
    }
    if (!watch.go_on(1 + length / kWordBits)) return std::nullopt;
    at = segment_end;
  }
  // Enters the remaining rows of each set, to count its bits.
  for (PlacedSet* const set : {&in_a, &in_b}) {
    const std::uint64_t last = std::min(bits, set->done());
    if (last > set->hole() && !set->move_to(last - 1, watch)) return std::nullopt;
  }
  if (!watch.go_on(0)) return std::nullopt;  // stopped before the first row
  common.in_a = in_a.set().bits_seen();
  common.in_b = in_b.set().bits_seen();
  return common;
}

bool sweep_covers(const SumWindow& window, const SweepPlan& plan, const std::stop_token& stop,
                  const std::function<void(std::uint64_t, std::span<const std::uint32_t>)>& visit) {
  StopWatch watch(stop);
  constexpr std::uint64_t kColumnsPerVisit = std::uint64_t{1} << 14, kStepsPerColumn = 16;
  SweptSet set(window, plan, watch);
  const std::uint64_t span = span_of(window.axes);
  while (set.row_end() < span) {
    if (!set.enter_next_row(watch)) return false;
    const std::uint64_t columns = std::min(set.row_end(), span) - set.row_begin();
    for (std::uint64_t first = 0; first < columns; first += kColumnsPerVisit) {
      const std::uint64_t length = std::min(kColumnsPerVisit, columns - first);
      visit(set.row_begin() + first, set.covers().subspan(first, length));
      if (!watch.go_on(length * kStepsPerColumn)) return false;
    }
  }
  return true;
}

std::optional<std::uint64_t> sweep_count(const SumWindow& window, const SweepPlan& plan, const std::stop_token& stop) {
  StopWatch watch(stop);
  SweptSet set(window, plan, watch);
  const std::uint64_t span = span_of(window.axes);
  while (set.row_end() < span) {
    if (!set.enter_next_row(watch)) return std::nullopt;
  }
  return set.bits_seen();
}

}  // namespace dlscope::core
