// What lies in a container, copied out before anything is done with it: describing an entry runs foreign code, which may
// change the container. Entries known to be nothing (strings, numbers) are left out on the way.
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
};

struct Entries {
  std::vector<Entry> items;
  std::vector<Part> parts;  // those whose names are not made of a key
  std::uint64_t looked_at = 0;
};

inline constexpr std::uint64_t kEntriesBetweenLooks = 4096;

// Counts an entry. True when Stop was asked for: a container of millions is left half-way, and what was copied out stays.
[[nodiscard]] inline bool breaks_off(Entries& out) {
  return ++out.looked_at % kEntriesBetweenLooks == 0 && InterruptScope::stop_requested();
}

// A name of the user's: no dunder name, and not what a console keeps its last results under.
[[nodiscard]] bool is_users_name(PyObject* name);

// The user's names in a namespace.
[[nodiscard]] Entries entries_of_namespace(PyObject* globals, TypeTable& types);
// What an object of that role holds; a tensor's are its parts: a gradient, a mask, the elements of an array of objects.
[[nodiscard]] Entries entries_of_container(PyObject* container, TypeFacts& facts, TypeTable& types);

// "['w']", "[3]", ".weight": what comes after the container's own path.
[[nodiscard]] std::string suffix_of(const Entry& entry, Role role);

}  // namespace dlscope::embed
