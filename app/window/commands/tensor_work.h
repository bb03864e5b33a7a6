// Work on the selected tensor in the host: holding and releasing its memory, searching its values. Each becomes a task in the
// list and ends with a notice about its outcome.
// thread: UI.
#pragma once

#include "app/models/actions/commands.h"
#include "app/window/application_parts.h"

namespace dlscope::app {

void hold_memory(const command::HoldMemory& hold, ApplicationParts& parts);
void release_memory(const command::ReleaseMemory& release, ApplicationParts& parts);
// The selected tensor as the host identifies it, and its name; nullopt: none is selected.
struct TensorSubject {
  core::wire::TensorRef ref;
  std::string name;
};
[[nodiscard]] std::optional<TensorSubject> selected_subject(const ApplicationParts& parts);
// False, with a notice, when no host takes work now; `ended` is not called then.
bool start_work(ApplicationParts& parts, core::wire::Work work, std::string title,
                std::function<void(const HostWorkEnded&)> ended);

void search_values(const command::SearchValues& search, ApplicationParts& parts);
// Pins what a search found, or says why it is not to be seen now.
void go_to_found(const command::GoToFound& found, ApplicationParts& parts);

}  // namespace dlscope::app
