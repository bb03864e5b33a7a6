// Describer: describes one object by all protocols: DLPack, then the array interfaces, then the buffer protocol; refusals are
// kept. Decides what may not be called, uses stand-ins (LibrarySession::stand_in), and compares the claimed device with the
// capsule's.
// thread: GIL held. Leaves no exception set unless it is KeyboardInterrupt.
#pragma once

#include <map>
#include <optional>

#include "embed/description.h"
#include "embed/objects/memory_owner.h"
#include "embed/objects/type_table.h"
#include "embed/protocols/dlpack.h"
#include "embed/protocols/known_memory.h"

namespace dlscope::embed {

enum class AskedBy : std::uint8_t {
  scan,     // calls nothing that waits or has side effects
  request,  // the user named this object: everything except what changes it or ends the process; attributes of the instance
            // count, too
  consent,  // the user was told what calling does, and wants it: everything except what ends the process
};

class Describer {
 public:
  // checked_only: never read structs with plain loads, whoever the producer is.
  explicit Describer(const core::MemoryReader& reader, bool checked_only = false)
      : reader_(reader), dlpack_(memory_, reader, checked_only) {}

  // Clears the description and fills it. description.desc.protocol is none when every protocol refused.
  void describe(PyObject* object, TypeFacts& facts, AskedBy asked_by, Description& description);

  // The protocols that the object offers: on its type, and for a request also on the instance.
  [[nodiscard]] static unsigned offered(PyObject* object, const TypeFacts& facts, AskedBy asked_by) {
    return asked_by == AskedBy::scan ? facts.offers : offered_on_request(object, facts);
  }

  // Tries one protocol alone (a kAsk* bit), as far as who asks allows it.
  [[nodiscard]] bool try_one(unsigned protocol, PyObject* object, TypeFacts& facts, AskedBy asked_by, Description& description);

  // Where to copy the raw struct or buffer of the next looks; null: do not copy.
  void keep_raw(RawCopy* raw) {
    raw_ = raw;
    dlpack_.keep_raw(raw);
  }

  [[nodiscard]] KnownMemory& memory() { return memory_; }
  [[nodiscard]] DlpackProtocol& dlpack() { return dlpack_; }

 private:
  [[nodiscard]] bool ask(unsigned protocol, PyObject* object, TypeFacts& facts, Description& description);
  [[nodiscard]] bool allowed(PyObject* object, TypeFacts& facts, AskedBy asked_by, Description& description);
  [[nodiscard]] bool ask_dlpack(PyObject* object, TypeFacts& facts, Description& description);
  [[nodiscard]] bool ask_table(PyObject* object, TypeFacts& facts, Description& description);
  [[nodiscard]] bool ask_unvouched_dlpack(PyObject* object, TypeFacts& facts, Description& description);
  [[nodiscard]] bool lies_where_one_was_given_back(core::ByteRange extent);
  void compare_with_next(PyObject* object, TypeFacts& facts, Description& description);
  [[nodiscard]] bool describe_by_first_answer(PyObject* object, TypeFacts& facts, unsigned offers, Description& description);
  [[nodiscard]] bool describe_otherwise(PyObject* object, TypeFacts& facts, unsigned offers, Description& description);
  [[nodiscard]] static unsigned offered_on_request(PyObject* object, const TypeFacts& facts);
  [[nodiscard]] bool stand_in_answers(PyObject* object, TypeFacts& facts, Description& description);
  [[nodiscard]] static bool cpu_claim_is_certain(const TypeFacts& facts) {
    return facts.device_method_is_library && facts.habits.cpu_claim_is_certain;
  }
  [[nodiscard]] bool describe_by_attributes(PyObject* object, TypeFacts& facts, Description& description);
  void ask_claim(PyObject* object, const TypeFacts& facts);
  void settle_claim(PyObject* object, const TypeFacts& facts, Description& description);
  void compare_claim(PyObject* object, const TypeFacts& facts, Description& description);

  const core::MemoryReader& reader_;
  RawCopy* raw_ = nullptr;
  KnownMemory memory_;
  DlpackProtocol dlpack_;
  MemoryOwners owners_;
  // For the present object: the device that __dlpack_device__ claimed, and whether it was asked.
  std::optional<core::DeviceId> claim_;
  bool claim_asked_ = false;
  bool copy_seen_by_asking_twice_ = false;
  Description next_;  // for what is asked to be compared with the description
  std::map<core::Address, core::Address> given_back_;  // begin and end of what producers that nobody vouches for had handed over
};

}  // namespace dlscope::embed
