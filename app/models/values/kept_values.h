// KeptValues: a small copy of cells that were read while the bytes were known to be their tensor's own. Once code runs, other data
// may lie there: what was last seen can then be shown as what it is, a thing of the past. Of the tensors looked at last, bounded.
#pragma once

#include <cstdint>
#include <deque>

#include "app/models/values/value_grid.h"

namespace dlscope::app {

struct KeptTable {
  std::uint32_t tensor = 0;
  AxisMapping mapping;
  CellBytes cells;
};

class KeptValues {
 public:
  static constexpr std::size_t kMostBytes = std::size_t{1} << 20;  // of all of them together
  static constexpr std::uint64_t kMostWhole = 4096;  // cells: a table of no more is kept whole, not only what is seen

  // Takes the place of what was kept of that table before; what is larger than everything may be is not kept.
  void keep(std::uint32_t tensor, const AxisMapping& mapping, const CellBytes& cells);
  // Of another snapshot: nothing that was kept is of its tensors.
  void forget();
  // However a vector is wrapped. null: nothing was kept of it.
  [[nodiscard]] const KeptTable* of(std::uint32_t tensor, const AxisMapping& mapping) const;
  [[nodiscard]] std::size_t bytes() const { return bytes_; }

 private:
  std::deque<KeptTable> tables_;  // the newest last
  std::size_t bytes_ = 0;
};

// What was kept of each look at the tensors, by the number of its moment: to be shown when one looks back at it. Bounded; the looks that
// were left first give way.
class KeptValuesOfMoments {
 public:
  static constexpr std::size_t kMostBytes = std::size_t{32} << 20;

  void put(std::uint64_t moment, KeptValues kept);
  [[nodiscard]] KeptValues take(std::uint64_t moment);  // empty: nothing was kept of it
  [[nodiscard]] std::size_t bytes() const { return bytes_; }

 private:
  struct Entry {
    std::uint64_t moment = 0;
    KeptValues kept;
  };
  std::deque<Entry> entries_;  // the one left last at the end
  std::size_t bytes_ = 0;
};

// The cells of `window` out of kept ones; those that were not kept are incomplete. window: cut to the table's edge. wrap: of the
// table that is filled, for a vector; the kept one may have had another.
void take_kept(const KeptTable& kept, GridWindow window, std::uint64_t wrap, CellBytes& out);

}  // namespace dlscope::app
