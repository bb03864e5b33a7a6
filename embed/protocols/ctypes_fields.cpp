#include "embed/protocols/ctypes_fields.h"

#include "embed/libraries/library.h"
#include "embed/stored.h"

namespace dlscope::embed {
namespace {

constexpr int kDeepest = 16;     // structures within structures
constexpr int kMostFields = 4096;  // in all; beyond, the format is not believed. A list of fields may be changed afterwards

PyObject* as_object(PyTypeObject* type) { return reinterpret_cast<PyObject*>(type); }

bool type_hides_fields(PyObject* type, int depth, int& left);

// One entry of _fields_: (name, type) or, for a bit field, (name, type, bits).
bool entry_hides_fields(PyObject* entry, int depth, int& left) {
  if (--left < 0 || !PyTuple_Check(entry) || PyTuple_Size(entry) != 2) return true;
  return type_hides_fields(PyTuple_GetItem(entry, 1), depth + 1, left);
}

bool any_entry_hides_fields(PyObject* fields, int depth, int& left) {
  const bool list = PyList_Check(fields) != 0;
  if (!list && !PyTuple_Check(fields)) return true;
  const Py_ssize_t n = list ? PyList_Size(fields) : PyTuple_Size(fields);
  for (Py_ssize_t i = 0; i < n; ++i) {
    if (entry_hides_fields(list ? PyList_GetItem(fields, i) : PyTuple_GetItem(fields, i), depth, left)) return true;
  }
  return false;
}

bool structure_hides_fields(PyObject* type, int depth, int& left) {
  const PyRef mro = type_attribute(type, "__mro__");
  if (!mro || !PyTuple_Check(mro.get())) return true;
  int classes_with_fields = 0;
  for (Py_ssize_t i = 0; i < PyTuple_Size(mro.get()); ++i) {
    const PyRef fields = stored_in_dict_of(PyTuple_GetItem(mro.get(), i), "_fields_");
    if (!fields) continue;
    if (++classes_with_fields > 1 || any_entry_hides_fields(fields.get(), depth, left)) return true;
  }
  return false;
}

bool type_hides_fields(PyObject* type, int depth, int& left) {
  if (depth > kDeepest) return true;
  if (!PyType_Check(type)) return false;
  auto* const class_object = reinterpret_cast<PyTypeObject*>(type);
  if (derives_from(class_object, "_ctypes", "Array")) {
    const PyRef element = stored_in_class(type, "_type_");
    return element && type_hides_fields(element.get(), depth + 1, left);
  }
  if (derives_from(class_object, "_ctypes", "Structure")) return structure_hides_fields(type, depth, left);
  return derives_from(class_object, "_ctypes", "Union");
}

}  // namespace

bool hides_ctypes_fields(PyObject* object) {
  if (Py_TYPE(object) == &PyMemoryView_Type) {
    const PyRef exporter = stored_attribute(object, "obj");
    return exporter && exporter.get() != object && hides_ctypes_fields(exporter.get());
  }
  int left = kMostFields;
  return derives_from(Py_TYPE(object), "_ctypes", "_CData") && type_hides_fields(as_object(Py_TYPE(object)), 0, left);
}

}  // namespace dlscope::embed
