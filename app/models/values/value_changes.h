// ChangedCells: which visible cells changed between two reads, and when. A cell that scrolls out of view keeps its mark; one that
// was not visible before cannot be compared.
#pragma once

#include <cstdint>
#include <map>
#include <optional>

#include "app/models/values/value_grid.h"

namespace dlscope::app {

class ChangedCells {
 public:
  // Compares two reads of the same view of the same memory. Returns how many cells changed.
  std::size_t note(const CellBytes& before, const CellBytes& now, std::uint32_t item_bits, double time);
  // When the cell last changed; nullopt: not since clear().
  [[nodiscard]] std::optional<double> changed_at(std::uint64_t row, std::uint64_t column) const;
  [[nodiscard]] std::size_t size() const { return marks_.size(); }
  void clear() { marks_.clear(); }

 private:
  static constexpr std::size_t kMaxMarks = 50'000;
  std::map<std::pair<std::uint64_t, std::uint64_t>, double> marks_;
};

}  // namespace dlscope::app
