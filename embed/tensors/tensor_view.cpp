#include "embed/tensors/tensor_view.h"

#include <algorithm>
#include <string>

#include "core/tensor/tensor_desc.h"
#include "embed/tensors/tensor_type.h"

namespace dlscope::embed {
namespace {

std::shared_ptr<HeldTensor> refuse(const std::string& why) {
  PyErr_SetString(PyExc_ValueError, why.c_str());
  return nullptr;
}

core::TensorDesc description_of(const HeldTensor& whole, const core::SlicedLayout& slice) {
  core::TensorDesc desc;
  desc.clear();
  desc.protocol = whole.protocol;
  desc.capsule = whole.capsule;
  desc.given_by = whole.given_by;
  desc.version_major = whole.version_major;
  desc.version_minor = whole.version_minor;
  desc.dtype = whole.dtype;
  desc.device = whole.device;
  desc.subbyte_padded = whole.subbyte_padded ? core::Tri::yes : core::Tri::no;
  desc.rank = static_cast<std::int32_t>(slice.shape.size());
  std::ranges::copy(slice.shape, desc.shape.begin());
  std::ranges::copy(slice.stride_bits, desc.stride_bits.begin());
  desc.data = whole.data + static_cast<core::Address>(slice.offset_bits / 8);
  desc.byte_offset = whole.byte_offset;
  desc.has_metadata = desc.has_layout = true;
  return desc;
}

}  // namespace

std::shared_ptr<HeldTensor> slice_of(const HeldTensorPtr& whole, std::span<const core::AxisSlice> slice) {
  const auto sliced = core::slice_layout(whole->layout(), slice);
  if (!sliced) return refuse(sliced.error().message);
  if (sliced->offset_bits % 8 != 0) return refuse("the slice begins inside a byte of packed elements");
  if (core::device_memory(whole->device) == core::DeviceMemory::handle && sliced->offset_bits != 0)
    return refuse("the memory is an opaque handle, in which a slice has no address");
  core::TensorDesc desc = description_of(*whole, *sliced);
  if (core::check_layout(desc.layout(), desc.bounds) != core::LayoutFault::none)
    return refuse("the slice is none that a tensor can have");
  (void)core::find_extent(desc.bounds, desc.data + desc.byte_offset, desc.extent);
  PyRef keeper = wrap_tensor(whole, {});
  if (!keeper) return nullptr;
  auto view = std::make_shared<HeldTensor>(desc, HeldMemory(ObjectHold{keeper.release()}));
  view->writability = whole->writability;
  view->is_copied = whole->is_copied;
  view->recorded = whole->recorded;
  view->source = whole->source;
  return view;
}

}  // namespace dlscope::embed
