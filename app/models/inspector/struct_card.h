// The struct card: the exported struct field by field, under DLPack's names, with explanations.
#pragma once

#include "app/models/inspector/inspector_model.h"

namespace dlscope::app {

// Has no fields when no protocol answered. live: adds the place and raw bytes of each field; may be null.
[[nodiscard]] Section struct_card(const SnapshotIndex& index, std::uint32_t tensor, const LiveAnswer* live);

// Python's other answers: a Py_buffer or an __array_interface__ field by field; and the answer of each protocol.
[[nodiscard]] Section told_section(const LiveAnswer& live);
[[nodiscard]] Section protocols_section(const core::Snapshot& snapshot, const core::TensorRecord& tensor, const LiveAnswer& live);

}  // namespace dlscope::app
