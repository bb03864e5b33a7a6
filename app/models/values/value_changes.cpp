#include "app/models/values/value_changes.h"

#include <algorithm>

namespace dlscope::app {
namespace {

// The bits of a packed element, without its neighbours in the same bytes.
unsigned packed_bits(std::span<const std::byte> bytes, unsigned bit, std::uint32_t item_bits) {
  const unsigned word = static_cast<unsigned>(bytes[0]) | (bytes.size() > 1 ? static_cast<unsigned>(bytes[1]) << 8 : 0U);
  return word >> bit & ((1U << item_bits) - 1);
}

bool same(const CellBytes& a, std::size_t i, const CellBytes& b, std::size_t j, std::uint32_t item_bits) {
  if (a.complete[i] != b.complete[j]) return false;
  if (a.complete[i] == 0) return true;
  if (item_bits < 8) return packed_bits(a.of(i), a.bits[i], item_bits) == packed_bits(b.of(j), b.bits[j], item_bits);
  return std::ranges::equal(a.of(i), b.of(j));
}

}  // namespace

std::size_t ChangedCells::note(const CellBytes& before, const CellBytes& now, std::uint32_t item_bits, double time) {
  if (before.each != now.each || before.awaited() || now.awaited()) return 0;
  const GridWindow &then = before.window, &window = now.window;
  std::size_t changed = 0;
  for (std::size_t i = 0; i < window.cells(); ++i) {
    const std::uint64_t row = window.row + i / window.columns, column = window.column + i % window.columns;
    if (row - then.row >= then.rows || column - then.column >= then.columns) continue;  // unsigned: also before the first
    const std::size_t j = (row - then.row) * then.columns + (column - then.column);
    if (same(before, j, now, i, item_bits)) continue;
    ++changed;
    if (marks_.size() < kMaxMarks) marks_[{row, column}] = time;
  }
  return changed;
}

std::optional<double> ChangedCells::changed_at(std::uint64_t row, std::uint64_t column) const {
  const auto mark = marks_.find({row, column});
  return mark == marks_.end() ? std::nullopt : std::optional(mark->second);
}

}  // namespace dlscope::app
