// ApplicationParts: everything behind the window: the parts, each tested alone, and how they are connected.
// thread: UI.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/models/actions/keymap.h"
#include "app/models/actions/notices.h"
#include "app/models/debug/breakpoint_list.h"
#include "app/models/history/history_answers.h"
#include "app/models/history/tensor_trail.h"
#include "app/models/history/remembered_tensors.h"
#include "app/models/jobs/job_pool.h"
#include "app/models/jobs/task_runner.h"
#include "app/models/script/output_model.h"
#include "app/panels/workspace.h"
#include "app/session/script_document.h"
#include "app/session/settings_keeper.h"
#include "app/window/compare_pictures.h"
#include "app/window/heatmap_export.h"
#include "app/window/heatmap_work.h"
#include "app/window/host_connection.h"
#include "app/window/opened_file.h"
#include "app/window/python_catalogue.h"
#include "app/window/remembering.h"
#include "app/window/seen_bytes.h"
#include "app/window/snapshot_views.h"
#include "app/window/statistics_work.h"
#include "app/window/touch_work.h"

namespace dlscope::app {

struct ApplicationOptions {
  std::vector<std::string> arguments;  // sys.argv[1:] of every run
  std::string module;                  // run the script shown first as this module (python -m); "": as a script
  std::string tour_path;               // "": the tour is not installed
  LayoutPreset layout = LayoutPreset::debug;
  ThemeChoice theme = ThemeChoice::dark;
  float scale = 1;
  std::function<void()> wake;          // from any thread: another frame is due
  std::function<void()> wake_to_look;  // from any thread: one is due if the bytes on the screen changed; empty: as wake
  Settings settings;           // as read from the file; the options above take precedence
  std::string settings_file;   // where changes go; "": nowhere
  std::string state_folder;    // where unsaved text is kept; "": nowhere
};

// The last snapshot of the script's tensors, shown again when a tensor file is left.
struct ScriptScan {
  core::SnapshotPtr snapshot;  // null: nothing was scanned
  SnapshotSource source;
  core::Scanned scanned = core::Scanned::none;
  bool settling = false;     // a job makes what a scan that was broken off has left into a snapshot of its own
  core::RunOutcome outcome;  // of the run that it is of; not_run while that has not ended
};

struct ApplicationParts {
  // link may be null: no host, for pictures. Otherwise the host is started now.
  ApplicationParts(ApplicationOptions choices, std::unique_ptr<HostLink> link);
  ~ApplicationParts();  // writes the settings and unsaved text
  ApplicationParts(const ApplicationParts&) = delete;
  ApplicationParts& operator=(const ApplicationParts&) = delete;

  ApplicationOptions options;  // layout, theme and scale as they are now
  Notices notices;
  OutputModel output;
  Keymap keys;
  PanelStates panels;
  SettingsKeeper settings;
  BreakpointList breakpoints;
  ScriptIdentity breakpoints_script;              // the script as follow_script() last saw it
  std::optional<HeatmapPicture> heatmap_picture;  // to be written
  std::optional<HeatmapPicture> heatmap_figure;   // to be cropped from the next frame
  std::optional<std::string> wanted_picture;      // the file to write a picture of the next frame to
  bool quit = false;
  JobPool jobs;
  TaskRunner tasks;
  PythonCatalogue pythons;
  SnapshotViews views;
  ScriptDocument document;
  HostConnection host;
  StatisticsWork statistics;
  ScriptScan script_scan;
  std::uint64_t files_opened = 0;  // the number of the last opened file
  std::uint64_t opening_file = 0;  // the task that opened one last, or still does; 0: none
  HeatmapWork heatmap;
  ComparePictures compare_pictures;
  MomentHistory history;
  HistoryAnswers history_answers;
  TensorTrailPtr since_when_trail = std::make_shared<TensorTrail>();  // cache for the tensor asked about last
  RememberedTensors remembered;
  RememberedFetch remembered_fetch;
  RememberedPast remembered_past;  // the remembered bytes of the past moment that is shown
  // Work on the remembered tensors of that moment.
  StatisticsWork past_statistics;
  HeatmapWork past_heatmap;
  std::uint64_t newest_when_left = 0;  // while looking back: the newest moment when that began
  const MemoryReaders nothing_to_read = {};
  std::shared_ptr<SeenBytes> seen = std::make_shared<SeenBytes>();  // what the views read through
  TouchWork touches{tasks};
};

// True when the tensors on the screen are those of a file.
[[nodiscard]] bool shows_file(const ApplicationParts& parts);
// Readers for the tensors on the screen: the script's memory, a file's, or a past moment's remembered bytes. Empty where reading
// is not allowed (may_read_memory).
[[nodiscard]] const MemoryReaders& shown_memory(const ApplicationParts& parts);
// The heat map of the tensors on the screen.
[[nodiscard]] const HeatmapStore& shown_heatmap(const ApplicationParts& parts);
// Readers for the newest snapshot, also while a past moment is shown. Whether reading is allowed is not checked.
[[nodiscard]] const MemoryReaders& newest_memory(const ApplicationParts& parts);
// When the newest snapshot of the script's tensors was taken, also where something else is shown, and what has happened since.
[[nodiscard]] Moment moment_of_script(const ApplicationParts& parts);
// When the shown snapshot was taken, and what has happened since.
[[nodiscard]] Moment moment_of(const ApplicationParts& parts);

}  // namespace dlscope::app
