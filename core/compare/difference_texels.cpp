#include "core/compare/difference_texels.h"

#include <algorithm>
#include <cstdlib>

#include "core/base/clock.h"
#include "core/base/float_environment.h"
#include "core/elements/reverse_bytes.h"

namespace dlscope::core {
namespace {

constexpr std::int64_t kBlockCells = 8192;  // of a line: 32 KiB of float32 in one call of the kernel
// Cells of a block each way, where B is transposed to A: each row of the block is then worth a call of the kernel.
constexpr std::int64_t kTransposedSide = 360;

TensorValues values_of(const ComparedTensor& tensor) { return {tensor.dtype, tensor.layout, tensor.address, tensor.source}; }

}  // namespace

// ---- a few pairs of each texel ----

SampledDifferences::SampledDifferences(const DifferenceSubject& subject)
    : a_{CellPlaces(values_of(subject.a), subject.axes), subject.a.source, subject.a.dtype, subject.a.signs, {}, {}},
      b_{CellPlaces(values_of(subject.b), subject.axes), subject.b.source, subject.b.dtype, subject.b.signs, {}, {}},
      differences_(subject.a.dtype, subject.b.dtype, subject.kind),
      window_(subject.window),
      runs_across_(lies_along_rows(a_.places)) {
  const CellLine& line = runs_across_ ? a_.places.across : a_.places.down;
  const bool side_by_side = line.step() == static_cast<std::int64_t>(a_.places.value_bits) && a_.places.value_bits % 8 == 0;
  if (side_by_side) run_ = std::min(kMaxSampledCells, runs_across_ ? window_.column_step : window_.row_step);
}

Result<bool> SampledDifferences::advance(std::int64_t, Texels& out) {
  const DefaultFloatEnvironment environment;
  read_row(out);
  return true;
}

// Of the elements that were added, as plain values in this machine's byte order, sign bits applied.
const std::byte* SampledDifferences::read_values(Side& side) {
  side.elements.read(*side.source.reader);
  const std::size_t reversed = side.source.reversed_bytes;
  if (reversed != 0) reverse_bytes(reversed, side.elements.bytes, side.elements.bytes.data());
  if (side.signs.any()) apply_sign_bits(side.dtype, side.signs, side.elements.bytes);
  return whole_values(side.elements, side.places.value_bits, side.room);
}

void SampledDifferences::read_row(Texels& out) {
  const std::int64_t texels = window_.texel_columns();
  for (Side* const side : {&a_, &b_}) side->elements.restart(side->places.value_bits, static_cast<std::size_t>(texels * run_));
  ends_.clear();
  for (std::int64_t texel = 0; texel < texels; ++texel) {
    const SampledCells cells = sampled_cells(window_, row_, texel, run_, runs_across_);
    for (std::int64_t i = 0; i < cells.count; ++i) {
      const std::int64_t row = cells.row + (runs_across_ ? 0 : i), column = cells.column + (runs_across_ ? i : 0);
      for (Side* const side : {&a_, &b_})
        side->elements.add(side->places.base, side->places.origin + side->places.down.bit(row) + side->places.across.bit(column));
    }
    ends_.push_back(a_.elements.size());
  }
  const std::byte *const a = read_values(a_), *const b = read_values(b_);
  const auto all = static_cast<std::uint32_t>(a_.elements.size());
  std::size_t texel = 0;
  TexelTotals totals;
  const auto first_texel = static_cast<std::size_t>(row_) * static_cast<std::size_t>(texels);
  for (std::uint32_t from = 0; from < all; from += SideNumbers::kMaxValues) {
    const std::uint32_t count = std::min(SideNumbers::kMaxValues, all - from);
    differences_.work_out(a + from * differences_.bytes_a(), b + from * differences_.bytes_b(), count);
    for (std::uint32_t i = 0; i < count; ++i) {
      const std::uint32_t pair = from + i;
      if (a_.elements.complete[pair] == 0 || b_.elements.complete[pair] == 0) {
        totals.flags |= kTexelUnread;
      } else {
        totals.add(differences_.differences()[i]);
        if (differences_.unequal(i)) totals.flags |= kTexelUnequal;
      }
      if (pair + 1 < ends_[texel]) continue;
      totals.write(out, first_texel + texel++);
      totals = {};
    }
  }
}

// ---- every pair ----

ExactDifferences::ExactDifferences(const DifferenceSubject& subject)
    : a_(subject.a, subject.axes),
      b_(subject.b, subject.axes),
      differences_(subject.a.dtype, subject.b.dtype, subject.kind),
      lines_(subject.window, lies_along_rows(a_.places())),
      transposed_(lines_.along_rows != lies_along_rows(b_.places())) {}

Result<bool> ExactDifferences::advance(std::int64_t ends, Texels& out) {
  const DefaultFloatEnvironment environment;
  do {
    if (auto read = read_block(); !read) return std::unexpected(read.error());
    if (cell_ < lines_.inner.count) continue;
    end_group(out);
    return true;
  } while (monotonic_ns() < ends);
  return false;
}

std::int64_t ExactDifferences::together() const {
  return transposed_ ? std::max<std::int64_t>(kTransposedSide / lines_.outer.step, 1) : 1;
}

void ExactDifferences::begin(std::int64_t line) {
  line_ = line;
  group_ = std::min(together(), lines_.outer.texels() - line_);
  const std::int64_t first = line_ * lines_.outer.step;
  rows_ = std::min(group_ * lines_.outer.step, lines_.outer.count - first);
  row_ = cell_ = 0;
  totals_.assign(static_cast<std::size_t>(group_ * lines_.inner.texels()), {});
}

Result<void> ExactDifferences::read_block() {
  const std::int64_t width = std::min(transposed_ ? kTransposedSide : kBlockCells, lines_.inner.count - cell_);
  const std::int64_t most = transposed_ ? kTransposedSide : CellBlock::kMaxValues / width;
  const CellStretch lines{lines_.outer.from + line_ * lines_.outer.step + row_, std::clamp<std::int64_t>(most, 1, rows_ - row_)};
  const CellStretch cells{lines_.inner.from + cell_, width};
  for (CellBlock* const side : {&a_, &b_}) {
    if (auto read = side->read(lines_.along_rows, lines, cells); !read) return read;
  }
  for (std::int64_t i = 0; i < lines.count; ++i, ++row_) {
    if (row_ % lines_.outer.step == 0) {
      columns_.restart(static_cast<std::size_t>(width));
      unequal_.assign(static_cast<std::size_t>(width), 0);
      added_ = equal_ = 0;
    }
    add_line(a_.line(i), b_.line(i), width);
    if ((row_ + 1) % lines_.outer.step == 0 || row_ + 1 == rows_) fold(width);
  }
  places_done_ += static_cast<std::uint64_t>(lines.count * width);
  if (row_ < rows_) return {};
  row_ = 0;
  cell_ += width;
  return {};
}

void ExactDifferences::add_line(const std::byte* a, const std::byte* b, std::int64_t cells) {
  if (differences_.same_bits(a, b, static_cast<std::uint64_t>(cells))) {
    ++equal_;
    return;
  }
  ++added_;
  for (std::size_t from = 0; from < unequal_.size(); from += SideNumbers::kMaxValues) {
    const std::size_t count = std::min<std::size_t>(SideNumbers::kMaxValues, unequal_.size() - from);
    differences_.work_out(a + from * differences_.bytes_a(), b + from * differences_.bytes_b(),
                          static_cast<std::uint32_t>(count));
    columns_.add_row(differences_.differences().data(), count, from);
    for (std::size_t i = 0; i < count; ++i) unequal_[from + i] |= differences_.unequal()[i];
  }
}

// What the cells of the stretch add up to in one line of texels.
void ExactDifferences::fold(std::int64_t cells) {
  const auto first = static_cast<std::size_t>(row_ / lines_.outer.step * lines_.inner.texels());
  for (std::int64_t i = 0; i < cells; ++i) {
    const auto cell = static_cast<std::size_t>(i);
    TexelTotals& totals = totals_[first + static_cast<std::size_t>((cell_ + i) / lines_.inner.step)];
    const std::uint64_t finite = added_ - columns_.left_out[cell];
    if (finite > 0) totals.add(columns_.min[cell], columns_.max[cell], columns_.sum[cell], finite);
    if (equal_ > 0) totals.add(0, 0, 0, equal_);
    totals.flags |= columns_.flags[cell];
    if (unequal_[cell] != 0) totals.flags |= kTexelUnequal;
  }
}

void ExactDifferences::end_group(Texels& out) const {
  const auto texels = static_cast<std::size_t>(lines_.inner.texels());
  for (std::size_t line = 0; line < static_cast<std::size_t>(group_); ++line) {
    for (std::size_t i = 0; i < texels; ++i) {
      const std::size_t at = lines_.index_of(static_cast<std::size_t>(line_) + line, i, out.rect.columns);
      totals_[line * texels + i].write(out, at);
    }
  }
}

}  // namespace dlscope::core
