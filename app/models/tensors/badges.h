// Badges: the short labels on a table row for what is notable about a tensor: "read-only", "NaN 3", "gone".
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "app/models/tensors/snapshot_index.h"

namespace dlscope::app {

// Roles, not colours: the theme maps them to colours. A state is never shown by colour alone: there is always text.
enum class Tone : std::uint8_t { plain, dim, accent, good, warn, bad, unknown };

struct Badge {
  std::string text;     // "shares x"
  std::string meaning;  // one or two sentences for the tooltip
  Tone tone = Tone::plain;
};

// name_only: without `meaning`, for callers that go through many tensors.
enum class BadgeDetail : std::uint8_t { full, name_only };

// Whether badges about what the last run changed are included.
enum class BadgeMarks : std::uint8_t { included, left_out };

// Appends the badges of tensor `id`, most important first. The cost is bounded, however many tensors it shares with.
void append_badges(const SnapshotIndex& index, std::uint32_t id, std::vector<Badge>& out, BadgeDetail detail = BadgeDetail::full,
                   BadgeMarks marks = BadgeMarks::included);
// Only the badges that depend on no other tensor: state and layout.
void append_own_badges(const core::Snapshot& snapshot, const core::TensorRecord& tensor, std::vector<Badge>& out);

// The bad ones first, then warnings; otherwise as they are: a narrow column shows one or two, and counts the rest.
void order_by_harm(std::vector<Badge>& badges);

// The badge of a tensor that no name has reached since the last run; whether it was released is not known.
void append_gone_badge(const SnapshotIndex& index, const GoneTensor& gone, std::vector<Badge>& out);

// The layout in NumPy's terms for the table: "C-contiguous", "transposed or F-ordered", ...
[[nodiscard]] const char* contiguity_text(core::Contiguity contiguity);

}  // namespace dlscope::app
