// SampledRuns: the raw values of a few cells of each texel of a line, neighbours along it. Finding a page costs more than copying some
// thousand bytes of it, so the runs of texels that lie close together are read as one piece with what lies between them.
// thread: one; kept from line to line for its room.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/elements/element_bytes.h"
#include "core/memory/memory_reader.h"
#include "core/reduce/cell_places.h"
#include "core/reduce/window_lines.h"

namespace dlscope::core {

class SampledRuns {
 public:
  struct Run {
    std::int64_t bit = 0;                // of the line's cell 0, beyond the base
    std::int64_t first = 0, count = 0;   // cells
    std::size_t value = 0, piece = 0;    // number of its first value, and of what it is read with
  };

  // Both outlive it.
  SampledRuns(const CellPlaces& places, const WindowLines& lines);

  // Cells of a texel at most; of so many texels side by side `bit` should be one, that they be read together.
  [[nodiscard]] std::int64_t longest() const { return longest_; }
  [[nodiscard]] std::int64_t together() const { return together_; }

  // A line: restart(), add() for each texel from the first to the last, read().
  void restart(std::size_t texels);
  void add(std::int64_t bit, std::int64_t texel, std::int64_t first, std::int64_t count);
  // Never fails as a whole: see complete().
  void read(const MemoryReader& reader);

  [[nodiscard]] const std::vector<Run>& all() const { return runs_; }
  [[nodiscard]] std::size_t values() const { return values_; }
  // Of all values, one after the other; whole bytes each, a packed value in the low bits.
  [[nodiscard]] std::span<std::byte> bytes() { return bytes_; }
  [[nodiscard]] bool complete(std::size_t value) const { return complete_[value] != 0; }

 private:
  static constexpr std::size_t kNoPiece = ~std::size_t{0};
  struct Piece {
    std::int64_t bit = 0, first = 0, group = 0;  // of the line, a cell, of texels
    Address at = 0;
  };
  [[nodiscard]] const CellLine& inner() const { return lines_->along_rows ? places_->across : places_->down; }
  void add_piece(const Run& run, std::int64_t begin, std::int64_t group);
  [[nodiscard]] bool read_pieces(const MemoryReader& reader);
  void copy_run(const Run& run, const std::byte* from, std::size_t distance);
  void read_alone(const MemoryReader& reader);

  const CellPlaces* places_;
  const WindowLines* lines_;
  std::int64_t longest_ = 1, together_ = 1;
  std::int64_t piece_cells_ = 0;  // 0: values are read one by one
  std::size_t value_bytes_;
  std::vector<Run> runs_;
  std::vector<Piece> pieces_;
  std::size_t values_ = 0;
  std::vector<Address> starts_;       // of the pieces
  std::vector<std::byte> piece_bytes_, bytes_;
  std::vector<std::uint8_t> whole_, complete_;
  ElementBytes alone_;  // of runs that have no piece, or one that cannot be read as a whole
  std::vector<std::byte> unpacked_;
};

}  // namespace dlscope::core
