// A view of a tensor that dlscope holds: a slice of the same memory.
// thread: GIL held.
#pragma once

#include <memory>
#include <span>

#include "core/tensor/axis_slice.h"
#include "embed/protocols/held_tensor.h"

namespace dlscope::embed {

// Keeps `whole` alive; nothing is copied. Null with a ValueError set: the slice does not fit, or begins inside a byte.
[[nodiscard]] std::shared_ptr<HeldTensor> slice_of(const HeldTensorPtr& whole, std::span<const core::AxisSlice> slice);

}  // namespace dlscope::embed
