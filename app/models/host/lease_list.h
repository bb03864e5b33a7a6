// LeaseList: which tensors' memory the host keeps alive for us, as it has told so far (core/wire/work.h). Every lease is of one host.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "app/models/tensors/tensor_state.h"
#include "core/wire/messages.h"

namespace dlscope::app {

class LeaseList {
 public:
  void take(const core::wire::LeaseChanged& change);
  void clear() { leases_.clear(); }  // the host is gone

  // Of the snapshot with this revision: those whose memory is held at this moment.
  [[nodiscard]] HeldTensors held_in(std::uint64_t revision) const;
  // The lease on that tensor, also one that waits for the user's code to end.
  [[nodiscard]] std::optional<std::uint64_t> lease_of(core::wire::TensorRef tensor) const;
  [[nodiscard]] std::size_t size() const { return leases_.size(); }

 private:
  std::vector<core::wire::LeaseChanged> leases_;  // the last word on each that is not gone
};

}  // namespace dlscope::app
