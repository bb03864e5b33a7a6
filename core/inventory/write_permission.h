// Whether the user may change bytes of a tensor by hand: what its producer, its library's contract and the tensors that share the
// bytes say about writing. Uses the records only; reads no memory. thread: any.
#pragma once

#include <string>

#include "core/inventory/snapshot.h"

namespace dlscope::core {

// Why bytes of the tensor may not be changed, as a sentence; "" if nothing forbids it. Page permissions are checked separately
// (core/memory/change_bytes.h).
[[nodiscard]] std::string why_not_writable(const Snapshot& snapshot, std::uint32_t tensor);
// The same for some of its bytes: also refused if another tensor that is immutable shares them.
[[nodiscard]] std::string why_not_writable(const Snapshot& snapshot, std::uint32_t tensor, ByteRange bytes);

// What to tell the user before writing, as sentences: that writability
// is unknown, and which other tensors share the memory. "": nothing.
[[nodiscard]] std::string write_warning(const Snapshot& snapshot, std::uint32_t tensor);

}  // namespace dlscope::core
