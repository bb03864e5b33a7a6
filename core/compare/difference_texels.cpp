#include "core/compare/difference_texels.h"

#include <algorithm>
#include <cstdlib>

#include "core/base/clock.h"
#include "core/base/float_environment.h"
#include "core/elements/reverse_bytes.h"

namespace dlscope::core {
namespace {

constexpr std::int64_t kBlockCells = 8192;  // of a line: 32 KiB of float32 in one call of the kernel
constexpr std::int64_t kTurnedSide =
    360;  // cells of a block each way, where one tensor lies the other way: stretches worth a call of the kernel

TensorValues values_of(const ComparedTensor& tensor) { return {tensor.dtype, tensor.layout, tensor.address, tensor.source}; }

std::uint64_t distance(const CellLine& line) {
  return line.step() == 0 ? ~std::uint64_t{0} : static_cast<std::uint64_t>(std::abs(line.step()));
}

}  // namespace

// ---- a few pairs of each texel ----

SampledDifferences::SampledDifferences(const DifferenceSubject& subject)
    : a_{CellPlaces(values_of(subject.a), subject.axes), subject.a.source, subject.a.dtype, subject.a.signs, {}, {}},
      b_{CellPlaces(values_of(subject.b), subject.axes), subject.b.source, subject.b.dtype, subject.b.signs, {}, {}},
      differences_(subject.a.dtype, subject.b.dtype, subject.kind),
      window_(subject.window),
      runs_across_(distance(a_.places.across) <= distance(a_.places.down)) {
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
      along_rows_(distance(a_.places().across) <= distance(a_.places().down)),
      transposed_(along_rows_ != (distance(b_.places().across) <= distance(b_.places().down))) {
  const CellWindow& window = subject.window;
  const Direction rows{window.row, window.rows, window.row_step}, columns{window.column, window.columns, window.column_step};
  fast_ = along_rows_ ? columns : rows;
  slow_ = along_rows_ ? rows : columns;
}

TexelRect ExactDifferences::lines(std::int64_t from, std::int64_t to) const {
  const auto first = static_cast<std::uint32_t>(from), count = static_cast<std::uint32_t>(to - from);
  const auto all = static_cast<std::uint32_t>(fast_.texels());
  return along_rows_ ? TexelRect{first, 0, count, all} : TexelRect{0, first, all, count};
}

Result<bool> ExactDifferences::advance(std::int64_t ends, Texels& out) {
  const DefaultFloatEnvironment environment;
  do {
    if (auto read = read_block(); !read) return std::unexpected(read.error());
    if (cell_ < fast_.count) continue;
    end_group(out);
    return true;
  } while (monotonic_ns() < ends);
  return false;
}

std::int64_t ExactDifferences::together() const { return transposed_ ? std::max<std::int64_t>(kTurnedSide / slow_.step, 1) : 1; }

void ExactDifferences::begin(std::int64_t line) {
  line_ = line;
  group_ = std::min(together(), slow_.texels() - line_);
  const std::int64_t first = line_ * slow_.step;
  rows_ = std::min(group_ * slow_.step, slow_.count - first);
  row_ = cell_ = 0;
  totals_.assign(static_cast<std::size_t>(group_ * fast_.texels()), {});
}

Result<void> ExactDifferences::read_block() {
  const std::int64_t width = std::min(transposed_ ? kTurnedSide : kBlockCells, fast_.count - cell_);
  const CellStretch lines{slow_.from + line_ * slow_.step + row_,
                          std::clamp<std::int64_t>(transposed_ ? kTurnedSide : CellBlock::kMaxValues / width, 1, rows_ - row_)};
  const CellStretch cells{fast_.from + cell_, width};
  for (CellBlock* const side : {&a_, &b_}) {
    if (auto read = side->read(along_rows_, lines, cells); !read) return read;
  }
  for (std::int64_t i = 0; i < lines.count; ++i, ++row_) {
    if (row_ % slow_.step == 0) {
      columns_.restart(static_cast<std::size_t>(width));
      unequal_.assign(static_cast<std::size_t>(width), 0);
      added_ = equal_ = 0;
    }
    add_line(a_.line(i), b_.line(i), width);
    if ((row_ + 1) % slow_.step == 0 || row_ + 1 == rows_) fold(width);
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
  const auto first = static_cast<std::size_t>(row_ / slow_.step * fast_.texels());
  for (std::int64_t i = 0; i < cells; ++i) {
    const auto cell = static_cast<std::size_t>(i);
    TexelTotals& totals = totals_[first + static_cast<std::size_t>((cell_ + i) / fast_.step)];
    const std::uint64_t finite = added_ - columns_.left_out[cell];
    if (finite > 0) totals.add(columns_.least[cell], columns_.greatest[cell], columns_.sum[cell], finite);
    if (equal_ > 0) totals.add(0, 0, 0, equal_);
    totals.flags |= columns_.flags[cell];
    if (unequal_[cell] != 0) totals.flags |= kTexelUnequal;
  }
}

void ExactDifferences::end_group(Texels& out) const {
  const auto texels = static_cast<std::size_t>(fast_.texels());
  for (std::size_t line = 0; line < static_cast<std::size_t>(group_); ++line) {
    for (std::size_t i = 0; i < texels; ++i) {
      const std::size_t at = static_cast<std::size_t>(line_) + line;
      totals_[line * texels + i].write(out, along_rows_ ? at * out.rect.columns + i : i * out.rect.columns + at);
    }
  }
}

}  // namespace dlscope::core
