// KeptMoment: one look at the script's tensors, kept. What it says never changes; how it is stored does: whole while it is the newest,
// later packed, its records shared with those of other moments (PackedSnapshot).
// thread: any, unless said otherwise.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "app/models/history/packed_snapshot.h"
#include "core/inventory/snapshot.h"

namespace dlscope::app {

// How a moment was shown: what depends on the looks before it, to be shown the same again.
struct MomentLook {
  std::vector<std::uint32_t> colours;  // by memory group
  std::uint64_t marked_against = 0;    // the moment that was the last look of the run before; 0: nothing was marked
  bool shown = false;
};

class KeptMoment {
 public:
  // Smaller ones stay whole: their lists of chunks would be no smaller.
  static constexpr std::size_t kPackedFrom = std::size_t{64} << 10;

  KeptMoment(std::uint64_t moment_number, core::SnapshotPtr snapshot, std::uint64_t of_process, std::string time_of_day);

  const std::uint64_t number;  // 1 is the first of the session; never given again
  const std::uint64_t process;  // Timeline's: addresses mean the same in moments of one process
  const std::uint64_t revision;  // the snapshot's
  const std::string time;        // of the day, when it arrived: "14:05:09"
  const std::string title, label;  // moment_title, moment_label
  const std::size_t tensors, record_bytes;  // record_bytes: of the records when they are not packed

  // Unpacks it, unless somebody still has it: not in a frame.
  [[nodiscard]] core::SnapshotPtr snapshot() const;
  // How it is stored now: one of the two is null. For who needs a part of it (MomentReader).
  struct Stored {
    core::SnapshotPtr whole;
    std::shared_ptr<const PackedSnapshot> packed;
  };
  [[nodiscard]] Stored stored() const;
  [[nodiscard]] bool is_of(
      const core::SnapshotPtr& snapshot) const;  // it is the very one that was kept, or was unpacked and is in use

  void note_look(MomentLook look) const;
  [[nodiscard]] MomentLook look() const;  // `shown` is false: it was never on the screen
  [[nodiscard]] std::uint64_t marked_against() const;  // of its look, without unpacking the colours

  [[nodiscard]] bool is_whole() const;
  [[nodiscard]] std::size_t own_bytes() const;  // without what it shares with others in the store
  void pack(const std::shared_ptr<ChunkStore>& store) const;

 private:
  // The storage: changed by pack(), by note_look() and by who unpacks it, never what it says.
  mutable std::mutex mutex_;
  mutable core::SnapshotPtr whole_;                       // null: packed
  mutable std::weak_ptr<const core::Snapshot> in_use_;    // the snapshot as somebody has it
  mutable std::shared_ptr<const PackedSnapshot> packed_;  // null: whole
  mutable MomentLook look_;                               // its colours lie with the packed snapshot when there is one
};
using KeptMomentPtr = std::shared_ptr<const KeptMoment>;
using KeptMoments = std::vector<KeptMomentPtr>;

// "run 3", "run 3, looked again", "run 3, stop at train.py:12 in step()".
[[nodiscard]] std::string moment_title(const core::Snapshot& snapshot);
// The same, short: "run 3", "3 · :12".
[[nodiscard]] std::string moment_label(const core::Snapshot& snapshot);

}  // namespace dlscope::app
