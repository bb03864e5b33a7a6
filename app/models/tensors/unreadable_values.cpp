#include "app/models/tensors/unreadable_values.h"

#include <fmt/format.h>

#include <algorithm>
#include <span>

#include "core/inventory/readable.h"
#include "core/tensor/device_id.h"

namespace dlscope::app {
namespace {

constexpr std::int32_t kCuda = 2;  // kDLCUDA

std::string empty_text(std::span<const std::int64_t> shape) {
  const auto axis = std::ranges::find(shape, 0) - shape.begin();
  return fmt::format("It has no elements: axis {} has length 0.", axis);
}

// The reason found when the memory was tried.
std::string why_unreadable(const core::Snapshot& snapshot, const core::TensorRecord& tensor) {
  for (const core::RemarkRecord& remark : snapshot.slice(snapshot.remarks, tensor.remarks)) {
    if (remark.code == core::RemarkCode::extent_unreadable || remark.code == core::RemarkCode::not_probed)
      return ": " + std::string(snapshot.str(remark.message));
  }
  return {};
}

// Of devices only CUDA memory is read, and only where the driver confirms the producer's claim.
std::string why_not_on_device(const core::Snapshot& snapshot, const core::TensorRecord& tensor) {
  if (core::is_read_on_device(snapshot, tensor)) return {};
  const std::string device = core::device_name(tensor.device);
  if (tensor.device.type != kCuda)
    return fmt::format("Its memory is on {}; dlscope reads the memory of the host and of CUDA devices.", device);
  const core::DriverDeviceRecord* const told = snapshot.driver_device_of(tensor);
  if (told == nullptr)
    return fmt::format("It is said to be on {}, which the CUDA driver has not confirmed, so nothing at this address is read.",
                       device);
  return fmt::format(
      "It is said to be on {}, but the CUDA driver says that its memory is {}'s, so nothing at this address is read.", device,
      core::device_name(told->device));
}

}  // namespace

std::string why_no_values(const core::Snapshot& snapshot, const core::TensorRecord& tensor) {
  if (!tensor.has_metadata) return "No protocol described this tensor, so nothing is known about its bytes.";
  if (!tensor.has_layout) return "Its shape and strides are impossible, so its elements have no addresses.";
  if (tensor.elements == 0) return empty_text(snapshot.shape(tensor));
  if (tensor.space == core::kNoSpace)
    return "Its data pointer is a handle, not an address: only the library that made it can read it.";
  if (tensor.data == 0) return "Its data pointer is NULL.";
  if (core::is_copy_for_export(tensor))
    return "It hands over a copy of its bytes, made each time it is asked. The described one is freed; where its own bytes are is "
           "not known.";
  if (tensor.has_claimed_device && tensor.claimed_device != tensor.device)
    return "The object and its capsule name different devices, so nothing at this address is read.";
  // oneAPI memory may be in the host's space; a read could move it.
  const bool of_other_device = core::device_memory(tensor.device) == core::DeviceMemory::device && tensor.device.type != kCuda;
  if (tensor.space != core::kHostSpace || of_other_device) return why_not_on_device(snapshot, tensor);
  if (!tensor.readable) {
    const bool was_tried = !snapshot.has_remark(tensor, core::RemarkCode::not_probed);
    return (was_tried ? "Its memory cannot be read" : "Its memory is not read") + why_unreadable(snapshot, tensor) + ".";
  }
  return {};
}

}  // namespace dlscope::app
