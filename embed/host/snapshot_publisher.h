// SnapshotPublisher: puts a snapshot into the region and tells the viewer. Owns the order of the two for all threads: the region
// takes one snapshot at a time. Borrows the region.
// thread: any.
#pragma once

#include <functional>
#include <mutex>

#include "core/inventory/snapshot.h"
#include "core/wire/messages.h"
#include "core/wire/region.h"
#include "embed/host/send_to_viewer.h"

namespace dlscope::embed {

class SnapshotPublisher {
 public:
  // keep: gets each snapshot before the viewer can name it.
  SnapshotPublisher(core::wire::Region& region, SendToViewer send, std::function<void(const core::SnapshotPtr&)> keep);

  // Encodes into the region and announces it with `ready` and its sequence. False: it does not fit, and the viewer was told.
  bool publish(const core::SnapshotPtr& snapshot, core::wire::SnapshotReady ready);

 private:
  core::wire::Region& region_;
  SendToViewer send_;
  std::function<void(const core::SnapshotPtr&)> keep_;
  std::mutex publishing_;  // the region's snapshot slots
};

}  // namespace dlscope::embed
