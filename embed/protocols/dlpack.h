// Asking an object for its DLPack capsule, describing the struct inside, and giving the capsule back at once.
// Call order: reference dlpack.md section 13. Nothing is kept alive; the deleter runs exactly once.
// thread: GIL held. Foreign code runs inside; no exception is left set unless it is KeyboardInterrupt.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "core/memory/memory_reader.h"
#include "core/tensor/exchange_table.h"
#include "embed/look.h"
#include "embed/protocols/held_tensor.h"
#include "embed/protocols/known_memory.h"
#include "embed/protocols/raw_copy.h"
#include "embed/py_ref.h"

namespace dlscope::embed {

// What is known about how a type answers; `takes_no_version` is learnt from its first answer.
struct ProducerTraits {
  int looking_stream = 0;         // Library::looking_stream
  bool may_be_mapped = false;     // __dlpack__ is a known library's own
  bool takes_no_version = false;  // __dlpack__(max_version=...) is a TypeError, __dlpack__() is not
  bool table_looked_for = false;
  std::optional<core::ExchangeTable> table;  // of its type, where it may be used (find_exchange_table())
};

// Whether a tensor on this device comes with a stream to order after.
[[nodiscard]] bool wants_stream(core::DeviceId device);

// What taking a tensor asks of its producer beyond the tensor.
struct TakeRequest {
  std::optional<core::DeviceId> device;  // dl_device, when the producer is to move it
  std::optional<bool> copy;              // passed on when set
};

class DlpackProtocol {
 public:
  DlpackProtocol(KnownMemory& memory, const core::MemoryReader& reader, bool checked_only);

  // __dlpack_device__ into look.desc's claim, leniently: ids may be None, types enums. False when it gave no answer.
  [[nodiscard]] bool ask_device(PyObject* object, core::DeviceId& claimed);

  // Fills look.desc (protocol dlpack) and returns true, or adds a refusal (and remarks on a bad capsule) and returns false.
  // claimed: what __dlpack_device__ said, if it was asked; decides only whether a stream is passed.
  [[nodiscard]] bool describe(PyObject* object, ProducerTraits& traits, const std::optional<core::DeviceId>& claimed, Look& look);

  // The same by the function of its type's exchange table, several times faster than a call of __dlpack__ written in Python. False,
  // with no error set unless it is KeyboardInterrupt: there is no table that may be used, its function declined, or the struct is no
  // plain tensor in host memory (elsewhere __dlpack__ orders streams, which no table does): ask __dlpack__, which says why.
  // What a library checks in __dlpack__ itself was not checked: LibrarySession::also_by_method() does.
  [[nodiscard]] bool describe_by_table(PyObject* object, ProducerTraits& traits, core::TensorDesc& desc);
  [[nodiscard]] std::shared_ptr<HeldTensor> take_by_table(PyObject* object, ProducerTraits& traits);

  // A capsule of the object that nobody has consumed: while it is kept, the memory stays. Empty where the object gave none, with
  // a refusal in `look`.
  [[nodiscard]] PyRef request_capsule(PyObject* object, ProducerTraits& traits, const std::optional<core::DeviceId>& claimed,
                                      Look& look);

  // A capsule the user holds: described, never taken. False: it is no DLPack capsule (a remark says what it is).
  [[nodiscard]] bool describe_held_capsule(PyObject* capsule, Look& look);

  // Takes a tensor over (dlpack_take.cpp): from an object, or the capsule itself. Empty with a Python error set.
  [[nodiscard]] std::shared_ptr<HeldTensor> take(PyObject* object, ProducerTraits& traits,
                                                 const std::optional<core::DeviceId>& claimed, const TakeRequest& wanted,
                                                 TakeAsked& asked);
  // known_producer: its struct may be read with plain loads, as far as `memory` allows.
  [[nodiscard]] std::shared_ptr<HeldTensor> take_capsule(PyObject* capsule, bool known_producer);

  // Whatever struct is handed over from now on is copied there as well; null: none is.
  void keep_raw(RawCopy* raw) { raw_ = raw; }

 private:
  // What a capsule calls itself. text: the capsule's own pointer, needed to ask for its content.
  struct Named {
    const char* text = nullptr;
    core::CapsuleKind kind = core::CapsuleKind::none;
    bool used = false;
    std::string shown;  // for words
  };
  [[nodiscard]] PyRef ask_to_take(PyObject* object, ProducerTraits& traits, const std::optional<core::DeviceId>& stream_device,
                                  const TakeRequest& wanted, TakeAsked& asked);
  [[nodiscard]] PyRef request(PyObject* object, ProducerTraits& traits, bool with_stream, Look& look);
  [[nodiscard]] PyRef request_without_version(PyObject* object, ProducerTraits& traits, bool with_stream, Look& look);
  // plainly: the name may be read with a plain load where `memory` knows its place.
  [[nodiscard]] bool name_of(PyObject* capsule, bool plainly, Named& out);
  [[nodiscard]] bool check_name(PyObject* capsule, Look& look, Named& out);
  // Of what __dlpack__ returned; none, with a refusal, when it is no capsule to look into.
  [[nodiscard]] core::CapsuleKind kind_of_answer(PyObject* answer, Look& look);
  void read_checked(core::Address managed, core::CapsuleKind kind, core::TensorDesc& desc);
  // mapped: with plain loads, as far as `memory` allows them.
  void read_struct(core::Address managed, core::CapsuleKind kind, bool mapped, core::TensorDesc& desc);
  // A new struct from the type's table, with its description; 0: none. False in `usable`: it is to be deleted again.
  [[nodiscard]] core::Address ask_table(PyObject* object, ProducerTraits& traits, core::TensorDesc& desc, bool& usable);
  // Ends the capsule's life: taken like any consumer would and deleted, or left to its own destructor.
  void give_back(PyRef capsule, const core::TensorDesc& desc) const;
  static void let_go(PyRef capsule, bool taken);
  void copy_raw(core::Address managed, core::CapsuleKind kind, bool held) const;  // needs raw_; of a capsule nobody has taken

  KnownMemory& memory_;
  const core::MemoryReader& reader_;
  const bool checked_only_;
  RawCopy* raw_ = nullptr;
  core::TensorDesc take_desc_;  // of the tensor being taken: large, so kept
  struct KnownName {
    const char* text = nullptr;
    core::CapsuleKind kind = core::CapsuleKind::none;
  };
  KnownName last_name_;              // a library's constant that was read before: producers give the same pointer every time
  PyRef dlpack_name_, device_name_;  // interned method names
  PyRef version_;                    // (1, 3)
  PyRef no_sync_;                    // -1
  PyRef version_keyword_, version_stream_keywords_, stream_keyword_;
};

}  // namespace dlscope::embed
