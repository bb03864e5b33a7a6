#include "embed/objects/type_table.h"

#include <algorithm>
#include <array>
#include <functional>

namespace dlscope::embed {
namespace {

// tp_flags bits of the builtin that a type derives from (from the stable ABI's object.h).
constexpr unsigned long kListFlag = 1UL << 25, kTupleFlag = 1UL << 26, kBytesFlag = 1UL << 27, kUnicodeFlag = 1UL << 28;
constexpr unsigned long kDictFlag = 1UL << 29, kTypeFlag = 1UL << 31;

PyObject* as_object(PyTypeObject* type) { return reinterpret_cast<PyObject*>(type); }

std::string module_of(PyObject* type) { return text_of(type_attribute(type, "__module__").get()); }

std::string_view top_level(std::string_view module) { return module.substr(0, module.find('.')); }

// Calls visit(base, its module, its name) along a method resolution order until it returns true.
template <class Visit>
bool any_base(PyObject* mro, Visit visit) {
  if (mro == nullptr || !PyTuple_Check(mro)) return false;
  for (Py_ssize_t i = 0; i < PyTuple_Size(mro); ++i) {
    PyObject* const base = PyTuple_GetItem(mro, i);
    if (base == as_object(&PyBaseObject_Type)) continue;
    if (visit(base, module_of(base), text_of(type_attribute(base, "__name__").get()))) return true;
  }
  return false;
}

bool defines(PyObject* type, const char* name) {
  const PyRef dict = type_attribute(type, "__dict__");
  return dict && PyMapping_HasKeyString(dict.get(), name) != 0;
}

// The library whose class defines `name` for this type, by the method resolution order. nullptr: not a known library.
const Library* library_defining(PyObject* mro, const char* name) {
  const Library* library = nullptr;
  any_base(mro, [&](PyObject* base, const std::string& module, const std::string&) {
    if (!defines(base, name)) return false;
    library = library_of_module(top_level(module));
    return true;
  });
  return library;
}

// Objects with a buffer or an array interface that are not tensors: NumPy's scalars and ctypes' simple values. ctypes' structures
// and pointers do count.
bool is_scalar_kind(PyObject* mro) {
  bool is_array = false, is_ctypes = false;
  const bool numpy_scalar = any_base(mro, [&](PyObject*, const std::string& module, const std::string& name) {
    is_ctypes |= module == "_ctypes";
    is_array |= module == "_ctypes" && name == "Array";
    return name == "generic" && module == "numpy";
  });
  return numpy_scalar || (is_ctypes && !is_array);
}

// The interpreter's own types that are final, or are recognised by exact type only.
Role role_of_builtin(PyTypeObject* type) {
  struct Row {
    const char *module, *name;
    Role role;
  };
  constexpr std::array<Row, 11> kKinds{{{"builtins", "function", Role::function},
                                        {"builtins", "staticmethod", Role::method},
                                        {"builtins", "classmethod", Role::method},
                                        {"builtins", "method", Role::method},
                                        {"builtins", "builtin_function_or_method", Role::method},
                                        {"builtins", "generator", Role::generator},
                                        {"builtins", "coroutine", Role::generator},
                                        {"builtins", "async_generator", Role::generator},
                                        {"builtins", "mappingproxy", Role::mapping_proxy},
                                        {"collections", "deque", Role::deque},
                                        {"types", "SimpleNamespace", Role::attributes}}};
  if ((PyType_GetFlags(type) & Py_TPFLAGS_HEAPTYPE) != 0 && module_of(as_object(type)) != "collections") return Role::nothing;
  const std::string module = module_of(as_object(type));
  const std::string name = text_of(type_attribute(as_object(type), "__name__").get());
  const auto* const row =
      std::ranges::find_if(kKinds, [&](const Row& kind) { return module == kind.module && name == kind.name; });
  return row == kKinds.end() ? Role::nothing : row->role;
}

// Whether instances may hold other objects worth reporting: not those without references, nor the machinery of classes and
// functions.
bool may_hold_others(PyObject* object, PyObject* type) {
  constexpr std::array<std::string_view, 9> kMachinery{"typing",   "types", "abc",         "_abc",      "weakref",
                                                       "_weakref", "enum",  "dataclasses", "__future__"};
  if ((PyType_GetFlags(Py_TYPE(object)) & Py_TPFLAGS_HAVE_GC) == 0) return false;
  const std::string module = module_of(type);
  if (std::ranges::find(kMachinery, module) != kMachinery.end()) return false;
  if (module != "builtins") return true;
  const std::string name = text_of(type_attribute(type, "__name__").get());
  constexpr std::array<std::string_view, 8> kLazyOrViews{"map",      "filter",     "zip",        "enumerate",
                                                         "reversed", "dict_keys", "dict_values", "dict_items"};
  return name.ends_with("iterator") || std::ranges::find(kLazyOrViews, name) != kLazyOrViews.end();
}

}  // namespace

LibrarySession* TypeTable::session_of(const Library* library) {
  if (library == nullptr || library->open == nullptr) return nullptr;
  auto& session = sessions_[library];
  if (!session) session = library->open();
  return session.get();
}

void TypeTable::learn_protocols(PyObject* object, TypeFacts& facts, PyObject* mro) {
  PyObject* const type = facts.type.get();
  if (type_attribute(type, "__dlpack__")) facts.offers |= kAskDlpack;
  if (type_attribute(type, "__array_interface__")) facts.offers |= kAskArrayInterface;
  if (type_attribute(type, "__cuda_array_interface__")) facts.offers |= kAskCudaArrayInterface;
  if (dlscope_check_buffer(object) != 0) facts.offers |= kAskBuffer;
  if (facts.offers == 0 || is_scalar_kind(mro)) {
    facts.offers = 0;
    return;
  }
  facts.has_device_method = static_cast<bool>(type_attribute(type, "__dlpack_device__"));
  facts.device_method_is_library = facts.has_device_method && library_defining(mro, "__dlpack_device__") != nullptr;
  facts.producer.may_be_mapped = library_defining(mro, "__dlpack__") != nullptr;
}

// The first known library in the method resolution order: a user's subclass of ndarray counts as NumPy's.
void TypeTable::name_library(TypeFacts& facts) {
  if (facts.type_name.length != 0) return;
  PyObject* const type = facts.type.get();
  const PyRef mro = type_attribute(type, "__mro__");
  std::string name;
  any_base(mro.get(), [&](PyObject*, const std::string& module, const std::string&) {
    facts.library = library_of_module(top_level(module));
    if (facts.library != nullptr) {
      name = facts.library->module;
    } else if (top_level(module) == "builtins") {
      name = "builtins";
    }
    return !name.empty();
  });
  if (name.empty()) name = top_level(module_of(type));
  facts.session = session_of(facts.library);
  if (facts.session != nullptr) facts.habits = facts.session->habits(reinterpret_cast<PyTypeObject*>(type));
  if (facts.library != nullptr) facts.producer.looking_stream = facts.library->looking_stream;
  facts.library_name = builder_.intern(name);
  facts.type_name = builder_.intern(qualified_name(type));
}

Role TypeTable::role_of(PyObject* object, TypeFacts& facts, PyObject* mro) {
  const unsigned long flags = PyType_GetFlags(Py_TYPE(object));
  if ((flags & kTypeFlag) != 0) return Role::type_object;
  if (PyModule_Check(object)) return Role::module;
  if ((flags & kUnicodeFlag) != 0) return facts.of_user ? Role::attributes : Role::nothing;
  if (PyCapsule_CheckExact(object)) return Role::capsule;
  if (facts.offers != 0) return Role::tensor;
  if ((flags & kDictFlag) != 0) return Role::dict;
  if ((flags & kListFlag) != 0) return Role::list;
  if ((flags & kTupleFlag) != 0) return Role::tuple;
  if (PyAnySet_Check(object)) return Role::set;
  if (const Role kind = role_of_builtin(Py_TYPE(object)); kind != Role::nothing) return kind;
  Role role = Role::nothing;
  any_base(mro, [&](PyObject*, const std::string& module, const std::string& name) {
    if (module == "torch.nn.modules.module" && name == "Module") role = Role::torch_module;
    if (module.starts_with("paddle.nn.") && name == "Layer") role = Role::torch_module;
    if (module == "tensorflow.python.ops.resource_variable_ops" && name == "BaseResourceVariable") role = Role::tensor;
    if (module.starts_with("keras.") && name == "Layer") role = Role::keras_layer;
    if (module.starts_with("keras.") && name == "Variable") role = Role::keras_variable;
    if (module == "collections" && name == "deque") role = Role::deque;
    if (module.starts_with("flax.") && (name == "Module" || name == "Pytree" || name == "Variable")) role = Role::attributes;
    return role != Role::nothing;
  });
  if (role != Role::nothing) return role;
  if (knows_parts(facts, mro)) return Role::parts;
  return facts.of_user || stored_in_class(facts.type.get(), "__dataclass_fields__") ? Role::attributes : Role::nothing;
}

// Whether the row of a library that the class, or one that it derives from, comes from knows what such an object holds.
bool TypeTable::knows_parts(TypeFacts& facts, PyObject* mro) {
  return any_base(mro, [&](PyObject*, const std::string& module, const std::string&) {
    const Library* const library = library_of_module(top_level(module));
    LibrarySession* const session = session_of(library);
    if (session == nullptr) return false;
    const LibrarySession::Habits habits = session->habits(reinterpret_cast<PyTypeObject*>(facts.type.get()));
    if (habits.holds != Holds::parts) return false;
    facts.habits = habits;
    facts.library = library;
    facts.session = session;
    return true;
  });
}

void TypeTable::report_not_entered(core::SnapshotBuilder& builder) const {
  constexpr std::size_t kMaxTypes = 100;
  std::vector<const TypeFacts*> told;
  for (const TypeFacts& facts : facts_) {
    if (facts.role == Role::nothing && facts.may_hold_others && facts.met > 0) told.push_back(&facts);
  }
  std::ranges::stable_sort(told, std::ranges::greater{}, &TypeFacts::met);
  if (told.size() > kMaxTypes) told.resize(kMaxTypes);
  for (const TypeFacts* facts : told) builder.add_not_entered(qualified_name(facts->type.get()), facts->met);
}

TypeFacts& TypeTable::learn(PyObject* object) {
  TypeFacts facts;
  facts.type = PyRef::share(as_object(Py_TYPE(object)));
  const PyRef mro = type_attribute(facts.type.get(), "__mro__");
  if (!PyType_Check(object) && !PyModule_Check(object)) learn_protocols(object, facts, mro.get());
  // The calls below must not run with a pending exception: an interrupt in a class's descriptor ends this here.
  if (PyErr_Occurred() == nullptr) learn_role(object, facts, mro.get());
  if (PyErr_Occurred() != nullptr) facts.role = Role::nothing;
  // Class code may have run and looked up this same type.
  if (const std::uint32_t index = index_.find(facts.type.get()); index != PointerTable::kAbsent) return facts_[index];
  index_.insert(facts.type.get(), static_cast<std::uint32_t>(facts_.size()));
  return facts_.emplace_back(std::move(facts));
}

void TypeTable::learn_role(PyObject* object, TypeFacts& facts, PyObject* mro) {
  facts.of_user =
      (PyType_GetFlags(Py_TYPE(object)) & Py_TPFLAGS_HEAPTYPE) != 0 &&
      any_base(mro, [&](PyObject* base, const std::string&, const std::string&) { return user_code().owns_class(base); });
  facts.role = role_of(object, facts, mro);
  if (facts.of_user && facts.role != Role::type_object) facts.slots = slots_of(facts.type.get());
  if (facts.role == Role::nothing) facts.may_hold_others = may_hold_others(object, facts.type.get());
  if (facts.role == Role::tensor || facts.role == Role::capsule) name_library(facts);
  facts.direct_values_only = (PyType_GetFlags(Py_TYPE(object)) & kBytesFlag) != 0;
}

}  // namespace dlscope::embed
