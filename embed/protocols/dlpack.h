// Asks an object for its DLPack capsule, describes the struct inside, and gives the capsule back at once, unless the description keeps
// it. The deleter runs exactly once.
// thread: GIL held. Foreign code runs inside; no exception is left set except KeyboardInterrupt.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "core/memory/memory_reader.h"
#include "core/tensor/exchange_table.h"
#include "embed/description.h"
#include "embed/protocols/held_tensor.h"
#include "embed/protocols/known_memory.h"
#include "embed/protocols/raw_copy.h"
#include "embed/py_ref.h"

namespace dlscope::embed {

// How a type answers; takes_no_version is learnt from its first answer.
struct ProducerTraits {
  int looking_stream = 0;         // Library::looking_stream
  bool may_be_mapped = false;     // __dlpack__ is a known library's own, so its struct may be read with plain loads
  bool takes_no_version = false;  // __dlpack__(max_version=...) raises TypeError, __dlpack__() does not
  bool table_looked_for = false;
  std::optional<core::ExchangeTable> table;  // of its type, if it may be used (find_exchange_table())
};

// Whether a tensor on this device is ordered by a stream.
[[nodiscard]] bool wants_stream(core::DeviceId device);

// What taking a tensor requests besides the tensor itself.
struct TakeRequest {
  std::optional<core::DeviceId> device;  // dl_device: the producer is asked to move it there
  std::optional<bool> copy;              // passed on when set
};

class DlpackProtocol {
 public:
  DlpackProtocol(KnownMemory& memory, const core::MemoryReader& reader, bool checked_only);

  // Calls __dlpack_device__ and parses the answer leniently: ids may be None, types enums. False: no usable answer.
  [[nodiscard]] bool ask_device(PyObject* object, core::DeviceId& claimed);

  // Fills description.desc (protocol dlpack) and returns true, or adds a refusal (and remarks on a bad capsule) and returns false.
  // claimed: the answer of __dlpack_device__, if it was asked; only decides whether a stream is passed.
  [[nodiscard]] bool describe(PyObject* object, ProducerTraits& traits, const std::optional<core::DeviceId>& claimed,
                              Description& description);

  // The same by the function of the type's exchange table, several times faster than a __dlpack__ written in Python. False, with
  // no error set except KeyboardInterrupt: there is no usable table, its function declined, or the struct is not a plain tensor
  // in host memory (elsewhere __dlpack__ orders streams, which tables do not): use __dlpack__, which gives the reason. Checks
  // made by the library in __dlpack__ itself are skipped; LibrarySession::also_by_method() repeats them.
  [[nodiscard]] bool describe_by_table(PyObject* object, ProducerTraits& traits, Description& description);
  [[nodiscard]] std::shared_ptr<HeldTensor> take_by_table(PyObject* object, ProducerTraits& traits);

  // Describes a capsule that the user holds, without taking it. False: not a DLPack capsule (a remark says what it is).
  [[nodiscard]] bool describe_held_capsule(PyObject* capsule, Description& description);

  // Takes a tensor (dlpack_take.cpp): from an object, or from the capsule itself. Empty with a Python error set.
  [[nodiscard]] std::shared_ptr<HeldTensor> take(PyObject* object, ProducerTraits& traits,
                                                 const std::optional<core::DeviceId>& claimed, const TakeRequest& wanted,
                                                 TakeAsked& asked);
  // known_producer: its struct may be read with plain loads, as far as `memory` allows. may_take: asked before the struct is
  // taken, runs no Python code; false, with a Python error set: the capsule is left as it is.
  [[nodiscard]] std::shared_ptr<HeldTensor> take_capsule(PyObject* capsule, bool known_producer,
                                                         const std::function<bool(HeldTensor&)>& may_take = {});

  // Where to copy the raw struct of the next answers; null: do not copy.
  void keep_raw(RawCopy* raw) { raw_ = raw; }

 private:
  // A capsule's name. text: the capsule's own pointer, needed to get its content.
  struct Named {
    const char* text = nullptr;
    core::CapsuleKind kind = core::CapsuleKind::none;
    bool used = false;
    std::string shown;  // for messages
  };
  [[nodiscard]] PyRef ask_to_take(PyObject* object, ProducerTraits& traits, const std::optional<core::DeviceId>& stream_device,
                                  const TakeRequest& wanted, TakeAsked& asked);
  [[nodiscard]] PyRef request(PyObject* object, ProducerTraits& traits, bool with_stream, Description& description);
  [[nodiscard]] PyRef request_without_version(PyObject* object, ProducerTraits& traits, bool with_stream, Description& description);
  // plainly: the name may be read with a plain load where `memory` knows its address.
  [[nodiscard]] bool name_of(PyObject* capsule, bool plainly, Named& out);
  [[nodiscard]] bool check_name(PyObject* capsule, Description& description, Named& out);
  // The kind of the capsule that __dlpack__ returned; none, with a refusal: it is not a usable capsule.
  [[nodiscard]] core::CapsuleKind kind_of_answer(PyObject* answer, Description& description);
  void read_checked(core::Address managed, core::CapsuleKind kind, core::TensorDesc& desc);
  // mapped: with plain loads, as far as `memory` allows.
  void read_struct(core::Address managed, core::CapsuleKind kind, bool mapped, core::TensorDesc& desc);
  // A new struct from the type's table, with its description; 0: none. usable false: the struct must be deleted again.
  [[nodiscard]] core::Address ask_table(PyObject* object, ProducerTraits& traits, core::TensorDesc& desc, bool& usable);
  // Takes the struct as a consumer would, or leaves the capsule to its own destructor. Then ends its life, or has the description keep it.
  void take_over(PyRef capsule, Description& description) const;
  static void release(PyRef capsule, bool taken);
  void copy_raw(core::Address managed, core::CapsuleKind kind, bool held) const;  // needs raw_; for a capsule that was not taken

  KnownMemory& memory_;
  const core::MemoryReader& reader_;
  const bool checked_only_;
  RawCopy* raw_ = nullptr;
  core::TensorDesc take_desc_;  // of the tensor being taken; a member because it is large
  struct KnownName {
    const char* text = nullptr;
    core::CapsuleKind kind = core::CapsuleKind::none;
  };
  KnownName last_name_;              // a library's constant that was read before: producers pass the same pointer every time
  PyRef dlpack_name_, device_name_;  // interned method names
  PyRef version_;                    // (1, 3)
  PyRef no_sync_;                    // -1
  PyRef version_keyword_, version_stream_keywords_, stream_keyword_;
};

}  // namespace dlscope::embed
