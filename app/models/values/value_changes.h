// ChangedCells: which of the visible cells changed from one read to the next, and when. A cell that scrolled out of view
// keeps its mark; one that was not in view before has nothing to be compared with.
#pragma once

#include <cstdint>
#include <map>
#include <optional>

#include "app/models/values/value_grid.h"

namespace dlscope::app {

class ChangedCells {
 public:
  // Compares what was read before with what was read now, of the same view of the same memory. Costs the cells of `now`.
  // How many changed.
  std::size_t note(const CellBytes& before, const CellBytes& now, std::uint32_t item_bits, double time);
  // When the cell changed last; nullopt: not since the marks were cleared.
  [[nodiscard]] std::optional<double> changed_at(std::uint64_t row, std::uint64_t column) const;
  [[nodiscard]] std::size_t size() const { return marks_.size(); }
  void clear() { marks_.clear(); }

 private:
  static constexpr std::size_t kMostMarks = 50'000;
  std::map<std::pair<std::uint64_t, std::uint64_t>, double> marks_;
};

}  // namespace dlscope::app
