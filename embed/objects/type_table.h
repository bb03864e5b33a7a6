// TypeTable: how a scan treats instances of a type: as a tensor, as a container to visit, or as nothing. Determined once per type
// and scan from the type alone: no attribute of an instance is read, so lazy objects stay lazy.
// thread: GIL held. Keeps every type it has met alive as long as it exists (one scan).
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
  capsule,  // PyCapsule: of interest when its name is one of DLPack's
  dict,
  list,
  tuple,
  set,
  deque,
  mapping_proxy,
  attributes,      // visits the instance attributes: an instance of a user's class, or a known container
  type_object,     // visits class attributes, when user code defines the class
  module,          // visits its names, when it is a user's module
  function,        // visits cells, defaults and attributes, when the code is the user's
  method,          // visits the object it is bound to
  generator,       // visits the locals of a suspended generator, coroutine or asynchronous generator of the user's
  parts,           // visits what LibrarySession::parts returns
  torch_module,    // of PyTorch or Paddle: parameters, buffers, sub-modules and public attributes
  keras_layer,     // its weights
  keras_variable,  // its value, a tensor of the library that Keras runs on
};

struct TypeFacts {
  PyRef type;
  Role role = Role::nothing;
  unsigned offers = 0;                    // kAsk* bits of the protocols found on the type
  bool of_user = false;                   // user code defines the class
  bool may_hold_others = false;           // with role nothing: report how many were met
  std::uint64_t met = 0;                  // with role nothing: how many so far
  std::vector<SlotName> slots;            // from __slots__, when attributes are visited
  bool direct_values_only = false;        // bytes: a tensor when it is the value of a name, but text inside a container
  bool has_device_method = false;         // the type has __dlpack_device__
  bool device_method_is_library = false;  // defined by the library itself, not by a subclass
  const Library* library = nullptr;       // null: unknown
  LibrarySession* session = nullptr;
  LibrarySession::Habits habits;  // from `session`, for this type
  ProducerTraits producer;
  core::TextRef library_name, type_name;

  // By contract, even where a legacy capsule cannot express it.
  [[nodiscard]] bool is_immutable() const { return library != nullptr && (library->immutable || habits.immutable); }
};

// Whether attributes of its instances are visited, too: for user classes, whatever else they are (containers, tensors).
[[nodiscard]] inline bool has_attributes(const TypeFacts& facts) { return facts.of_user && facts.role != Role::type_object; }

class TypeTable {
 public:
  // Interns library and type names in `builder`.
  explicit TypeTable(core::SnapshotBuilder& builder) : builder_(builder) {}

  // True for types that are known to be nothing to a scan: those that hold no tensors (str, int, functions), and those that it does not
  // enter although they may (report_not_entered()). False also for a type that was never met. Runs no code.
  [[nodiscard]] bool known_to_be_nothing(PyTypeObject* type) {
    if (last_facts_ != nullptr && is_of(type, *last_facts_)) return last_facts_->role == Role::nothing;
    if (last_nothing_ != nullptr && is_of(type, *last_nothing_)) return true;
    const std::uint32_t index = index_.find(type);
    if (index == PointerTable::kAbsent || facts_[index].role != Role::nothing) return false;
    last_nothing_ = &facts_[index];
    return true;
  }
  // The same for an entry that is skipped when true; it is counted.
  [[nodiscard]] bool leaves_out(PyTypeObject* type) {
    if (!known_to_be_nothing(type)) return false;
    ++(last_facts_ != nullptr && is_of(type, *last_facts_) ? last_facts_ : last_nothing_)->met;
    return true;
  }

  // Reports the types that were met and not visited although they may hold others, most frequent first.
  void report_not_entered(core::SnapshotBuilder& builder) const;

  [[nodiscard]] UserCode& user_code() {
    if (!user_code_) user_code_.emplace();
    return *user_code_;
  }

  // The facts of the object's type. On first use it may run code of a class (descriptors): hold a reference to `object`. If
  // interrupted, KeyboardInterrupt is left set and the role is `nothing`.
  [[nodiscard]] TypeFacts& facts_of(PyObject* object) {
    PyTypeObject* const type = Py_TYPE(object);
    if (last_facts_ != nullptr && is_of(type, *last_facts_)) return *last_facts_;
    const std::uint32_t index = index_.find(type);
    TypeFacts& facts = index != PointerTable::kAbsent ? facts_[index] : learn(object);
    last_facts_ = &facts;
    return facts;
  }

  // Sets library, session and names. Tensors and capsules have them already; a request may be about an object that offers a
  // protocol only on its instance. No exception is left set except KeyboardInterrupt.
  void name_library(TypeFacts& facts);

 private:
  [[nodiscard]] static bool is_of(PyTypeObject* type, const TypeFacts& facts) {
    return facts.type.get() == reinterpret_cast<PyObject*>(type);
  }
  TypeFacts& learn(PyObject* object);
  void learn_role(PyObject* object, TypeFacts& facts, PyObject* mro);
  static void learn_protocols(PyObject* object, TypeFacts& facts, PyObject* mro);
  [[nodiscard]] Role role_of(PyObject* object, TypeFacts& facts, PyObject* mro);
  [[nodiscard]] bool knows_parts(TypeFacts& facts, PyObject* mro);
  [[nodiscard]] LibrarySession* session_of(const Library* library);

  core::SnapshotBuilder& builder_;
  PointerTable index_;
  std::deque<TypeFacts> facts_;
  TypeFacts* last_nothing_ = nullptr;
  TypeFacts* last_facts_ = nullptr;  // consecutive entries often have the same type
  std::map<const Library*, std::unique_ptr<LibrarySession>> sessions_;
  std::optional<UserCode> user_code_;
};

}  // namespace dlscope::embed
