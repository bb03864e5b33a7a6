// Whether an analysis that takes over what did not change says what a full one says, record by record: a short run in the tests, a
// long one in tests/bench/sharing_agreement.cpp.
#pragma once

#include <cstdint>

#include "tests/core/sharing/agreement.h"

namespace dlscope::core::test {

// Scenes of many views, edited again and again: tensors come, go, change and swap places, memory becomes unreadable, devices are other
// ones, lists of pairs are bounded. Each analysis builds on the one before it; pairs picked at random are judged by every byte of both.
[[nodiscard]] Agreement refreshes_agree(std::uint64_t cases, std::uint64_t seed);

}  // namespace dlscope::core::test
