// StorageTape: the bytes under a tensor as one row of cells in address order, each with the element that lies there, or
// none (a hole), or several (a broadcast, a sliding window). Numbers only: it reads no memory. Costs the cells asked for.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/inventory/snapshot.h"

namespace dlscope::app {

struct TapeCell {
  core::ByteRange bytes;
  std::optional<std::uint64_t> element;  // the lowest C-order number among the elements that touch the cell's first byte
  // How many elements touch the cell's first byte; nullopt when counting took too long.
  std::optional<std::uint64_t> elements;
};

class StorageTape {
 public:
  // The tensor must have a layout, elements and an address.
  StorageTape(core::SnapshotPtr snapshot, std::uint32_t tensor);

  // Bytes of one cell: the largest that no element boundary cuts; 1 for packed types.
  [[nodiscard]] std::uint64_t cell_bytes() const { return cell_bytes_; }
  [[nodiscard]] std::uint64_t cells() const;
  // The cell an address of the extent lies in.
  [[nodiscard]] std::uint64_t cell_of(core::Address address) const;
  // Fills `out` with the cells [first, first + count), cut at the end of the extent.
  void read(std::uint64_t first, std::uint32_t count, std::vector<TapeCell>& out) const;

 private:
  core::SnapshotPtr snapshot_;
  const core::TensorRecord* tensor_;
  std::uint64_t cell_bytes_ = 1;
};

}  // namespace dlscope::app
