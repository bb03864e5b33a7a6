// Past: everything about earlier moments: the history of snapshots, the answers to questions about it, the remembered tensors and
// the fetching of their bytes, and the work on those of the moment that is shown.
// thread: UI.
#pragma once

#include <cstdint>
#include <memory>

#include "app/models/history/history_answers.h"
#include "app/models/history/remembered_tensors.h"
#include "app/models/history/tensor_trail.h"
#include "app/window/host/memory_readers.h"
#include "app/window/shown/heatmap_work.h"
#include "app/window/shown/statistics_work.h"

namespace dlscope::app {

// State of the fetching of remembered bytes from the host.
struct RememberedFetch {
  std::uint64_t process = 0;   // Timeline's number of the process that the rest is about
  std::uint64_t through = 0;   // the last copy that was fetched or given up
  std::uint64_t ticket = 0, answered = 0;  // of the last question; of the last one whose answer was taken
  std::uint64_t asked_after = 0;  // the newest moment when it was last asked
  bool fetching = false;
};

// The remembered bytes of the past moment that is shown, for the views.
struct RememberedPast {
  std::uint64_t generation = 0;  // the SnapshotViews::generation() it was made for
  std::uint64_t revision = 0;    // the RememberedTensors::revision() it was made for
  MemoryReaders memory;
};

struct Past {
  Past(HostConnection& host, TaskRunner& tasks, Notices& notices) : statistics(host, tasks, notices), heatmap(host, tasks) {}

  MomentHistory history;
  HistoryAnswers answers;
  TensorTrailPtr trail = std::make_shared<TensorTrail>();  // cache for the tensor asked about last
  RememberedTensors remembered;
  RememberedFetch fetch;
  RememberedPast shown;
  StatisticsWork statistics;  // of the remembered tensors of that moment
  HeatmapWork heatmap;
  std::uint64_t newest_when_left = 0;  // while looking back: the newest moment when that began
};

}  // namespace dlscope::app
