#include "embed/tensors/device_memory.h"

#include <fmt/format.h>

#include <array>
#include <memory>
#include <utility>

#include "core/devices/cuda_peer.h"
#include "core/devices/cuda_pointer.h"
#include "core/transfer/copy_plan.h"
#include "core/transfer/device_compare.h"
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

// What cuMemcpyPeer does with the bytes is the driver's affair; whether the devices can reach each other at all is a fact.
std::string peer_text(const core::CudaDriver& driver, core::DeviceId from, core::DeviceId to) {
  const auto reaches = core::can_access_peer(driver, from.id, to.id);
  const std::string both = fmt::format("{} -> {}", core::device_name(from), core::device_name(to));
  if (!reaches) return fmt::format("{} (whether directly is not known: {})", both, reaches.error().message);
  return *reaches ? both + " (directly if the program has enabled peer access, otherwise through the host by the driver)"
                  : both + " (through the host by the driver: the devices cannot access each other)";
}

// "host -> pinned ring -> cuda:0, packed by a kernel"
std::string path_text(const core::CudaDriver& driver, const HeldTensor& from, const HeldTensor& to,
                      const core::DeviceCopyWay& way) {
  const bool from_device = is_on_cuda_device(from.device), to_device = is_on_cuda_device(to.device);
  std::string text;
  if (!from_device)
    text = fmt::format("host -> pinned ring -> {}", core::device_name(to.device));
  else if (!to_device)
    text = fmt::format("{} -> pinned ring -> host", core::device_name(from.device));
  else if (from.device == to.device)
    text = fmt::format(fmt::runtime(way.through_host ? "{0} -> host -> {0}" : "on {}"), core::device_name(from.device));
  else
    text = peer_text(driver, from.device, to.device);
  if (way.kernel) text += ", packed by a kernel";
  if (way.host_packed) text += ", packed on the host";
  return text;
}

// Contiguous bytes are copied between devices directly; otherwise they are first brought into the target's order on their own
// device, in memory that is allocated before the first byte is copied.
core::Result<void> copy_between(core::CudaTransfer& transfer, const HeldTensor& from, const HeldTensor& to,
                                const core::DeviceCopyOptions& options) {
  const core::CopyPlan plan = core::plan_copy(from.layout(), to.layout());
  if (plan.rank == 0 && plan.in_bytes)
    return core::copy_to_peer(transfer, from.address(), to.device.id, to.address(), static_cast<std::uint64_t>(plan.item),
                              options);
  const std::uint64_t bytes = to.extent.size();
  const auto ordered = core::CudaAllocation::make(from.device, static_cast<std::size_t>(bytes));
  if (!ordered) return std::unexpected(ordered.error());
  core::DeviceCopyOptions half = options;
  std::uint64_t before = 0;  // each of the two copies is half of the work
  if (options.progress) {
    half.progress = [&](std::uint64_t done, std::uint64_t total) {
      return options.progress((before * total + done) / 2, total);
    };
  }
  if (auto done = core::copy_on_device(transfer, from.address(), from.layout(), ordered->address(), to.layout(), half); !done)
    return done;
  before = 1;
  return core::copy_to_peer(transfer, ordered->address(), to.device.id, to.address(), bytes, half);
}

// Waits for what the program has queued, if its producer agreed on a stream, so that the wait can be stopped.
core::Result<void> wait_for_program(core::CudaTransfer& transfer, const HeldTensor& from, const core::CopyProgress& progress) {
  // A DLPack producer was asked to be ready on the default stream; with the array interface no stream was agreed on.
  if (from.protocol != core::Protocol::dlpack) return transfer.wait_for_all_streams();
  if (auto ordered = transfer.wait_for_default_stream(); !ordered) return ordered;
  if (!progress) return {};  // the copy's stream waits by itself
  return transfer.finish([&] { return progress(0, from.nbytes()); });
}

