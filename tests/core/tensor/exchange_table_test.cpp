#include "core/tensor/exchange_table.h"

#include <dlpack/dlpack.h>

#include <catch2/catch_test_macros.hpp>
#include <span>
#include <string>

#include "tests/support/guarded_memory.h"

namespace {

using namespace dlscope::core;

Address code_at(int number) { return 0x40'0000 + static_cast<Address>(number) * 16; }

const AddressMap& map_with_code() {
  static const AddressMap map = AddressMap::parse(
      "00400000-00500000 r-xp 00000000 08:02 1 /usr/lib/libproducer.so\n"
      "00600000-00700000 rw-p 00000000 08:02 1 /usr/lib/libproducer.so\n");
  return map;
}

DLPackExchangeAPI honest(std::uint32_t major = DLPACK_MAJOR_VERSION, std::uint32_t minor = DLPACK_MINOR_VERSION) {
  DLPackExchangeAPI table{};
  table.header.version = {major, minor};
  table.managed_tensor_allocator = reinterpret_cast<DLPackManagedTensorAllocator>(code_at(1));
  table.managed_tensor_from_py_object_no_sync = reinterpret_cast<DLPackManagedTensorFromPyObjectNoSync>(code_at(2));
  table.managed_tensor_to_py_object_no_sync = reinterpret_cast<DLPackManagedTensorToPyObjectNoSync>(code_at(3));
  table.dltensor_from_py_object_no_sync = reinterpret_cast<DLPackDLTensorFromPyObjectNoSync>(code_at(4));
  table.current_work_stream = reinterpret_cast<DLPackCurrentWorkStream>(code_at(5));
  return table;
}

Address at(const DLPackExchangeAPI& table) { return reinterpret_cast<Address>(&table); }

Result<ExchangeTable> read(Address address) {
  static const auto reader = process_reader(0).value();
  return read_exchange_table(address, *reader, &map_with_code());
}

std::string why_not(const DLPackExchangeAPI& table) {
  const auto found = read(at(table));
  return found ? "" : found.error().message;
}

}  // namespace

TEST_CASE("an honest exchange table is read entry by entry", "[core][dlpack]") {
  const DLPackExchangeAPI table = honest();
  const auto found = read(at(table));
  REQUIRE(found);
  CHECK(found->table == at(table));
  CHECK(found->version_major == DLPACK_MAJOR_VERSION);
  CHECK(found->version_minor == DLPACK_MINOR_VERSION);
  CHECK(found->allocate == code_at(1));
  CHECK(found->from_object == code_at(2));
  CHECK(found->to_object == code_at(3));
  CHECK(found->lend == code_at(4));
  CHECK(found->current_stream == code_at(5));
  CHECK(read(at(honest(1, 99))));  // a newer minor version only adds
}

TEST_CASE("a table that is too new leads to an older one, as far as there is one", "[core][dlpack]") {
  DLPackExchangeAPI old = honest(), newer = honest(2, 0), newest = honest(3, 7);
  newest.header.prev_api = &newer.header;
  newer.header.prev_api = &old.header;
  const auto found = read(at(newest));
  REQUIRE(found);
  CHECK(found->table == at(old));

  newer.header.prev_api = nullptr;
  CHECK(why_not(newest) == "it has no table of DLPack 1: 3.7, 2.0");
  newer.header.prev_api = &newest.header;  // a ring
  CHECK(why_not(newest) == "its chain of older tables is longer than 16");
  newer.header.prev_api = reinterpret_cast<DLPackExchangeAPIHeader*>(0x10);
  CHECK(why_not(newest) == "no table can be read at 0x10");
  CHECK(why_not(honest(0, 8)) == "it has no table of DLPack 1: 0.8");
  CHECK(read(0).error().message == "it has no table of DLPack 1: NULL");
}

TEST_CASE("a table with an entry that breaks the rules is not used", "[core][dlpack]") {
  DLPackExchangeAPI table = honest();
  table.dltensor_from_py_object_no_sync = nullptr;  // the one that need not be there
  CHECK(read(at(table)));

  table = honest();
  table.managed_tensor_from_py_object_no_sync = nullptr;
  CHECK(why_not(table) == "managed_tensor_from_py_object_no_sync is NULL");
  table = honest();
  table.managed_tensor_allocator = nullptr;
  CHECK(why_not(table) == "managed_tensor_allocator is NULL");
  table = honest();
  table.managed_tensor_to_py_object_no_sync = nullptr;
  CHECK(why_not(table) == "managed_tensor_to_py_object_no_sync is NULL");
  table = honest();
  table.current_work_stream = nullptr;
  CHECK(why_not(table) == "current_work_stream is NULL");
  table = honest();
  table.managed_tensor_from_py_object_no_sync = reinterpret_cast<DLPackManagedTensorFromPyObjectNoSync>(Address{0x60'0010});
  CHECK(why_not(table) == "managed_tensor_from_py_object_no_sync (0x600010) is not executable code");
  table = honest();
  table.dltensor_from_py_object_no_sync = reinterpret_cast<DLPackDLTensorFromPyObjectNoSync>(Address{0x10});
  CHECK(why_not(table) == "dltensor_from_py_object_no_sync (0x10) is not executable code");
}

TEST_CASE("a table that ends in memory that is not there is refused at every length", "[core][dlpack]") {
  const DLPackExchangeAPI table = honest();
  const auto bytes = std::as_bytes(std::span(&table, 1));
  for (std::size_t there = 0; there < bytes.size(); there += 8) {
    INFO(there << " bytes of " << bytes.size());
    const dlscope::tests::GuardedMemory guarded(bytes.first(there));
    CHECK_FALSE(read(reinterpret_cast<Address>(guarded.last(there))));
  }
  static const auto reader = process_reader(0).value();
  CHECK_FALSE(read_exchange_table(at(table), *reader, nullptr));  // no map: nothing is known to be code
}
