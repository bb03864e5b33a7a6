// RunMarks: what a run changed: which tensors are new, changed or gone, compared by variable with the last snapshot of the
// previous run; at a stop, with the stop before it. Built by a worker in one pass over each snapshot.
#pragma once

#include <cstdint>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "core/inventory/snapshot.h"

namespace dlscope::app {

enum class Mark : std::uint8_t {
  none,
  fresh,    // none of its names existed before
  changed,  // other shape, strides, dtype or device, or readable in one of the two only
  moved,    // otherwise the same, at another address
};

// A tensor of the earlier snapshot that none of its names reaches any more.
struct GoneTensor {
  std::uint32_t id = core::kNone32;  // in RunMarks::before
};

// The snapshot to compare with, when a person chose one; by default the one that LastLooks names.
struct MarkedAgainst {
  std::uint64_t moment = 0;  // its number in the history; 0: by default
  std::string message = {};  // what it is: "run 2, 14:05:09"; "": by default
  bool same_process = true;  // false: addresses are not compared
  core::SnapshotPtr base = {};  // null: by default
};

struct RunMarks {
  core::SnapshotPtr before;              // null: nothing to compare with, nothing is marked
  std::uint64_t run = 0;                 // the run that made the changes
  bool since_stop = false;               // by default, and `before` is of an earlier stop of this run
  MarkedAgainst against;
  std::vector<Mark> marks;               // per tensor; empty when before is null
  std::vector<std::uint32_t> was;        // per tensor: its id in `before`, kNone32: not there
  std::vector<GoneTensor> gone;          // in the order of `before`
  std::uint64_t fresh = 0, changed = 0;  // how many; moved ones count as changed

  [[nodiscard]] Mark mark_of(std::uint32_t tensor) const { return tensor < marks.size() ? marks[tensor] : Mark::none; }
  [[nodiscard]] bool any() const { return fresh > 0 || changed > 0 || !gone.empty(); }
};

// thread: a worker. `before` may be null; against.base takes its place. When stopped, the result is incomplete and must be
// discarded.
[[nodiscard]] RunMarks compare_runs(core::SnapshotPtr before, const core::Snapshot& now, const std::stop_token& stop = {},
                                    MarkedAgainst against = {});

// Each difference as a clause: "moved from 0x5581 2e40 4a80 to 0x5581 2e40 5b00", "was 3 × 4".
[[nodiscard]] std::vector<std::string> change_phrases(const core::Snapshot& before, const core::TensorRecord& was,
                                                      const core::Snapshot& now, const core::TensorRecord& is, bool same_process);

// What the marks are about: "Run 7", "Since the last stop", "Against run 2, 14:05:09".
[[nodiscard]] std::string marks_title(const RunMarks& marks);
// "gone since run 7", "gone since the last stop".
[[nodiscard]] std::string gone_since_text(const RunMarks& marks);

// "Run 7: moved from 0x5581 2e40 4a80 to 0x5581 2e40 5b00; was 3 × 4." "" for a tensor without a mark.
[[nodiscard]] std::string change_sentence(const RunMarks& marks, const core::Snapshot& now, std::uint32_t tensor);
// "No name reaches it after run 7. It was float32, 3 × 4, at 0x5581 2e40 4a80."
[[nodiscard]] std::string gone_sentence(const RunMarks& marks, const GoneTensor& gone);

}  // namespace dlscope::app
