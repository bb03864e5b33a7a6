// How the second tensor of a hand-over reads the bytes that it shares differently, or why the second of a copied pair cannot simply be the
// first handed over: shape, strides, dtype. Nothing is read from memory. thread: any.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "core/inventory/hand_over.h"
#include "core/inventory/snapshot.h"

namespace dlscope::core {

// A clause that follows "both are the same 24 bytes" or "no byte in common"; "": neither shape, order nor dtype differs. step: its
// relation and shared bytes are set.
[[nodiscard]] std::string words_of_difference(const Snapshot& snapshot, const HandOverStep& step, const TensorRecord& from,
                                              const TensorRecord& to);

// "(2, 3)", "(4,)"
[[nodiscard]] std::string shape_in_words(std::span<const std::int64_t> shape);

}  // namespace dlscope::core
