// GroupColours: assigns colour numbers to memory groups. A group keeps its number across snapshots as long as one with its device
// and extent exists; the number is reused only after the group is gone.
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
  // Returns a number for each group of the snapshot, by group id. New groups get the lowest free numbers in the order in which
  // their first tensors were found, so that equal runs give equal pictures.
  [[nodiscard]] std::vector<std::uint32_t> assign(const core::Snapshot& snapshot);

 private:
  using Key = std::tuple<core::DeviceId, core::Address, core::Address>;
  std::map<Key, std::uint32_t> living_;
};

}  // namespace dlscope::app
