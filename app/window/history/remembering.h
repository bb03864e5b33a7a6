// Remembered tensors in the window: tells the host which tensors to copy at each scan, and fetches the copies with our own
// reader. The host copies (embed/host/remembered_bytes.h), because only there it is certain that the program does not run
// meanwhile.
// thread: UI.
#pragma once

#include "app/models/actions/commands.h"
#include "app/models/jobs/job_pool.h"
#include "app/window/history/past.h"
#include "app/window/shown/snapshot_views.h"

namespace dlscope::app {

// What this works with.
struct RememberingContext {
  Past& past;
  SnapshotViews& views;
  HostConnection& host;
  JobPool& jobs;
  Notices& notices;
};

// now: when the shown snapshot was taken, and what has happened since.
void remember_tensor(const command::RememberTensor& remember, const Moment& now, const RememberingContext& with);
// Once a frame: asks after each new snapshot, fetches announced copies, shows the remembered bytes of a past moment.
void follow_remembered(const RememberingContext& with);

}  // namespace dlscope::app
