// What the exchange view asks of the host: hand-overs, copies and proofs. Each becomes a task in the list. Results go into the
// view; where a new tensor got a name, the tensors are scanned again.
// thread: UI.
#pragma once

#include "app/window/application_parts.h"

namespace dlscope::app {

void hand_over(const core::wire::HandTo& work, ApplicationParts& parts);
void copy_tensor(const core::wire::CopyTensor& work, ApplicationParts& parts);
// The slice of the selected tensor.
void choose_slice(const command::ChooseSlice& choose, ApplicationParts& parts);
[[nodiscard]] ChosenSlice slice_of_selected(const ApplicationParts& parts);
void prove_tensors(const core::wire::Prove& work, ApplicationParts& parts);
// Reads a recorded trace of streams in the background and shows it, or what is wrong with it, in the exchange view.
void open_stream_trace(const std::string& path, ApplicationParts& parts);

}  // namespace dlscope::app
