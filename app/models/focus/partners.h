// The tensors that share memory with one tensor, described with evidence, and the relation of two chosen tensors.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "app/models/focus/focus.h"
#include "app/models/tensors/badges.h"
#include "app/models/tensors/snapshot_index.h"

namespace dlscope::app {

struct Partner {
  std::uint32_t tensor = core::kNone32;
  std::string name;
  std::string sentence;     // "“y” is the transpose of “x”: the same 48 bytes, rows and columns swapped."
  std::string consequence;  // "Writing to one changes the other."
  std::string bytes;        // "48 B", "unknown", "" when none is shared
  std::string evidence;     // "Lowest common byte 0x5581 2e40 4a80: y[0, 0] and x[0, 0]."
  std::string method;       // "Exact: decided by comparing the two layouts."
  Focus witness;            // the element of the tensor asked about that holds the lowest common byte
  Tone tone = Tone::plain;
};

struct Partners {
  std::vector<Partner> list;  // most shared bytes first
  std::uint64_t not_listed = 0;
  std::string title;  // "“x” meets 3 tensors in memory."; with an empty list, what is known
};

[[nodiscard]] Partners partners_of_tensor(const SnapshotIndex& index, std::uint32_t tensor, std::size_t most);

struct Comparison {
  std::string sentence;  // "“a” and “b” share nothing: there are 4 KiB between them."
  std::string detail;    // what follows from it, how it was decided
  Tone tone = Tone::plain;
};

// Bounded: a pair that the snapshot does not list is decided within a small budget, else "unknown".
[[nodiscard]] Comparison compare_tensors(const SnapshotIndex& index, std::uint32_t a, std::uint32_t b);

}  // namespace dlscope::app
