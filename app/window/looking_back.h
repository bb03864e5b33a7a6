// The history in the window: every snapshot is kept as a moment, an earlier one can be shown in place of the newest, differences
// and "since when" are computed in jobs. What may be read or asked of a past moment is decided in one place:
// models/tensors/tensor_state.
// thread: UI.
#pragma once

#include "app/models/actions/commands.h"
#include "app/window/application_parts.h"

namespace dlscope::app {

// Returns its number in the history.
std::uint64_t keep_moment(const core::SnapshotPtr& snapshot, std::uint64_t process, MomentHistory& history, JobPool& jobs);
// moment 0: the newest.
void look_at(std::uint64_t moment, ApplicationParts& parts);
// The change marks on the screen; the next snapshot's are of the run before again. moment 0: the previous run, as usual.
void mark_against(std::uint64_t moment, ApplicationParts& parts);
void answer_differences(const DifferenceQuery& query, ApplicationParts& parts);
void answer_since_when(const SinceWhenQuery& query, ApplicationParts& parts);

[[nodiscard]] HistoryView history_view(const ApplicationParts& parts);
// Why a command cannot be applied while a past moment is shown (it would act on tensors as they were then); null: it can.
[[nodiscard]] const char* refused_of_the_past(const Command& command, const ApplicationParts& parts);

}  // namespace dlscope::app
