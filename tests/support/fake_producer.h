// FakeProducer: writes DLPack structs, honest or not, into plain memory, or each at the end of its own guarded page so that
// reading one byte too many faults. No Python, no library.
#pragma once

#include <dlpack/dlpack.h>

#include <cstdint>
#include <cstring>
#include <deque>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "core/base/address.h"
#include "core/tensor/tensor_desc.h"
#include "tests/support/guarded_memory.h"

namespace dlscope::tests {

inline void never_called(void*) {}

// What the struct shall claim. The defaults describe an honest (2, 3) float32 tensor in C order.
struct Claim {
  std::uint32_t major = DLPACK_MAJOR_VERSION, minor = DLPACK_MINOR_VERSION;  // versioned structs only
  std::uint64_t flags = 0;                                                   // versioned structs only
  core::Address data = 0x7000'0000'0000;
  std::int32_t device_type = kDLCPU, device_id = 0;
  std::optional<std::int32_t> ndim = std::nullopt;  // default: the length of the shape
  DLDataType dtype{kDLFloat, 32, 1};
  std::optional<std::vector<std::int64_t>> shape{{2, 3}};                                     // nullopt: NULL
  std::optional<std::vector<std::int64_t>> strides{{3, 1}};                                   // in elements; nullopt: NULL
  std::optional<core::Address> shape_address = std::nullopt, strides_address = std::nullopt;  // instead of arrays that exist
  std::uint64_t byte_offset = 0;
  core::Address manager = 0x1234;
  core::Address deleter = reinterpret_cast<core::Address>(&never_called);
};

enum class Placement : std::uint8_t { plain, guarded };

// Owns every struct and array it wrote; they stay where they are for its life.
class FakeProducer {
 public:
  explicit FakeProducer(Placement placement) : placement_(placement) {}

  // The address of a managed struct of this kind.
  core::Address write(const Claim& claim, core::CapsuleKind kind) {
    if (kind == core::CapsuleKind::dltensor_versioned) {
      DLManagedTensorVersioned managed{};
      managed.version = {claim.major, claim.minor};
      managed.flags = claim.flags;
      fill(claim, managed);
      return store(std::as_bytes(std::span(&managed, 1)));
    }
    DLManagedTensor managed{};
    fill(claim, managed);
    return store(std::as_bytes(std::span(&managed, 1)));
  }

  core::Address store(std::span<const std::byte> bytes) {
    if (placement_ == Placement::guarded) {
      return reinterpret_cast<core::Address>(guarded_.emplace_back(bytes).last(bytes.size()));
    }
    // Exactly as long as it has to be: a sanitizer sees a byte too many.
    return reinterpret_cast<core::Address>(plain_.emplace_back(bytes.begin(), bytes.end()).data());
  }

 private:
  template <class Managed>
  void fill(const Claim& claim, Managed& managed) {
    DLTensor& tensor = managed.dl_tensor;
    tensor.data = reinterpret_cast<void*>(claim.data);
    tensor.device = {static_cast<DLDeviceType>(claim.device_type), claim.device_id};
    tensor.ndim = claim.ndim.value_or(claim.shape ? static_cast<std::int32_t>(claim.shape->size()) : 0);
    tensor.dtype = claim.dtype;
    tensor.shape = array(claim.shape, claim.shape_address);
    tensor.strides = array(claim.strides, claim.strides_address);
    tensor.byte_offset = claim.byte_offset;
    managed.manager_ctx = reinterpret_cast<void*>(claim.manager);
    managed.deleter = reinterpret_cast<void (*)(Managed*)>(claim.deleter);
  }

  std::int64_t* array(const std::optional<std::vector<std::int64_t>>& numbers, std::optional<core::Address> instead) {
    if (instead) return reinterpret_cast<std::int64_t*>(*instead);
    if (!numbers || numbers->empty()) return nullptr;
    return reinterpret_cast<std::int64_t*>(store(std::as_bytes(std::span(*numbers))));
  }

  Placement placement_;
  std::deque<std::vector<std::byte>> plain_;
  std::deque<GuardedMemory> guarded_;
};

}  // namespace dlscope::tests
