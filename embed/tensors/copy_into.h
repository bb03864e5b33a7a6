// dlscope.copy(x, out=): the elements of one tensor written into memory that the user gave. Everything that speaks against it is
// found before the first byte is written; what was written is entered in the ledger of copies (Runtime::note_copy).
// thread: GIL held; it is given to others while bytes are copied, and Ctrl+C is heard between two parts of the copy.
#pragma once

#include <optional>

#include "embed/protocols/held_tensor.h"
#include "embed/tensors/tensor_copy.h"

namespace dlscope::embed {

// The keywords of the call beside out=, which may not say otherwise than `out` is. nullopt: not given.
struct OutRequest {
  std::optional<CopyOrder> order = {};
  std::optional<core::DType> dtype = {};
  std::optional<core::DeviceId> device = {};
};

// The dtype is `to`'s; where `from` has another one its elements are converted. False with a Python error set, and `to` as it was:
// ValueError for another shape, for memory that both have in common and for keywords that contradict `to`; BufferError for memory that
// may not or cannot be written, or not be read; TypeError for a conversion that does not exist. Only where a signal handler raised, as
// for Ctrl+C, part of the elements were written; a KeyboardInterrupt says how many.
[[nodiscard]] bool copy_into(const HeldTensor& from, const HeldTensor& to, const OutRequest& wanted);

}  // namespace dlscope::embed
