// Whether a hand-over from one tensor to another (such as torch.from_numpy(x)) shared the memory or copied it, decided from the
// bytes that the two tensors touch. No memory is read or written; core/inventory/proof.h adds the write probe. thread: any.
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
  // Relation of `from` to `to`, as relation_between() gives it. For two mappings
  // of the same file pages: the relation of the pages, not of the addresses.
  Relation relation = Relation::unknown;
  std::uint64_t shared_bytes = kUnknown64;
  // A byte that both tensors contain, as its address in each: a write to one would show in the other. If they share none, the
  // address of element [0,...,0] of each. Valid unless the verdict is unknown.
  Address from_byte = 0, to_byte = 0;
  std::string why;  // the reason for the verdict, one sentence
};

// The verdict on the step from tensor `from` to tensor `to`: two different tensors of a snapshot of this process. The verdict is
// unknown when the driver or the address map contradicts what a producer says about the place of its memory.
[[nodiscard]] HandOverStep judge_hand_over(const Snapshot& snapshot, std::uint32_t from, std::uint32_t to);

// The verdict on a chain: SHARED only if every step is; COPIED if any
// step certainly copied; otherwise UNKNOWN if any step is unknown.
[[nodiscard]] HandOver judge_chain(std::span<const HandOverStep> steps);

}  // namespace dlscope::core
