#include "embed/tensors/device_memory.h"

#include <fmt/format.h>

#include "core/devices/cuda_pointer.h"
#include "core/transfer/device_copy.h"

namespace dlscope::embed {
namespace {

constexpr std::int32_t kCuda = 2;  // kDLCUDA

core::Result<void> check_place(const core::CudaDriver& driver, const HeldTensor& from) {
  for (const core::Address address : {from.extent.begin, from.extent.end - 1}) {
    const auto found = core::look_up_cuda_pointer(driver, address);
    if (!found) return std::unexpected(found.error());
    if (core::device_of(*found) == from.device) continue;
    return core::fail(core::ErrorKind::invalid, fmt::format("described as {}, but the CUDA driver says that {:#x} is {}",
                                                            core::device_name(from.device), address, core::words_for(*found)));
  }
  return {};
}

}  // namespace

bool is_on_cuda_device(const HeldTensor& tensor) { return tensor.device.type == kCuda; }

core::Result<void> bring_from_device(const HeldTensor& from, const HeldTensor& to, std::byte* bytes) {
  if (from.extent.empty()) return {};
  auto transfer = core::CudaTransfer::open(from.device.id);
  if (!transfer) return std::unexpected(transfer.error());
  if (auto checked = check_place((*transfer)->driver(), from); !checked) return checked;
  // A producer of DLPack was asked to be done on the default stream; nobody was asked by the array interface.
  const bool has_order = from.protocol == core::Protocol::dlpack;
  if (auto ordered = has_order ? (*transfer)->wait_for_default_stream() : (*transfer)->wait_for_all_streams(); !ordered) return ordered;
  return core::copy_from_device(**transfer, from.address(), from.layout(), bytes, to.layout());
}

}  // namespace dlscope::embed
