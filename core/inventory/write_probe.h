// The write probe: changes a byte of one tensor, checks whether the other tensor shows the
// change, and restores it; a hash of the element in either, before and after, proves that
// nothing stayed changed. It writes into the user's memory, so call it only if the user armed it.
// thread: one that keeps the owners of the memory from running meanwhile (by holding the GIL).
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "core/inventory/hand_over.h"
#include "core/inventory/never_written.h"
#include "core/memory/address_map.h"

namespace dlscope::core {

enum class Probe : std::uint8_t { not_armed, confirmed, contradicted, not_writable };
[[nodiscard]] const char* probe_name(Probe probe);

// Of the element written to and of the one looked at, before the write and after the byte was put back.
struct ProbeHashes {
  std::uint64_t from_before = 0, from_after = 0, to_before = 0, to_after = 0;
};

// Who may forbid writing a byte, besides the two tensors of the step.
struct ProbeLimits {
  std::span<const NeverWritten> never;  // tensors whose bytes are left alone
  // Of each tensor of the snapshot: that it shows memory of somebody else, and why that is not to be written; why "": it does not, or
  // its owner may be written, or nobody knows. Empty: nothing is known of any.
  std::span<const NeverWritten::Owner> shown = {};
  const Snapshot* known = nullptr;  // what else is known of this process; null: nothing
};

struct ProbeResult {
  Probe probe = Probe::not_armed;
  std::string why;  // the reason; where the probe is confirmed, only what else the write did
  std::optional<ProbeHashes> hashes = {};  // nullopt: nothing was written
};

// The tensor's writability: "yes", "no", "unknown" (a legacy capsule has no flag), "immutable by contract".
[[nodiscard]] const char* writability_text(const Snapshot& snapshot, const TensorRecord& tensor);

// step: the result of judge_hand_over() for `from` and `to`. Writes nothing where either
// tensor is READ_ONLY, immutable by contract, not mapped for writing, or of unknown writability
// unless its library's tensors may be written (not_writable),
// where the memory is not readable host memory, or where the step is unknown (not_armed).
// Nor where a write would leave more behind than the byte it puts back: in a private mapping's page that is still the file's own
// (not_armed), and in a byte of a tensor of `never` (not_writable where that is immutable, else not_armed); nor through a tensor that
// shows somebody else's memory, unless a tensor that is known to own the byte is there and may be written.
// Also not_armed: another thread changed these bytes meanwhile.
[[nodiscard]] ProbeResult probe_by_writing(const Snapshot& snapshot, std::uint32_t from, std::uint32_t to,
                                           const HandOverStep& step, const AddressMap& map, const ProbeLimits& limits);

}  // namespace dlscope::core
