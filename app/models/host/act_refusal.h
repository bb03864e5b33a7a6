// Whether an act of ours (docs/architecture.md: our own code on Python's main thread) can be done at all with the tensors that are shown:
// every button, menu and command that asks for one says the same.
#pragma once

#include "app/models/host/host_session.h"
#include "app/models/tensors/tensor_state.h"

namespace dlscope::app {

// Of a snapshot whose process has ended.
inline constexpr const char* kItsPythonHasEnded = "The Python that had these tensors has ended. Run the script again.";

// Why nothing can be done with the tensors of this moment by the host as it is now, as a sentence with the way out; null: it can.
[[nodiscard]] const char* why_not_acted(const Moment& moment, const HostSession& host);

}  // namespace dlscope::app
