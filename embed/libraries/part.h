// Part: an object held by a library's object, and the expression that reaches it: a DataFrame's columns, a sparse matrix's
// arrays, a parameter's gradient. LibrarySession::parts finds parts; the scan names and visits them.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "core/tensor/remark.h"
#include "embed/py_ref.h"

namespace dlscope::embed {

struct Part {
  PyRef value;
  std::string suffix;  // appended to the holder's path: "['a']", ".grad"; "": the holder itself
  PyRef owner;         // gives type and library, where `value` is only a way to its memory; empty: `value` does
  std::vector<core::Remark> remarks;  // what the holder knows of its memory; holds for the parts of `value`, too
  std::string why_not = {};           // not "": memory that cannot be described, and why; `value` is empty and `owner` set
};

class Parts {
 public:
  // Skips null and None; clears an error that led to null, except KeyboardInterrupt.
  void add(PyRef value, std::string suffix, PyRef owner = {}, std::vector<core::Remark> remarks = {}) {
    ++looked_at;
    if (!value) {
      clear_unless_interrupt();
    } else if (value.get() != Py_None) {
      items.push_back({std::move(value), std::move(suffix), std::move(owner), std::move(remarks)});
    }
  }
  void add_undescribed(PyRef owner, std::string suffix, std::string why_not) {
    ++looked_at;
    items.push_back({PyRef{}, std::move(suffix), std::move(owner), {}, std::move(why_not)});
  }
  // Memory that the library was asked for in vain, or that cannot be followed. Clears an error; not KeyboardInterrupt, with which
  // nothing is added.
  void add_not_given(PyObject* owner, std::string why_not, std::string suffix = {}) {
    clear_unless_interrupt();
    if (PyErr_Occurred() == nullptr) add_undescribed(PyRef::share(owner), std::move(suffix), std::move(why_not));
  }
  // Whether a value may lead to a tensor: called before a name is made for each of a million elements. Counts skipped values.
  std::function<bool(PyObject*)> wanted;
  std::vector<Part> items;
  std::uint64_t looked_at = 0;
};

}  // namespace dlscope::embed
