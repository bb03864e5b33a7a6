// The entries of objects that hold others without being containers: functions, methods, generators, classes, instances.
// thread: GIL held. Runs no code of the user's. Leaves no exception set unless it is KeyboardInterrupt.
#pragma once

#include "embed/scan/container_entries.h"

namespace dlscope::embed {

void collect_attributes(PyObject* object, TypeFacts& facts, TypeTable& types, Entries& out);
void collect_class(PyObject* type, TypeTable& types, Entries& out);
void collect_function(PyObject* function, TypeTable& types, Entries& out);
void collect_method(PyObject* method, Entries& out);
void collect_generator(PyObject* generator, TypeTable& types, Entries& out);

// Walks the storage of a dict directly: runs no user code, even for subclasses with an __iter__ of their own.
template <class Wanted>
void collect_dict(PyObject* dict, TypeTable& types, bool is_attribute, Entries& out, Wanted wanted) {
  PyObject *key = nullptr, *value = nullptr;
  Py_ssize_t position = 0;
  for (std::size_t index = 0; PyDict_Next(dict, &position, &key, &value) != 0; ++index) {
    if (count_entry(out)) return;
    if (types.leaves_out(Py_TYPE(value)) || !wanted(key)) continue;
    out.items.push_back({PyRef::share(value), PyRef::share(key), index, is_attribute, is_attribute ? ".__dict__" : nullptr});
  }
}

}  // namespace dlscope::embed
