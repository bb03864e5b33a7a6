// The entries of a container, copied out (with references) before any is described: describing runs foreign code, which may
// change the container. Entries of types that never hold tensors (strings, numbers) are left out.
// thread: GIL held. Leaves no exception set unless it is KeyboardInterrupt.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "embed/interrupts.h"
#include "embed/objects/type_table.h"
#include "embed/py_ref.h"

namespace dlscope::embed {

struct Entry {
  PyRef value;
  PyRef key;              // a dict's key, an attribute's name; empty in sequences
  std::size_t index = 0;  // its number in the container
  bool is_attribute = false;
  // Of an attribute: what leads to the dict that has it, ".__dict__", for a name that cannot follow a dot (attribute_suffix). "":
  // the object takes the name as a key. nullptr: the name is a suffix as it is.
  const char* kept_in = nullptr;
};

struct Entries {
  std::vector<Entry> items;
  std::vector<Part> parts;  // entries whose names are not made from a key, but given by the library
  std::uint64_t looked_at = 0;
};

inline constexpr std::uint64_t kEntriesBetweenStopChecks = 4096;

// Counts an entry that was looked at. True: Stop was requested; leave the rest of the container out and keep what was copied.
[[nodiscard]] inline bool count_entry(Entries& out) {
  return ++out.looked_at % kEntriesBetweenStopChecks == 0 && InterruptScope::stop_requested();
}

// A name of the user's: no dunder name, and not what a console keeps its last results under.
[[nodiscard]] bool is_users_name(PyObject* name);

// The user's names in a namespace.
[[nodiscard]] Entries entries_of_namespace(PyObject* globals, TypeTable& types);
// The entries of an object with the role in `facts`. Those of a tensor are its parts: a gradient, a mask, the elements of an
// array of objects.
[[nodiscard]] Entries entries_of_container(PyObject* container, TypeFacts& facts, TypeTable& types);

// "['w']", "[3]", ".weight": what comes after the container's own path.
[[nodiscard]] std::string suffix_of(const Entry& entry, Role role);

}  // namespace dlscope::embed
