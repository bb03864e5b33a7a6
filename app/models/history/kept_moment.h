// KeptMoment: one snapshot of the script's tensors, kept. Its content never changes, its storage does: whole while it is the
// newest, later packed, sharing records with other moments (PackedSnapshot).
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

// How a moment was shown. This depends on the snapshots before it, so it is stored to show the moment the same way again.
struct MomentView {
  std::vector<std::uint32_t> colours;  // by memory group
  std::uint64_t marked_against = 0;    // the moment that its change marks compared with; 0: nothing was marked
  bool shown = false;                  // false: it was never on the screen
};

class KeptMoment {
 public:
  // Smaller moments stay whole: their lists of chunks would not be smaller.
  static constexpr std::size_t kPackedFrom = std::size_t{64} << 10;

  KeptMoment(std::uint64_t moment_number, core::SnapshotPtr snapshot, std::uint64_t of_process, std::string time_of_day);

  const std::uint64_t number;               // 1 is the first of the session; never reused
  const std::uint64_t process;              // Timeline's number: addresses are comparable within one process
  const std::uint64_t revision;             // the snapshot's
  const std::string time;                   // of the day, when it arrived: "14:05:09"
  const std::string title, label;           // moment_title, moment_label
  const std::size_t tensors, record_bytes;  // record_bytes: size of the records when not packed

  // Unpacks it, unless somebody still has the unpacked snapshot. May take longer than a frame: not on the UI thread.
  [[nodiscard]] core::SnapshotPtr snapshot() const;
  // How it is stored now: one of the two is null. For MomentReader, which reads parts of it.
  struct Stored {
    core::SnapshotPtr whole;
    std::shared_ptr<const PackedSnapshot> packed;
  };
  [[nodiscard]] Stored stored() const;
  [[nodiscard]] bool is_of(const core::SnapshotPtr& snapshot) const;  // the kept snapshot itself, or the unpacked one in use

  void note_look(MomentView look) const;
  [[nodiscard]] MomentView look() const;               // `shown` is false: it was never on the screen
  [[nodiscard]] std::uint64_t marked_against() const;  // of look(), without unpacking the colours

  [[nodiscard]] bool is_whole() const;
  [[nodiscard]] std::size_t own_bytes() const;  // without the chunks, which it may share with others
  void pack(const std::shared_ptr<ChunkStore>& store) const;

 private:
  // The storage. pack(), note_look() and snapshot() change it, never the content.
  mutable std::mutex mutex_;
  mutable core::SnapshotPtr whole_;                       // null: packed
  mutable std::weak_ptr<const core::Snapshot> in_use_;    // the snapshot, while anybody has it
  mutable std::shared_ptr<const PackedSnapshot> packed_;  // null: whole
  mutable MomentView look_;                               // once packed, its colours are in packed_
};
using KeptMomentPtr = std::shared_ptr<const KeptMoment>;
using KeptMoments = std::vector<KeptMomentPtr>;

// "run 3", "run 3, scanned again", "run 3, stop at train.py:12 in step()".
[[nodiscard]] std::string moment_title(const core::Snapshot& snapshot);
// The same in short: "run 3", "3 · :12".
[[nodiscard]] std::string moment_label(const core::Snapshot& snapshot);

}  // namespace dlscope::app
