// TypeTable: what instances of a type are to a scan: a tensor, a container to enter, or nothing. Looked up once per type and
// scan, on the type alone: no attribute of an instance is read, so lazy objects stay lazy.
// thread: GIL held. Keeps every type it has met alive for as long as it lives (one scan).
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "core/inventory/snapshot_builder.h"
#include "embed/libraries/library.h"
#include "embed/objects/pointer_table.h"
#include "embed/stored.h"
#include "embed/objects/user_code.h"
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
  deque,
  mapping_proxy,
  attributes,      // its instance attributes are entered: an instance of a class of the user's, a known container
  type_object,     // class attributes, when the user's own code defines it
  module,          // its names, when it is one of the user's
  function,        // cells, defaults, attributes, when the code is the user's
  method,          // what it is bound to
  generator,       // locals of a suspended generator, coroutine or asynchronous generator of the user's
  parts,           // its library knows: LibrarySession::parts
  torch_module,    // parameters, buffers, sub-modules and public attributes
  keras_layer,     // its weights
  keras_variable,  // its value, which belongs to whatever library Keras runs on
};

struct TypeFacts {
  PyRef type;
  Role role = Role::nothing;
  unsigned offers = 0;                    // kAsk* bits found on the type
  bool of_user = false;                   // the user's own code defines the class
  bool may_hold_others = false;           // role nothing: it is told how many of them were met
  std::uint64_t met = 0;                  // role nothing: entries of this type so far
  std::vector<SlotName> slots;            // of __slots__, where the class is entered by attributes
  bool direct_values_only = false;        // bytes: a tensor when it is the value of a name, text inside a container
  bool has_device_method = false;         // __dlpack_device__ on the type
  bool device_method_is_library = false;  // and it is the library's own, not a subclass's
  const Library* library = nullptr;       // null: unknown
  LibrarySession* session = nullptr;
  LibrarySession::Habits habits;  // the session's word on this type
  ProducerTraits producer;
  core::TextRef library_name, type_name;
};

// Whether its instances are entered by attributes too: those of the user's classes. Not what offers a protocol: it is a tensor, and
// what it is made of is its own.
[[nodiscard]] inline bool has_attributes(const TypeFacts& facts) {
  return facts.of_user && facts.role != Role::type_object && facts.role != Role::tensor;
}

class TypeTable {
 public:
  // Library and type names are interned in `builder`.
  explicit TypeTable(core::SnapshotBuilder& builder) : builder_(builder) {}

  // True when instances are known to be nothing: the fast answer for strings, numbers, functions. Runs no code.
  [[nodiscard]] bool known_to_be_nothing(PyTypeObject* type) {
    if (last_facts_ != nullptr && is_of(type, *last_facts_)) return last_facts_->role == Role::nothing;
    if (last_nothing_ != nullptr && is_of(type, *last_nothing_)) return true;
    const std::uint32_t index = index_.find(type);
    if (index == PointerTable::kAbsent || facts_[index].role != Role::nothing) return false;
    last_nothing_ = &facts_[index];
    return true;
  }
  // The same for an entry that is left out when it is: it has been met, and that is counted.
  [[nodiscard]] bool leaves_out(PyTypeObject* type) {
    if (!known_to_be_nothing(type)) return false;
    ++(last_facts_ != nullptr && is_of(type, *last_facts_) ? last_facts_ : last_nothing_)->met;
    return true;
  }

  // What was met and not entered though it may hold others, by type; most first.
  void tell_not_entered(core::SnapshotBuilder& builder) const;

  [[nodiscard]] UserCode& user_code() {
    if (!user_code_) user_code_.emplace();
    return *user_code_;
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
  void learn_role(PyObject* object, TypeFacts& facts, PyObject* mro);
  static void learn_protocols(PyObject* object, TypeFacts& facts, PyObject* mro);
  [[nodiscard]] Role role_of(PyObject* object, TypeFacts& facts, PyObject* mro);
  [[nodiscard]] Role role_of_library_object(TypeFacts& facts, PyObject* mro);
  [[nodiscard]] LibrarySession* session_of(const Library* library);

  core::SnapshotBuilder& builder_;
  PointerTable index_;
  std::deque<TypeFacts> facts_;
  TypeFacts* last_nothing_ = nullptr;
  TypeFacts* last_facts_ = nullptr;  // rows of one kind follow one another
  std::map<const Library*, std::unique_ptr<LibrarySession>> sessions_;
  std::optional<UserCode> user_code_;
};

}  // namespace dlscope::embed
