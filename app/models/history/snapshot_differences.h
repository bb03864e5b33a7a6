// What is different between two looks at the script's tensors. A tensor is the same one where one of its names is known in both; where
// none is, and both are of one process, where the same layout lies at the same address (match_tensors). Values are compared where
// they were remembered at both.
#pragma once

#include <array>
#include <bitset>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <stop_token>
#include <string>
#include <vector>

#include "app/models/history/moment_history.h"
#include "app/models/history/remembered_tensors.h"

namespace dlscope::app {

enum class Change : std::uint8_t {
  fresh,          // none of its names was there
  gone,           // no name reaches it any more
  renamed,        // new names only, where a tensor lay that is gone, with the same layout
  moved,          // another address: it was made anew, or its memory was given out again
  grown,          // more bytes of values
  shrunk,
  layout,         // other strides, another shape of as many bytes, or contiguous no more
  dtype,
  device,
  bytes,          // remembered at both: some are other ones
  access,         // read-only, or whether and how it can be described
  sharing_begun,  // with another tensor that is there in both
  sharing_ended,
  count
};
inline constexpr std::size_t kChanges = static_cast<std::size_t>(Change::count);
using ChangeSet = std::bitset<kChanges>;

[[nodiscard]] const char* change_word(Change change);     // "moved"
[[nodiscard]] const char* change_meaning(Change change);  // a sentence

struct TensorDifference {
  std::uint32_t before = core::kNone32, now = core::kNone32;  // ids; kNone32: not there
  ChangeSet changes;
};

// Two tensors of `now` that came to share bytes, or no longer do. Each pair is listed both ways round.
struct SharingDifference {
  std::uint32_t tensor = core::kNone32, other = core::kNone32;
  bool begun = false;
};

// A tensor of `now` whose bytes were remembered at both moments and are others.
struct BytesDifference {
  std::uint32_t tensor = core::kNone32;
  std::string message;  // "its bytes changed: 12 of 4096 elements, first at [3, 7]"
};

struct SnapshotDifferences {
  KeptMomentPtr before, now;
  core::SnapshotPtr before_snapshot, now_snapshot;
  bool same_process = true;                           // false: addresses are not compared
  std::vector<TensorDifference> tensors;              // as in now, then what is gone as in before
  std::vector<SharingDifference> sharing;             // sorted by (tensor, other)
  std::array<std::uint64_t, kChanges> counts{};       // of tensors
  std::vector<BytesDifference> bytes;                 // by tensor
  std::uint64_t same_bytes = 0;                       // tensors that were remembered at both and hold the same
  std::uint64_t sharing_unknown = 0;                  // pairs that share in one of the two, and in the other it is not known

  [[nodiscard]] std::uint64_t count(Change change) const { return counts[static_cast<std::size_t>(change)]; }
};
using DifferencesPtr = std::shared_ptr<const SnapshotDifferences>;

// thread: a worker. Null when stopped.
[[nodiscard]] DifferencesPtr find_differences(KeptMomentPtr before, KeptMomentPtr now, const std::stop_token& stop = {},
                                              const RememberedMoments& remembered = {});

// The name of a difference's tensor, as it is now, or as it was where it is gone.
[[nodiscard]] std::string_view name_of(const SnapshotDifferences& all, const TensorDifference& one);
// "moved from 0x5581 2e40 4a80 to 0x5581 2e40 5b00; was 3 × 4; shares bytes with y".
[[nodiscard]] std::string difference_text(const SnapshotDifferences& all, const TensorDifference& one);
// "2 new, 1 gone, 3 moved"; "nothing is different".
[[nodiscard]] std::string differences_sentence(const SnapshotDifferences& all);

// The rows to show: those with one of `wanted` (none set: all), whose name has `text` in it, however it is spelt in capitals.
// thread: any. Null when stopped.
using DifferenceRows = std::shared_ptr<const std::vector<std::uint32_t>>;
[[nodiscard]] DifferenceRows filter_differences(const SnapshotDifferences& all, ChangeSet wanted, std::string_view text,
                                                const std::stop_token& stop = {});

}  // namespace dlscope::app
