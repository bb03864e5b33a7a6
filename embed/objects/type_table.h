// TypeTable: what instances of a type are to a scan: a tensor, a container to enter, or nothing. Looked up once per type and
// scan, on the type alone: no attribute of an instance is read, so lazy objects stay lazy.
// thread: GIL held. Keeps every type it has met alive for as long as it lives (one scan).
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <string_view>

#include "core/inventory/snapshot_builder.h"
#include "embed/libraries/library.h"
#include "embed/objects/pointer_table.h"
#include "embed/protocols/dlpack.h"
#include "embed/py_ref.h"

namespace dlscope::embed {

enum class Role : std::uint8_t {
  nothing,
  tensor,
  capsule,  // PyCapsule: counts when its name is one of DLPack's
  dict,
  list,
  tuple,
  set,
  attributes,      // its __dict__ and dataclass fields are entered
  torch_module,    // parameters, buffers, sub-modules and public attributes
  keras_layer,     // its weights
  keras_variable,  // its value, which belongs to whatever library Keras runs on
};

struct TypeFacts {
  PyRef type;
  Role role = Role::nothing;
  unsigned offers = 0;                    // kAsk* bits found on the type
  bool direct_values_only = false;        // bytes: a tensor when it is the value of a name, text inside a container
  bool has_device_method = false;         // __dlpack_device__ on the type
  bool device_method_is_library = false;  // and it is the library's own, not a subclass's
  const Library* library = nullptr;       // null: unknown
  LibrarySession* session = nullptr;
  LibrarySession::Habits habits;  // the session's word on this type
  DlpackManners manners;
  core::TextRef library_name, type_name;
};

class TypeTable {
 public:
  // Library and type names are interned in `builder`.
  explicit TypeTable(core::SnapshotBuilder& builder) : builder_(builder) {}

  // True when instances are known to be nothing: the fast answer for strings, numbers, functions. Runs no code.
  [[nodiscard]] bool known_to_be_nothing(PyTypeObject* type) {
    if (type == last_nothing_) return true;
    if (last_facts_ != nullptr && is_of(type, *last_facts_)) return last_facts_->role == Role::nothing;
    const std::uint32_t index = index_.find(type);
    if (index == PointerTable::kAbsent || facts_[index].role != Role::nothing) return false;
    last_nothing_ = type;
    return true;
  }

  // The facts of object's type. The first time it may run code of a class (descriptors): hold a reference to object. Where that
  // was interrupted, the KeyboardInterrupt is left set and the role is `nothing`.
  [[nodiscard]] TypeFacts& facts_of(PyObject* object) {
    PyTypeObject* const type = Py_TYPE(object);
    if (last_facts_ != nullptr && is_of(type, *last_facts_)) return *last_facts_;
    const std::uint32_t index = index_.find(type);
    TypeFacts& facts = index != PointerTable::kAbsent ? facts_[index] : learn(object);
    last_facts_ = &facts;
    return facts;
  }

  // Finds library, session and names. Tensors and capsules have them already; a request may concern an object whose type
  // offers nothing while the instance does. Leaves no exception set unless it is KeyboardInterrupt.
  void name_library(TypeFacts& facts);

 private:
  [[nodiscard]] static bool is_of(PyTypeObject* type, const TypeFacts& facts) {
    return facts.type.get() == reinterpret_cast<PyObject*>(type);
  }
  TypeFacts& learn(PyObject* object);
  static void learn_protocols(PyObject* object, TypeFacts& facts, PyObject* mro);
  [[nodiscard]] static Role role_of(PyObject* object, const TypeFacts& facts, PyObject* mro);
  [[nodiscard]] LibrarySession* session_of(const Library* library);

  core::SnapshotBuilder& builder_;
  PointerTable index_;
  std::deque<TypeFacts> facts_;
  PyTypeObject* last_nothing_ = nullptr;
  TypeFacts* last_facts_ = nullptr;  // rows of one kind follow one another
  std::map<const Library*, std::unique_ptr<LibrarySession>> sessions_;
};

}  // namespace dlscope::embed
