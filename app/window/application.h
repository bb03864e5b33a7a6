// Application: everything behind the window, without ImGui: the script, the host, the snapshots and what is derived from
// them, the selection. A frame is: update() takes in what happened, draw() lets the panels draw it, carry_out() does
// what was asked for. The same object draws pictures, with a snapshot given and no host.
// thread: UI.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "app/host/input_watch.h"
#include "app/host/thread_watch.h"
#include "app/models/actions/commands.h"
#include "app/models/actions/keymap.h"
#include "app/models/actions/notices.h"
#include "app/models/host/host_status.h"
#include "app/models/host/python_entry.h"
#include "app/models/host/questions.h"
#include "app/models/inspector/inspector_model.h"
#include "app/models/jobs/worker.h"
#include "app/models/script/output_model.h"
#include "app/models/script/script_model.h"
#include "app/models/table/tensor_table_model.h"
#include "app/models/tensors/group_colours.h"
#include "app/models/tensors/snapshot_index.h"
#include "app/models/tensors/tensor_state.h"
#include "app/panels/workspace.h"
#include "app/session/file_watch.h"
#include "app/session/settings.h"
#include "app/session/unsaved_text.h"
#include "app/window/host_link.h"

namespace dlscope::app {

struct ApplicationOptions {
  std::vector<std::string> arguments;  // sys.argv[1:] of every run
  std::string tour_path;               // "": the tour is not installed
  LayoutPreset layout = LayoutPreset::debug;
  ThemeChoice theme = ThemeChoice::dark;
  float scale = 1;
  std::function<void()> wake;  // from any thread: another frame is due
  Settings settings;           // as they were read; options that win over them are above
  std::string settings_file;   // where changes go; "": nowhere
  std::string state_folder;    // where unsaved text is kept; "": nowhere
};

class Application {
 public:
  // link may be null: no host, for pictures. Otherwise the host is started now.
  Application(ApplicationOptions options, std::unique_ptr<HostLink> link);
  ~Application();
  Application(const Application&) = delete;
  Application& operator=(const Application&) = delete;

  // Before ImGui::NewFrame. True when something changed that a frame should show.
  bool update();
  // Between ImGui::NewFrame and ImGui::Render.
  void draw(const Fonts& fonts);
  // After the frame. True when something was done: another frame should follow.
  bool carry_out();

  // For the start, for pictures and for tests.
  void load_text(std::string path, std::string text);
  core::Result<void> load_script(const std::string& path);
  void run_script();
  void show_snapshot(core::SnapshotPtr snapshot);
  void show_outcome(core::RunOutcome outcome) { outcome_ = std::move(outcome); }
  void show_host(HostStatus status);
  void show_output(std::string_view text) { output_.append(text); }
  void select(const std::string& name_path);  // also before the tensor exists: taken up when it appears
  void add_notice(Tone tone, std::string text) { notices_.add(tone, std::move(text)); }
  void show_held(HeldTensors held) { held_ = std::move(held); }  // of the tensors shown
  void read_memory_with(std::shared_ptr<core::MemoryReader> reader) { reader_ = std::move(reader); }
  void finish_background_work() { worker_->finish_all(); }
  // The file a picture of the next frame is wanted in; nullopt: none is wanted. Asking takes the wish.
  std::optional<std::string> take_picture_wish() { return std::exchange(picture_wish_, std::nullopt); }
  // Work that ends in a notice: `done`, or what failed.
  void in_background(std::function<core::Result<void>()> work, std::string done);
  // The window is about to close: where it stands, and what was arranged by hand in the last seconds.
  void note_window(const WindowPlace& place);
  [[nodiscard]] const Settings& settings() const { return settings_; }
  [[nodiscard]] const Keymap& keys() const { return keys_; }
  [[nodiscard]] const PythonList& pythons() const { return pythons_; }

  [[nodiscard]] bool quit_requested() const { return quit_; }
  // Milliseconds until a frame is due by itself: values are watched while code runs. 0: none is.
  [[nodiscard]] int next_frame_in() const { return panels_.values.next_frame_in; }
  [[nodiscard]] float scale() const { return options_.scale; }
  void set_scale(float scale) { options_.scale = scale; }
  [[nodiscard]] ThemeChoice theme() const { return options_.theme; }
  [[nodiscard]] std::string title() const;
  [[nodiscard]] const IndexPtr& index() const { return tensors_.index(); }
  // When what is shown was seen, and what has happened since.
  [[nodiscard]] Moment moment() const;
  [[nodiscard]] const HeldTensors& held() const { return held_; }
  [[nodiscard]] std::uint32_t selected() const { return selected_; }
  [[nodiscard]] const Focus& focus() const { return hover_.on_tensor() ? hover_ : pinned_; }
  [[nodiscard]] const Focus& pinned() const { return pinned_; }
  [[nodiscard]] std::uint32_t compared() const { return compared_; }
  [[nodiscard]] LayoutPreset layout() const { return options_.layout; }
  [[nodiscard]] const HostStatus& host() const { return host_; }
  [[nodiscard]] const core::RunOutcome& outcome() const { return outcome_; }
  [[nodiscard]] const OutputModel& output() const { return output_; }
  [[nodiscard]] const TensorTableModel& tensors() const { return tensors_; }
  [[nodiscard]] const Questions& questions() const { return questions_; }
  [[nodiscard]] const Notices& notices() const { return notices_; }
  [[nodiscard]] const ScriptModel& script() const { return script_; }
  [[nodiscard]] PanelStates& panels() { return panels_; }
  [[nodiscard]] Commands& commands() { return commands_; }

