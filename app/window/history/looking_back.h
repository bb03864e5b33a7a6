// The history in the window: every snapshot is kept as a moment, an earlier one can be shown in place of the newest, differences
// and "since when" are computed in jobs. What may be read or asked of a past moment is decided in one place:
// models/tensors/tensor_state.
// thread: UI.
#pragma once

#include "app/models/actions/commands.h"
#include "app/models/jobs/job_pool.h"
#include "app/window/history/past.h"
#include "app/window/shown/snapshot_views.h"

namespace dlscope::app {

// Returns its number in the history.
std::uint64_t keep_moment(const core::SnapshotPtr& snapshot, std::uint64_t process, MomentHistory& history, JobPool& jobs);
// moment 0: the newest.
void look_at(std::uint64_t moment, Past& past, SnapshotViews& views, Notices& notices);
// The change marks on the screen; the next snapshot's are of the run before again. moment 0: the previous run, as usual.
void mark_against(std::uint64_t moment, const Past& past, SnapshotViews& views);
// past: outlives the job.
void answer_differences(const DifferenceQuery& query, Past& past, JobPool& jobs);
void answer_since_when(const SinceWhenQuery& query, Past& past, JobPool& jobs);

[[nodiscard]] HistoryView history_view(const Past& past, const SnapshotViews& views);
// Why a command cannot be applied while a past moment is shown (it would act on tensors as they were then); null: it can.
[[nodiscard]] const char* refused_of_the_past(const Command& command, const SnapshotViews& views);

}  // namespace dlscope::app
