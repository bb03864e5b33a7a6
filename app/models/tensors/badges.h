// Badges: the few words on a table row that say what is remarkable about a tensor (look.md section 6).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "app/models/tensors/snapshot_index.h"

namespace dlscope::app {

// Roles, not colours: a theme decides how each looks. State is never colour alone, the words are always there.
enum class Tone : std::uint8_t { plain, dim, accent, good, warn, bad, unknown };

struct Badge {
  std::string text;     // "shares x"
  std::string meaning;  // one or two plain sentences for the tooltip
  Tone tone = Tone::plain;
};

// name_only: without the sentences, for whoever looks at many tensors.
enum class BadgeDetail : std::uint8_t { full, name_only };

// Whether what the last run did is among them.
enum class BadgeMarks : std::uint8_t { included, left_out };

// Appends the badges of tensor `id`, most important first. Cost is bounded whatever the tensor shares.
void append_badges(const SnapshotIndex& index, std::uint32_t id, std::vector<Badge>& out, BadgeDetail detail = BadgeDetail::full,
                   BadgeMarks marks = BadgeMarks::included);
// Those that need no other tensor: state and layout.
void append_own_badges(const core::Snapshot& snapshot, const core::TensorRecord& tensor, std::vector<Badge>& out);

// The one badge of a tensor that no name reaches any more since the last run; whether it was released is not known.
void append_gone_badge(const SnapshotIndex& index, const GoneTensor& gone, std::vector<Badge>& out);

// "C-contiguous", "transposed or F-ordered", ...: NumPy's words for the layout, for the table.
[[nodiscard]] const char* contiguity_text(core::Contiguity contiguity);

}  // namespace dlscope::app
