// Questions of the history view and their answers: differences between two kept moments, and since when a tensor is as it is. An
// answer stays until a newer one comes, so that the view does not flicker while a job works.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "app/models/history/moment_history.h"
#include "app/models/history/remembered_tensors.h"
#include "app/models/history/since_when.h"
#include "app/models/history/snapshot_differences.h"

namespace dlscope::app {

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

struct HistoryAnswers {
  DifferenceQuery difference_query;  // the query that `differences` and `rows` answer
  DifferencesPtr differences;
  DifferenceRows rows;  // those of `differences` that pass the filter
  SinceWhenQuery since_query;
  TensorHistoryPtr since;
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
