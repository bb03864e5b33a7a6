#include "embed/scan/container_entries.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "embed/scan/module_entries.h"
#include "embed/scan/name_path.h"
#include "embed/scan/object_entries.h"

namespace dlscope::embed {
namespace {

bool any_key(PyObject*) { return true; }

void collect_items(PyObject* sequence, Py_ssize_t size, PyObject* (*item_at)(PyObject*, Py_ssize_t), TypeTable& types,
                   Entries& out) {
  for (Py_ssize_t i = 0; i < size; ++i) {
    PyObject* const value = item_at(sequence, i);  // borrowed
    if (count_entry(out)) return;
    if (value == nullptr || types.leaves_out(Py_TYPE(value))) continue;
    out.items.push_back({PyRef::share(value), {}, static_cast<std::size_t>(i), false});
  }
}

// `iterate`: __iter__ of the interpreter's own class. A subclass may bring one of its own, which is the user's code.
void collect_iterated(PyObject* container, PyObject* iterate, TypeTable& types, Entries& out) {
  const PyRef iterator =
      PyRef::steal(iterate != nullptr ? PyObject_CallFunctionObjArgs(iterate, container, nullptr) : nullptr);
  std::size_t index = 0;
  while (PyRef item = PyRef::steal(iterator ? PyIter_Next(iterator.get()) : nullptr)) {
    if (count_entry(out)) return;
    if (!types.leaves_out(Py_TYPE(item.get()))) out.items.push_back({std::move(item), {}, index, false});
    ++index;
  }
  clear_unless_interrupt();
}

void collect_set(PyObject* set, TypeTable& types, Entries& out) {
  static PyObject* const of_set = type_attribute(reinterpret_cast<PyObject*>(&PySet_Type), "__iter__").release();
  static PyObject* const of_frozen = type_attribute(reinterpret_cast<PyObject*>(&PyFrozenSet_Type), "__iter__").release();
  const bool is_frozen = PyType_IsSubtype(Py_TYPE(set), &PyFrozenSet_Type) != 0;
  collect_iterated(set, is_frozen ? of_frozen : of_set, types, out);
}

void collect_deque(PyObject* deque, TypeTable& types, Entries& out) {
  static PyObject* const of_deque = [] {
    const PyRef module = PyRef::steal(PyImport_ImportModule("_collections"));
    const PyRef type = PyRef::steal(module ? PyObject_GetAttrString(module.get(), "deque") : nullptr);
    return type ? type_attribute(type.get(), "__iter__").release() : nullptr;
  }();
  collect_iterated(deque, of_deque, types, out);
}

void collect_proxy(PyObject* proxy, TypeTable& types, Entries& out) {
  for (PyObject* const behind : referents_of(proxy)) {
    if (PyDict_Check(behind)) collect_dict(behind, types, false, out, any_key);
  }
}

// The property as the class of Keras's own defines it, not as a class of the user's that derives from it does.
PyRef property_of_keras(PyObject* object, std::string_view class_name, const char* name) {
  const PyRef mro = type_attribute(reinterpret_cast<PyObject*>(Py_TYPE(object)), "__mro__");
  for (Py_ssize_t i = 0; mro && PyTuple_Check(mro.get()) && i < PyTuple_Size(mro.get()); ++i) {
    PyObject* const base = PyTuple_GetItem(mro.get(), i);
    if (text_of(type_attribute(base, "__name__").get()) != class_name) continue;
    if (!text_of(type_attribute(base, "__module__").get()).starts_with("keras.")) continue;
    const PyRef getter = type_attribute(base, name);
    PyRef value = PyRef::steal(getter ? PyObject_CallMethod(getter.get(), "__get__", "OO", object, base) : nullptr);
    if (!value) clear_unless_interrupt();
    return value;
  }
  return {};
}

// Keras keeps its parts in lists of its own; `weights` is the public way to all of them.
void collect_keras_layer(PyObject* layer, Entries& out) {
  const PyRef weights = property_of_keras(layer, "Layer", "weights");
  if (!weights || !PyList_Check(weights.get())) return;
  for (Py_ssize_t i = 0; i < PyList_Size(weights.get()); ++i) {
    ++out.looked_at;
    const auto index = static_cast<std::size_t>(i);
    const std::string name = "weights" + index_suffix(index);
    out.items.push_back(
        {PyRef::share(PyList_GetItem(weights.get(), i)), PyRef::steal(PyUnicode_FromString(name.c_str())), index, true});
  }
}

// The tensor that it stores: the property `value` gives a cast one while a layer computes in another precision.
void collect_keras_variable(PyObject* variable, Entries& out) {
  ++out.looked_at;
  if (PyRef value = stored_attribute(variable, "_value"); value && value.get() != Py_None) {
    out.items.push_back({std::move(value), PyRef::steal(PyUnicode_FromString("value")), 0, true});
  }
}

// An attribute of a subclass that its library names as a part has one name.
void leave_out_named_parts(Entries& entries) {
  if (entries.parts.empty()) return;
  std::erase_if(entries.items, [&](const Entry& entry) {
    if (!entry.is_attribute) return false;
    const std::string suffix = suffix_of(entry, Role::parts);
    return std::ranges::find(entries.parts, suffix, &Part::suffix) != entries.parts.end();
  });
}

Entries parts_of(PyObject* object, TypeFacts& facts, TypeTable& types) {
  Parts parts;
  parts.wanted = [&types](PyObject* value) { return !types.leaves_out(Py_TYPE(value)); };
  const Quiet quiet = facts.session != nullptr ? facts.session->quiet(facts.of_user) : Quiet{};
  if (facts.session != nullptr && PyErr_Occurred() == nullptr) facts.session->parts(object, parts);
  Entries entries;
  entries.parts = std::move(parts.items);
  entries.looked_at = parts.looked_at;
  return entries;
}

}  // namespace

bool is_users_name(PyObject* name) {
  if (!PyUnicode_Check(name)) return false;
  const Py_ssize_t length = PyUnicode_GetLength(name);
  if (length == 0 || PyUnicode_ReadChar(name, 0) != '_') return length > 0;
  if (length == 1 || PyUnicode_ReadChar(name, 1) == '_') return false;
  for (Py_ssize_t i = 1; i < length; ++i) {
    const Py_UCS4 character = PyUnicode_ReadChar(name, i);
    if (character < '0' || character > '9') return true;
  }
  return false;  // "_12"
}

Entries entries_of_namespace(PyObject* globals, TypeTable& types) {
  Entries entries;
  if (PyDict_Check(globals)) collect_dict(globals, types, true, entries, is_users_name);
  return entries;
}

Entries entries_of_container(PyObject* container, TypeFacts& facts, TypeTable& types) {
  Entries entries;
  switch (facts.role) {
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
    case Role::deque:
      collect_deque(container, types, entries);
      break;
    case Role::mapping_proxy:
      collect_proxy(container, types, entries);
      break;
    case Role::attributes:
      collect_attributes(container, facts, types, entries);
      return entries;
    case Role::type_object:
      collect_class(container, types, entries);
      break;
    case Role::module:
      collect_dict(PyModule_GetDict(container), types, true, entries, is_users_name);
      break;
    case Role::function:
      collect_function(container, types, entries);
      break;
    case Role::method:
      collect_method(container, entries);
      break;
    case Role::generator:
      collect_generator(container, types, entries);
      break;
    case Role::torch_module:
      collect_torch_module(container, types, entries);
      return entries;
    case Role::keras_layer:
      collect_keras_layer(container, entries);
      break;
    case Role::keras_variable:
      collect_keras_variable(container, entries);
      break;
    case Role::parts:
      entries = parts_of(container, facts, types);
      break;
    case Role::tensor:  // of a class of the user's it may be here for its attributes only
      if (facts.habits.holds != Holds::nothing) entries = parts_of(container, facts, types);
      break;
    case Role::nothing:
    case Role::capsule:
      break;
  }
  // A dict or a list of a class of the user's has attributes beside its items.
  if (has_attributes(facts)) {
    collect_attributes(container, facts, types, entries);
    leave_out_named_parts(entries);
  }
  return entries;
}

std::string suffix_of(const Entry& entry, Role role) {
  if (entry.is_attribute) {
    if (!PyUnicode_Check(entry.key.get())) return key_suffix(entry.key.get(), entry.index);
    return entry.kept_in != nullptr ? attribute_suffix(entry.key.get(), entry.kept_in) : "." + text_of(entry.key.get());
  }
  if (entry.key) return key_suffix(entry.key.get(), entry.index);
  return role == Role::set ? set_suffix(entry.index) : index_suffix(entry.index);
}

}  // namespace dlscope::embed
