// Reading a foreign DLPack struct into a TensorDesc. The struct is hostile: nothing in it is believed, nothing is
// dereferenced except through a MemoryReader (checked) or memory known to be mapped (mapped). Rules: dlpack.h 1.3,
// reference engineering.md 5.1/5.2. Never calls a deleter, never touches the capsule: that is embed's business.
// thread: any (mapped reading: the caller holds whatever keeps the producer from changing the struct).
#pragma once

#include "core/memory/address_map.h"
#include "core/memory/mapped_memory.h"
#include "core/memory/memory_reader.h"
#include "core/tensor/tensor_desc.h"

namespace dlscope::core {

// Copies the struct at `managed` with `reader`, checks it, fills `out` (cleared first). Never fails: what is wrong
// becomes a problem remark and has_metadata/has_layout false. `map` (optional) tells whether the deleter is code.
void describe_managed_checked(Address managed, CapsuleKind kind, const MemoryReader& reader, const AddressMap* map,
                              TensorDesc& out);

// The same with plain loads, wherever `memory` allows them: it is asked about the struct, its arrays and its deleter. Where it
// says no, and for an odd address, false is returned and `out` is unspecified: use the checked way then.
[[nodiscard]] bool describe_managed_mapped(Address managed, CapsuleKind kind, MappedMemory& memory, TensorDesc& out);

// What a buffer or array interface said, already in numbers, put through the same checks.
// strides_bytes may be empty: C order, and strides_implied is set.
struct ForeignArray {
  Protocol protocol{};
  Address data = 0;
  DType dtype = {};
  std::shared_ptr<const ItemType> item_type = {};  // set: dtype is dtype_of_item(item_type->bytes)
  DeviceId device = kCpuDevice;
  bool read_only = false;
  std::span<const std::int64_t> shape = {};
  std::span<const std::int64_t> strides_bytes = {};
};
void describe_array(const ForeignArray& array, TensorDesc& out);

}  // namespace dlscope::core
