// Application: runs the frames of the window. Each frame calls update() (take in events and results), draw() (the panels draw the
// state and push commands) and carry_out() (each command goes to the part that executes it, command_routes.h). Without a host and
// with a given snapshot, the same object draws pictures.
// thread: UI.
#pragma once

#include <algorithm>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "app/models/actions/commands.h"
#include "app/window/application_parts.h"
#include "app/window/commands/heatmap_export.h"
#include "app/window/commands/proof_export.h"
#include "app/window/font_search.h"
#include "app/window/history/looking_back.h"

namespace dlscope::app {

class Application {
 public:
  // link may be null: no host, for pictures. Otherwise the host is started now.
  Application(ApplicationOptions options, std::unique_ptr<HostLink> link);
  ~Application();  // not inline, like the constructor: code that destroys commands costs each file that includes it
  Application(const Application&) = delete;
  Application& operator=(const Application&) = delete;

  // Before ImGui::NewFrame. True when something changed that a frame should show.
  bool update();
  // Whether a frame would show other bytes of tensors than the last one, or it is not known. Reads them again, and draws nothing.
  [[nodiscard]] bool seen_bytes_changed() const { return parts_.tensors.seen->changed(); }
  // Between ImGui::NewFrame and ImGui::Render.
  void draw(const Fonts& fonts);
  // After the frame. True when something changed: another frame should follow.
  bool carry_out();

  // For the start, for pictures and for tests.
  void load_text(std::string path, std::string text) { parts_.document.load_text(std::move(path), std::move(text)); }
  core::Result<void> load_script(const std::string& path) { return parts_.document.load_file(path); }
  void run_script();
  // Opens files that were dropped on the window at once, or says in a notice which of them it did not open.
  void open_dropped(std::vector<std::string> paths);
  void show_snapshot(core::SnapshotPtr snapshot);  // as one of the process that runs now, taken at no stop
  // Shows the tensors of a file that the caller has opened; `memory` reads them.
  void show_file(const std::string& path, core::SnapshotPtr snapshot, MemoryReaders memory) {
    show_tensor_file(path, std::move(snapshot), std::move(memory), parts_);
  }
  void show_host(HostSession recorded) { parts_.host.show(std::move(recorded)); }
  void show_output(std::string_view text) { parts_.output.append(text); }
  // Also before the tensor exists.
  void select(const std::string& name_path) { parts_.tensors.views.selection().select(name_path); }
  void add_notice(Tone tone, std::string text) { parts_.notices.add(tone, std::move(text)); }
  void read_memory_with(std::shared_ptr<core::MemoryReader> reader) { parts_.host.read_memory_with(std::move(reader)); }
  void finish_background_work() { parts_.jobs.finish_all(); }
  // Takes the heat map picture that waits to be written to its file; nullopt: there is none.
  std::optional<ExportedPicture> take_heatmap_picture() { return std::exchange(parts_.pictures.heatmap, std::nullopt); }
  // True when a figure is to be cut out of the next frame: read its pixels back and pass them to take_figure().
  [[nodiscard]] bool wants_figure() const { return parts_.pictures.figure || parts_.panels.exchange.proving.figure.wanted; }
  std::optional<ExportedPicture> take_figure(int width, int height, std::span<const std::byte> rgba) {
    return parts_.pictures.figure ? crop_figure(parts_, width, height, rgba) : crop_proof_figure(parts_, width, height, rgba);
  }
  // Takes the path of the file that the next frame's picture is to be written to; nullopt: none was asked for.
  std::optional<std::string> take_wanted_picture() { return std::exchange(parts_.pictures.window, std::nullopt); }
  void save_picture(std::function<core::Result<void>()> write, const std::string& path);
  void note_window(const WindowPlace& place);  // call before the window closes: saves its place
  void set_scale(float scale) { parts_.options.scale = scale; }

