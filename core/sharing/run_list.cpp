#include "core/sharing/run_list.h"

#include <algorithm>
#include <array>
#include <cstddef>

#include "core/sharing/stop_watch.h"

namespace dlscope::core {
namespace {

// The part of the set in the window, in units from the set's first unit.
struct Units {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
};

Units units_in(const StridedSet& set, ByteRange window) {
  const std::uint64_t begin = window.begin - set.base;
  const std::uint64_t end = window.end - set.base;
  if (set.in_bytes()) return {begin, end};
  return {begin == 0 ? 0 : begin * 8 - set.phase, std::min(set.span, end * 8 - set.phase)};
}

ByteRange bytes_of_run(const StridedSet& set, std::uint64_t begin, std::uint64_t end) {
  if (set.in_bytes()) return {set.base + begin, set.base + end};
  return {set.base + (set.phase + begin) / 8, set.base + (set.phase + end + 7) / 8};
}

}  // namespace

std::uint64_t runs_to_visit(const StridedSet& set, ByteRange window) {
  AxisStorage storage;
  std::uint64_t shift = 0;
  const Units units = units_in(set, window);
  const std::span<const Axis> axes = clip_axes(set.axes, units.begin, units.end, storage, shift);
  return axes.empty() ? 0 : tuple_count(axes.subspan(1));
}

std::optional<std::vector<ByteRange>> list_runs(const StridedSet& set, ByteRange window, const std::stop_token& stop) {
  AxisStorage storage;
  std::uint64_t shift = 0;
  const Units units = units_in(set, window);
  const std::span<const Axis> axes = clip_axes(set.axes, units.begin, units.end, storage, shift);
  std::vector<ByteRange> runs;
  if (axes.empty()) return runs;

  const std::span<const Axis> steps = axes.subspan(1);
  const std::uint64_t tuples = tuple_count(steps);
  runs.reserve(tuples);
  std::array<std::uint64_t, kMaxRank + 1> index{};
  std::uint64_t start = shift;
  for (std::uint64_t i = 0; i < tuples; ++i) {
    if (i % 4096 == 0 && stop.stop_requested()) return std::nullopt;
    ByteRange run = bytes_of_run(set, start, start + axes.front().count);
    run = {std::max(run.begin, window.begin), std::min(run.end, window.end)};
    if (run.begin < run.end) runs.push_back(run);
    for (std::size_t d = 0; d < steps.size(); ++d) {  // lowest stride first, so that a nested set comes out sorted
      start += steps[d].stride;
      if (++index[d] < steps[d].count) break;
      start -= steps[d].stride * steps[d].count;
      index[d] = 0;
    }
  }
  if (!merge_runs(runs, stop)) return std::nullopt;
  return runs;
}

bool merge_runs(std::vector<ByteRange>& runs, const std::stop_token& stop) {
  if (runs.empty()) return true;
  StopWatch watch(stop, StopWatch::FirstLook::after_work);
  if (!sort_unless_stopped(runs, watch, [](ByteRange run) { return run.begin; })) return false;
  std::size_t kept = 0;
  for (const ByteRange run : runs) {
    if (!watch.go_on(1)) return false;
    if (run.begin <= runs[kept].end) {
      runs[kept].end = std::max(runs[kept].end, run.end);
    } else {
      runs[++kept] = run;
    }
  }
  runs.resize(kept + 1);
  return true;
}

std::optional<CommonRuns> common_of_runs(std::span<const ByteRange> a, std::span<const ByteRange> b,
                                         const std::stop_token& stop) {
  StopWatch watch(stop, StopWatch::FirstLook::after_work);
  CommonRuns common;
  for (std::size_t i = 0, j = 0; i < a.size() && j < b.size();) {
    if (!watch.go_on(2)) return std::nullopt;
    const Address begin = std::max(a[i].begin, b[j].begin);
    const Address end = std::min(a[i].end, b[j].end);
    if (begin < end) {
      if (common.count == 0) common.lowest = begin;
      common.count += end - begin;
    }
    a[i].end < b[j].end ? ++i : ++j;
  }
  return common;
}

std::uint64_t size_of_runs(std::span<const ByteRange> runs) {
  std::uint64_t size = 0;
  for (const ByteRange run : runs) size += run.size();
  return size;
}

}  // namespace dlscope::core
