#include "embed/scan/container_entries.h"

#include "embed/interrupts.h"
#include "embed/scan/name_path.h"

namespace dlscope::embed {
namespace {

constexpr std::uint64_t kEntriesBetweenLooks = 4096;

// Counts an entry. True when Stop was asked for: a container of millions is left half-way, and what was copied out stays.
bool breaks_off(Entries& out) { return ++out.looked_at % kEntriesBetweenLooks == 0 && InterruptScope::stop_requested(); }

// Raw walk over a dict's own storage: no user code, even for subclasses with an __iter__ of their own.
template <class Wanted>
void collect_dict(PyObject* dict, TypeTable& types, bool is_attribute, Entries& out, Wanted wanted) {
  PyObject *key = nullptr, *value = nullptr;
  Py_ssize_t position = 0;
  for (std::size_t index = 0; PyDict_Next(dict, &position, &key, &value) != 0; ++index) {
    if (breaks_off(out)) return;
    if (types.known_to_be_nothing(Py_TYPE(value)) || !wanted(key)) continue;
    out.items.push_back({PyRef::share(value), PyRef::share(key), index, is_attribute});
  }
}

bool any_key(PyObject*) { return true; }

bool is_public_name(PyObject* key) {
  if (!PyUnicode_Check(key)) return false;
  return PyUnicode_GetLength(key) > 0 && PyUnicode_ReadChar(key, 0) != '_';
}

void collect_items(PyObject* sequence, Py_ssize_t size, PyObject* (*item_at)(PyObject*, Py_ssize_t), TypeTable& types,
                   Entries& out) {
  for (Py_ssize_t i = 0; i < size; ++i) {
    PyObject* const value = item_at(sequence, i);  // borrowed
    if (breaks_off(out)) return;
    if (value == nullptr || types.known_to_be_nothing(Py_TYPE(value))) continue;
    out.items.push_back({PyRef::share(value), {}, static_cast<std::size_t>(i), false});
  }
}

// Sets have no raw walk in the stable ABI; a subclass may bring its own __iter__, which may fail.
void collect_set(PyObject* set, TypeTable& types, Entries& out) {
  const PyRef copy = PyRef::steal(PySequence_List(set));
  if (!copy) {
    clear_unless_interrupt();
    return;
  }
  collect_items(copy.get(), PyList_Size(copy.get()), PyList_GetItem, types, out);
}

// The attribute as `object` would give it: no __getattr__ or __getattribute__ of the class runs.
PyRef plain_attribute(PyObject* object, PyObject* name) {
  PyRef value = PyRef::steal(PyObject_GenericGetAttr(object, name));
  if (!value) clear_unless_interrupt();
  return value;
}

PyRef instance_dict(PyObject* object) {
  const PyRef name = PyRef::steal(PyUnicode_InternFromString("__dict__"));
  PyRef dict = plain_attribute(object, name.get());
  return dict && PyDict_Check(dict.get()) ? dict : PyRef{};
}

// Fields of a dataclass with __slots__, which has no __dict__ to walk.
void collect_slot_fields(PyObject* object, TypeTable& types, Entries& out) {
  const PyRef fields = type_attribute(reinterpret_cast<PyObject*>(Py_TYPE(object)), "__dataclass_fields__");
  if (!fields || !PyDict_Check(fields.get())) return;
  const PyRef names = PyRef::steal(PyDict_Keys(fields.get()));
  for (Py_ssize_t i = 0; names && i < PyList_Size(names.get()); ++i) {
    PyObject* const name = PyList_GetItem(names.get(), i);
    ++out.looked_at;
    if (!is_public_name(name)) continue;
    PyRef value = plain_attribute(object, name);
    if (!value || types.known_to_be_nothing(Py_TYPE(value.get()))) continue;
    out.items.push_back({std::move(value), PyRef::share(name), static_cast<std::size_t>(i), true});
  }
}

void collect_attributes(PyObject* object, TypeTable& types, Entries& out) {
  if (const PyRef dict = instance_dict(object)) {
    collect_dict(dict.get(), types, true, out, is_public_name);
  } else {
    collect_slot_fields(object, types, out);
  }
}

// A torch module keeps its parts in private dictionaries; their keys are what the user types after the dot.
void collect_torch_module(PyObject* module, TypeTable& types, Entries& out) {
  const PyRef dict = instance_dict(module);
  if (!dict) return;
  for (const char* part : {"_parameters", "_buffers", "_modules"}) {
    PyObject* const parts = PyDict_GetItemString(dict.get(), part);
    if (parts != nullptr && PyDict_Check(parts)) collect_dict(parts, types, true, out, any_key);
  }
  collect_dict(dict.get(), types, true, out, is_public_name);
}

PyRef property(PyObject* object, const char* name) {
  PyRef value = PyRef::steal(PyObject_GetAttrString(object, name));
  if (!value) clear_unless_interrupt();
  return value;
}

// Keras keeps its parts in lists of its own; `weights` is the public way to all of them.
void collect_keras_layer(PyObject* layer, Entries& out) {
  const PyRef weights = property(layer, "weights");
  if (!weights || !PyList_Check(weights.get())) return;
  for (Py_ssize_t i = 0; i < PyList_Size(weights.get()); ++i) {
    ++out.looked_at;
    const auto index = static_cast<std::size_t>(i);
    const std::string name = "weights" + index_suffix(index);
    out.items.push_back(
        {PyRef::share(PyList_GetItem(weights.get(), i)), PyRef::steal(PyUnicode_FromString(name.c_str())), index, true});
  }
}

void collect_keras_variable(PyObject* variable, Entries& out) {
  ++out.looked_at;
  if (PyRef value = property(variable, "value")) {
    out.items.push_back({std::move(value), PyRef::steal(PyUnicode_FromString("value")), 0, true});
  }
}

}  // namespace

Entries entries_of_namespace(PyObject* globals, TypeTable& types) {
  Entries entries;
  if (PyDict_Check(globals)) collect_dict(globals, types, true, entries, is_public_name);
  return entries;
}

Entries entries_of_container(PyObject* container, Role role, TypeTable& types) {
  Entries entries;
  switch (role) {
    case Role::dict:
      collect_dict(container, types, false, entries, any_key);
      break;
    case Role::list:
      collect_items(container, PyList_Size(container), PyList_GetItem, types, entries);
      break;
    case Role::tuple:
      collect_items(container, PyTuple_Size(container), PyTuple_GetItem, types, entries);
      break;
    case Role::set:
      collect_set(container, types, entries);
      break;
    case Role::attributes:
      collect_attributes(container, types, entries);
      break;
    case Role::torch_module:
      collect_torch_module(container, types, entries);
      break;
    case Role::keras_layer:
      collect_keras_layer(container, entries);
      break;
    case Role::keras_variable:
      collect_keras_variable(container, entries);
      break;
    case Role::nothing:
    case Role::tensor:
    case Role::capsule:
      break;
  }
  return entries;
}

std::string suffix_of(const Entry& entry, Role role) {
  if (entry.is_attribute) {
    return PyUnicode_Check(entry.key.get()) ? attribute_suffix(text_of(entry.key.get()))
                                            : key_suffix(entry.key.get(), entry.index);
  }
  if (entry.key) return key_suffix(entry.key.get(), entry.index);
  return role == Role::set ? set_suffix(entry.index) : index_suffix(entry.index);
}

}  // namespace dlscope::embed
