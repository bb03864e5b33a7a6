// dlscope.copy(x, out=): writes the elements of one tensor into memory given by the user. All checks are made before the first
// byte is written; every write is entered in the ledger of copies (Runtime::note_copy).
// thread: GIL held; released while bytes are copied. Between parts of the copy signal handlers run (Ctrl+C).
#pragma once

#include <optional>

#include "embed/protocols/held_tensor.h"
#include "embed/tensors/tensor_copy.h"

namespace dlscope::embed {

// The keywords of the call besides out=, which must agree with `out`. nullopt: not given.
struct OutRequest {
  std::optional<CopyOrder> order = {};
  std::optional<core::DType> dtype = {};
  std::optional<core::DeviceId> device = {};
};

// Elements are converted to the dtype of `to` where `from` has another one. False with a Python error set and `to` unchanged:
// ValueError: another shape, overlapping memory, or keywords that contradict `to`; BufferError: memory that must not or cannot be
// written, or not be read; TypeError: an unsupported conversion. Only when a signal handler raised, as for Ctrl+C, some elements
// were written; the KeyboardInterrupt says how many.
[[nodiscard]] bool copy_into(const HeldTensor& from, const HeldTensor& to, const OutRequest& wanted);

}  // namespace dlscope::embed