  [[nodiscard]] bool quit_requested() const { return parts_.quit; }
  // Call when the window has closed: changed text is stored, or fails with words for the terminal.
  [[nodiscard]] core::Result<void> store_text() { return parts_.document.close(); }
  // Milliseconds until the next frame is due without an event (live values are redrawn while code runs). 0: none is due.
  [[nodiscard]] int next_frame_in() const {
    const auto sooner = [](int a, int b) { return a == 0 || b == 0 ? std::max(a, b) : std::min(a, b); };
    return sooner(sooner(parts_.panels.values.next_frame_in, parts_.panels.hex.next_frame_in),
                  sooner(sooner(parts_.panels.output.console.next_frame_in, shown_memory(parts_).next_look_in()),
                         parts_.document.leaving() ? 100 : 0));
  }
  [[nodiscard]] std::string title() const;
  [[nodiscard]] float scale() const { return parts_.options.scale; }
  [[nodiscard]] ThemeChoice theme() const { return parts_.options.theme; }
  [[nodiscard]] LayoutPreset layout() const { return parts_.options.layout; }

  // Read access for tests and pictures.
  [[nodiscard]] bool works_in_background() const { return parts_.jobs.busy(); }
  [[nodiscard]] const HostSession& host() const { return parts_.host.session(); }
  [[nodiscard]] const core::RunOutcome& outcome() const { return host().outcome(); }
  [[nodiscard]] const Questions& questions() const { return host().questions(); }
  [[nodiscard]] const ScriptModel& script() const { return parts_.document.model(); }
  [[nodiscard]] const TensorTableModel& tensors() const { return parts_.tensors.views.tensors(); }
  [[nodiscard]] const IndexPtr& index() const { return parts_.tensors.views.index(); }
  [[nodiscard]] Moment moment() const { return moment_of(parts_); }
  [[nodiscard]] HistoryView history() const { return history_view(parts_.past, parts_.tensors.views); }
  [[nodiscard]] const HeldTensors& held() const { return parts_.tensors.views.held(); }
  [[nodiscard]] const Selection& selection() const { return parts_.tensors.views.selection(); }
  [[nodiscard]] std::uint32_t selected() const { return selection().selected(); }
  // Of the index: rises with each one shown.
  [[nodiscard]] std::uint64_t generation() const { return parts_.tensors.views.generation(); }
  [[nodiscard]] std::uint32_t compared() const { return selection().compared(); }
  [[nodiscard]] const Focus& focus() const { return selection().focus(); }
  [[nodiscard]] const Focus& pinned() const { return selection().pinned(); }
  [[nodiscard]] const OutputModel& output() const { return parts_.output; }
  [[nodiscard]] const Notices& notices() const { return parts_.notices; }
  [[nodiscard]] const TaskList& tasks() const { return parts_.tasks.list(); }
  [[nodiscard]] const StatisticsStore& statistics() const { return parts_.tensors.statistics.store(); }
  [[nodiscard]] const TouchCounts& touches() const { return parts_.tensors.touches.counts(); }
  [[nodiscard]] const HeatmapStore& heatmap() const { return parts_.tensors.heatmap.store(); }
  [[nodiscard]] const ComparedSides& compared_sides() const { return parts_.tensors.compare.sides(); }
  [[nodiscard]] const Settings& settings() const { return parts_.settings.values(); }
  [[nodiscard]] const Keymap& keys() const { return parts_.keys; }
  [[nodiscard]] const PythonList& pythons() const { return parts_.pythons.list(); }
  [[nodiscard]] PanelStates& panels() { return parts_.panels; }
  [[nodiscard]] Commands& commands() { return commands_; }

 private:
  void show_arrived(ArrivedSnapshot arrived);

  ApplicationParts parts_;
  Commands commands_;
  std::vector<Command> taken_commands_;  // being carried out
  FontSearch font_search_;
  bool looks_again_ = false;  // while threads of the script may write what is seen
};

}  // namespace dlscope::app
