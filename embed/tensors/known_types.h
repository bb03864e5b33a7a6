// KnownTypes: facts about types, kept from one taken object to the next as long as they are certain: a library session's facts may
// change (is an accelerator live?), and user classes must not be kept alive.
// thread: GIL held.
#pragma once

#include <cstdint>
#include <string>

#include "core/inventory/snapshot_builder.h"
#include "embed/objects/type_table.h"

namespace dlscope::embed {

class KnownTypes {
 public:
  struct Entry {
    TypeFacts& facts;
    const std::string& name;
  };

  // Made anew where what is kept may no longer be true, unless it is in use.
  [[nodiscard]] static KnownTypes& current();
  // Valid until current() is called without an InUse.
  [[nodiscard]] Entry of(PyObject* object);

  // A producer may call from_dlpack() inside its own __dlpack__: keeps the facts in use.
  class InUse {
   public:
    explicit InUse(KnownTypes& known) : known_(known) { ++known_.nested_; }
    ~InUse() { --known_.nested_; }
    InUse(const InUse&) = delete;
    InUse& operator=(const InUse&) = delete;

   private:
    KnownTypes& known_;
  };

 private:
  // Shorter than bringing an accelerator up takes, which is what a session's facts depend on.
  static constexpr std::int64_t kLongestNs = 20'000'000;
  KnownTypes(std::int64_t now_ns, Py_ssize_t modules) : made_ns_(now_ns), modules_(modules) {}

  core::SnapshotBuilder names_;
  TypeTable types_{names_};
  const TypeFacts* last_facts_ = nullptr;
  std::string last_name_;
  std::int64_t made_ns_;
  Py_ssize_t modules_;
  int nested_ = 0;
  bool discard_ = false;
};

}  // namespace dlscope::embed
