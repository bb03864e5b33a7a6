// KeptValues: a small copy of cells that were read while the bytes were known to be their tensor's own. Once code runs, other
// data may be there; the copy is then shown as what was last seen. Bounded: keeps the tensors last looked at.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>

#include "app/models/values/value_grid.h"

namespace dlscope::app {

struct KeptTable {
  std::uint32_t tensor = 0;
  AxisMapping mapping;
  CellBytes cells;
  std::uint16_t field = core::kNone16;  // of the tensor; kNone16: the tensor itself
};

class KeptValues {
 public:
  static constexpr std::size_t kMaxBytes = std::size_t{1} << 20;  // of all tables together
  static constexpr std::uint64_t kMaxWhole = 4096;                // cells: a table up to this size is kept as a whole

  // Replaces what was kept of that table; tables over kMaxBytes are not kept.
  void keep(std::uint32_t tensor, const AxisMapping& mapping, const CellBytes& cells,
            std::uint16_t field = core::kNone16);
  // Call for another snapshot: the kept tables are not of its tensors.
  void forget();
  // Whatever the wrap of a vector. Null: nothing was kept.
  [[nodiscard]] const KeptTable* of(std::uint32_t tensor, const AxisMapping& mapping,
                                    std::uint16_t field = core::kNone16) const;
  // One element of the tensor itself, of the table kept last that has it. The tensor must be of `snapshot`, the one the tables were
  // kept for.
  [[nodiscard]] std::optional<GridCell> element(const core::Snapshot& snapshot, std::uint32_t tensor, std::uint64_t element) const;
  [[nodiscard]] std::size_t bytes() const { return bytes_; }

 private:
  std::deque<KeptTable> tables_;  // newest last
  std::size_t bytes_ = 0;
};

// The kept values of each snapshot, by the number of its moment, to show when looking back. Bounded: the entries put in first are
// dropped first.
class KeptValuesOfMoments {
 public:
  static constexpr std::size_t kMaxBytes = std::size_t{32} << 20;

  void put(std::uint64_t moment, KeptValues kept);
  [[nodiscard]] KeptValues take(std::uint64_t moment);  // empty: nothing was kept
  [[nodiscard]] std::size_t bytes() const { return bytes_; }

 private:
  struct Entry {
    std::uint64_t moment = 0;
    KeptValues kept;
  };
  std::deque<Entry> entries_;  // oldest first
  std::size_t bytes_ = 0;
};

// Copies the cells of `window` out of a kept table; missing ones are incomplete. window: must be cut to the table's edge. wrap:
// that of the table being filled, for a vector; the kept one may have had another.
void take_kept(const KeptTable& kept, GridWindow window, std::uint64_t wrap, CellBytes& out);

}  // namespace dlscope::app
