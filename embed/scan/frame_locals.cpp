#include "embed/scan/frame_locals.h"

#include <utility>

#include "embed/stored.h"

namespace dlscope::embed {

// Since 3.12; not in the stable ABI, so it may be absent.
extern "C" __attribute__((weak)) PyObject* dlscope_frame_variable(PyObject* frame, PyObject* name) __asm__("PyFrame_GetVar");

namespace {

PyObject* own_tracer = nullptr;
PyRef* added_names = nullptr;  // a dict, {frame: dict of names}; never destroyed: this may outlive the interpreter

constexpr long kOptimised = 1;  // CO_OPTIMIZED: fast locals, as in every function

PyRef code_of(PyObject* frame) { return stored_attribute(frame, "f_code"); }

bool has_fast_locals(PyObject* code) {
  const PyRef flags = stored_attribute(code, "co_flags");
  return flags && (PyLong_AsLong(flags.get()) & kOptimised) != 0;
}

void add_dict(PyObject* dict, std::vector<Local>& out) {
  PyObject *name = nullptr, *value = nullptr;
  Py_ssize_t position = 0;
  while (PyDict_Next(dict, &position, &name, &value) != 0) {
    if (PyUnicode_Check(name)) out.push_back({PyRef::share(name), PyRef::share(value)});
  }
}

// Calls visit(name) for each variable of the code's own until it returns false; some twice: an argument that a closure needs is a
// variable and a cell.
template <class Visit>
void each_variable(PyObject* code, Visit visit) {
  for (const char* kind : {"co_varnames", "co_cellvars", "co_freevars"}) {
    const PyRef names = stored_attribute(code, kind);
    for (Py_ssize_t i = 0; names && PyTuple_Check(names.get()) && i < PyTuple_Size(names.get()); ++i) {
      if (!visit(PyTuple_GetItem(names.get(), i))) return;
    }
  }
}

void add_variables(PyObject* frame, PyObject* code, std::vector<Local>& out) {
  each_variable(code, [&](PyObject* name) {
    for (const Local& local : out) {
      if (PyUnicode_Compare(local.name.get(), name) == 0) return true;
    }
    PyRef value = PyRef::steal(dlscope_frame_variable(frame, name));
    if (value) out.push_back({PyRef::share(name), std::move(value)});
    return value || !clear_unless_interrupt();  // otherwise it is unbound
  });
}

// The dict that the frame keeps is filled from its variables and afterwards holds their values no longer than they do; other names in
// it are the program's own, as exec() binds them.
void add_snapshot(PyObject* frame, PyObject* code, std::vector<Local>& out) {
  const PyRef snapshot = stored_attribute(frame, "f_locals");
  if (!snapshot || !PyDict_Check(snapshot.get())) return;
  add_dict(snapshot.get(), out);
  if (Py_REFCNT(snapshot.get()) != 2 || is_traced(frame)) return;
  each_variable(code, [&](PyObject* name) {
    if (PyDict_DelItem(snapshot.get(), name) != 0) PyErr_Clear();  // it is unbound, or was named before
    return true;
  });
}

// "Job" for a method: the class along the order of the first argument whose dict has this very code.
std::string class_of_method(PyObject* code, const std::vector<Local>& locals, const std::string& name) {
  const PyRef names = stored_attribute(code, "co_varnames");
  if (!names || !PyTuple_Check(names.get()) || PyTuple_Size(names.get()) == 0) return {};
  for (const Local& local : locals) {
    if (PyUnicode_Compare(local.name.get(), PyTuple_GetItem(names.get(), 0)) != 0) continue;
    PyObject* const self = local.value.get();
    PyObject* const type = PyType_Check(self) ? self : reinterpret_cast<PyObject*>(Py_TYPE(self));
    const PyRef mro = type_attribute(type, "__mro__");
    for (Py_ssize_t i = 0; mro && PyTuple_Check(mro.get()) && i < PyTuple_Size(mro.get()); ++i) {
      PyObject* const base = PyTuple_GetItem(mro.get(), i);
      PyRef function = stored_in_dict_of(base, name.c_str());
      if (function && PyType_Check(self)) {
        if (PyRef inner = stored_attribute(function.get(), "__func__")) function = std::move(inner);
      }
      const PyRef its_code = function ? stored_attribute(function.get(), "__code__") : PyRef{};
      if (its_code.get() == code) return text_of(type_attribute(base, "__qualname__").get());
    }
    return {};
  }
  return {};
}

}  // namespace

std::vector<Local> locals_of_frame(PyObject* frame) {
  std::vector<Local> out;
  const PyRef code = code_of(frame);
  if (!code || is_module_frame(frame)) return out;
  if (!has_fast_locals(code.get())) {  // the body of a class: its dict is the namespace itself
    const PyRef names = stored_attribute(frame, "f_locals");
    if (names && PyDict_Check(names.get())) add_dict(names.get(), out);
  } else if (dlscope_frame_variable != nullptr) {
    add_variables(frame, code.get(), out);
  } else {
    add_snapshot(frame, code.get(), out);
  }
  PyObject* const added = added_names != nullptr ? PyDict_GetItemWithError(added_names->get(), frame) : nullptr;
  if (added != nullptr) add_dict(added, out);
  return out;
}

std::vector<Local> variables_of_frame(PyObject* frame, PyObject* names) {
  std::vector<Local> out;
  if (PyTuple_Check(names) == 0) return out;
  std::vector<Local> all;
  const PyRef code = dlscope_frame_variable == nullptr && PyTuple_Size(names) != 0 ? code_of(frame) : PyRef{};
  if (code) add_snapshot(frame, code.get(), all);
  for (Py_ssize_t i = 0; i < PyTuple_Size(names); ++i) {
    PyObject* const name = PyTuple_GetItem(names, i);
    if (dlscope_frame_variable == nullptr) {
      for (Local& local : all) {
        if (local.value && PyUnicode_Compare(local.name.get(), name) == 0) out.push_back(std::move(local));
      }
      continue;
    }
    PyRef value = PyRef::steal(dlscope_frame_variable(frame, name));
    if (value) {
      out.push_back({PyRef::share(name), std::move(value)});
    } else if (clear_unless_interrupt()) {  // otherwise it is unbound
      return out;
    }
  }
  return out;
}

PyRef as_dict(const std::vector<Local>& locals) {
  PyRef names = PyRef::steal(PyErr_Occurred() == nullptr ? PyDict_New() : nullptr);
  for (const Local& local : locals) {
    if (!names || PyDict_SetItem(names.get(), local.name.get(), local.value.get()) != 0) return {};
  }
  return names;
}

void add_names_to_frame(PyObject* frame, PyObject* names) {
  if (added_names == nullptr) {
    PyRef dict = PyRef::steal(PyDict_New());
    if (!dict) return PyErr_Clear();
    added_names = new PyRef(std::move(dict));
  }
  if (PyDict_SetItem(added_names->get(), frame, names) != 0) clear_unless_interrupt();
}

void forget_added_names(PyObject* frame) {
  if (added_names != nullptr && PyDict_DelItem(added_names->get(), frame) != 0) PyErr_Clear();  // it has none
}

void set_own_tracer(PyObject* tracer) { own_tracer = tracer; }

bool is_traced(PyObject* frame) {
  const PyRef own = stored_attribute(frame, "f_trace");
  if (own && own.get() != Py_None) return true;
  PyObject* const get = PySys_GetObject("gettrace");  // borrowed
  const PyRef set = PyRef::steal(get != nullptr ? dlscope_call_no_args(get) : nullptr);
  if (!set) PyErr_Clear();
  return !set || (set.get() != Py_None && set.get() != own_tracer);
}

bool frame_is_users(PyObject* frame) {
  const PyRef code = code_of(frame);
  return code && is_users_code(code.get());
}

bool is_module_frame(PyObject* frame) {
  const PyRef code = code_of(frame);
  const PyRef name = code ? stored_attribute(code.get(), "co_name") : PyRef{};
  return text_of(name.get()) == "<module>" && !has_fast_locals(code.get());
}

FrameFacts facts_of_frame(PyObject* frame) {
  FrameFacts facts;
  const PyRef code = code_of(frame);
  if (!code) return facts;
  facts.file = text_of(stored_attribute(code.get(), "co_filename").get());
  const PyRef line = stored_attribute(frame, "f_lineno");
  if (line && PyLong_Check(line.get())) facts.line = static_cast<unsigned>(PyLong_AsUnsignedLongMask(line.get()));
  if (const PyRef qualified = stored_attribute(code.get(), "co_qualname")) {
    facts.function = text_of(qualified.get());
    return facts;
  }
  facts.function = text_of(stored_attribute(code.get(), "co_name").get());
  const std::string in_class = class_of_method(code.get(), locals_of_frame(frame), facts.function);
  if (!in_class.empty()) facts.function = in_class + "." + facts.function;
  return facts;
}

}  // namespace dlscope::embed
