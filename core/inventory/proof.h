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
  bool same_object = false;  // both were described of one object: nothing was handed over, and the step says so
};

// What is known of one of a step's two tensors, and how it was found out.
struct ProofSide {
  std::string library, version;  // "numpy", "2.4.6"; of what is built in, Python's version; "": not known
  std::string dtype;             // "float32"; "": it was not described
  Protocol protocol = Protocol::none;
  CapsuleKind capsule = CapsuleKind::none;
  GivenBy given_by = GivenBy::none;
  std::uint16_t version_major = 0, version_minor = 0;  // of the DLPack struct; 0, 0: it says none
  std::optional<ByteRange> extent;                     // nullopt: not known
  Tri read_only = Tri::unknown, is_copied = Tri::unknown, subbyte_padded = Tri::unknown;
  std::uint64_t unknown_flags = 0;  // the flag bits that DLPack 1.3 does not define
  // Hash of the element that the write probe changed or looked at, before the write and after; nullopt: nothing was written.
  std::optional<std::uint64_t> hash_before = {}, hash_after = {};
  bool operator==(const ProofSide&) const = default;
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
  ProofSide from_side = {}, to_side = {};
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
// shown: as in ProbeLimits.
[[nodiscard]] Proof prove(const Snapshot& snapshot, std::span<const ProofPair> pairs, const AddressMap* map,
                          const Snapshot* known = nullptr, std::span<const NeverWritten::Owner> shown = {});
// The steps of a chain of the tensors 0 to count - 1: 0 to 1, 1 to 2, ...
[[nodiscard]] std::vector<ProofPair> chain_of(std::uint32_t count);

}  // namespace dlscope::core
