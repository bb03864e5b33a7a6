// Whether an act (docs/architecture.md: our own code on Python's main thread) is possible with the shown tensors. Every button,
// menu and command that offers one uses the same text.
#pragma once

#include "app/models/host/host_session.h"
#include "app/models/tensors/tensor_state.h"

namespace dlscope::app {

// For a snapshot whose process has ended.
inline constexpr const char* kItsPythonHasEnded = "The Python that had these tensors has ended. Run the script again.";

// Why the host, in its present state, cannot do anything with the tensors of this moment: a sentence with what would help; null:
// it can.
[[nodiscard]] const char* why_not_acted(const Moment& moment, const HostSession& host);

}  // namespace dlscope::app
