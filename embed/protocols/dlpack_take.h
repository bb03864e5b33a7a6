// Taking a tensor over by DLPack: the consumer's half. A capsule is read and checked first; taking is renaming it, clearing its
// destructor and owning the struct, in one step with no Python between. A capsule that fails the checks keeps its destructor.
// Call order and refusals: reference dlpack.md sections 3 and 13.
// thread: GIL held; foreign code runs inside. What fails leaves a Python error set: the library's own, or one in our words.
#pragma once

#include <optional>

#include "embed/protocols/dlpack.h"
#include "embed/protocols/held_tensor.h"

struct DLManagedTensorVersioned;

namespace dlscope::embed {

// Makes one of a description and what holds the memory it is of; writability as the description says. source: whose it is.
[[nodiscard]] std::shared_ptr<HeldTensor> hold_described(const core::TensorDesc& desc, MemoryHold hold, std::string source);

// Takes over a struct that came without a capsule. Its arrays are read as they are: whoever calls this is a consumer itself.
// On failure the struct is the caller's still.
[[nodiscard]] std::shared_ptr<HeldTensor> adopt_managed(DLManagedTensorVersioned* managed);

}  // namespace dlscope::embed
