// A snapshot with one tensor of a given layout: for models that need nothing else of it.
#pragma once

#include <memory>

#include "core/inventory/snapshot.h"

namespace dlscope::tests {

struct OneTensor {
  core::SnapshotPtr snapshot;

  explicit OneTensor(const core::Layout& layout) {
    auto made = std::make_shared<core::Snapshot>();
    core::TensorRecord record;
    record.has_metadata = record.has_layout = true;
    record.dtype = {0, static_cast<std::uint8_t>(layout.item_bits), 1};
    record.item_bits = layout.item_bits;
    record.data = record.address = 0x1000'0000;
    record.space = core::kHostSpace;
    record.rank = static_cast<std::uint8_t>(layout.shape.size());
    const auto bounds = *core::validate(layout);
    record.elements = bounds.elements;
    record.extent = *core::extent_of(bounds, record.address);
    made->dims = layout.shape;
    made->dims.insert(made->dims.end(), layout.stride_bits.begin(), layout.stride_bits.end());
    made->tensors.push_back(record);
    snapshot = std::move(made);
  }
};

}  // namespace dlscope::tests
