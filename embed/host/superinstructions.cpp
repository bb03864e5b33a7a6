#include "embed/host/superinstructions.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <functional>
#include <optional>
#include <vector>

#include "embed/py_ref.h"

namespace dlscope::embed::superinstructions {
namespace {

constexpr Py_ssize_t kOpcodes = 256;
constexpr std::uint8_t kUnknown = 255;  // how many caches follow: what comes after such an instruction is left alone

struct Unit {  // _Py_CODEUNIT
  std::uint8_t opcode, argument;
};
static_assert(sizeof(Unit) == 2);

struct Pair {
  std::uint8_t first, second, joined;
};

struct Table {
  PyTypeObject* code_type = nullptr;
  std::array<std::uint8_t, kOpcodes> plain, caches;
  std::vector<Pair> pairs;
  Py_ssize_t offset = 0;  // of the first unit in a code object
};

Table* table = nullptr;  // null: nothing is restored

bool copy_bytes(PyObject* bytes, std::array<std::uint8_t, kOpcodes>& out) {
  if (!PyBytes_Check(bytes) || PyBytes_Size(bytes) != kOpcodes) return false;
  std::memcpy(out.data(), PyBytes_AsString(bytes), out.size());
  return true;
}

std::optional<Table> read_table(PyObject* given) {
  Table out;
  PyObject *plain = nullptr, *caches = nullptr, *pairs = nullptr;
  if (!PyArg_ParseTuple(given, "OOO!", &plain, &caches, &PyTuple_Type, &pairs)) return {};
  if (!copy_bytes(plain, out.plain) || !copy_bytes(caches, out.caches)) return {};
  for (Py_ssize_t i = 0; i < PyTuple_Size(pairs); ++i) {
    Pair pair{};
    if (!PyArg_ParseTuple(PyTuple_GetItem(pairs, i), "bbb", &pair.first, &pair.second, &pair.joined)) return {};
    out.pairs.push_back(pair);
  }
  return out;
}

Unit* units_of(PyObject* code, const Table& known) {
  return reinterpret_cast<Unit*>(reinterpret_cast<char*>(code) + known.offset);
}

// What `first` becomes in front of `second`; both are plain.
std::uint8_t joined(std::uint8_t first, std::uint8_t second, const Table& known) {
  for (const Pair& pair : known.pairs) {
    if (pair.first == first && pair.second == second) return pair.joined;
  }
  return first;
}

void join(Unit* units, Py_ssize_t count, const Table& known) {
  for (Py_ssize_t i = 0, next = 0; i < count; i = next) {
    const std::uint8_t first = known.plain[units[i].opcode];
    if (known.caches[first] == kUnknown) return;
    next = i + 1 + known.caches[first];
    if (next != i + 1 || next >= count || units[i].opcode != first) continue;
    units[i].opcode = joined(first, known.plain[units[next].opcode], known);
  }
}

// Whether the sample has each pair, and separating them all and joining them again makes it what it is.
bool matches_compiler(PyObject* sample, Table& known) {
  const PyRef type = PyRef::share(reinterpret_cast<PyObject*>(Py_TYPE(sample)));
  const PyRef size = PyRef::steal(PyObject_GetAttrString(type.get(), "__basicsize__"));
  const PyRef bytes = PyRef::steal(PyObject_GetAttrString(sample, "_co_code_adaptive"));
  if (!size || !bytes || !PyBytes_Check(bytes.get())) return false;
  known.offset = PyLong_AsSsize_t(size.get());
  const Py_ssize_t count = Py_SIZE(sample);
  const auto length = static_cast<std::size_t>(count) * sizeof(Unit);
  if (PyBytes_Size(bytes.get()) != static_cast<Py_ssize_t>(length)) return false;
  if (std::memcmp(units_of(sample, known), PyBytes_AsString(bytes.get()), length) != 0) return false;
  std::vector<Unit> units(units_of(sample, known), units_of(sample, known) + count);
  std::vector<bool> occurs(known.pairs.size());
  for (Py_ssize_t i = 0; i < count; i += 1 + known.caches[units[i].opcode]) {
    for (std::size_t pair = 0; pair < occurs.size(); ++pair) {
      if (units[i].opcode == known.pairs[pair].joined) occurs[pair] = true;
    }
    units[i].opcode = known.plain[units[i].opcode];
    if (known.caches[units[i].opcode] == kUnknown) return false;
  }
  join(units.data(), count, known);
  known.code_type = Py_TYPE(sample);
  return std::ranges::all_of(occurs, std::identity()) && std::memcmp(units.data(), PyBytes_AsString(bytes.get()), length) == 0;
}

}  // namespace

bool begin(PyObject* given, PyObject* sample) {
  std::optional<Table> known = read_table(given);
  const bool works = known && matches_compiler(sample, *known);
  PyErr_Clear();
  if (works && table == nullptr) table = new Table(*std::move(known));
  return works;
}

void restore(PyObject* code) {
  if (table != nullptr && Py_TYPE(code) == table->code_type) join(units_of(code, *table), Py_SIZE(code), *table);
}

}  // namespace dlscope::embed::superinstructions
