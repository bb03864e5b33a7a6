// What the methods cost, in the unit of OverlapBudget::work: one word of a bit set written, some 0.4 ns. Shared by the code that
// chooses between them.
#pragma once

#include <cstdint>

namespace dlscope::core {

inline constexpr std::uint64_t kWordsPerStep = 32;  // a step of the closed form (nested_overlap.h)
inline constexpr std::uint64_t kWordsPerNode = 8;   // a node of a depth-first search
inline constexpr std::uint64_t kWordsPerRun = 32;   // a run listed (run_list.h)

// Steps of the closed form that are always allowed: about the least that the other methods cost.
inline constexpr std::uint64_t kFirstSteps = 2048;
// Runs that one set may have to be listed.
inline constexpr std::uint64_t kMaxRuns = std::uint64_t{1} << 22;

}  // namespace dlscope::core
