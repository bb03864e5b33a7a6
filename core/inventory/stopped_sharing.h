// with_sharing_stopped(): for a snapshot that was published before its sharing was known, and whose sharing nobody works out any more.
// Pure function; thread: any. Copies it, which takes long for a million tensors.
#pragma once

#include <memory>

#include "core/inventory/snapshot.h"

namespace dlscope::core {

[[nodiscard]] inline std::shared_ptr<Snapshot> with_sharing_stopped(const Snapshot& unfinished) {
  auto settled = std::make_shared<Snapshot>(unfinished);
  settled->info.missing_pairs = settled->info.open_groups = UnknownWhy::stopped;
  return settled;
}

}  // namespace dlscope::core
