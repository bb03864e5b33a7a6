#include "core/compare/cell_block.h"

#include <algorithm>
#include <cstring>

namespace dlscope::core {

CellBlock::CellBlock(const ComparedTensor& tensor, const CellAxes& axes)
    : places_({tensor.dtype, tensor.layout, tensor.address, tensor.source}, axes),
      source_(tensor.source),
      dtype_(tensor.dtype),
      signs_(tensor.signs),
      value_bytes_((places_.value_bits + 7) / 8) {}

Result<void> CellBlock::read(bool along_rows, CellStretch lines, CellStretch cells) {
  const CellLine &fast = along_rows ? places_.across : places_.down, &slow = along_rows ? places_.down : places_.across;
  width_ = cells.count;
  values_.resize(static_cast<std::size_t>(lines.count * cells.count) * value_bytes_);
  std::uint64_t first_line = 0;
  for (const AffineAxes& line_piece : slow.pieces(lines.from, lines.from + lines.count)) {
    std::uint64_t first_cell = 0;
    for (const AffineAxes& piece : fast.pieces(cells.from, cells.from + cells.count)) {
      axes_ = {.origin = places_.origin, .axes = {}};
      append_axes(piece, axes_);
      append_axes(line_piece, axes_);
      const std::uint64_t run = piece.places();
      if (auto read = read_piece(run, run * line_piece.places(), first_line, first_cell); !read) return read;
      first_cell += run;
    }
    first_line += line_piece.places();
  }
  apply_sign_bits(dtype_, signs_, values_);
  return {};
}

// axes_: `run` cells of a line, then those of the next one.
Result<void> CellBlock::read_piece(std::uint64_t run, std::uint64_t all, std::uint64_t first_line, std::uint64_t first_cell) {
  if (!reader_)
    reader_.emplace(places_.base, axes_, places_.value_bits, source_, kMaxValues * 4);
  else
    reader_->retarget(places_.base, axes_);
  const auto width = static_cast<std::uint64_t>(width_);
  for (std::uint64_t at = 0; at < all;) {
    const auto window = reader_->read(at, all, 1);
    if (!window) return std::unexpected(window.error());
    for (std::uint64_t done = 0; done < window->count;) {
      const std::uint64_t cell = (at + done) % run, line = first_line + (at + done) / run;
      const std::uint64_t count = std::min(run - cell, window->count - done);
      std::memcpy(values_.data() + (line * width + first_cell + cell) * value_bytes_, window->data + done * value_bytes_,
                  count * value_bytes_);
      done += count;
    }
    at += window->count;
  }
  return {};
}

}  // namespace dlscope::core
