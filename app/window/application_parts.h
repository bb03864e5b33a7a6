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
#include "app/models/jobs/job_pool.h"
#include "app/models/jobs/task_runner.h"
#include "app/models/script/output_model.h"
#include "app/panels/workspace.h"
#include "app/session/script_document.h"
#include "app/session/settings_keeper.h"
#include "app/window/commands/exported_picture.h"
#include "app/window/history/past.h"
#include "app/window/history/remembering.h"
#include "app/window/host/debugging.h"
#include "app/window/host/host_connection.h"
#include "app/window/python_catalogue.h"
#include "app/window/shown/shown_tensors.h"
#include "app/window/shown/walk_tasks.h"

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

// Pictures that wait to be written.
struct WaitingPictures {
  std::optional<ExportedPicture> heatmap;  // to be written
  std::optional<ExportedPicture> figure;   // to be cropped from the next frame
  std::optional<std::string> window;      // the file to write a picture of the next frame to
};

struct ApplicationParts {
  // link may be null: no host, for pictures. Otherwise the host is started now.
  ApplicationParts(ApplicationOptions choices, std::unique_ptr<HostLink> link);
  ~ApplicationParts();  // writes the settings and unsaved text
  ApplicationParts(const ApplicationParts&) = delete;
  ApplicationParts& operator=(const ApplicationParts&) = delete;

  // In this order: what stands below uses what stands above it.
  ApplicationOptions options;  // layout, theme and scale as they are now
  Notices notices;
  OutputModel output;  // what the script printed
  Keymap keys;
  PanelStates panels;  // what the panels keep between frames
  SettingsKeeper settings;
  ScriptBreakpoints breakpoints;
  WaitingPictures pictures;
  bool quit = false;
  JobPool jobs;
  TaskRunner tasks;
  WalkTasks walks;
  PythonCatalogue pythons;
  ScriptDocument document;
  HostConnection host;   // the host process
  ShownTensors tensors;  // what is shown of the tensors
  Past past;             // earlier moments
};

// True when the tensors on the screen are those of a file.
[[nodiscard]] bool shows_file(const ApplicationParts& parts);
// Readers for the tensors on the screen: the script's memory, a file's, or a past moment's remembered bytes. Empty where reading
// is not allowed (may_read_memory).
[[nodiscard]] const MemoryReaders& shown_memory(const ApplicationParts& parts);
// The reader for the views; null where the selected tensor must not be read.
[[nodiscard]] const core::MemoryReader* reader_of_shown(const ApplicationParts& parts);
[[nodiscard]] RememberingContext remembering(ApplicationParts& parts);
[[nodiscard]] BreakpointsContext breakpoints_of(ApplicationParts& parts);
// The heat map of the tensors on the screen.
[[nodiscard]] const HeatmapStore& shown_heatmap(const ApplicationParts& parts);
// Readers for the newest snapshot, also while a past moment is shown. Whether reading is allowed is not checked.
[[nodiscard]] const MemoryReaders& newest_memory(const ApplicationParts& parts);
// When the newest snapshot of the script's tensors was taken, also where something else is shown, and what has happened since.
[[nodiscard]] Moment moment_of_script(const ApplicationParts& parts);
// When the shown snapshot was taken, and what has happened since.
[[nodiscard]] Moment moment_of(const ApplicationParts& parts);

}  // namespace dlscope::app
