// The differences between two snapshots of the script's tensors. Tensors are matched by name; where no name is known in both, by
// address and layout within one process (match_tensors). Values are compared where they were remembered at both.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <stop_token>
#include <string>
#include <vector>

#include "app/models/history/history_query.h"
#include "app/models/history/moment_history.h"
#include "app/models/history/remembered_tensors.h"

namespace dlscope::app {

[[nodiscard]] const char* change_word(Change change);     // "moved"
[[nodiscard]] const char* change_meaning(Change change);  // a sentence

struct TensorDifference {
  std::uint32_t before = core::kNone32, now = core::kNone32;  // ids; kNone32: not there
  ChangeSet changes;
};

// Two tensors of `now` that began or stopped sharing bytes. Each pair is listed in both directions.
struct SharingDifference {
  std::uint32_t tensor = core::kNone32, other = core::kNone32;
  bool begun = false;
};

// A tensor of `now` that was remembered at both moments, with different bytes.
struct BytesDifference {
  std::uint32_t tensor = core::kNone32;
  std::string message;  // "its bytes changed: 12 of 4096 elements, first at [3, 7]"
};

struct SnapshotDifferences {
  KeptMomentPtr before, now;
  core::SnapshotPtr before_snapshot, now_snapshot;
  bool same_process = true;                           // false: addresses are not compared
  std::vector<TensorDifference> tensors;              // in the order of `now`, then the gone ones in the order of `before`
  std::vector<SharingDifference> sharing;             // sorted by (tensor, other)
  std::array<std::uint64_t, kChanges> counts{};       // number of tensors with each change
  std::vector<BytesDifference> bytes;                 // by tensor
  std::uint64_t same_bytes = 0;                       // tensors remembered at both moments with equal bytes
  std::uint64_t values_not_compared = 0;              // tensors that exist at both and have values, of which not both were kept
  std::uint64_t sharing_unknown = 0;                  // pairs that share in one snapshot, while the other does not know

  [[nodiscard]] std::uint64_t count(Change change) const { return counts[static_cast<std::size_t>(change)]; }
};
using DifferencesPtr = std::shared_ptr<const SnapshotDifferences>;

// thread: a worker. Null when stopped.
[[nodiscard]] DifferencesPtr find_differences(KeptMomentPtr before, KeptMomentPtr now, const std::stop_token& stop = {},
                                              const RememberedMoments& remembered = {});

// The name of a difference's tensor: its present one, or its last one when it is gone.
[[nodiscard]] std::string_view name_of(const SnapshotDifferences& all, const TensorDifference& one);
// "moved from 0x5581 2e40 4a80 to 0x5581 2e40 5b00; was 3 × 4; shares bytes with y".
[[nodiscard]] std::string difference_text(const SnapshotDifferences& all, const TensorDifference& one);
// What was compared, and of how many tensors the values were not, because neither moment, or only one, kept them.
[[nodiscard]] std::string compared_sentence(const SnapshotDifferences& all);
// "2 new, 1 gone, 3 moved"; "nothing is different".
[[nodiscard]] std::string differences_sentence(const SnapshotDifferences& all);

// The rows to show: with one of the `wanted` changes (none set: all) and with `text` in their name (case ignored).
// thread: any. Null when stopped.
using DifferenceRows = std::shared_ptr<const std::vector<std::uint32_t>>;
[[nodiscard]] DifferenceRows filter_differences(const SnapshotDifferences& all, ChangeSet wanted, std::string_view text,
                                                const std::stop_token& stop = {});

}  // namespace dlscope::app
