#include "embed/stored.h"

#include <utility>

namespace dlscope::embed {
namespace {

std::string forbidden_look;  // for take_forbidden_look()

PyObject* as_object(PyTypeObject* type) { return reinterpret_cast<PyObject*>(type); }

// type.__dict__['__dict__'] and ['__mro__']: getters in C that no metaclass can override.
PyRef getter_of_type(const char* name) {
  const PyRef dict = PyRef::steal(PyObject_GetAttrString(as_object(&PyType_Type), "__dict__"));
  PyRef getter = PyRef::steal(dict ? PyMapping_GetItemString(dict.get(), name) : nullptr);
  if (!getter) clear_unless_interrupt();
  return getter;
}

PyRef call_getter(PyObject* getter, PyObject* object) {
  const PyRef name = PyRef::steal(PyUnicode_InternFromString("__get__"));
  PyObject* arguments[] = {getter, object, as_object(Py_TYPE(object))};
  PyRef value = PyRef::steal(name ? dlscope_call_method(name.get(), arguments, 3, nullptr) : nullptr);
  if (!value) clear_failed_look();
  return value;
}

// Descriptors of C code: getset and member. Both types are final.
bool is_c_descriptor(PyObject* value) {
  static PyTypeObject* const getset = Py_TYPE(getter_of_type("__dict__").get());
  static PyTypeObject* const member = Py_TYPE(getter_of_type("__basicsize__").get());
  return Py_TYPE(value) == getset || Py_TYPE(value) == member;
}

bool is_member_descriptor(PyObject* value) {
  static PyTypeObject* const member = Py_TYPE(getter_of_type("__basicsize__").get());
  return Py_TYPE(value) == member;
}

PyRef mro_of(PyObject* type) {
  static PyObject* const getter = getter_of_type("__mro__").release();
  PyRef mro = call_getter(getter, type);
  return mro && PyTuple_Check(mro.get()) ? mro : PyRef{};
}

int collect(PyObject* object, void* out) {
  static_cast<std::vector<PyObject*>*>(out)->push_back(object);
  return 0;
}

}  // namespace

std::string take_forbidden_look() { return std::exchange(forbidden_look, {}); }

// The getters of the interpreter are C code, whose own exceptions (an empty cell) have no traceback.
void clear_failed_look() {
  if (PyErr_Occurred() == nullptr || interrupt_pending()) return;
  PyObject *type = nullptr, *value = nullptr, *traceback = nullptr;
  PyErr_Fetch(&type, &value, &traceback);
  const bool by_python_code = traceback != nullptr;
  PyErr_Restore(type, value, traceback);
  if (!by_python_code || !forbidden_look.empty()) return PyErr_Clear();
  const PyErrorText error = take_error();
  forbidden_look = error.type + ": " + error.message;
}

std::vector<PyObject*> referents_of(PyObject* object) {
  std::vector<PyObject*> out;
  PyTypeObject* const type = Py_TYPE(object);
  const unsigned long flags = PyType_GetFlags(type);
  if ((flags & Py_TPFLAGS_HAVE_GC) == 0) return out;
  if ((flags & Py_TPFLAGS_HEAPTYPE) != 0) {
    if (auto* const traverse = reinterpret_cast<traverseproc>(PyType_GetSlot(type, Py_tp_traverse)))
      traverse(object, collect, &out);
    return out;
  }
  // Before 3.10 the slots of static types cannot be read.
  static PyObject* const get_referents = [] {
    const PyRef gc = PyRef::steal(PyImport_ImportModule("gc"));
    return gc ? PyObject_GetAttrString(gc.get(), "get_referents") : nullptr;
  }();
  const PyRef list =
      PyRef::steal(get_referents != nullptr ? PyObject_CallFunctionObjArgs(get_referents, object, nullptr) : nullptr);
  if (!list || !PyList_Check(list.get())) {
    clear_failed_look();
    return out;
  }
  for (Py_ssize_t i = 0; i < PyList_Size(list.get()); ++i) out.push_back(PyList_GetItem(list.get(), i));
  return out;
}

PyRef dict_of_class(PyObject* type) {
  static PyObject* const getter = getter_of_type("__dict__").release();
  const PyRef proxy = call_getter(getter, type);
  if (!proxy) return {};
  for (PyObject* const behind : referents_of(proxy.get())) {
    if (PyDict_Check(behind)) return PyRef::share(behind);
  }
  return {};
}

PyRef stored_in_dict_of(PyObject* type, const char* name) {
  const PyRef dict = dict_of_class(type);
  return dict ? PyRef::share(PyDict_GetItemString(dict.get(), name)) : PyRef{};
}

PyRef stored_in_class(PyObject* type, const char* name) {
  const PyRef mro = mro_of(type);
  for (Py_ssize_t i = 0; mro && i < PyTuple_Size(mro.get()); ++i) {
    if (PyRef found = stored_in_dict_of(PyTuple_GetItem(mro.get(), i), name)) return found;
  }
  return {};
}

PyRef stored_attribute(PyObject* object, const char* name) {
  const PyRef inherited = stored_in_class(as_object(Py_TYPE(object)), name);
  if (inherited && is_c_descriptor(inherited.get())) return call_getter(inherited.get(), object);
  const PyRef dict = dict_of_instance(object);
  return dict ? PyRef::share(PyDict_GetItemString(dict.get(), name)) : PyRef{};
}

PyRef dict_of_instance(PyObject* object) {
  PyRef dict = PyRef::steal(dlscope_instance_dict(object, nullptr));
  if (!dict) clear_unless_interrupt();
  return dict && PyDict_Check(dict.get()) ? dict : PyRef{};
}

std::vector<SlotName> slots_of(PyObject* type) {
  std::vector<SlotName> out;
  const PyRef mro = mro_of(type);
  for (Py_ssize_t i = 0; mro && i < PyTuple_Size(mro.get()); ++i) {
    PyObject* const base = PyTuple_GetItem(mro.get(), i);
    if ((PyType_GetFlags(reinterpret_cast<PyTypeObject*>(base)) & Py_TPFLAGS_HEAPTYPE) == 0) continue;
    const PyRef dict = dict_of_class(base);
    PyObject *name = nullptr, *value = nullptr;
    Py_ssize_t position = 0;
    while (dict && PyDict_Next(dict.get(), &position, &name, &value) != 0) {
      if (!PyUnicode_Check(name) || !is_member_descriptor(value)) continue;
      out.push_back({PyRef::share(name), PyRef::share(value)});
    }
  }
  return out;
}

PyRef slot_value(const SlotName& slot, PyObject* object) { return call_getter(slot.descriptor.get(), object); }

}  // namespace dlscope::embed
