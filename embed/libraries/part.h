// Part: something a library's object holds, and how a user would get at it. What a DataFrame's columns are, a sparse matrix's
// arrays, a parameter's gradient: the libraries' rows know (LibrarySession::parts), the scan names and enters them.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "embed/py_ref.h"

namespace dlscope::embed {

struct Part {
  PyRef value;
  std::string suffix;  // what comes after the holder's path: "['a']", ".grad", "" for the holder itself
  PyRef owner;         // whose type and library it counts as, where `value` is only a way to its memory; empty: its own
};

class Parts {
 public:
  // Nothing and None are left out; an error that led to nothing is cleared, unless it is KeyboardInterrupt.
  void add(PyRef value, std::string suffix, PyRef owner = {}) {
    ++looked_at;
    if (!value) {
      clear_unless_interrupt();
    } else if (value.get() != Py_None) {
      items.push_back({std::move(value), std::move(suffix), std::move(owner)});
    }
  }
  // Whether a value may lead to a tensor: asked before a name is made for each of a million elements. Counts what is left out.
  std::function<bool(PyObject*)> wanted;
  std::vector<Part> items;
  std::uint64_t looked_at = 0;
};

}  // namespace dlscope::embed