core::Result<void> copy_through(core::CudaTransfer& transfer, const HeldTensor& from, const HeldTensor& to,
                                const core::DeviceCopyOptions& options) {
  if (!is_on_cuda_device(from.device))
    return core::copy_to_device(transfer, bytes_of(from), from.layout(), to.address(), to.layout(), options);
  if (auto checked = check_place(transfer.driver(), from); !checked) return checked;
  if (auto waited = wait_for_program(transfer, from, options.progress); !waited) return waited;
  if (!is_on_cuda_device(to.device))
    return core::copy_from_device(transfer, from.address(), from.layout(), bytes_of(to), to.layout(), options);
  if (to.device == from.device)
    return core::copy_on_device(transfer, from.address(), from.layout(), to.address(), to.layout(), options);
  return copy_between(transfer, from, to, options);
}

}  // namespace

bool is_on_cuda_device(core::DeviceId device) { return device.type == kCuda; }

bool can_allocate_on(core::DeviceId device) {
  return device == core::kCpuDevice || device.type == kCuda || device.type == kCudaHost || device.type == kCudaManaged;
}

core::Result<void> copy_by_driver(const HeldTensor& from, const HeldTensor& to, const core::CopyProgress& progress,
                                  std::string* path) {
  if (from.extent.empty()) return {};
  const bool from_host = !is_on_cuda_device(from.device);
  auto transfer = core::CudaTransfer::open(from_host ? to.device.id : from.device.id);
  if (!transfer) return std::unexpected(transfer.error());
  core::DeviceCopyWay way;
  core::DeviceCopyOptions options;
  options.progress = progress;
  options.way = &way;
  if (auto copied = copy_through(**transfer, from, to, options); !copied) return copied;
  if (path != nullptr) *path = path_text((*transfer)->driver(), from, to, way);
  const bool after_default_stream = from.protocol == core::Protocol::dlpack;
  const core::DeviceId device = from_host ? to.device : from.device;
  const auto there = [&](const HeldTensor& tensor) { return tensor.device == device ? tensor.recorded : core::RecordedMemory{}; };
  note_driver_copy({.device = device, .after_default_stream = after_default_stream, .from = there(from), .to = there(to)});
  return {};
}

core::Result<std::optional<bool>> is_driver_copy(const HeldTensor& from, const HeldTensor& made,
                                                 const core::CopyProgress& progress, const core::SeeConverted& see) {
  if (from.extent.empty()) return std::optional(true);
  if (from.dtype != made.dtype && from.subbyte_padded)
    return core::fail(core::ErrorKind::unsupported, "padded sub-byte elements are not converted");
  std::array<std::unique_ptr<core::CudaTransfer>, 2> transfers;
  const auto side = [&](const HeldTensor& tensor, std::unique_ptr<core::CudaTransfer>& of_it) -> core::Result<core::DeviceSide> {
    if (is_on_cuda_device(tensor.device)) {
      auto opened = core::CudaTransfer::open(tensor.device.id);
      if (!opened) return std::unexpected(opened.error());
      of_it = std::move(*opened);
    }
    return core::DeviceSide{of_it.get(), tensor.address(), tensor.layout(), tensor.dtype};
  };
  const auto source = side(from, transfers[0]), copy = side(made, transfers[1]);
  if (!source) return std::unexpected(source.error());
  if (transfers[0]) {  // another one may have made the copy
    if (auto checked = check_place(transfers[0]->driver(), from); !checked) return std::unexpected(checked.error());
    if (auto waited = wait_for_program(*transfers[0], from, {}); !waited) return std::unexpected(waited.error());
  }
  if (!copy) return std::unexpected(copy.error());
  return core::is_copy_across(*source, *copy, progress, core::kCopyPartBytes, see);
}

core::Result<void> make_stream_wait(core::DeviceId device, std::uint64_t stream) {
  const auto driver = core::CudaDriver::open(core::CudaInit::only_if_initialised);
  if (!driver) return std::unexpected(driver.error());
  return core::wait_for_default_stream(*driver, device.id,
                                       reinterpret_cast<core::CudaStream>(static_cast<std::uintptr_t>(stream)));
}

core::Result<void> make_default_stream_wait(core::DeviceId device, std::uint64_t stream) {
  const auto driver = core::CudaDriver::open(core::CudaInit::only_if_initialised);
  if (!driver) return std::unexpected(driver.error());
  auto ordered = core::have_default_stream_wait(*driver, device.id,
                                                reinterpret_cast<core::CudaStream>(static_cast<std::uintptr_t>(stream)));
  if (ordered) note_default_stream_waits(device, stream);
  return ordered;
}

}  // namespace dlscope::embed
