// Snapshots of tensors over memory of this process: for what reads values.
#pragma once

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "core/inventory/snapshot_builder.h"

namespace dlscope::tests {

struct LocalTensor {
  std::string name;
  const void* data = nullptr;
  core::DType dtype;
  core::Layout layout;
  std::vector<core::RemarkCode> remarks = {};
  std::shared_ptr<const core::ItemType> item_type = nullptr;  // of elements that DLPack has no dtype for
};

inline core::SnapshotPtr local_tensors(const std::vector<LocalTensor>& tensors) {
  core::SnapshotBuilder builder;
  for (const LocalTensor& tensor : tensors) {
    core::TensorDesc desc;
    desc.clear();
    desc.protocol = core::Protocol::dlpack;
    desc.has_metadata = desc.has_layout = true;
    desc.dtype = tensor.dtype;
    desc.item_type = tensor.item_type;
    desc.device = core::kCpuDevice;
    desc.data = reinterpret_cast<core::Address>(tensor.data);
    desc.rank = static_cast<std::int32_t>(tensor.layout.shape.size());
    std::copy(tensor.layout.shape.begin(), tensor.layout.shape.end(), desc.shape.begin());
    std::copy(tensor.layout.stride_bits.begin(), tensor.layout.stride_bits.end(), desc.stride_bits.begin());
    desc.bounds = *core::validate(tensor.layout);
    desc.extent = *core::extent_of(desc.bounds, desc.data);
    for (const core::RemarkCode code : tensor.remarks) desc.remark(code, "noted by the test");
    builder.add_tensor(desc, builder.intern("numpy"), builder.intern("numpy.ndarray"), builder.add_text(tensor.name));
  }
  const auto map = core::AddressMap::load(0);
  const auto reader = core::process_reader(0);
  builder.analyse({.map = &*map, .reader = reader->get(), .sharing = {}});
  return builder.finish();
}

// One tensor, "x".
inline core::SnapshotPtr local_tensor(const void* data, core::DType dtype, const core::Layout& layout) {
  return local_tensors({{"x", data, dtype, layout}});
}

inline core::SnapshotPtr local_tensor(const void* data, const core::ItemType& item, const core::Layout& layout) {
  return local_tensors({{"x", data, core::dtype_of_item(item.bytes), layout, {}, std::make_shared<const core::ItemType>(item)}});
}

}  // namespace dlscope::tests
