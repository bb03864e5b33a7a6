#include "embed/host/snapshot_publisher.h"

#include <fmt/core.h>

#include <cstddef>
#include <span>
#include <utility>

#include "core/wire/snapshot_codec.h"

namespace dlscope::embed {

SnapshotPublisher::SnapshotPublisher(core::wire::Region& region, SendToViewer send,
                                     std::function<void(const core::SnapshotPtr&)> keep)
    : region_(region), send_(std::move(send)), keep_(std::move(keep)) {}

bool SnapshotPublisher::publish(const core::SnapshotPtr& snapshot, core::wire::SnapshotReady ready) {
  {
    const std::lock_guard lock(publishing_);
    const std::span<std::byte> room = region_.begin_snapshot();
    std::size_t written = core::wire::encode_snapshot(*snapshot, room);
    if (written == 0) {  // a region that the limits of the process kept small
      const core::SnapshotPtr cut = core::wire::cut_to_fit(*snapshot, room.size());
      written = cut ? core::wire::encode_snapshot(*cut, room) : 0;
    }
    if (written != 0) {
      keep_(snapshot);
      ready.sequence = region_.publish_snapshot(written);
      send_(ready, WhenFull::wait);
      return true;
    }
  }
  core::wire::Notice too_large{
      fmt::format("The scan found {} tensors, but their records ({} bytes) do not fit into the memory shared with the viewer: "
                  "the tables show the scan before.",
                  snapshot->tensors.size(), core::wire::encoded_size(*snapshot))};
  send_(std::move(too_large), WhenFull::wait);
  return false;
}

}  // namespace dlscope::embed
