// Proof: what became of the memory at each step of a chain of hand-overs, with the evidence beside each verdict.
// What the Python module's prove(), --prove and the window's proof view show is this, made once.
// thread: any. A probe writes into the memory of this process; whoever arms it holds the tensors and lets no user code run.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/inventory/hand_over.h"
#include "core/inventory/write_probe.h"

namespace dlscope::core {

// Two tensors of a snapshot, by number.
struct ProofPair {
  std::uint32_t from = 0, to = 0;
};

struct ProofStep {
  std::string from, to;  // names; the types of tensors that have none
  HandOver verdict = HandOver::unknown;
  Relation relation = Relation::unknown;
  std::uint64_t shared_bytes = kUnknown64;
  std::optional<Address> from_address, to_address;  // nullopt: not described
  Probe probe = Probe::not_armed;
  std::string from_writability, to_writability;  // writability_text()
  std::string why;                               // what decided it, and what there is to say about the probe
  bool operator==(const ProofStep&) const = default;
};

struct Proof {
  HandOver verdict = HandOver::unknown;  // judge_chain()
  std::vector<ProofStep> steps;
  bool operator==(const Proof&) const = default;
};

// Each pair is two different tensors of the snapshot, which describes this very process. map: of this process, null: nothing is
// written; else the probe is armed and writes one byte wherever it may, and puts it back.
[[nodiscard]] Proof prove(const Snapshot& snapshot, std::span<const ProofPair> pairs, const AddressMap* map);
// first with second, second with third, ...: of `count` tensors from number 0 on.
[[nodiscard]] std::vector<ProofPair> chain_of(std::uint32_t count);

}  // namespace dlscope::core
