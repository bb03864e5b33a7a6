// The write probe: a byte of one tensor is changed, looked for through the other, and put back; a hash of both extents before and
// after shows that nothing stayed changed. It writes into the user's memory: only who was told to may call it.
// thread: one that keeps the owners of the memory from running meanwhile (the GIL).
#pragma once

#include <cstdint>
#include <string>

#include "core/inventory/hand_over.h"
#include "core/memory/address_map.h"

namespace dlscope::core {

enum class Probe : std::uint8_t { not_armed, confirmed, contradicted, not_writable };
[[nodiscard]] const char* probe_name(Probe probe);

struct ProbeResult {
  Probe probe = Probe::not_armed;
  std::string why;  // where it is not confirmed
};

// What a record says about writing: "yes", "no", "unknown" (a legacy capsule), "immutable by contract".
[[nodiscard]] const char* writability_text(const Snapshot& snapshot, const TensorRecord& tensor);

// step: what judge_hand_over() said of `from` and `to`. Nothing is written where either is READ_ONLY, immutable by contract or not
// mapped for writing, where the memory is not the host's, and where the step is unknown.
[[nodiscard]] ProbeResult probe_by_writing(const Snapshot& snapshot, std::uint32_t from, std::uint32_t to,
                                           const HandOverStep& step, const AddressMap& map);

}  // namespace dlscope::core
