#include "app/models/host/lease_list.h"

#include <algorithm>
#include <utility>

namespace dlscope::app {

using core::wire::LeaseChanged;
using core::wire::LeaseState;

void LeaseList::take(const LeaseChanged& change) {
  std::erase_if(leases_, [&](const LeaseChanged& known) { return known.lease == change.lease; });
  if (change.state == LeaseState::gone || leases_.size() >= kMax) return;
  leases_.push_back(change);
  leases_.back().message = {};  // told as it comes
}

HeldTensors LeaseList::held_in(std::uint64_t revision) const {
  std::vector<std::uint32_t> held;
  for (const LeaseChanged& lease : leases_) {
    if (lease.state == LeaseState::held && lease.tensor.revision == revision) held.push_back(lease.tensor.tensor);
  }
  return HeldTensors(std::move(held));
}

std::optional<std::uint64_t> LeaseList::lease_of(core::wire::TensorRef tensor) const {
  const auto found = std::ranges::find(leases_, tensor, &LeaseChanged::tensor);
  return found != leases_.end() ? std::optional(found->lease) : std::nullopt;
}

bool LeaseList::has(std::uint64_t lease) const {
  return std::ranges::find(leases_, lease, &LeaseChanged::lease) != leases_.end();
}

}  // namespace dlscope::app
