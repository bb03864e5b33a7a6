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

// A tensor that is held although the newest scan found no name of the program that leads to it.
struct NamelessLease {
  std::uint64_t lease = 0;
  std::string name;         // its last one
  std::uint64_t bytes = 0;  // 0: not known
};

class LeaseList {
 public:
  static constexpr std::size_t kMax = 4096;  // of more that a host reports nothing is known
  // newest: the newest snapshot of the host, which says where the tensor lies if the change is about it; null: there is none.
  void take(const core::wire::LeaseChanged& change, const core::Snapshot* newest);
  // Each new snapshot of the host, before the changes that are about it.
  void follow(const core::Snapshot& newest);
  void clear();  // the host is gone

  // The tensors of the snapshot with this revision whose memory is held now.
  [[nodiscard]] HeldTensors held_in(std::uint64_t revision) const;
  // The id of the lease on that tensor, also of one that waits for the user's code to end; nullopt: none.
  [[nodiscard]] std::optional<std::uint64_t> lease_of(core::wire::TensorRef tensor) const;
  [[nodiscard]] bool has(std::uint64_t lease) const;
  [[nodiscard]] std::size_t size() const { return leases_.size(); }
  [[nodiscard]] const HeldTotal& total() const { return total_; }
  [[nodiscard]] const std::vector<NamelessLease>& nameless() const { return nameless_; }

 private:
  struct Place {
    core::DeviceId device;
    core::ByteRange extent;
    std::uint64_t distinct_bytes = 0;  // of the extent where they were not counted
    bool exact = true;                 // false: they were not
  };
  struct Lease {
    core::wire::LeaseChanged last;  // its last state
    std::optional<Place> place;
    std::string name;     // in the newest snapshot that has it
    bool looked = false;  // a snapshot has come since it was taken
  };
  [[nodiscard]] static std::optional<Place> place_in(const core::Snapshot* snapshot, core::wire::TensorRef tensor);
  void count();
  void find_nameless();

  std::vector<Lease> leases_;  // those that are not gone
  std::vector<NamelessLease> nameless_;
  std::uint64_t revision_ = 0;  // of the newest snapshot
  std::size_t found_ = 0;       // held tensors in it, about each of which a change comes
  HeldTotal total_;
};

}  // namespace dlscope::app
