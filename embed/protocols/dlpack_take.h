// The consumer's half of DLPack: taking a tensor. A capsule is read and checked first. Taking means renaming it, clearing its
// destructor and owning the struct, in one step with no Python in between. A capsule that fails the checks keeps its destructor.
// thread: GIL held; foreign code runs inside. On failure a Python error is set: the library's own, or ours.
#pragma once

#include <optional>

#include "embed/protocols/dlpack.h"
#include "embed/protocols/held_tensor.h"

struct DLManagedTensorVersioned;

namespace dlscope::embed {

// A HeldTensor of a description and what holds its memory; writability as in the description. source: the memory's owner.
[[nodiscard]] std::shared_ptr<HeldTensor> hold_described(const core::TensorDesc& desc, HeldMemory memory, std::string source);

// A HeldTensor of a struct that came without a capsule, which does not hold it yet: hold_managed() takes it over, and cannot fail.
// Its arrays are read with plain loads: the library that passes it vouches for them.
[[nodiscard]] std::shared_ptr<HeldTensor> read_managed(const DLManagedTensorVersioned* managed);
void hold_managed(HeldTensor& held, DLManagedTensorVersioned* managed);

}  // namespace dlscope::embed
