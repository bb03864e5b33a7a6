#include "core/sharing/union_bytes.h"

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <vector>

#include "core/sharing/costs.h"
#include "core/sharing/joint_window.h"
#include "core/sharing/run_list.h"
#include "core/sharing/sharing_pair.h"
#include "core/sharing/stop_watch.h"

namespace dlscope::core {
namespace {

constexpr std::uint64_t kMaxWords = std::uint64_t{1} << 28;  // of bit sets, that the sets of one group may take

// words |= bits << offset. Both must be long enough. False: stopped.
bool or_at(std::span<std::uint64_t> words, std::span<const std::uint64_t> bits, std::uint64_t offset, StopWatch& watch) {
  const std::size_t first = offset / 64;
  const auto shift = static_cast<unsigned>(offset % 64);
  for (std::size_t i = 0; i < bits.size(); ++i) {
    words[first + i] |= bits[i] << shift;
    const std::uint64_t carried = shift == 0 ? 0 : bits[i] >> (64 - shift);
    if (carried != 0) words[first + i + 1] |= carried;
    if (!watch.go_on(1)) return false;
  }
  return true;
}

std::uint64_t union_by_bit_set(std::span<const StridedSet* const> sets, const std::vector<ByteRange>& dense, WorkBudget& budget) {
  ByteRange hull = sets.front()->range();
  for (const StridedSet* set : sets) hull = {std::min(hull.begin, set->base), std::max(hull.end, set->end())};
  for (const ByteRange range : dense) hull = {std::min(hull.begin, range.begin), std::max(hull.end, range.end)};
  std::uint64_t unit = hull.size();
  for (const StridedSet* set : sets) unit = std::gcd(std::gcd(unit, unit_of(*set)), set->base - hull.begin);
  for (const ByteRange range : dense) unit = std::gcd(std::gcd(unit, range.begin - hull.begin), range.size());

  const std::uint64_t units = hull.size() / unit;
  if (!within_budget(budget.now(), units, units / 8 + 8)) return kUnknownBytes;
  BitWindow all(units, 0);
  if (!all.valid()) return kUnknownBytes;
  for (const ByteRange range : dense) all.set_range((range.begin - hull.begin) / unit, (range.end - hull.begin) / unit);
  std::uint64_t words = 0;
  StopWatch watch(budget.now().stop);
  for (const StridedSet* set : sets) {
    const WindowPlan plan(*set, set->range(), unit);
    words += plan.cost_words();
    budget.spend(plan.cost_words());
    if (words > kMaxWords || budget.left() == 0 || !within_budget(budget.now(), units, units / 8 + plan.scratch_bytes()))
      return kUnknownBytes;
    const auto bits = plan.build(budget.now().stop);
    if (!bits) return kUnknownBytes;
    if (!or_at(all.words(), bits->words(), (set->base - hull.begin) / unit, watch)) return kUnknownBytes;
  }
  const auto count = count_bits(all, budget.now().stop);
  return count ? *count * unit : kUnknownBytes;
}

}  // namespace

std::uint64_t union_bytes(std::span<const PreparedSet* const> sets, WorkBudget& budget) {
  if (sets.size() == 1) return budget.count(sets.front()->set).value_or(kUnknownBytes);
  // Usually one set, the array that the others are views of, contains them all.
  ByteRange hull = sets.front()->set.range();
  for (const PreparedSet* prepared : sets)
    hull = {std::min(hull.begin, prepared->set.base), std::max(hull.end, prepared->set.end())};
  for (const PreparedSet* prepared : sets) {
    if (prepared->set.dense() && prepared->set.range() == hull) return hull.size();
  }
  if (sets.size() == 2) {
    const SetOverlap common = budget.compare(*sets[0], *sets[1]);
    const auto first = budget.count(sets[0]->set);
    const auto second = budget.count(sets[1]->set);
    return common.known() && first && second ? *first + *second - common.shared_bytes : kUnknownBytes;
  }
  std::vector<ByteRange> dense;
  for (const PreparedSet* prepared : sets) {
    if (prepared->set.dense()) dense.push_back(prepared->set.range());
  }
  if (!merge_runs(dense, budget.now().stop)) return kUnknownBytes;
  std::vector<const StridedSet*> rest;
  std::uint64_t runs = 0;
  for (const PreparedSet* prepared : sets) {
    const StridedSet& set = prepared->set;
    if (set.dense()) continue;
    const auto around = std::ranges::upper_bound(dense, set.base, {}, &ByteRange::end);
    if (around != dense.end() && around->begin <= set.base && set.end() <= around->end) continue;
    rest.push_back(&set);
    runs += std::min(tuple_count(set.axes.subspan(1)), kMaxRuns);
  }
  if (rest.empty()) return size_of_runs(dense);
  if (runs >= kMaxRuns || (runs + dense.size()) * sizeof(ByteRange) > budget.now().scratch_bytes)
    return union_by_bit_set(rest, dense, budget);
  budget.spend(runs * kWordsPerRun);
  for (const StridedSet* set : rest) {
    const auto list = list_runs(*set, set->range(), budget.now().stop);
    if (!list) return kUnknownBytes;
    dense.insert(dense.end(), list->begin(), list->end());
  }
  return merge_runs(dense, budget.now().stop) ? size_of_runs(dense) : kUnknownBytes;
}

}  // namespace dlscope::core
