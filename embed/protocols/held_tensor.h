// HeldTensor: memory that dlscope holds, and the layout of one tensor in it. Shared by a dlscope.Tensor and everything exported
// from it (capsules, buffers); the last owner gives the memory back to its source, exactly once. Immutable after construction.
// thread: made with the GIL held; read and destroyed on any thread (AnyThreadGil: after the interpreter's end nothing is given
// back).
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/streams/stream_recording.h"
#include "core/tensor/tensor_desc.h"
#include "embed/protocols/held_memory.h"

namespace dlscope::embed {

// The keywords that __dlpack__ was called with.
struct TakeAsked {
  bool max_version = false;  // (1, 3)
  std::optional<int> stream;
  std::optional<core::DeviceId> device;
  std::optional<bool> copy;
};

enum class Writability : std::uint8_t {
  yes,
  no,
  unknown,    // a legacy capsule cannot express it
  immutable,  // by contract of its library, even where a legacy capsule cannot express it
};

class HeldTensor {
 public:
  // desc: must have a layout; copied as far as needed.
  HeldTensor(const core::TensorDesc& desc, HeldMemory memory);
  ~HeldTensor() = default;
  // Sets what it holds from now on; it must have held nothing.
  void hold(HeldMemory memory) { memory_ = std::move(memory); }
  HeldTensor(const HeldTensor&) = delete;
  HeldTensor& operator=(const HeldTensor&) = delete;

  [[nodiscard]] std::span<const std::int64_t> shape() const { return dims(0); }
  [[nodiscard]] std::span<const std::int64_t> stride_bits() const { return dims(1); }
  [[nodiscard]] std::span<const std::int64_t> stride_elements() const { return dims(2); }  // valid when has_element_strides
  [[nodiscard]] core::LayoutView layout() const { return {shape(), stride_bits(), item_bits}; }
  [[nodiscard]] std::uint64_t nbytes() const { return (bounds.elements * item_bits + 7) / 8; }  // elements x size
  // Address of element [0,...,0]; an opaque handle is returned unchanged.
  [[nodiscard]] core::Address address() const {
    return core::device_memory(device) == core::DeviceMemory::handle ? data : data + byte_offset;
  }
  // The CPU can load from it, as far as its device tells.
  [[nodiscard]] bool in_host_memory() const { return core::device_memory(device) == core::DeviceMemory::host; }
  [[nodiscard]] bool may_write() const { return writability == Writability::yes || writability == Writability::unknown; }

  core::DType dtype;
  core::DeviceId device;
  core::Address data = 0;         // for export; in host memory the byte offset is included
  std::uint64_t byte_offset = 0;  // not on the host: a handle cannot be added to, and some need the allocation's start
  std::int32_t rank = 0;
  std::uint32_t item_bits = 8;
  core::LayoutBounds bounds;
  core::ByteRange extent;
  bool has_element_strides = true;  // false: a stride is not a whole number of elements
  bool subbyte_padded = false;
  core::CapsuleKind capsule = core::CapsuleKind::none;  // the kind it came in; none: not by DLPack
  std::uint16_t version_major = 0, version_minor = 0;
  core::Protocol protocol = core::Protocol::none;
  core::GivenBy given_by = core::GivenBy::none;
  // Set by whoever creates it, before it is shared.
  Writability writability = Writability::yes;
  bool is_copied = false;  // the bytes were copied to make it
  TakeAsked asked;         // when given_by is dlpack_method
  core::RecordedMemory recorded;  // its id in the trace of streams, for device memory
  std::string source;      // owner of the memory: "numpy.ndarray"; "dlscope" for our own

 private:
  [[nodiscard]] std::span<const std::int64_t> dims(std::size_t row) const {
    const auto n = static_cast<std::size_t>(rank);
    return std::span(dims_).subspan(row * n, n);
  }
  std::vector<std::int64_t> dims_;  // three rows: shape, strides in bits, strides in elements
  HeldMemory memory_;
};
using HeldTensorPtr = std::shared_ptr<const HeldTensor>;

// A new tensor with these strides, 64-byte aligned, uninitialised. Fails with a message when memory is short: available memory is
// checked before allocating. device: host memory, or what CudaAllocation provides.
struct NewTensor {
  std::shared_ptr<HeldTensor> tensor;
  std::byte* bytes = nullptr;  // null: on a device, not writable by the CPU
};
[[nodiscard]] core::Result<NewTensor> allocate_tensor(std::span<const std::int64_t> shape,
                                                      std::span<const std::int64_t> stride_bits, core::DType dtype,
                                                      bool subbyte_padded, core::DeviceId device = core::kCpuDevice);

}  // namespace dlscope::embed
