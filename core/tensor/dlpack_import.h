// Reads a foreign DLPack struct into a TensorDesc. The struct is untrusted: every number is checked, and memory is read only
// through a MemoryReader (checked reading) or where it is known to be mapped (mapped reading). Rules: dlpack.h 1.3.
// Never calls a deleter and never touches the capsule; embed does both.
// thread: any (mapped reading: the caller holds what keeps the producer from freeing or changing the struct, usually the GIL).
#pragma once

#include "core/memory/address_map.h"
#include "core/memory/mapped_memory.h"
#include "core/memory/memory_reader.h"
#include "core/tensor/tensor_desc.h"

namespace dlscope::core {

// Checked reading: copies the struct at `managed` with `reader`, checks it and fills `out` (cleared first). Never fails: what is
// wrong becomes a problem remark, with has_metadata or has_layout false. `map` (may be null): used to check that the deleter
// points into executable memory.
void describe_managed_checked(Address managed, CapsuleKind kind, const MemoryReader& reader, const AddressMap* map,
                              TensorDesc& out);

// Mapped reading: the same with plain loads, which is faster. False, with `out` unspecified, when `memory` does not allow
// loads from the struct or its arrays, does not trust its deleter, or an address is unaligned: use checked reading then.
[[nodiscard]] bool describe_managed_mapped(Address managed, CapsuleKind kind, MappedMemory& memory, TensorDesc& out);

// What a buffer or an array interface says about its memory, as numbers. Spans are borrowed during the call.
// strides_bytes: empty means C order, and sets TensorDesc::strides_implied.
struct ForeignArray {
  Protocol protocol{};
  Address data = 0;
  DType dtype = {};
  std::shared_ptr<const ItemType> item_type = {};  // set: dtype is dtype_of_item(item_type->bytes)
  DeviceId device = kCpuDevice;
  bool read_only = false;
  bool is_copied = false;  // a copy made for the asker
  std::span<const std::int64_t> shape = {};
  std::span<const std::int64_t> strides_bytes = {};
};
// Puts these numbers through the same checks as a DLPack struct and fills `out` (cleared first). Never fails.
void describe_array(const ForeignArray& array, TensorDesc& out);

}  // namespace dlscope::core
