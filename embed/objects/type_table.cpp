#include "embed/objects/type_table.h"

namespace dlscope::embed {
namespace {

// Flags of tp_flags that name the builtin a type derives from (part of the stable ABI's object.h).
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

// The library whose class defines `name` for this type: the first in the order that has it. nullptr: not a known one.
const Library* library_defining(PyObject* mro, const char* name) {
  const Library* library = nullptr;
  any_base(mro, [&](PyObject* base, const std::string& module, const std::string&) {
    if (!defines(base, name)) return false;
    library = library_of_module(top_level(module));
    return true;
  });
  return library;
}

// Numbers with a buffer or an array interface: NumPy's scalars and ctypes' simple values are not tensors; ctypes' structures
// and pointers are not numbers.
bool is_scalar_kind(PyObject* mro) {
  bool is_array = false, is_ctypes = false;
  const bool numpy_scalar = any_base(mro, [&](PyObject*, const std::string& module, const std::string& name) {
    is_ctypes |= module == "_ctypes";
    is_array |= module == "_ctypes" && name == "Array";
    return name == "generic" && module == "numpy";
  });
  return numpy_scalar || (is_ctypes && !is_array);
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
  facts.manners.may_be_mapped = library_defining(mro, "__dlpack__") != nullptr;
}

// The row is that of the first class known in the order: a user's subclass of ndarray is NumPy's memory.
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
  if (facts.library != nullptr) facts.manners.looking_stream = facts.library->looking_stream;
  facts.library_name = builder_.intern(name);
  facts.type_name = builder_.intern(qualified_name(type));
}

Role TypeTable::role_of(PyObject* object, const TypeFacts& facts, PyObject* mro) {
  const unsigned long flags = PyType_GetFlags(Py_TYPE(object));
  if ((flags & (kTypeFlag | kUnicodeFlag)) != 0 || PyModule_Check(object)) return Role::nothing;
  if (PyCapsule_CheckExact(object)) return Role::capsule;
  if (facts.offers != 0) return Role::tensor;
  if ((flags & kDictFlag) != 0) return Role::dict;
  if ((flags & kListFlag) != 0) return Role::list;
  if ((flags & kTupleFlag) != 0) return Role::tuple;
  if (PyAnySet_Check(object)) return Role::set;
  Role role = Role::nothing;
  any_base(mro, [&](PyObject*, const std::string& module, const std::string& name) {
    if (module == "torch.nn.modules.module" && name == "Module") role = Role::torch_module;
    if (module == "tensorflow.python.ops.resource_variable_ops" && name == "BaseResourceVariable") role = Role::tensor;
    if (module.starts_with("keras.") && name == "Layer") role = Role::keras_layer;
    if (module.starts_with("keras.") && name == "Variable") role = Role::keras_variable;
    if (module.starts_with("flax.") && (name == "Module" || name == "Pytree" || name == "Variable")) role = Role::attributes;
    return role != Role::nothing;
  });
  if (role == Role::nothing && type_attribute(facts.type.get(), "__dataclass_fields__")) role = Role::attributes;
  return role;
}

TypeFacts& TypeTable::learn(PyObject* object) {
  TypeFacts facts;
  facts.type = PyRef::share(as_object(Py_TYPE(object)));
  const PyRef mro = type_attribute(facts.type.get(), "__mro__");
  if (!PyType_Check(object) && !PyModule_Check(object)) learn_protocols(object, facts, mro.get());
  facts.role = role_of(object, facts, mro.get());
  if (facts.role == Role::tensor || facts.role == Role::capsule) name_library(facts);
  facts.direct_values_only = (PyType_GetFlags(Py_TYPE(object)) & kBytesFlag) != 0;
  if (PyErr_Occurred() != nullptr) facts.role = Role::nothing;
  // Code of a class may have run and asked about this very type.
  if (const std::uint32_t index = index_.find(facts.type.get()); index != PointerTable::kAbsent) return facts_[index];
  index_.insert(facts.type.get(), static_cast<std::uint32_t>(facts_.size()));
  return facts_.emplace_back(std::move(facts));
}

}  // namespace dlscope::embed
