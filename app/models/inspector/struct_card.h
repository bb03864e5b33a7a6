// The struct card: the exported struct field by field, under DLPack's names, with plain words.
#pragma once

#include "app/models/inspector/inspector_model.h"

namespace dlscope::app {

// No fields when no protocol answered. live: gives each field its place and raw bytes; may be null.
[[nodiscard]] Section struct_card(const SnapshotIndex& index, std::uint32_t tensor, const LiveLook* live);

// What else Python told: a Py_buffer or an __array_interface__ field by field, and how each protocol answers.
[[nodiscard]] Section told_section(const LiveLook& live);
[[nodiscard]] Section protocols_section(const core::Snapshot& snapshot, const core::TensorRecord& tensor, const LiveLook& live);

}  // namespace dlscope::app
