// HeldTensor: memory that dlscope holds, and how one tensor lies in it. Shared by a dlscope.Tensor and by everything that was
// exported from it (capsules, buffers); whoever lets go of it last gives the memory back to whom it came from, exactly once.
// Its description never changes once it is made.
// thread: made with the GIL held; read and destroyed anywhere (AnyThreadGil: after the interpreter's end nothing is given back).
#pragma once

#include <cstddef>
#include <cstdlib>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "core/devices/cuda_allocation.h"
#include "core/streams/stream_recording.h"
#include "core/tensor/tensor_desc.h"
#include "embed/py_ref.h"

namespace dlscope::embed {

// The keywords __dlpack__ was called with, as far as they were given.
struct TakeAsked {
  bool max_version = false;  // (1, 3)
  std::optional<int> stream;
  std::optional<core::DeviceId> device;
  std::optional<bool> copy;
};

enum class Writability : std::uint8_t {
  yes,
  no,
  unknown,    // a legacy capsule cannot say
  immutable,  // by contract of its library, which a legacy capsule cannot say either
};

// A managed DLPack struct that was taken over; its deleter is called once. deleter 0: none.
struct ManagedHold {
  core::Address managed = 0, deleter = 0;
};
// A buffer that is exported to us.
struct BufferHold {
  BufferView view{};
};
// A Python object that keeps the memory for as long as it lives (array interfaces).
struct ObjectHold {
  PyObject* object = nullptr;
};
// Memory of our own.
struct OwnHold {
  struct Free {
    void operator()(std::byte* bytes) const { std::free(bytes); }
  };
  std::unique_ptr<std::byte, Free> bytes;
};
// Memory of our own that the CUDA driver gave: on a device, pinned, or managed.
struct OwnCudaHold {
  std::unique_ptr<core::CudaAllocation> memory;
};
using MemoryHold = std::variant<ManagedHold, BufferHold, ObjectHold, OwnHold, OwnCudaHold>;

class HeldTensor {
 public:
  // desc: has_layout. Copies what it needs of it. Takes over the hold.
  HeldTensor(const core::TensorDesc& desc, MemoryHold hold);
  ~HeldTensor();
  // Takes over what it holds from now on; it held nothing.
  void hold(MemoryHold hold) { hold_ = std::move(hold); }
  HeldTensor(const HeldTensor&) = delete;
  HeldTensor& operator=(const HeldTensor&) = delete;

  [[nodiscard]] std::span<const std::int64_t> shape() const { return dims(0); }
  [[nodiscard]] std::span<const std::int64_t> stride_bits() const { return dims(1); }
  [[nodiscard]] std::span<const std::int64_t> stride_elements() const { return dims(2); }  // when has_element_strides
  [[nodiscard]] core::LayoutView layout() const { return {shape(), stride_bits(), item_bits}; }
  [[nodiscard]] std::uint64_t nbytes() const { return (bounds.elements * item_bits + 7) / 8; }  // logical
  // Of element [0,...,0]; an opaque handle stays one.
  [[nodiscard]] core::Address address() const {
    return core::device_memory(device) == core::DeviceMemory::handle ? data : data + byte_offset;
  }
  // A CPU load reaches it, as far as its device tells.
  [[nodiscard]] bool in_host_memory() const { return core::device_memory(device) == core::DeviceMemory::host; }
  [[nodiscard]] bool may_write() const { return writability == Writability::yes || writability == Writability::unknown; }

  core::DType dtype;
  core::DeviceId device;
  core::Address data = 0;         // as it is exported; on the host the offset is folded in
  std::uint64_t byte_offset = 0;  // kept elsewhere: a handle cannot be added to, and some need the allocation's start
  std::int32_t rank = 0;
  std::uint32_t item_bits = 8;
  core::LayoutBounds bounds;
  core::ByteRange extent;
  bool has_element_strides = true;  // false: some stride is no whole number of elements
  bool subbyte_padded = false;
  core::CapsuleKind capsule = core::CapsuleKind::none;  // it came in; none: not by DLPack
  std::uint16_t version_major = 0, version_minor = 0;
  core::Protocol protocol = core::Protocol::none;
  core::GivenBy given_by = core::GivenBy::none;
  // Set by whoever made it, before it is shared.
  Writability writability = Writability::yes;
  bool is_copied = false;  // its bytes were copied to make it
  TakeAsked asked;         // when given_by is dlpack_method
  core::RecordedMemory recorded;  // how the trace of streams knows it; of memory on a device
  std::string source;      // whose memory it is: "numpy.ndarray"; "dlscope" for our own

 private:
  [[nodiscard]] std::span<const std::int64_t> dims(std::size_t row) const {
    const auto n = static_cast<std::size_t>(rank);
    return std::span(dims_).subspan(row * n, n);
  }
  std::vector<std::int64_t> dims_;  // shape, strides in bits, strides in elements
  MemoryHold hold_;
};
using HeldTensorPtr = std::shared_ptr<const HeldTensor>;

// A new tensor with these strides, 64-byte aligned, its bytes not set. Fails in words when there is no memory for it: what the machine
// has left is looked at before, not after. device: the host's own memory, or what CudaAllocation gives.
struct NewTensor {
  std::shared_ptr<HeldTensor> tensor;
  std::byte* bytes = nullptr;  // null: on a device, where no store of the host reaches it
};
[[nodiscard]] core::Result<NewTensor> allocate_tensor(std::span<const std::int64_t> shape,
                                                      std::span<const std::int64_t> stride_bits, core::DType dtype,
                                                      bool subbyte_padded, core::DeviceId device = core::kCpuDevice);

}  // namespace dlscope::embed
