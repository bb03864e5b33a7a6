// GroupColours: which colour number a memory group has. A group keeps its number from snapshot to snapshot as long as
// its (space, extent) lives; a number is given again only after its group went away.
// thread: one at a time (the worker that builds indexes).
#pragma once

#include <cstdint>
#include <map>
#include <tuple>
#include <vector>

#include "core/inventory/snapshot.h"

namespace dlscope::app {

class GroupColours {
 public:
  // A number for every group of the snapshot, by group id. New groups get the lowest free numbers in the order in which
  // their first tensors were discovered, so that equal runs give equal pictures.
  [[nodiscard]] std::vector<std::uint32_t> assign(const core::Snapshot& snapshot);

 private:
  using Key = std::tuple<core::SpaceId, core::Address, core::Address>;
  std::map<Key, std::uint32_t> living_;
};

}  // namespace dlscope::app
