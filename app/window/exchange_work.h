// What the exchange view asks of the host: hand-overs, copies and proofs. Each becomes a task in the list; what came of it goes into the
// view, and the tensors are looked at again where something new has a name.
// thread: UI.
#pragma once

#include "app/window/application_parts.h"

namespace dlscope::app {

void hand_over(const core::wire::HandTo& work, ApplicationParts& parts);
void copy_tensor(const core::wire::CopyTensor& work, ApplicationParts& parts);
void prove_tensors(const core::wire::Prove& work, ApplicationParts& parts);
// A recorded trace of streams, read in the background and shown in the exchange view; what is wrong with it stands there.
void open_stream_trace(const std::string& path, ApplicationParts& parts);

}  // namespace dlscope::app
