#include "embed/protocols/held_tensor.h"

#include <fmt/format.h>
#include <sys/mman.h>

#include <algorithm>

#include "core/memory/available_memory.h"
#include "core/tensor/dlpack_import.h"
#include "embed/protocols/stream_watch.h"

namespace dlscope::embed {
namespace {

using core::ErrorKind;

constexpr std::size_t kAlignment = 64;              // JAX, TensorFlow and PyArrow share no memory with less alignment
constexpr std::size_t kHugePage = core::FreedBlockCache::kAlignment;

std::unique_ptr<std::byte, OwnHold::Free> allocate(std::uint64_t bytes) {
  const bool large = bytes >= core::FreedBlockCache::kLeast;
  const std::size_t alignment = large ? kHugePage : kAlignment;
  const std::size_t rounded = (std::max<std::size_t>(bytes, 1) + kAlignment - 1) / kAlignment * kAlignment;
  void* memory = large ? freed_blocks().take(rounded) : nullptr;
  if (memory != nullptr) return std::unique_ptr<std::byte, OwnHold::Free>(static_cast<std::byte*>(memory));
  if (::posix_memalign(&memory, alignment, rounded) != 0) {
    freed_blocks().drop();  // they count where memory is limited
    if (::posix_memalign(&memory, alignment, rounded) != 0) return nullptr;
  }
  if (large) ::madvise(memory, rounded, MADV_HUGEPAGE);  // a hint: fewer page faults while the copy is written
  return std::unique_ptr<std::byte, OwnHold::Free>(static_cast<std::byte*>(memory));
}

struct OwnMemory {
  core::Address address = 0;
  HeldMemory hold;
};

core::Result<OwnMemory> host_memory(std::uint64_t bytes) {
  constexpr std::uint64_t kLookedAt = std::uint64_t{64} << 20;  // for smaller sizes the check is not worth its time
  if (const auto available = bytes > kLookedAt ? core::available_memory() : std::nullopt; available && bytes > *available) {
    return core::fail(ErrorKind::environment,
                      fmt::format("a copy of {} bytes does not fit: {} are available", bytes, *available));
  }
  auto memory = allocate(bytes);
  if (!memory) return core::fail(ErrorKind::environment, fmt::format("the system could not provide {} bytes", bytes));
  const auto address = reinterpret_cast<core::Address>(memory.get());
  return OwnMemory{address, HeldMemory(OwnHold{std::move(memory)})};
}

core::Result<OwnMemory> cuda_memory(std::uint64_t bytes, core::DeviceId device) {
  auto memory = core::CudaAllocation::make(device, bytes);
  if (!memory) return std::unexpected(memory.error());
  const core::Address address = memory->address();
  return OwnMemory{address, HeldMemory(OwnCudaHold{std::make_unique<core::CudaAllocation>(std::move(*memory))})};
}

}  // namespace

HeldTensor::HeldTensor(const core::TensorDesc& desc, HeldMemory memory)
    : dtype(desc.dtype),
      device(desc.device),
      rank(desc.rank),
      item_bits(desc.item_bits()),
      bounds(desc.bounds),
      extent(desc.extent),
      subbyte_padded(desc.subbyte_padded == core::Tri::yes),
      capsule(desc.capsule),
      version_major(desc.version_major),
      version_minor(desc.version_minor),
      protocol(desc.protocol),
      given_by(desc.given_by),
      memory_(std::move(memory)) {
  data = in_host_memory() ? desc.address() : desc.data;
  byte_offset = in_host_memory() ? 0 : desc.byte_offset;
  if (!in_host_memory()) recorded = {stream_recording().new_memory(), address(), nbytes()};
  const auto n = static_cast<std::size_t>(rank);
  dims_.resize(3 * n);
  std::copy_n(desc.shape.begin(), n, dims_.begin());
  for (std::size_t d = 0; d < n; ++d) {
    const std::int64_t bits = desc.stride_bits[d];
    dims_[n + d] = bits;
    dims_[2 * n + d] = bits / static_cast<std::int64_t>(item_bits);
    // An axis of size 1 is never stepped along: its stride need not be exact.
    if (bits % static_cast<std::int64_t>(item_bits) != 0 && desc.shape[d] > 1) has_element_strides = false;
  }
}

core::Result<NewTensor> allocate_tensor(std::span<const std::int64_t> shape, std::span<const std::int64_t> stride_bits,
                                        core::DType dtype, bool subbyte_padded, core::DeviceId device) {
  core::TensorDesc desc;
  desc.clear();
  desc.dtype = dtype;
  desc.device = device;
  desc.subbyte_padded = subbyte_padded ? core::Tri::yes : core::Tri::no;
  desc.rank = static_cast<std::int32_t>(shape.size());
  std::ranges::copy(shape, desc.shape.begin());
  std::ranges::copy(stride_bits, desc.stride_bits.begin());
  if (core::check_layout(desc.layout(), desc.bounds) != core::LayoutFault::none) {
    return core::fail(ErrorKind::environment, fmt::format("no tensor can be that large: {}", core::describe(desc.layout())));
  }
  const auto bytes = static_cast<std::uint64_t>((desc.bounds.highest_bit + 7) / 8);
  auto memory = device == core::kCpuDevice ? host_memory(bytes) : cuda_memory(bytes, device);
  if (!memory) return std::unexpected(memory.error());
  desc.data = memory->address;
  (void)core::find_extent(desc.bounds, desc.data, desc.extent);
  desc.has_metadata = desc.has_layout = true;
  NewTensor made;
  made.tensor = std::make_shared<HeldTensor>(desc, std::move(memory->hold));
  if (made.tensor->in_host_memory()) made.bytes = reinterpret_cast<std::byte*>(desc.data);
  made.tensor->is_copied = true;
  made.tensor->source = "dlscope";
  return made;
}

}  // namespace dlscope::embed
