// Reads a foreign DLPack exchange table (DLPackExchangeAPI, in the capsule that a type's
// __dlpack_c_exchange_api__ holds). The table is untrusted: it is copied with a reader that
// cannot fault, and checked. None of its functions is called here. Rules: dlpack.h 1.3.
// thread: any
#pragma once

#include "core/base/result.h"
#include "core/memory/address_map.h"
#include "core/memory/memory_reader.h"

namespace dlscope::core {

// The function pointers of a valid table. Only `lend` may be 0.
struct ExchangeTable {
  Address table = 0;  // of the table used: an older one from the chain when the first is too new
  std::uint32_t version_major = 0, version_minor = 0;
  Address allocate = 0;        // managed_tensor_allocator
  Address from_object = 0;     // managed_tensor_from_py_object_no_sync
  Address to_object = 0;       // managed_tensor_to_py_object_no_sync
  Address lend = 0;            // dltensor_from_py_object_no_sync
  Address current_stream = 0;  // current_work_stream
};

// Follows the chain of tables from `address` to the first with a supported major version. Fails when the memory cannot be read,
// the chain has no supported version, a required entry is NULL, or a function pointer does not point into executable memory.
// `map`: the process's mappings; null (not available) makes every table fail, because code cannot be told from data without it.
[[nodiscard]] Result<ExchangeTable> read_exchange_table(Address address, const MemoryReader& reader, const AddressMap* map);

}  // namespace dlscope::core
