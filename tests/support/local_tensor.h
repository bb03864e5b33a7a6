// A snapshot of one tensor, "x", over memory of this process: for what reads values.
#pragma once

#include <algorithm>

#include "core/inventory/snapshot_builder.h"

namespace dlscope::tests {

inline core::SnapshotPtr local_tensor(const void* data, core::DType dtype, const core::Layout& layout) {
  core::TensorDesc desc;
  desc.clear();
  desc.protocol = core::Protocol::dlpack;
  desc.has_metadata = desc.has_layout = true;
  desc.dtype = dtype;
  desc.device = core::kCpuDevice;
  desc.data = reinterpret_cast<core::Address>(data);
  desc.rank = static_cast<std::int32_t>(layout.shape.size());
  std::copy(layout.shape.begin(), layout.shape.end(), desc.shape.begin());
  std::copy(layout.stride_bits.begin(), layout.stride_bits.end(), desc.stride_bits.begin());
  desc.bounds = *core::validate(layout);
  desc.extent = *core::extent_of(desc.bounds, desc.data);
  core::SnapshotBuilder builder;
  builder.add_tensor(desc, builder.intern("numpy"), builder.intern("numpy.ndarray"), builder.add_text("x"));
  const auto map = core::AddressMap::load(0);
  const auto reader = core::process_reader(0);
  builder.analyse({.map = &*map, .reader = reader->get(), .sharing = {}});
  return builder.finish();
}

}  // namespace dlscope::tests
