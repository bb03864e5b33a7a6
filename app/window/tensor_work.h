// What is done in the host to the selected tensor: its memory held and let go, its values searched. Each becomes a task in the list
// and ends with a notice that says what came of it.
// thread: UI.
#pragma once

#include "app/models/actions/commands.h"
#include "app/window/application_parts.h"

namespace dlscope::app {

void hold_memory(const command::HoldMemory& hold, ApplicationParts& parts);
void release_memory(ApplicationParts& parts);
// The selected tensor as the host knows it, and its name; nullopt: none is selected.
struct TensorSubject {
  core::wire::TensorRef ref;
  std::string name;
};
[[nodiscard]] std::optional<TensorSubject> selected_subject(const ApplicationParts& parts);
// False, with a notice, where no Python takes it.
bool start_work(ApplicationParts& parts, core::wire::Work work, std::string title,
                std::function<void(const HostWorkEnded&)> ended);

void search_values(const command::SearchValues& search, ApplicationParts& parts);

}  // namespace dlscope::app
