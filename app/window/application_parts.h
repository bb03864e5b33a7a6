// ApplicationParts: everything behind the window, each part tested alone, and how they are wired to one another.
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
#include "app/window/snapshot_views.h"
#include "app/window/statistics_work.h"

namespace dlscope::app {

struct ApplicationOptions {
  std::vector<std::string> arguments;  // sys.argv[1:] of every run
  std::string module;                  // that the script shown first is run as; "": as a script
  std::string tour_path;               // "": the tour is not installed
  LayoutPreset layout = LayoutPreset::debug;
  ThemeChoice theme = ThemeChoice::dark;
  float scale = 1;
  std::function<void()> wake;  // from any thread: another frame is due
  Settings settings;           // as they were read; options that win over them are above
  std::string settings_file;   // where changes go; "": nowhere
  std::string state_folder;    // where unsaved text is kept; "": nowhere
};

// What was last seen of the script's tensors, to go back to from those of a file.
struct ScriptLook {
  core::SnapshotPtr snapshot;  // null: nothing was looked at
  SnapshotSource source;
  std::string selected;  // the name of the tensor that was selected
};

struct ApplicationParts {
  // link may be null: no host, for pictures. Otherwise the host is started now.
  ApplicationParts(ApplicationOptions choices, std::unique_ptr<HostLink> link);
  ~ApplicationParts();  // writes what is to be kept
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
  std::optional<HeatmapPicture> heatmap_figure;   // to be cut out of the next frame
  std::optional<std::string> wanted_picture;      // the file a picture of the next frame is wanted in
  bool quit = false;
  JobPool jobs;
  TaskRunner tasks;
  PythonCatalogue pythons;
  SnapshotViews views;
  ScriptDocument document;
  HostConnection host;
  StatisticsWork statistics;
  ScriptLook script_look;
  std::uint64_t files_opened = 0;  // so far
  HeatmapWork heatmap;
  ComparePictures compare_pictures;
  MomentHistory history;
  HistoryAnswers history_answers;
  TensorTrailPtr since_when_trail = std::make_shared<TensorTrail>();  // of the tensor that was asked about last
  RememberedTensors remembered;
  RememberedFetch remembered_fetch;
  RememberedPast remembered_past;  // what is shown of the moment that is looked back at
  // Of its remembered tensors.
  StatisticsWork past_statistics;
  HeatmapWork past_heatmap;
  std::uint64_t newest_when_left = 0;  // while one looks back: the newest moment when that began
  std::uint64_t marked_against = 0;    // the moment that the marks in the table are against; 0: the run before
  const MemoryReaders nothing_to_read = {};
};

// The tensors on the screen are those of a file.
[[nodiscard]] bool shows_file(const ApplicationParts& parts);
// The readers of what is on the screen: of the script's memory, or of the file's; none where its moment forbids reading.
[[nodiscard]] const MemoryReaders& shown_memory(const ApplicationParts& parts);
// The same for the newest look, which stands behind a moment that is looked back at.
[[nodiscard]] const MemoryReaders& newest_memory(const ApplicationParts& parts);
// When what is shown was seen, and what has happened since.
[[nodiscard]] Moment moment_of(const ApplicationParts& parts);

}  // namespace dlscope::app
