#include "embed/tensors/device_memory.h"

#include <fmt/format.h>

#include "core/devices/cuda_pointer.h"
#include "core/transfer/copy_plan.h"
#include "core/transfer/device_copy.h"
#include "embed/protocols/stream_watch.h"

namespace dlscope::embed {
namespace {

constexpr std::int32_t kCuda = 2, kCudaHost = 3, kCudaManaged = 13;  // DLDeviceType

core::Result<void> check_place(const core::CudaDriver& driver, const HeldTensor& from) {
  for (const core::Address address : {from.extent.begin, from.extent.end - 1}) {
    const auto found = core::look_up_cuda_pointer(driver, address);
    if (!found) return std::unexpected(found.error());
    if (core::device_of(*found) == from.device) continue;
    return core::fail(core::ErrorKind::invalid, fmt::format("described as {}, but the CUDA driver says that {:#x} is {}",
                                                            core::device_name(from.device), address, core::pointer_text(*found)));
  }
  return {};
}

std::byte* bytes_of(const HeldTensor& tensor) { return reinterpret_cast<std::byte*>(tensor.data); }

// Contiguous bytes are copied between devices directly; otherwise they are first brought into the target's order on their own
// device.
core::Result<void> copy_to_peer(core::CudaTransfer& transfer, const HeldTensor& from, const HeldTensor& to) {
  const core::CopyPlan plan = core::plan_copy(from.layout(), to.layout());
  if (plan.rank == 0 && plan.in_bytes)
    return transfer.to_peer(from.address(), to.device.id, to.address(), static_cast<std::size_t>(plan.item));
  const auto bytes = static_cast<std::size_t>(to.extent.size());
  const auto ordered = core::CudaAllocation::make(from.device, bytes);
  if (!ordered) return std::unexpected(ordered.error());
  if (auto done = core::copy_on_device(transfer, from.address(), from.layout(), ordered->address(), to.layout()); !done)
    return done;
  return transfer.to_peer(ordered->address(), to.device.id, to.address(), bytes);
}

core::Result<void> copy_through(core::CudaTransfer& transfer, const HeldTensor& from, const HeldTensor& to,
                                bool after_default_stream) {
  if (!is_on_cuda_device(from.device))
    return core::copy_to_device(transfer, bytes_of(from), from.layout(), to.address(), to.layout());
  if (auto checked = check_place(transfer.driver(), from); !checked) return checked;
  if (auto ordered = after_default_stream ? transfer.wait_for_default_stream() : transfer.wait_for_all_streams(); !ordered)
    return ordered;
  if (!is_on_cuda_device(to.device))
    return core::copy_from_device(transfer, from.address(), from.layout(), bytes_of(to), to.layout());
  if (to.device == from.device) return core::copy_on_device(transfer, from.address(), from.layout(), to.address(), to.layout());
  return copy_to_peer(transfer, from, to);
}

}  // namespace

bool is_on_cuda_device(core::DeviceId device) { return device.type == kCuda; }

bool can_allocate_on(core::DeviceId device) {
  return device == core::kCpuDevice || device.type == kCuda || device.type == kCudaHost || device.type == kCudaManaged;
}

core::Result<void> copy_by_driver(const HeldTensor& from, const HeldTensor& to) {
  if (from.extent.empty()) return {};
  const bool from_host = !is_on_cuda_device(from.device);
  auto transfer = core::CudaTransfer::open(from_host ? to.device.id : from.device.id);
  if (!transfer) return std::unexpected(transfer.error());
  // A DLPack producer was asked to be ready on the default stream; with the array interface no stream was agreed on.
  const bool after_default_stream = from.protocol == core::Protocol::dlpack;
  if (auto copied = copy_through(**transfer, from, to, after_default_stream); !copied) return copied;
  const core::DeviceId device = from_host ? to.device : from.device;
  const auto there = [&](const HeldTensor& tensor) { return tensor.device == device ? tensor.recorded : core::RecordedMemory{}; };
  note_driver_copy({.device = device, .after_default_stream = after_default_stream, .from = there(from), .to = there(to)});
  return {};
}

core::Result<void> make_stream_wait(core::DeviceId device, std::uint64_t stream) {
  const auto driver = core::CudaDriver::open(core::CudaInit::only_if_initialised);
  if (!driver) return std::unexpected(driver.error());
  return core::wait_for_default_stream(*driver, device.id,
                                       reinterpret_cast<core::CudaStream>(static_cast<std::uintptr_t>(stream)));
}

}  // namespace dlscope::embed
