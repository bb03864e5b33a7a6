// What the history view asked for and what came back: differences between two kept moments, and since when a tensor is as it is.
// Answers stay until a newer one comes, so that the view does not flicker while a job works.
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
  std::uint64_t remembered = 0;       // RememberedTensors' revision: more bytes came, or went
  ChangeSet wanted;                   // none set: all kinds
  std::string filter;                 // part of a name
  friend bool operator==(const DifferenceQuery&, const DifferenceQuery&) = default;
};

struct SinceWhenQuery {
  std::uint64_t moment = 0;    // the one that is shown
  std::uint64_t revision = 0;  // MomentHistory's: another moment was kept or given up
  std::uint64_t remembered = 0;  // RememberedTensors' revision
  std::uint32_t tensor = core::kNone32, other = core::kNone32;
  std::optional<std::uint64_t> element;  // the pinned one, whose value is asked about
  friend bool operator==(const SinceWhenQuery&, const SinceWhenQuery&) = default;
};

struct HistoryAnswers {
  DifferenceQuery difference_query;  // that was answered last
  DifferencesPtr differences;
  DifferenceRows rows;  // of them, that pass the filter
  SinceWhenQuery since_query;
  TensorHistoryPtr since;
};

// What a frame knows of the history.
struct HistoryView {
  const MomentHistory* kept = nullptr;        // null: of a picture or a file there is none
  const RememberedTensors* remembered = nullptr;  // null with it
  const HistoryAnswers* answers = nullptr;    // null with it
  std::uint64_t shown = 0;                    // the moment on the screen; 0: none that is kept
  std::uint64_t earlier = 0, later = 0;       // those beside it; 0: there is none
  std::uint64_t newer = 0;                    // while one looks back: the newest moment, where it came after that began; else 0
  std::uint64_t marked_against = 0;           // whose differences the marks in the table are; 0: those of the run before
};

}  // namespace dlscope::app
