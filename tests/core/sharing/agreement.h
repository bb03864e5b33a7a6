// Whether the chosen methods agree with the judges, case by case: a short run in the tests, a long one in
// tests/bench/sharing_agreement.cpp.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "tests/core/sharing/brute_force.h"

namespace dlscope::core::test {

// In words, for comparing and for messages. The method is not part of it.
[[nodiscard]] std::string text_of(const OwnedView& view);
[[nodiscard]] std::string text_of(const Overlap& overlap);

struct Agreement {
  std::uint64_t cases = 0;
  std::optional<std::string> difference;  // the first one, in words
};

// Small pairs (rank 0 to 6; see random_pair) against every byte of both: relation, count, lowest byte, element numbers.
[[nodiscard]] Agreement agree_with_brute_force(std::uint64_t cases, std::uint64_t seed);

// Large pairs against bit sets of the whole window and a search for the element.
[[nodiscard]] Agreement agree_with_general_path(std::uint64_t cases, std::uint64_t seed);

// Scenes of many views against comparing all with all and joining what shares.
[[nodiscard]] Agreement scenes_agree(std::uint64_t cases, std::uint64_t seed);

}  // namespace dlscope::core::test
