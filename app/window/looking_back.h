// The kept moments in the window: each look is kept, an earlier one is shown in the place of the last, differences and "since when" are
// searched in jobs. What may be read or asked of a moment that is looked back at is decided in one place: models/tensors/tensor_state.
// thread: UI.
#pragma once

#include "app/models/actions/commands.h"
#include "app/window/application_parts.h"

namespace dlscope::app {

// Returns its number in the history.
std::uint64_t keep_moment(const core::SnapshotPtr& snapshot, std::uint64_t process, ApplicationParts& parts);
void look_at(std::uint64_t moment, ApplicationParts& parts);
void mark_against(std::uint64_t moment, ApplicationParts& parts);
void answer_differences(const DifferenceQuery& query, ApplicationParts& parts);
void answer_since_when(const SinceWhenQuery& query, ApplicationParts& parts);

[[nodiscard]] HistoryView history_view(const ApplicationParts& parts);
// Why a command makes no sense for what is shown, because it acts on the tensors of a moment that is looked back at; null: it does.
[[nodiscard]] const char* refused_of_the_past(const Command& command, const ApplicationParts& parts);

}  // namespace dlscope::app
