// LastLooks: which earlier snapshots of the script the change marks of the newest one compare with: the last one of the previous
// run, or at a stop the last one of the stop before it in the same run.
// thread: one at a time.
#pragma once

#include <cstdint>

#include "core/inventory/snapshot.h"

namespace dlscope::app {

struct MarkBases {
  core::SnapshotPtr run;   // null: there is none
  core::SnapshotPtr stop;  // null: there is none, or the snapshot was not taken at a stop or where the script raised

  [[nodiscard]] const core::SnapshotPtr& usual() const { return stop ? stop : run; }
};

class LastLooks {
 public:
  // Call with every snapshot of the script, as it arrives; the same one may come again. stop: the number of the stop at which it
  // was taken, 0: none. first_run: earlier runs are of another script or process and are not compared with.
  [[nodiscard]] MarkBases next(const core::SnapshotPtr& now, std::uint64_t stop, std::uint64_t first_run);

 private:
  core::SnapshotPtr newest_, run_, stop_;
  std::uint64_t newest_stop_ = 0, stop_number_ = 0;
  bool in_debugging_ = false;  // newest_ was compared with the stop before it
};

}  // namespace dlscope::app
