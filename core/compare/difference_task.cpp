#include "core/compare/difference_task.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "core/compare/difference_texels.h"

namespace dlscope::core {
namespace {

std::uint64_t cells_of(const CellWindow& window) {
  std::uint64_t cells = 0;
  const bool too_many =
      __builtin_mul_overflow(static_cast<std::uint64_t>(window.rows), static_cast<std::uint64_t>(window.columns), &cells);
  return too_many ? std::numeric_limits<std::uint64_t>::max() : cells;
}

TensorValues values_of(const ComparedTensor& tensor) { return {tensor.dtype, tensor.layout, tensor.address, tensor.source}; }

// The part of the table that is read: what repeats in both is read once.
CellWindow read_of(const TensorValues& a, const TensorValues& b, const CellAxes& axes, const CellWindow& window) {
  const CellPlaces of_a(a, axes), of_b(b, axes);
  return without_repeats(window, of_a.down.repeats() && of_b.down.repeats(), of_a.across.repeats() && of_b.across.repeats());
}

}  // namespace

std::string why_no_difference(const ComparedTensor& a, const ComparedTensor& b) {
  for (const DType dtype : {a.dtype, b.dtype}) {
    if (!has_statistics(dtype)) return fmt::format("values of dtype {} are not numbers", dtype_name(dtype));
    if (dtype.lanes != 1) return fmt::format("an element of dtype {} is {} numbers, not one", dtype_name(dtype), dtype.lanes);
  }
  if (!std::ranges::equal(a.layout.shape, b.layout.shape)) return "they do not have the same shape";
  return {};
}

WindowValues count_pairs(const TensorValues& a, const TensorValues& b, const CellAxes& axes, const CellWindow& window) {
  return {cells_of(window), cells_of(read_of(a, b, axes, window))};
}

Result<std::unique_ptr<ReduceTask>> make_difference_task(const ComparedTensor& a, const ComparedTensor& b, const CellAxes& axes,
                                                         const CellWindow& window, DifferenceKind kind, std::uint64_t most_exact,
                                                         std::shared_ptr<const void> owner, unsigned threads) {
  if (std::string why = why_no_difference(a, b); !why.empty()) return fail(ErrorKind::unsupported, std::move(why));
  if (!axes.reduced.empty() || axes.channel)
    return fail(ErrorKind::unsupported, "differences are shown of single elements: choose an index on every other axis");
  if (const auto fits = check_picture(a.layout, axes, window); !fits) return std::unexpected(fits.error());
  PicturePlan plan{.owner = std::move(owner), .asked = window, .read = window, .most_exact = most_exact, .samples = {}, .exact = {}};
  if (window.rows == 0 || window.columns == 0) return std::make_unique<ReduceTask>(std::move(plan));
  plan.read = read_of(values_of(a), values_of(b), axes, window);
  plan.places = cells_of(plan.read);
  const DifferenceSubject subject{a, b, axes, plan.read, kind};
  plan.samples.emplace_back([subject] { return std::make_unique<SampledDifferences>(subject); });
  plan.exact.emplace_back([subject] { return std::make_unique<ExactDifferences>(subject); });
  return std::make_unique<ReduceTask>(std::move(plan), threads);
}

Result<std::unique_ptr<ReduceTask>> make_difference_task(const SnapshotTensor& a, const SnapshotTensor& b, const CellAxes& axes,
                                                         const CellWindow& window, DifferenceKind kind,
                                                         std::uint64_t most_exact) {
  const auto first = compared_tensor(a), second = compared_tensor(b);
  if (!first) return std::unexpected(first.error());
  if (!second) return std::unexpected(second.error());
  return make_difference_task(*first, *second, axes, window, kind, most_exact,
                              std::make_shared<const std::pair<SnapshotTensor, SnapshotTensor>>(a, b));
}

}  // namespace dlscope::core
