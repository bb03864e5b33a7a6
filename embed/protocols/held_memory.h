// HeldMemory: one reason why memory that dlscope uses stays alive: a managed DLPack struct, a buffer, an object, memory of its own.
// It is given back exactly once, when the HeldMemory is destroyed.
// thread: made with the GIL held; destroyed on any thread (AnyThreadGil: after the interpreter's end nothing is given back).
#pragma once

#include <cstddef>
#include <cstdlib>
#include <memory>
#include <optional>
#include <utility>
#include <variant>

#include "core/devices/cuda_allocation.h"
#include "core/memory/freed_block_cache.h"
#include "embed/py_ref.h"

namespace dlscope::embed {

// A managed DLPack struct that was taken; its deleter is called once. deleter 0: none.
struct ManagedHold {
  core::Address managed = 0, deleter = 0;
};
// A buffer exported to us. An exporter of plain bytes has shape and strides point into the view itself, so they are set again when
// the view is released from another address.
struct BufferHold {
  explicit BufferHold(const BufferView& from)
      : view(from), shape_is_inside(from.shape == &from.len), strides_are_inside(from.strides == &from.itemsize) {}
  BufferView view;
  bool shape_is_inside, strides_are_inside;
};
// A Python object that keeps the memory alive.
struct ObjectHold {
  PyObject* object = nullptr;
};
// Large blocks of freed copies, kept for the next one until the host waits for something to do. thread: any.
[[nodiscard]] core::FreedBlockCache& freed_blocks();
// Memory allocated by dlscope.
struct OwnHold {
  struct Free {
    void operator()(std::byte* bytes) const { freed_blocks().give(bytes); }
  };
  std::unique_ptr<std::byte, Free> bytes;
};
// Memory allocated by dlscope from the CUDA driver: on a device, pinned, or managed.
struct OwnCudaHold {
  std::unique_ptr<core::CudaAllocation> memory;
};

class HeldMemory {
 public:
  using Hold = std::variant<ManagedHold, BufferHold, ObjectHold, OwnHold, OwnCudaHold>;

  HeldMemory() = default;
  explicit HeldMemory(Hold hold) : hold_(std::move(hold)) {}
  HeldMemory(HeldMemory&& other) noexcept : hold_(std::exchange(other.hold_, std::nullopt)) {}
  HeldMemory& operator=(HeldMemory&& other) noexcept {
    // The old memory is given back last, because that may run code which uses this object.
    if (this != &other) HeldMemory(std::move(other)).hold_.swap(hold_);
    return *this;
  }
  HeldMemory(const HeldMemory&) = delete;
  HeldMemory& operator=(const HeldMemory&) = delete;
  ~HeldMemory() {
    if (hold_) give_back(*hold_);
  }

  explicit operator bool() const { return hold_.has_value(); }
  // The address of the Python object that it holds a reference to: of the one that a buffer was exported by, or of what the struct
  // names as its manager, which may be anything: to be compared, never used. 0: none, or not known.
  [[nodiscard]] core::Address kept_object() const;

 private:
  static void give_back(Hold& hold);

  std::optional<Hold> hold_;
};

}  // namespace dlscope::embed
