#include "embed/scan/object_entries.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "embed/scan/frame_locals.h"
#include "embed/scan/name_path.h"

namespace dlscope::embed {
namespace {

constexpr Py_ssize_t kMaxSmallItems = 16;

// A small tuple or list of what holds nothing: a shape, a pair of numbers.
bool is_small_and_plain(PyObject* value, TypeTable& types) {
  const bool is_tuple = PyTuple_CheckExact(value) != 0;
  if (!is_tuple && PyList_CheckExact(value) == 0) return false;
  const Py_ssize_t size = is_tuple ? PyTuple_Size(value) : PyList_Size(value);
  if (size > kMaxSmallItems) return false;
  for (Py_ssize_t i = 0; i < size; ++i) {
    PyObject* const item = is_tuple ? PyTuple_GetItem(value, i) : PyList_GetItem(value, i);
    if (item == nullptr || !types.known_to_be_nothing(Py_TYPE(item))) return false;
  }
  return true;
}

// Whether anything the object refers to could lead to a tensor. From 3.11 on an instance has no dict until somebody asks for
// it: those of a million small objects without one are not made by looking.
bool holds_any(PyObject* object, TypeTable& types) {
  const std::vector<PyObject*> referents = referents_of(object);
  const auto leads_somewhere = [&](PyObject* value) {
    return !types.known_to_be_nothing(Py_TYPE(value)) && value != reinterpret_cast<PyObject*>(Py_TYPE(object)) &&
           !is_small_and_plain(value, types);
  };
  if (std::ranges::any_of(referents, leads_somewhere)) return true;
  for (PyObject* const value : referents) static_cast<void>(types.leaves_out(Py_TYPE(value)));
  return false;
}

void add_attribute(PyRef value, PyObject* name, std::size_t index, TypeTable& types, Entries& out) {
  ++out.looked_at;
  if (!value || types.leaves_out(Py_TYPE(value.get()))) return;
  out.items.push_back({std::move(value), PyRef::share(name), index, true});
}

void add_part(PyRef value, std::string suffix, Entries& out) {
  ++out.looked_at;
  if (value && value.get() != Py_None) out.parts.push_back({std::move(value), std::move(suffix), {}, {}});
}

// "__closure__", "__defaults__": what C code of the interpreter stores under a name, entered under that name.
void add_stored(PyObject* object, const char* name, Entries& out) {
  add_part(stored_attribute(object, name), std::string(".") + name, out);
}

bool is_module_or_type(PyObject* object) { return PyModule_Check(object) || PyType_Check(object); }

// A dict beside the function's globals and the builtins: its own attributes, or its annotations.
bool may_have_attributes(PyObject* function, PyObject* globals) {
  std::size_t dicts = 0;
  for (PyObject* const held : referents_of(function))
    dicts += PyDict_Check(held) && held != globals && held != PyEval_GetBuiltins();
  return dicts > 0;
}

}  // namespace

void collect_attributes(PyObject* object, TypeFacts& facts, TypeTable& types, Entries& out) {
  // Static types cannot be asked what they refer to without a list being made; there are few such objects.
  const bool cheap_to_ask = (PyType_GetFlags(Py_TYPE(object)) & Py_TPFLAGS_HEAPTYPE) != 0;
  if (cheap_to_ask && !holds_any(object, types)) {
    ++out.looked_at;
    return;
  }
  if (const PyRef dict = dict_of_instance(object)) collect_dict(dict.get(), types, true, out, is_users_name);
  for (std::size_t i = 0; i < facts.slots.size(); ++i) {
    const SlotName& slot = facts.slots[i];
    if (is_users_name(slot.name.get())) add_attribute(slot_value(slot, object), slot.name.get(), i, types, out);
  }
}

void collect_class(PyObject* type, TypeTable& types, Entries& out) {
  if (const PyRef dict = dict_of_class(type)) collect_dict(dict.get(), types, true, out, is_users_name);
}

void collect_function(PyObject* function, TypeTable& types, Entries& out) {
  if (!UserCode::owns_function(function)) return;
  const PyRef cells = stored_attribute(function, "__closure__");
  for (Py_ssize_t i = 0; cells && PyTuple_Check(cells.get()) && i < PyTuple_Size(cells.get()); ++i) {
    add_part(stored_attribute(PyTuple_GetItem(cells.get(), i), "cell_contents"),
             ".__closure__" + index_suffix(static_cast<std::size_t>(i)) + ".cell_contents", out);
  }
  add_stored(function, "__defaults__", out);
  add_stored(function, "__kwdefaults__", out);
  const PyRef globals = stored_attribute(function, "__globals__");
  if (!may_have_attributes(function, globals.get())) return;
  if (const PyRef dict = dict_of_instance(function)) collect_dict(dict.get(), types, true, out, is_users_name);
}

// Bound methods of Python and of C (whose `__self__` may be the module they belong to), staticmethod and classmethod.
void collect_method(PyObject* method, Entries& out) {
  PyRef self = stored_attribute(method, "__self__");
  if (self && !is_module_or_type(self.get())) add_part(std::move(self), ".__self__", out);
  const PyRef kind = type_attribute(reinterpret_cast<PyObject*>(Py_TYPE(method)), "__name__");
  const bool is_itself = text_of(kind.get()) == "staticmethod";  // Job.f is the function
  add_part(stored_attribute(method, "__func__"), is_itself ? "" : ".__func__", out);
}

void collect_generator(PyObject* generator, TypeTable& types, Entries& out) {
  struct Names {
    const char *frame, *waits_for;
  };
  constexpr std::array<Names, 3> kKinds{{{"gi_frame", "gi_yieldfrom"}, {"cr_frame", "cr_await"}, {"ag_frame", "ag_await"}}};
  for (const Names& kind : kKinds) {
    const PyRef frame = stored_attribute(generator, kind.frame);
    if (!frame || frame.get() == Py_None) continue;
    add_stored(generator, kind.waits_for, out);
    if (!frame_is_users(frame.get())) continue;
    for (Local& local : locals_of_frame(frame.get())) {
      ++out.looked_at;
      if (types.leaves_out(Py_TYPE(local.value.get()))) continue;
      out.parts.push_back(
          {std::move(local.value), std::string(".") + kind.frame + ".f_locals" + key_suffix(local.name.get(), 0), {}, {}});
    }
  }
}

}  // namespace dlscope::embed
