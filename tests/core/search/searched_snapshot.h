// A snapshot of one tensor in memory of the test's, to be searched.
#pragma once

#include <memory>

#include "core/inventory/snapshot.h"

namespace dlscope::core {

inline SnapshotPtr snapshot_of(const void* data, DType dtype, const Layout& layout) {
  auto snapshot = std::make_shared<Snapshot>();
  TensorRecord tensor;
  tensor.address = tensor.data = reinterpret_cast<Address>(data);
  tensor.dtype = dtype;
  tensor.item_bits = layout.item_bits;
  tensor.rank = static_cast<std::uint8_t>(layout.shape.size());
  tensor.elements = 1;
  for (const auto n : layout.shape) tensor.elements *= static_cast<std::uint64_t>(n);
  snapshot->dims = layout.shape;
  snapshot->dims.insert(snapshot->dims.end(), layout.stride_bits.begin(), layout.stride_bits.end());
  snapshot->tensors.push_back(tensor);
  return snapshot;
}

}  // namespace dlscope::core
