#include "embed/protocols/exchange_table.h"

#include <array>
#include <string_view>

#include "embed/stored.h"

namespace dlscope::embed {
namespace {

using core::Address;

constexpr std::string_view kCapsuleName("dlpack_exchange_api\0", 20);  // with its terminating NUL

// __dlpack_c_exchange_api__ of the first class that defines it or __dlpack__, if that class defines both.
PyRef table_attribute(PyTypeObject* type) {
  const PyRef mro = type_attribute(reinterpret_cast<PyObject*>(type), "__mro__");
  for (Py_ssize_t i = 0; mro && PyTuple_Check(mro.get()) && i < PyTuple_Size(mro.get()); ++i) {
    PyObject* const base = PyTuple_GetItem(mro.get(), i);
    PyRef table = stored_in_dict_of(base, "__dlpack_c_exchange_api__");
    const PyRef method = stored_in_dict_of(base, "__dlpack__");
    if (table && method) return table;
    if (table || method || PyErr_Occurred() != nullptr) return {};
  }
  return {};
}

// The capsule's name is a foreign pointer: copy it safely before comparing.
Address table_in(PyObject* capsule, const core::MemoryReader& reader) {
  const char* const name = PyCapsule_GetName(capsule);
  PyErr_Clear();
  std::array<char, kCapsuleName.size()> read{};
  if (name == nullptr || reader.read(reinterpret_cast<Address>(name), std::as_writable_bytes(std::span(read))) != read.size())
    return 0;
  if (std::string_view(read.data(), read.size()) != kCapsuleName) return 0;
  return reinterpret_cast<Address>(PyCapsule_GetPointer(capsule, name));
}

std::optional<core::ExchangeTable> usable_table(Address address, const core::MemoryReader& reader, KnownMemory& memory) {
  const auto table = core::read_exchange_table(address, reader, memory.map());
  if (!table || !memory.trusts(table->from_object)) return std::nullopt;
  return *table;
}

}  // namespace

std::optional<core::ExchangeTable> find_exchange_table(PyTypeObject* type, const core::MemoryReader& reader,
                                                       KnownMemory& memory) {
  const PyRef capsule = table_attribute(type);
  if (!capsule || !PyCapsule_CheckExact(capsule.get())) return std::nullopt;
  const Address address = table_in(capsule.get(), reader);
  if (address == 0) return std::nullopt;
  auto table = usable_table(address, reader, memory);
  if (!table && memory.refresh()) table = usable_table(address, reader, memory);  // its library may be newer than the map
  return table;
}

}  // namespace dlscope::embed