 private:
  void take(const LinkEvent& event);
  void take(const HostEvent& event);
  void host_gone(HostState state, std::string why);
  void ask_rows(TableQuery query);
  void accept_index(const IndexPtr& index, OrderPtr order, std::uint64_t process);
  void give_back_retired();
  void find_places_for(std::string query);
  void set_selection(std::uint32_t tensor);
  void compare_with(std::uint32_t tensor);
  void pin(const Focus& focus);
  enum class RunKind : std::uint8_t { script, part_of_script, console };
  void run_text(const command::RunText& run);
  void start_run(std::string text, RunKind kind);
  void read_values(ValueTask task);
  void restart_host();
  bool watch_input();
  void stop_script();
  void kill_host();
  void go_to_source(const command::GoToSource& place);
  void load_history();
  void keep_history(const std::string& entry);
  void put_questions();
  void choose_python(const std::string& path);
  void look_for_pythons(const std::string& asked);
  void learn_libraries(const PythonChoice& python);
  void read_folder(const std::string& folder);
  void save_report();
  void take_up_settings();
  void take_arrangement();
  void set_layout(LayoutPreset layout);
  void rebind(const command::Rebind& change);
  void note_recent_file(const std::string& path);
  void keep_settings();
  void job_failed(const std::string& why);
  void open_script(const std::string& path);
  void take_opened(const std::string& path, const core::Result<FileText>& text);
  void put_aside_changed_text();
  void keep_unsaved_text(const std::string& now);
  void offer_unsaved_text();
  void restore_unsaved_text();
  void save_script(const command::SaveScript& save);
  bool would_lose(const std::string& target);
  void watch_script();
  bool take_file_changes();
  void take(const FileChange& change);
  void reload_script();
  void keep_mine();
  void note_script_edit();
  bool settle_script_edit();
  void find_in_script(const command::FindInScript& find);
  void replace_in_script(const command::ReplaceInScript& replace);
  void carry_out_one(const Command& command);

  ApplicationOptions options_;
  ScriptModel script_;
  OutputModel output_;
  TensorTableModel tensors_;
  struct {
    IndexPtr index;
    OrderPtr order;
  } retired_;  // shown before. Freed by the worker: as many names and rows as there were tensors are no work for a frame
  std::optional<Inspection> inspection_;
  Notices notices_;
  std::shared_ptr<core::MemoryReader> reader_;  // of the host's process; null: none
  HostStatus host_;
  core::RunOutcome outcome_;
  core::Scanned scanned_ = core::Scanned::none;
  Timeline timeline_;
  std::uint64_t shown_process_ = 0;   // of the index shown, by the timeline's count
  HeldTensors held_;                  // of the index shown
  std::uint64_t comparable_from_ = 0; // earlier runs were of another script or process: they are not compared with
  Questions questions_;
  std::optional<std::chrono::steady_clock::time_point> asked_since_;  // a question is open
  Settings settings_, kept_settings_;
  PythonList pythons_;
  std::optional<std::string> picture_wish_;
  std::uint64_t generation_ = 0;  // of the index shown
  Focus hover_, next_hover_;
  Focus pinned_;  // on the selected tensor, or on nothing
  std::uint32_t selected_ = core::kNone32;
  std::uint32_t compared_ = core::kNone32;  // a second tensor, held against the selected one
  std::string compared_name_;
  std::string selected_name_;                   // kept across runs
  bool shown_any_ = false;                      // a snapshot with tensors was shown before
  std::optional<core::wire::Run> waiting_run_;  // asked for before the host was ready
  std::uint64_t next_run_ = 1;
  bool kill_offered_ = false;  // it was said what Kill would lose
  RunKind last_run_ = RunKind::script;
  ScriptIdentity last_script_;  // that was run last as a whole
  bool quit_ = false;
  Keymap keys_;
  PanelStates panels_;
  Commands commands_;
  std::vector<Command> taken_commands_;  // being carried out
  bool edit_pending_ = false;            // a large text was typed into and not compared yet
  std::chrono::steady_clock::time_point edit_noted_at_;
  UnsavedTextStore unsaved_;
  std::optional<std::size_t> line_to_reveal_;                                 // in the file that is being opened
  std::optional<UnsavedText> left_behind_;                                    // offered in a notice
  std::shared_ptr<GroupColours> colours_ = std::make_shared<GroupColours>();  // used by the worker only
  std::unique_ptr<Worker> worker_;
  std::unique_ptr<Worker> probes_;  // runs interpreters, which may take seconds each
  std::unique_ptr<FileWatch> watch_;
  std::unique_ptr<InputWatch> input_watch_;
  std::unique_ptr<ThreadWatch> thread_watch_;
  std::unique_ptr<HostLink> link_;  // last: goes first
};

}  // namespace dlscope::app
