// What lies in a container, copied out before anything is done with it: describing an entry runs foreign code, which may
// change the container. Entries known to be nothing (strings, numbers) are left out on the way.
// thread: GIL held. Leaves no exception set unless it is KeyboardInterrupt.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

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
  std::uint64_t looked_at = 0;
};

// The public names of a namespace: str keys that do not begin with an underscore.
[[nodiscard]] Entries entries_of_namespace(PyObject* globals, TypeTable& types);
[[nodiscard]] Entries entries_of_container(PyObject* container, Role role, TypeTable& types);

// "['w']", "[3]", ".weight": what comes after the container's own path.
[[nodiscard]] std::string suffix_of(const Entry& entry, Role role);

}  // namespace dlscope::embed
