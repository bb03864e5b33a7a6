// LeaseList: the tensors whose memory the host holds for us (leases), as far as it has reported (core/wire/work.h). Belongs to
// one host.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "app/models/tensors/tensor_state.h"
#include "core/wire/messages.h"

namespace dlscope::app {

class LeaseList {
 public:
  static constexpr std::size_t kMax = 4096;  // of more that a host reports nothing is known
  void take(const core::wire::LeaseChanged& change);
  void clear() { leases_.clear(); }  // the host is gone

  // The tensors of the snapshot with this revision whose memory is held now.
  [[nodiscard]] HeldTensors held_in(std::uint64_t revision) const;
  // The id of the lease on that tensor, also of one that waits for the user's code to end; nullopt: none.
  [[nodiscard]] std::optional<std::uint64_t> lease_of(core::wire::TensorRef tensor) const;
  [[nodiscard]] bool has(std::uint64_t lease) const;
  [[nodiscard]] std::size_t size() const { return leases_.size(); }

 private:
  std::vector<core::wire::LeaseChanged> leases_;  // the last state of each lease that is not gone
};

}  // namespace dlscope::app
