// Asks an object's __dlpack__ for its memory, in place or moved to another device. Copies and moves that its library cannot make
// are dlscope's own. Where the answer is not what was asked for (a copy, another device), that is an error, or a copy of ours
// mends it.
// thread: GIL held; foreign code runs inside. A null result: a Python error is set.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "embed/objects/describer.h"
#include "embed/protocols/dlpack.h"
#include "embed/protocols/held_tensor.h"
#include "embed/tensors/known_types.h"

namespace dlscope::embed {

// What is asked of whom.
struct Asking {
  PyObject* object;
  KnownTypes::Entry type;
  const TakeRequest& wanted;
  std::string_view why;  // for the ledger of copies
};

// What the object's __dlpack_device__ says; nullopt: nothing, or a KeyboardInterrupt is set.
[[nodiscard]] std::optional<core::DeviceId> claim_of(PyObject* object, const TypeFacts& facts);

// Not moved. A copy in host memory is made by us, so that it is aligned, in the ledger, and the same for every library.
[[nodiscard]] std::shared_ptr<HeldTensor> ask_in_place(const Asking& asking, const std::optional<core::DeviceId>& claimed);
// Moved from that device to the wanted one, by its own library, or by us.
[[nodiscard]] std::shared_ptr<HeldTensor> ask_for_move(const Asking& asking, core::DeviceId from);
// A capsule can be taken only once: what cannot be had as wanted is refused before it is taken.
[[nodiscard]] std::shared_ptr<HeldTensor> take_bare_capsule(PyObject* capsule, const TakeRequest& wanted, std::string_view why);

// Enters into the ledger what a library copied from the device `from`.
void note_library_copy(const HeldTensor& held, core::DeviceId from, std::int64_t began_ns, std::string_view why);

// Of this process, for whatever is taken.
[[nodiscard]] Describer& shared_describer();
[[nodiscard]] bool is_host(core::DeviceId device);
// False, with a Python error set: getting it from there to the wanted device would need a copy, and copy=False.
[[nodiscard]] bool may_move(core::DeviceId from, const TakeRequest& wanted);

}  // namespace dlscope::embed
