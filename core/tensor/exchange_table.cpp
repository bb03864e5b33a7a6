#include "core/tensor/exchange_table.h"

#include <dlpack/dlpack.h>
#include <fmt/format.h>

#include <array>

namespace dlscope::core {
namespace {

constexpr int kLongestChain = 16;  // tables; the chain has one per major version

template <class T>
bool read_one(const MemoryReader& reader, Address from, T& out) {
  return reader.read(from, std::as_writable_bytes(std::span(&out, 1))) == sizeof out;
}

// The first table of the chain with the major version we were built with.
Result<Address> find_version(Address address, const MemoryReader& reader) {
  std::string met;
  for (int tables = 0; address != 0; ++tables) {
    if (tables == kLongestChain)
      return fail(ErrorKind::invalid, fmt::format("its chain of older tables is longer than {}", kLongestChain));
    DLPackExchangeAPIHeader header{};
    if (!read_one(reader, address, header))
      return fail(ErrorKind::invalid, fmt::format("no table can be read at {:#x}", address));
    if (header.version.major == DLPACK_MAJOR_VERSION) return address;
    met += fmt::format("{}{}.{}", met.empty() ? "" : ", ", header.version.major, header.version.minor);
    address = reinterpret_cast<Address>(header.prev_api);
  }
  return fail(ErrorKind::unsupported,
              fmt::format("it has no table of DLPack {}: {}", DLPACK_MAJOR_VERSION, met.empty() ? "NULL" : met));
}

}  // namespace

Result<ExchangeTable> read_exchange_table(Address address, const MemoryReader& reader, const AddressMap* map) {
  if (map == nullptr) return fail(ErrorKind::environment, "this process's memory mappings cannot be read");
  const auto found = find_version(address, reader);
  if (!found) return std::unexpected(found.error());
  DLPackExchangeAPI raw{};
  if (!read_one(reader, *found, raw)) return fail(ErrorKind::invalid, fmt::format("no whole table can be read at {:#x}", *found));
  const ExchangeTable table{.table = *found,
                            .version_major = raw.header.version.major,
                            .version_minor = raw.header.version.minor,
                            .allocate = reinterpret_cast<Address>(raw.managed_tensor_allocator),
                            .from_object = reinterpret_cast<Address>(raw.managed_tensor_from_py_object_no_sync),
                            .to_object = reinterpret_cast<Address>(raw.managed_tensor_to_py_object_no_sync),
                            .lend = reinterpret_cast<Address>(raw.dltensor_from_py_object_no_sync),
                            .current_stream = reinterpret_cast<Address>(raw.current_work_stream)};
  struct Entry {
    const char* name;
    Address function;
    bool may_be_null;
  };
  const std::array<Entry, 5> entries{{{"managed_tensor_allocator", table.allocate, false},
                                      {"managed_tensor_from_py_object_no_sync", table.from_object, false},
                                      {"managed_tensor_to_py_object_no_sync", table.to_object, false},
                                      {"dltensor_from_py_object_no_sync", table.lend, true},
                                      {"current_work_stream", table.current_stream, false}}};
  for (const Entry& entry : entries) {
    if (entry.function == 0 && entry.may_be_null) continue;
    if (entry.function == 0) return fail(ErrorKind::invalid, fmt::format("{} is NULL", entry.name));
    if (!map->executable(entry.function))
      return fail(ErrorKind::invalid, fmt::format("{} ({:#x}) is not executable code", entry.name, entry.function));
  }
  return table;
}

}  // namespace dlscope::core
