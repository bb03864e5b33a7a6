// ReachProfile: how often the elements of one tensor reach each byte, for the picture below its storage tape: more than once
// where it repeats (stride 0) or overlaps itself (a sliding window). Positions are in bits from the first bit of element
// [0,...,0], as on the tape. Reads no memory. The work is bounded; what takes more is shown as not counted.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "app/models/layout/storage_tape.h"
#include "app/models/layout/touch_counts.h"
#include "core/sharing/touch_count.h"

namespace dlscope::app {

// Adjacent bytes, each reached by `least` to `most` elements; 0: by none.
struct ReachPiece {
  std::int64_t begin = 0, end = 0;  // bits
  std::uint64_t least = 0, most = 0;
  bool counted = true;  // false: not counted, then least and most are meaningless
  friend bool operator==(const ReachPiece&, const ReachPiece&) = default;
};

class ReachProfile {
 public:
  // tape: the tensor's. known: the counts of the whole tensor, if a task has counted them; null: counts it itself if that takes a
  // few milliseconds at most.
  ReachProfile(core::SnapshotPtr snapshot, std::uint32_t tensor, const StorageTape& tape, const core::TouchCount* known = nullptr);

  // Fills `out` with [begin, end), cut at the tensor's ends. Runs narrower than least_bits are combined.
  // cells: the tape's pieces there if its step is 1, else empty. Their counts are used if the whole tensor was not counted.
  void read(std::int64_t begin, std::int64_t end, std::int64_t least_bits, std::span<const TapePiece> cells,
            std::vector<ReachPiece>& out);

  // False: they are seen in the cells of the tape only, which are smaller than bytes, and nothing is counted.
  [[nodiscard]] bool in_whole_bytes() const;
  // How many bytes are reached how often; empty: not counted.
  [[nodiscard]] std::span<const core::TouchedBytes> counts() const { return found_.counts; }

 private:
  void read_runs(std::int64_t begin, std::int64_t end, std::int64_t least_bits, std::vector<ReachPiece>& out);
  void count_runs_in(core::ByteRange window);
  [[nodiscard]] std::int64_t bit_of(core::Address address) const {
    return static_cast<std::int64_t>(address - view_.address) * 8;
  }

  core::SnapshotPtr snapshot_;
  core::MemoryView view_;
  std::int64_t begin_ = 0, end_ = 0;  // of the tape
  core::TouchCount found_;            // runs: of window_. No counts: the tensor was not counted
  core::ByteRange window_;
};

// Whether some byte of the tensor is, or may be, reached by more than one element. tape: the tensor's own.
[[nodiscard]] bool may_reach_again(const core::TensorRecord& tensor, const StorageTape& tape);

// What a piece shows: "24 B, each reached by 3 elements of windows." counting: what was not counted is being counted.
[[nodiscard]] std::string reach_sentence(const ReachPiece& piece, std::string_view name, bool counting = false);

}  // namespace dlscope::app
