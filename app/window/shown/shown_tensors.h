// ShownTensors: the tensors on the screen, and the work on them: views and selection, statistics, heat maps, the comparison, what
// is read of their memory. Only this owns a SnapshotViews; who needs the selection or the index gets `views`.
// thread: UI.
#pragma once

#include <memory>

#include "app/models/values/chosen_slices.h"
#include "app/models/values/shown_values.h"
#include "app/window/shown/compare_pictures.h"
#include "app/window/shown/heatmap_work.h"
#include "app/window/shown/seen_bytes.h"
#include "app/window/shown/snapshot_views.h"
#include "app/window/shown/statistics_work.h"
#include "app/window/shown/touch_work.h"

namespace dlscope::app {

// The last snapshot of the script's tensors, shown again when a tensor file is left.
struct ScriptScan {
  core::SnapshotPtr snapshot;  // null: nothing was scanned
  SnapshotSource source;
  core::Scanned scanned = core::Scanned::none;
  bool settling = false;     // a job copies the unfinished snapshot to mark its sharing as stopped
  core::RunOutcome outcome;  // of the run that it is of; not_run while that has not ended
};

struct ShownTensors {
  ShownTensors(JobPool& jobs, TaskRunner& tasks, Notices& notices, HostConnection& host)
      : views(jobs, notices), statistics(host, tasks, notices), heatmap(host, tasks), compare(host, tasks), touches(tasks) {}

  // What is shown of the selected tensor's values. Valid until another tensor is selected, or another snapshot or field is shown.
  [[nodiscard]] const ShownValues& values() {
    return fields.shown(views.index(), views.generation(), views.selection().selected());
  }

  SnapshotViews views;        // the snapshot that is shown, and the newest one
  ChosenSlices slices;        // what is chosen of its tensors
  FieldChoices fields;        // which field of a tensor of records its values are shown of
  StatisticsWork statistics;  // of the newest snapshot, also while a past moment is shown
  HeatmapWork heatmap;        // the same
  ComparePictures compare;
  TouchWork touches;  // how often the selected tensor reaches its bytes
  ScriptScan script_scan;
  std::uint64_t files_opened = 0;  // the number of the last opened tensor file
  std::uint64_t opening_file = 0;  // the task that opened one last, or still does; 0: none
  std::shared_ptr<SeenBytes> seen = std::make_shared<SeenBytes>();  // what the views read through
};

}  // namespace dlscope::app
