// Whether bytes of a tensor may be changed by hand: what its producer, its library and everybody who shares them say about writing.
// Numbers only; nothing is read. thread: any.
#pragma once

#include <string>

#include "core/inventory/snapshot.h"

namespace dlscope::core {

// Why bytes of the tensor may not be changed, as a sentence; "" where nobody says no. What its pages allow is asked of the address map
// (core/memory/change_bytes.h).
[[nodiscard]] std::string why_not_writable(const Snapshot& snapshot, std::uint32_t tensor);
// The same of some of its bytes, which others may share: of an immutable owner, nobody changes them.
[[nodiscard]] std::string why_not_writable(const Snapshot& snapshot, std::uint32_t tensor, ByteRange bytes);

// What to know before writing, as sentences: that nobody said it is allowed, and which other tensors lie in the same memory. "" for nothing.
[[nodiscard]] std::string write_warning(const Snapshot& snapshot, std::uint32_t tensor);

}  // namespace dlscope::core
