// The messages by which a request that Python never served ends: each request gets its end exactly once.
#pragma once

#include <string_view>
#include <vector>

#include "core/wire/messages.h"
#include "embed/host/request_queue.h"

namespace dlscope::embed {

using EndMessages = std::vector<core::wire::ToViewer>;

// Of one that was interrupted while it waited; none for those that nothing but Cancel or their turn ends (acts, Shutdown, Resume).
[[nodiscard]] EndMessages ends_of_interrupted(const Request& request);
// Of one that could not be read or queued: out of memory, or another failure. python_error: the exception's name that a run ends
// with ("MemoryError").
[[nodiscard]] EndMessages ends_of_failed(const core::wire::ToHost& request, const char* python_error, std::string_view reason);

}  // namespace dlscope::embed
