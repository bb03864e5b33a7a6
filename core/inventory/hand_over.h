// What became of a tensor's memory from one holder to the next: the verdicts of design.md section 5 that the byte sets alone decide.
// thread: any.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "core/inventory/snapshot.h"

namespace dlscope::core {

enum class HandOver : std::uint8_t { shared, copied, partly_shared, unknown };
[[nodiscard]] const char* hand_over_name(HandOver verdict);  // "SHARED", "COPIED", ...

struct HandOverStep {
  HandOver verdict = HandOver::unknown;
  // As relation_between() tells, seen from `from`. Two mappings of the same pages: of the pages, not of the addresses.
  Relation relation = Relation::unknown;
  std::uint64_t shared_bytes = kUnknown64;
  // Where a write through the one would show in the other: a byte both reach, in the addresses of each; without one, that of element
  // [0,...,0]. Known unless the verdict is unknown.
  Address from_byte = 0, to_byte = 0;
  std::string why;  // one sentence: what decided it
};

// From tensor `from` to tensor `to` of a snapshot, which are two different ones of this very process. A producer that was caught
// lying about where its memory is has no verdict but unknown, and nothing is read through what it said.
[[nodiscard]] HandOverStep judge_hand_over(const Snapshot& snapshot, std::uint32_t from, std::uint32_t to);

// Of the whole chain: SHARED only when every step is; one that is certainly copied decides it, then one that is not known.
[[nodiscard]] HandOver judge_chain(std::span<const HandOverStep> steps);

}  // namespace dlscope::core
