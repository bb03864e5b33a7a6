// A tensor's memory layout in words: the axis that breaks C order, the address formula.
#pragma once

#include <cstdint>
#include <string>

#include "core/inventory/snapshot.h"

namespace dlscope::app {

// "Not C-contiguous: axis 1 steps 16 B where C order steps 4 B." "" when C-contiguous or without a layout.
[[nodiscard]] std::string contiguity_reason(core::LayoutView layout);

// "0x5581 2e40 4a94 = data + 0 + (1·4 + 1·1)·4 B" for element `flat`.
[[nodiscard]] std::string address_formula(const core::Snapshot& snapshot, const core::TensorRecord& tensor, std::uint64_t flat);

}  // namespace dlscope::app
