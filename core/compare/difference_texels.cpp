#include "core/compare/difference_texels.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "core/base/clock.h"
#include "core/statistics/float_environment.h"

namespace dlscope::core {
namespace {

constexpr std::int64_t kBlockCells = SideNumbers::kMostValues;
constexpr std::int64_t kBlockValues = std::int64_t{1} << 15;

TensorValues values_of(const ComparedTensor& tensor) { return {tensor.dtype, tensor.layout, tensor.address, tensor.source}; }

std::uint64_t distance(const CellLine& line) {
  return line.step() == 0 ? ~std::uint64_t{0} : static_cast<std::uint64_t>(std::abs(line.step()));
}

std::uint64_t places_of(const AffineAxes& axes) {
  std::uint64_t places = 1;
  for (const AffineAxes::Axis& axis : axes.axes) places *= axis.count;
  return places;
}

}  // namespace

// ---- a few pairs of each texel ----

SampledDifferences::SampledDifferences(const DifferenceSubject& subject)
    : a_{CellPlaces(values_of(subject.a), subject.axes), *subject.a.source.reader, {}, {}},
      b_{CellPlaces(values_of(subject.b), subject.axes), *subject.b.source.reader, {}, {}},
      differences_(subject.a.dtype, subject.b.dtype, subject.kind),
      window_(subject.window),
      runs_across_(distance(a_.places.across) <= distance(a_.places.down)) {
  const CellLine& line = runs_across_ ? a_.places.across : a_.places.down;
  const bool side_by_side = line.step() == static_cast<std::int64_t>(a_.places.value_bits) && a_.places.value_bits % 8 == 0;
  if (side_by_side) run_ = std::min(kMostSampledCells, runs_across_ ? window_.column_step : window_.row_step);
}

void SampledDifferences::advance(std::int64_t nanoseconds, Texels& out) {
  const DefaultFloatEnvironment environment;
  const std::int64_t ends = monotonic_ns() + nanoseconds;
  while (row_ < window_.texel_rows()) {
    read_row(out);
    ++row_;
    if (monotonic_ns() >= ends) return;
  }
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
  for (Side* const side : {&a_, &b_}) side->elements.read(side->reader);
  const std::byte* const a = whole_values(a_.elements, a_.places.value_bits, a_.room);
  const std::byte* const b = whole_values(b_.elements, b_.places.value_bits, b_.room);
  const auto all = static_cast<std::uint32_t>(a_.elements.size());
  std::size_t texel = 0;
  TexelTotals totals;
  const auto first_texel = static_cast<std::size_t>(row_) * static_cast<std::size_t>(texels);
  for (std::uint32_t from = 0; from < all; from += SideNumbers::kMostValues) {
    const std::uint32_t count = std::min(SideNumbers::kMostValues, all - from);
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

ExactDifferences::Side::Side(const ComparedTensor& tensor, const CellAxes& cell_axes)
    : places(values_of(tensor), cell_axes), source(tensor.source) {}

Result<void> ExactDifferences::Side::read(bool along_rows, Stretch lines, Stretch cells) {
  const CellLine &fast = along_rows ? places.across : places.down, &slow = along_rows ? places.down : places.across;
  const auto width = static_cast<std::uint64_t>(cells.count);
  const std::size_t each = (places.value_bits + 7) / 8;
  block.resize(static_cast<std::size_t>(lines.count * cells.count) * each);
  std::uint64_t first_line = 0;
  for (const AffineAxes& down : slow.pieces(lines.from, lines.from + lines.count)) {
    std::uint64_t first_cell = 0;
    for (const AffineAxes& across : fast.pieces(cells.from, cells.from + cells.count)) {
      axes = {.origin = places.origin, .axes = {}};
      append_axes(across, axes);
      append_axes(down, axes);
      const std::uint64_t run = places_of(across), all = run * places_of(down);
      if (!reader)
        reader.emplace(places.base, axes, places.value_bits, source, kBlockValues);
      else
        reader->turn_to(places.base, axes);
      for (std::uint64_t at = 0; at < all;) {
        const auto window = reader->read(at, all, 1);
        if (!window) return std::unexpected(window.error());
        for (std::uint64_t done = 0; done < window->count;) {
          const std::uint64_t column = (at + done) % run, count = std::min(run - column, window->count - done);
          const std::uint64_t line = first_line + (at + done) / run;
          std::memcpy(block.data() + (line * width + first_cell + column) * each, window->data + done * each, count * each);
          done += count;
        }
        at += window->count;
      }
      first_cell += run;
    }
    first_line += places_of(down);
  }
  return {};
}

ExactDifferences::ExactDifferences(const DifferenceSubject& subject)
    : a_(subject.a, subject.axes),
      b_(subject.b, subject.axes),
      differences_(subject.a.dtype, subject.b.dtype, subject.kind),
      along_rows_(distance(a_.places.across) <= distance(a_.places.down)) {
  const CellWindow& window = subject.window;
  const Direction rows{window.row, window.rows, window.row_step}, columns{window.column, window.columns, window.column_step};
  fast_ = along_rows_ ? columns : rows;
  slow_ = along_rows_ ? rows : columns;
  lines_ = slow_.texels();
  places_ = static_cast<std::uint64_t>(fast_.count) * static_cast<std::uint64_t>(slow_.count);
}

TexelRect ExactDifferences::lines(std::int64_t from, std::int64_t to) const {
  const auto first = static_cast<std::uint32_t>(from), count = static_cast<std::uint32_t>(to - from);
  const auto all = static_cast<std::uint32_t>(fast_.texels());
  return along_rows_ ? TexelRect{first, 0, count, all} : TexelRect{0, first, all, count};
}

Result<void> ExactDifferences::advance(std::int64_t nanoseconds, Texels& out) {
  const DefaultFloatEnvironment environment;
  const std::int64_t ends = monotonic_ns() + nanoseconds;
  while (!complete()) {
    if (!begun_) begin_line();
    if (auto read = read_block(); !read) return read;
    if (line_cells_.count == 0) end_line(out);
    if (monotonic_ns() >= ends) break;
  }
  return {};
}

void ExactDifferences::begin_line() {
  begun_ = true;
  const std::int64_t first = line_ * slow_.step;
  line_cells_ = {slow_.from + first, std::min(slow_.step, slow_.count - first)};
  cell_ = 0;
  totals_.assign(static_cast<std::size_t>(fast_.texels()), {});
}

// Some lines of cells, a stretch of each after the other.
Result<void> ExactDifferences::read_block() {
  const std::int64_t width = std::min(kBlockCells, fast_.count);
  const Stretch lines{line_cells_.from, std::clamp<std::int64_t>(kBlockValues / width, 1, line_cells_.count)};
  const Stretch cells{fast_.from + cell_, std::min(width, fast_.count - cell_)};
  for (Side* const side : {&a_, &b_}) {
    if (auto read = side->read(along_rows_, lines, cells); !read) return read;
  }
  const Stretch in_line{cell_, cells.count};
  for (std::int64_t i = 0; i < lines.count; ++i) {
    const auto at = static_cast<std::size_t>(i * cells.count);
    add_line(a_.block.data() + at * differences_.bytes_a(), b_.block.data() + at * differences_.bytes_b(), in_line);
  }
  places_done_ += static_cast<std::uint64_t>(lines.count * cells.count);
  cell_ += cells.count;
  if (cell_ < fast_.count) return {};
  cell_ = 0;
  line_cells_.from += lines.count;
  line_cells_.count -= lines.count;
  return {};
}

void ExactDifferences::add_line(const std::byte* a, const std::byte* b, Stretch cells) {
  if (differences_.same_bits(a, b, static_cast<std::uint64_t>(cells.count))) return add_equal(cells);
  differences_.work_out(a, b, static_cast<std::uint32_t>(cells.count));
  auto texel = static_cast<std::size_t>(cells.from / fast_.step);
  std::int64_t left = fast_.step - cells.from % fast_.step;
  for (const double difference : differences_.differences()) {
    totals_[texel].add(difference);
    if (--left > 0) continue;
    left = fast_.step;
    ++texel;
  }
  for (std::int64_t i = 0; i < cells.count; ++i) {
    if (differences_.unequal(static_cast<std::size_t>(i))) totals_[static_cast<std::size_t>((cells.from + i) / fast_.step)].flags |= kTexelUnequal;
  }
}

void ExactDifferences::add_equal(Stretch cells) {
  for (std::int64_t at = cells.from; at < cells.from + cells.count;) {
    const std::int64_t texel = at / fast_.step, to = std::min((texel + 1) * fast_.step, cells.from + cells.count);
    totals_[static_cast<std::size_t>(texel)].add(0, static_cast<std::uint64_t>(to - at));
    at = to;
  }
}

void ExactDifferences::end_line(Texels& out) {
  const TexelRect at = lines(line_, line_ + 1);
  for (std::size_t i = 0; i < totals_.size(); ++i)
    totals_[i].write(out, along_rows_ ? std::size_t{at.row} * out.rect.columns + i : i * out.rect.columns + at.column);
  ++line_;
  begun_ = false;
}

}  // namespace dlscope::core
