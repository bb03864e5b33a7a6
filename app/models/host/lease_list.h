// LeaseList: the tensors whose memory the host holds for us (leases), as far as it has reported (core/wire/work.h). Belongs to
// one host.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "app/models/tensors/tensor_state.h"
#include "core/inventory/snapshot.h"
#include "core/wire/messages.h"

namespace dlscope::app {

// What is held now, together.
struct HeldTotal {
  std::size_t tensors = 0;
  std::uint64_t bytes = 0;  // each counted once, however many of the tensors have it
  bool exact = true;        // false: bytes between the elements are counted, too
  std::size_t unknown = 0;  // of the tensors: not in `bytes`, because no snapshot has shown where they lie
  friend bool operator==(const HeldTotal&, const HeldTotal&) = default;
};
// "dlscope holds up to 1.2 MiB"; "" when nothing is held.
[[nodiscard]] std::string held_total_text(const HeldTotal& total);

class LeaseList {
 public:
  static constexpr std::size_t kMax = 4096;  // of more that a host reports nothing is known
  // newest: the newest snapshot of the host, which says where the tensor lies if the change is about it; null: there is none.
  void take(const core::wire::LeaseChanged& change, const core::Snapshot* newest);
  void clear();  // the host is gone

  // The tensors of the snapshot with this revision whose memory is held now.
  [[nodiscard]] HeldTensors held_in(std::uint64_t revision) const;
  // The id of the lease on that tensor, also of one that waits for the user's code to end; nullopt: none.
  [[nodiscard]] std::optional<std::uint64_t> lease_of(core::wire::TensorRef tensor) const;
  [[nodiscard]] bool has(std::uint64_t lease) const;
  [[nodiscard]] std::size_t size() const { return leases_.size(); }
  [[nodiscard]] const HeldTotal& total() const { return total_; }

 private:
  struct Place {
    core::SpaceId space = core::kNoSpace;
    core::ByteRange extent;
    std::uint64_t distinct_bytes = 0;
  };
  struct Lease {
    core::wire::LeaseChanged last;  // its last state
    std::optional<Place> place;
  };
  [[nodiscard]] static std::optional<Place> place_in(const core::Snapshot* snapshot, core::wire::TensorRef tensor);
  void count();

  std::vector<Lease> leases_;  // those that are not gone
  HeldTotal total_;
};

}  // namespace dlscope::app
