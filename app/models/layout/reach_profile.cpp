#include "app/models/layout/reach_profile.h"

#include <fmt/core.h>

#include <algorithm>

#include "app/models/jobs/budgets.h"
#include "app/models/text/format.h"
#include "core/base/checked_math.h"

namespace dlscope::app {
namespace {

// Appends a piece that begins where the last one ends: as a part of that one if both show the same or both are narrow.
void add(std::vector<ReachPiece>& out, const ReachPiece& piece, std::int64_t least_bits) {
  if (piece.begin >= piece.end) return;
  if (!out.empty() && out.back().counted == piece.counted) {
    ReachPiece& last = out.back();
    const bool same = last.least == piece.least && last.most == piece.most;
    const bool narrow = last.end - last.begin < least_bits && piece.end - piece.begin < least_bits;
    if (same || narrow) {
      last.end = piece.end;
      last.least = std::min(last.least, piece.least);
      last.most = std::max(last.most, piece.most);
      return;
    }
  }
  out.push_back(piece);
}

}  // namespace

ReachProfile::ReachProfile(core::SnapshotPtr snapshot, std::uint32_t tensor, const StorageTape& tape,
                           const core::TouchCount* known)
    : snapshot_(std::move(snapshot)),
      view_(snapshot_->memory_view(snapshot_->tensors[tensor])),
      begin_(tape.begin()),
      end_(tape.end()) {
  if (!in_whole_bytes()) return;
  if (known != nullptr) {
    found_ = *known;
    window_ = view_.extent;
  } else {
    count_runs_in(view_.extent);
  }
}

bool ReachProfile::in_whole_bytes() const {
  const core::LayoutView layout = view_.layout;
  bool whole = layout.item_bits % 8 == 0;
  for (std::size_t d = 0; d < layout.shape.size(); ++d) whole &= layout.shape[d] == 1 || layout.stride_bits[d] % 8 == 0;
  return whole;
}

void ReachProfile::count_runs_in(core::ByteRange window) {
  window_ = window;
  if (auto found = core::count_touches(view_, window, kMostTouchedRuns, budget_per_click())) found_ = std::move(*found);
}

void ReachProfile::read(std::int64_t begin, std::int64_t end, std::int64_t least_bits, std::span<const TapePiece> cells,
                        std::vector<ReachPiece>& out) {
  out.clear();
  begin = std::max(begin, begin_);
  end = std::min(end, end_);
  if (begin >= end) return;
  if (!counts().empty()) return read_runs(begin, end, least_bits, out);
  if (cells.empty()) return add(out, {.begin = begin, .end = end, .counted = false}, least_bits);
  for (const TapePiece& cell : cells) {
    const std::uint64_t times = cell.elements.value_or(0);
    add(out, {cell.begin, cell.end, times, times, cell.elements.has_value()}, 0);
  }
}

void ReachProfile::read_runs(std::int64_t begin, std::int64_t end, std::int64_t least_bits, std::vector<ReachPiece>& out) {
  const auto at = [&](std::int64_t byte) { return view_.address + static_cast<core::Address>(byte); };
  const core::ByteRange seen{at(core::floor_div(begin, 8)), at(core::ceil_div(end, 8))};
  if (!found_.has_all_runs && window_ != seen) count_runs_in(seen);
  std::int64_t next = begin;
  auto run = std::ranges::upper_bound(found_.runs, seen.begin, {}, [](const core::TouchedRun& r) { return r.bytes.end; });
  for (; run != found_.runs.end() && run->bytes.begin < seen.end; ++run) {
    const std::int64_t from = std::max(next, bit_of(run->bytes.begin)), to = std::min(end, bit_of(run->bytes.end));
    add(out, {.begin = next, .end = from}, least_bits);
    add(out, {from, to, run->times, run->times}, least_bits);
    next = std::max(next, to);
  }
  if (found_.has_all_runs) return add(out, {.begin = next, .end = end}, least_bits);
  // The runs from here on were too many. If all bytes that are reached are reached equally often, that much is known.
  const bool uniform = counts().size() == 1;
  add(out, {next, end, 0, uniform ? counts()[0].times : 0, uniform}, least_bits);
}

bool may_reach_again(const core::TensorRecord& tensor, const StorageTape& tape) {
  const bool each_once = tensor.distinct_bytes != core::kUnknown64 && tensor.distinct_bytes == tensor.nbytes;
  return !each_once && !tape.each_once();
}

std::string reach_sentence(const ReachPiece& piece, std::string_view name, bool counting) {
  const auto bits = static_cast<std::uint64_t>(piece.end - piece.begin);
  const std::string size = bits % 8 == 0 ? human_bytes(bits / 8) : counted(bits, "bit", "bits");
  if (!piece.counted && counting) return fmt::format("{}: how often they are reached is being counted.", size);
  if (!piece.counted)
    return fmt::format("{}: how often they are reached was not counted, because that takes too much work at once. Zoom in until "
                       "single elements are seen.", size);
  if (piece.most == 0) return fmt::format("{} that no element of {} reaches.", size, name);
  if (piece.least == piece.most)
    return fmt::format("{}, each reached by {} of {}.", size, counted(piece.most, "element", "elements"), name);
  return fmt::format("{} seen together, each reached by {} to {} of {}.", size, grouped(piece.least),
                     counted(piece.most, "element", "elements"), name);
}

}  // namespace dlscope::app
