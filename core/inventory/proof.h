// Proof: for each step of a chain of hand-overs, whether the memory was shared or copied, with the evidence for each verdict.
// dlscope.prove(), --prove and the window's proof view all show this one result.
// thread: any. With the write probe armed, the caller keeps the tensors alive and
// lets no user code run, because the probe writes into this process's memory.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/inventory/hand_over.h"
#include "core/inventory/write_probe.h"

namespace dlscope::core {

// One step: two tensors of a snapshot, by id.
struct ProofPair {
  std::uint32_t from = 0, to = 0;
};

struct ProofStep {
  std::string from, to;  // names of the tensors; the type for a tensor without a name
  HandOver verdict = HandOver::unknown;
  Relation relation = Relation::unknown;
  std::uint64_t shared_bytes = kUnknown64;
  std::optional<Address> from_address, to_address;  // of element [0,...,0]; nullopt: the tensor was not described
  Probe probe = Probe::not_armed;
  std::string from_writability, to_writability;  // writability_text()
  std::string why;                               // the reason for the verdict, and remarks about the probe
  bool operator==(const ProofStep&) const = default;
};

struct Proof {
  HandOver verdict = HandOver::unknown;  // judge_chain()
  std::vector<ProofStep> steps;
  bool operator==(const Proof&) const = default;
};

// Judges each pair: two different tensors of the snapshot, which must
// be of this process. map: null: nothing is written; this process's
// mappings: the write probe is armed, which changes one byte where that is allowed and restores it. known: what else is known of
// this process, null: nothing; its tensors' bytes are left alone like those of `snapshot` (core/inventory/never_written.h).
[[nodiscard]] Proof prove(const Snapshot& snapshot, std::span<const ProofPair> pairs, const AddressMap* map,
                          const Snapshot* known = nullptr);
// The steps of a chain of the tensors 0 to count - 1: 0 to 1, 1 to 2, ...
[[nodiscard]] std::vector<ProofPair> chain_of(std::uint32_t count);

}  // namespace dlscope::core
