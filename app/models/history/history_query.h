// What is asked of the history, and what a frame is shown of it. A header of its own, for the commands and FrameContext: their
// includers need not know how moments are kept.
#pragma once

#include <bitset>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "core/inventory/record.h"

namespace dlscope::app {

class MomentHistory;
class RememberedTensors;
struct HistoryAnswers;

// Whether and how a tensor's contents are remembered at each scan.
enum class Remember : std::uint8_t { no, bytes, hashes };

enum class Change : std::uint8_t {
  fresh,          // none of its names existed
  gone,           // no name reaches it any more
  renamed,        // only new names, but the address and layout of a tensor that is gone
  moved,          // another address: it was created again, or its memory was reused
  grown,          // more bytes
  shrunk,
  layout,         // other strides, another shape with the same number of bytes, or no longer contiguous
  dtype,
  device,
  bytes,          // remembered at both moments, with different bytes
  access,         // read-only or not, or whether and how it can be described
  sharing_begun,  // with another tensor that exists in both
  sharing_ended,
  count
};
inline constexpr std::size_t kChanges = static_cast<std::size_t>(Change::count);
using ChangeSet = std::bitset<kChanges>;

struct DifferenceQuery {
  std::uint64_t before = 0, now = 0;  // numbers of kept moments
  std::uint64_t remembered = 0;       // RememberedTensors::revision(): changes when bytes were kept or dropped
  ChangeSet wanted;                   // none set: all kinds
  std::string filter;                 // part of a name
  friend bool operator==(const DifferenceQuery&, const DifferenceQuery&) = default;
};

struct SinceWhenQuery {
  std::uint64_t moment = 0;    // the one that is shown
  std::uint64_t revision = 0;  // MomentHistory::revision(): changes when a moment was kept or dropped
  std::uint64_t remembered = 0;  // RememberedTensors' revision
  std::uint32_t tensor = core::kNone32, other = core::kNone32;
  std::optional<std::uint64_t> element;  // the pinned element, whose value is asked about
  friend bool operator==(const SinceWhenQuery&, const SinceWhenQuery&) = default;
};

// What the views of a frame need of the history.
struct HistoryView {
  const MomentHistory* kept = nullptr;        // null: a picture or a file has no history
  const RememberedTensors* remembered = nullptr;  // null with it
  const HistoryAnswers* answers = nullptr;    // null with it
  std::uint64_t shown = 0;                    // the moment on the screen; 0: none, or it is not kept
  std::uint64_t earlier = 0, later = 0;       // the kept moments before and after it; 0: none
  std::uint64_t newer = 0;                    // while looking back: the newest moment if it came since then; else 0
  std::uint64_t marked_against = 0;           // the moment that the shown change marks compare with; 0: the previous run
};

}  // namespace dlscope::app
