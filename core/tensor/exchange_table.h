// Reading a foreign DLPack exchange table (the capsule of a type's __dlpack_c_exchange_api__). It is as hostile as a struct: it is
// copied with a reader that cannot fault and checked before any of its functions is called. Rules: dlpack.h 1.3.
// Calls nothing.
// thread: any
#pragma once

#include "core/base/result.h"
#include "core/memory/address_map.h"
#include "core/memory/memory_reader.h"

namespace dlscope::core {

// The functions of a table that keeps the rules; `lend` alone may be 0.
struct ExchangeTable {
  Address table = 0;  // of the table itself: one of an older version where the first one is too new
  std::uint32_t version_major = 0, version_minor = 0;
  Address allocate = 0;        // managed_tensor_allocator
  Address from_object = 0;     // managed_tensor_from_py_object_no_sync
  Address to_object = 0;       // managed_tensor_to_py_object_no_sync
  Address lend = 0;            // dltensor_from_py_object_no_sync
  Address current_stream = 0;  // current_work_stream
};

// Walks from the table at `address` to the first of a version understood here. Fails with what is wrong: unreadable, no such version in
// the chain, an entry that must not be NULL is, a function lies where there is no code. `map`: null where the system gives none, then
// code cannot be told from data and no table is accepted.
[[nodiscard]] Result<ExchangeTable> read_exchange_table(Address address, const MemoryReader& reader, const AddressMap* map);

}  // namespace dlscope::core
