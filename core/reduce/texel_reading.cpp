#include "core/reduce/texel_reading.h"

#include "core/base/scrambled.h"

namespace dlscope::core {

SampledCells sampled_cells(const CellWindow& window, std::int64_t texel_row, std::int64_t texel_column, std::int64_t longest,
                           bool across) {
  const std::int64_t row = window.row + texel_row * window.row_step, column = window.column + texel_column * window.column_step;
  const std::int64_t rows = std::min(window.row_step, window.row + window.rows - row);
  const std::int64_t columns = std::min(window.column_step, window.column + window.columns - column);
  std::uint64_t chance = scrambled(static_cast<std::uint64_t>(row) * 0x100000001b3 + static_cast<std::uint64_t>(column));
  const auto pick = [&](std::int64_t from, std::int64_t count) {
    chance = scrambled(chance);
    return from + static_cast<std::int64_t>(chance % static_cast<std::uint64_t>(count));
  };
  const std::int64_t run = std::min(longest, across ? columns : rows);
  const std::int64_t at_row = pick(row, across ? rows : rows - run + 1);
  const std::int64_t at_column = pick(column, across ? columns - run + 1 : columns);
  return {at_row, at_column, run, scrambled(chance)};
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
