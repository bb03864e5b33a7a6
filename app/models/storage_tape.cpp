#include "app/models/storage_tape.h"

#include <algorithm>
#include <numeric>

#include "core/sharing/multiplicity.h"

namespace dlscope::app {
namespace {

constexpr std::uint64_t kCountBudget = 2000;  // search steps for one cell: a screenful stays under a millisecond or two

}  // namespace

StorageTape::StorageTape(core::SnapshotPtr snapshot, std::uint32_t tensor)
    : snapshot_(std::move(snapshot)), tensor_(&snapshot_->tensors[tensor]) {
  std::uint64_t bits = tensor_->item_bits;
  const auto shape = snapshot_->shape(*tensor_);
  const auto strides = snapshot_->stride_bits(*tensor_);
  for (std::size_t d = 0; d < shape.size(); ++d) {
    if (shape[d] > 1) bits = std::gcd(bits, static_cast<std::uint64_t>(strides[d] < 0 ? -strides[d] : strides[d]));
  }
  cell_bytes_ = bits % 8 == 0 ? bits / 8 : 1;
}

std::uint64_t StorageTape::cells() const { return (tensor_->extent.size() + cell_bytes_ - 1) / cell_bytes_; }

std::uint64_t StorageTape::cell_of(core::Address address) const { return (address - tensor_->extent.begin) / cell_bytes_; }

void StorageTape::read(std::uint64_t first, std::uint32_t count, std::vector<TapeCell>& out) const {
  out.clear();
  const std::uint64_t last = std::min(cells(), first + count);
  const core::MemoryView view = snapshot_->memory_view(*tensor_);
  for (std::uint64_t i = first; i < last; ++i) {
    const core::Address begin = tensor_->extent.begin + i * cell_bytes_;
    out.push_back({.bytes = {begin, std::min(begin + cell_bytes_, tensor_->extent.end)},
                   .element = core::element_at(view, begin),
                   .elements = core::elements_reaching(view, begin, kCountBudget)});
  }
}

}  // namespace dlscope::app
