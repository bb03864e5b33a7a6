#include "core/reduce/texel_reading.h"

#include "core/base/checked_math.h"
#include "core/base/scrambled.h"

namespace dlscope::core {

namespace {

std::int64_t below(std::int64_t count, std::uint64_t chance) {
  return static_cast<std::int64_t>(UInt128{chance} * static_cast<std::uint64_t>(count) >> 64);
}

}  // namespace

SampledCells sampled_cells(const CellWindow& window, std::int64_t texel_row, std::int64_t texel_column, std::int64_t longest,
                           bool across, std::int64_t together) {
  const std::int64_t row = window.row + texel_row * window.row_step, column = window.column + texel_column * window.column_step;
  const std::int64_t rows = std::min(window.row_step, window.row + window.rows - row);
  const std::int64_t columns = std::min(window.column_step, window.column + window.columns - column);
  // `along` the line, and from line to line.
  const std::int64_t along = across ? column : row, line = across ? row : column;
  const std::int64_t group = along / ((across ? window.column_step : window.row_step) * together);
  const std::uint64_t shared = scrambled(static_cast<std::uint64_t>(line) * 0x100000001b3 + static_cast<std::uint64_t>(group));
  const std::int64_t run = std::min(longest, across ? columns : rows);
  const std::int64_t at_line = line + below(across ? rows : columns, shared);
  const std::uint64_t own = scrambled(shared + static_cast<std::uint64_t>(along));
  const std::int64_t at_along = along + below((across ? columns : rows) - run + 1, own);
  return {across ? at_line : at_along, across ? at_along : at_line, run, scrambled(shared)};
}

const std::byte* whole_values(const ElementBytes& elements, unsigned value_bits, std::vector<std::byte>& room) {
  if (value_bits % 8 == 0) return elements.bytes.data();
  room.resize(elements.size());
  for (std::size_t i = 0; i < elements.size(); ++i) {
    const auto bytes = elements.of(i);
    const unsigned both = std::to_integer<unsigned>(bytes[0]) | std::to_integer<unsigned>(bytes[1]) << 8;
    room[i] = static_cast<std::byte>(both >> elements.bits[i] & ((1U << value_bits) - 1));
  }
  return room.data();
}

}  // namespace dlscope::core
