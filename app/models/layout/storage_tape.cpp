#include "app/models/layout/storage_tape.h"

#include <algorithm>
#include <array>
#include <numeric>

namespace dlscope::app {
namespace {

// A step takes nanoseconds, so a screenful stays within a few milliseconds, and only when the view moves.
constexpr std::uint64_t kStepsPerPiece = 4000;
constexpr std::uint64_t kStepsPerRead = 400'000;

core::LayoutBounds bounds_of(core::LayoutView layout) {
  core::LayoutBounds bounds;
  static_cast<void>(core::check_layout(layout, bounds));  // has_layout: it passed before
  return bounds;
}

std::int64_t common_bits(core::LayoutView layout) {
  std::uint64_t bits = layout.item_bits;
  for (std::size_t d = 0; d < layout.shape.size(); ++d) {
    const std::int64_t stride = layout.stride_bits[d];
    if (layout.shape[d] > 1) bits = std::gcd(bits, static_cast<std::uint64_t>(stride < 0 ? -stride : stride));
  }
  return static_cast<std::int64_t>(bits);
}

// Whether no two elements share a bit, ignoring axes with stride 0.
bool apart_from_repeats(core::LayoutView layout) {
  std::array<std::int64_t, core::kMaxRank> shape{}, strides{};
  std::size_t rank = 0;
  for (std::size_t d = 0; d < layout.shape.size(); ++d) {
    if (layout.shape[d] == 1 || layout.stride_bits[d] == 0) continue;
    shape[rank] = layout.shape[d];
    strides[rank++] = layout.stride_bits[d];
  }
  const auto overlaps = core::quick_self_overlap({{shape.data(), rank}, {strides.data(), rank}, layout.item_bits});
  return overlaps.has_value() && !*overlaps;
}

bool same_look(const TapePiece& a, const TapePiece& b) {
  return a.elements.has_value() && a.elements == b.elements && *a.elements <= 1 && a.element == b.element;
}

}  // namespace

StorageTape::StorageTape(core::SnapshotPtr snapshot, std::uint32_t tensor)
    : snapshot_(std::move(snapshot)),
      tensor_(&snapshot_->tensors[tensor]),
      bounds_(bounds_of(snapshot_->layout(*tensor_))),
      hits_(snapshot_->layout(*tensor_), bounds_),
      cell_bits_(common_bits(snapshot_->layout(*tensor_))),
      one_each_(apart_from_repeats(snapshot_->layout(*tensor_))) {}

void StorageTape::read(std::int64_t first, std::int64_t step, std::uint32_t pieces, std::vector<TapePiece>& out) const {
  out.clear();
  std::uint64_t left = kStepsPerRead;
  first = std::clamp<std::int64_t>(first, 0, cells());
  for (std::uint32_t i = 0; i < pieces && first < cells(); ++i) {
    const std::int64_t next = cells() - first > step ? first + step : cells();
    TapePiece piece{.begin = begin() + first * cell_bits_, .end = begin() + next * cell_bits_, .element = {}};
    std::uint64_t steps = std::min(left, kStepsPerPiece);
    left -= steps;
    const Hits hits = hits_.touching(piece.begin, piece.end, steps);
    left += steps;  // give back unused steps
    piece.element = hits.element;
    piece.elements = hits.count;
    if (!hits.count || (*hits.count > 0 && !one_each_ && step > 1))
      piece.filled = std::nullopt;
    else if (step == 1)
      piece.filled = *hits.count > 0 ? 1 : 0;
    else
      piece.filled = std::min(1.0, static_cast<double>(*hits.count / hits_.repeats()) * static_cast<double>(tensor_->item_bits) /
                                       static_cast<double>(piece.end - piece.begin));
    first = next;
    if (step == 1 && !out.empty() && same_look(out.back(), piece))
      out.back().end = piece.end;
    else
      out.push_back(piece);
  }
}

std::optional<std::uint64_t> StorageTape::element_at(std::int64_t begin_bit, std::int64_t end_bit) const {
  std::uint64_t steps = kStepsPerPiece;
  return hits_.touching(begin_bit, end_bit, steps).element;
}

}  // namespace dlscope::app
