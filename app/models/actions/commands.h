// Commands: what a person asked for during a frame. Panels only push; the application carries them out after the
// frame, so that no panel changes what another one is drawing.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "app/models/actions/action_id.h"
#include "app/models/actions/key_chord.h"
#include "app/models/actions/view_options.h"
#include "app/models/debug/breakpoint_list.h"
#include "app/models/focus/focus.h"
#include "app/models/heatmap/heatmap_request.h"
#include "app/models/hex/byte_edits.h"
#include "app/models/hex/hex_task.h"
#include "app/models/history/history_answers.h"
#include "app/models/host/questions.h"
#include "app/models/table/tensor_table_model.h"
#include "app/models/text/text_search.h"
#include "app/models/values/compared_sides.h"
#include "app/models/values/value_task.h"
#include "core/compare/comparison.h"
#include "core/files/file_format.h"
#include "core/search/value_search.h"
#include "core/wire/debugging.h"
#include "core/wire/work.h"

namespace dlscope::app {

namespace command {
struct RunScript {
  std::string stop_at = {};  // as --at has it; "": nowhere
};
struct RunText {
  std::string text;
  bool of_script = false;      // a part of the script: tracebacks name its file and lines
  std::size_t first_line = 0;  // zero-based, where that part begins
};  // in the namespace of the last run: a selection, a console line
struct StopScript {};
struct ResumeScript {
  core::wire::ResumeKind kind = core::wire::ResumeKind::go;
  std::string path;  // with run_to: where
  std::uint32_t line = 0;
};  // at a stop
struct PauseScript {};
struct ChooseFrame {
  std::uint32_t frame = 0;  // of the stop
};
struct LetFramesGo {};  // that are kept after an exception
struct ToggleBreakpoint {
  std::string path;  // BreakpointList's
  std::uint32_t line = 0;
};
struct PutBreakpoint {
  core::wire::Breakpoint breakpoint;  // replaces the one of its number; 0: sets it
};
struct RemoveAllBreakpoints {};
struct MoveBreakpoints {
  std::string path;
  std::vector<LineEdit> edits;
};  // the text of a file was edited
struct SetStopOnRaise {
  bool on = false;
};
struct SetWatches {
  std::vector<std::string> expressions;
};
struct ReadSource {
  std::string path;
};  // a file of the stack, to be shown beside the script
struct KillHost {};
struct RestartHost {};
struct Rescan {};
struct OpenScript {
  std::string path;
};
struct OpenTour {};
struct NewScript {};
struct SaveScript {
  std::string path;      // "": where it came from
  bool replace = false;  // also when that loses what stands there
};
struct ReloadScript {};  // takes what is on disk; Undo brings back what was typed
struct KeepMine {};      // the text stays, what is on disk may be overwritten
struct FindInScript {
  FindQuery query;
  std::shared_ptr<const std::string> text;
  std::uint64_t revision = 0;  // of that text, in the editor
};
struct ReplaceInScript {
  FindQuery query;
  std::string replacement;
  std::shared_ptr<const std::string> text;
  std::uint64_t revision = 0;
};
struct RestoreText {};  // the unsaved text an earlier session left behind
struct SendInput {
  std::string text;
};
struct ClearOutput {};
struct KeepHistory {
  std::string entry;
};  // typed at the console: kept for later sessions
struct GoToSource {
  std::string path;      // as a traceback names it
  std::size_t line = 0;  // one-based
};
struct SelectTensor {
  std::uint32_t tensor = core::kNone32;
};  // kNone32: nothing
struct CompareTensor {
  std::uint32_t tensor = core::kNone32;
};  // a second one beside the selected; kNone32, or the one that is: none
struct Hover {
  Focus focus;
};  // last one in a frame wins; none pushed: nothing is hovered
struct Pin {
  Focus focus;
};  // stays when the mouse leaves, until LetGo or another Pin
struct LetGo {};  // of the pinned focus; without one, of the selection
struct ReadValues {
  ValueTask task;
};  // answered in the values view
struct WorkOnBytes {
  HexTask task;
};  // answered in the hex view
// Into the memory of the selected tensor, by the host; answered in the hex view.
struct WriteBytes {
  ByteWrite write;
};
// Asks Python; the answer is in FrameContext::answers some frames later.
struct AskPython {
  Question question;
};
struct FindPlaces {
  std::string query;
};  // for the palette: tensors and elements a query names
struct AskRows {
  TableQuery query;
};
// Of the selected tensor's memory, by the host. pinned: also while code runs, which that code may notice.
struct HoldMemory {
  bool pinned = false;
};
struct ReleaseMemory {};
// Through all values of the selected tensor, in the host, however long it takes.
struct SearchValues {
  core::SearchedValue sought = core::SearchedValue::special;
  std::string text;  // with equal: the number
};
// Of all values of a tensor; the answer is in FrameContext::statistics some frames later.
struct ComputeStatistics {
  std::uint32_t tensor = core::kNone32;
};
// Tiles of a heat map; they are in FrameContext::heatmap some frames later.
struct DrawHeatmap {
  HeatmapRequest request;
};
struct SurveyTensors {};  // NaN, extremes and mean of every tensor of the table
// Handing over, copying and proving tensors of the snapshot shown, by the host; what comes of it is shown in the exchange view.
struct HandTo {
  core::wire::HandTo work;
};
struct CopyTensor {
  core::wire::CopyTensor work;
};
struct Prove {
  core::wire::Prove work;
};
// The selected tensor, A, with the one held against it, B: value by value, however long it takes. Answered in the compare view.
struct CompareValues {
  std::uint64_t ticket = 0;  // the view's own number, to know the answer again
  core::Tolerance tolerance;
  bool broadcast = false;  // B is repeated to the shape of A
};
// A is the selected tensor as it was remembered at that moment, B the selected one; 0: A is the selected one, B the one held against it.
struct CompareWithMoment {
  std::uint64_t moment = 0;
  bool newest_before = false;  // instead: the newest one before what is shown that has its bytes
};
// Tiles of a picture of the compare view; they are in FrameContext::compared_sides some frames later.
struct DrawComparison {
  ComparePicture picture{};
  HeatmapRequest request;
};
// The next element behind `from` at which A and B differ, or the one before; at the end it goes on from the other. It is pinned.
struct FindMismatch {
  std::optional<std::uint64_t> from;  // nullopt: from the beginning, or the end
  bool forward = true;
};
// A moment of the history: shown in the place of the last look, as it was then. 0, and the newest one: back to now.
struct LookAt {
  std::uint64_t moment = 0;
};
// From here on the tensor's bytes are kept at every look, or a hash of each block of them; no: they are not. kNone32: the selected one.
struct RememberTensor {
  std::uint32_t tensor = core::kNone32;
  Remember how = Remember::bytes;
};
// What is different between two kept moments, with the rows that pass a filter; answered in the history view.
struct FindDifferences {
  DifferenceQuery query;
};
// Since when the tensor is as it is, over the kept moments up to the one that is shown; answered in the history view.
struct FindSinceWhen {
  SinceWhenQuery query;
};
// The marks at the names of the table say what is different from that moment; 0: from the run before, as usual.
struct MarkAgainst {
  std::uint64_t moment = 0;
};
// From the tensors of a file back to the script's.
struct LeaveFile {};
// The selected tensor, or a slice of it, as a file in the working folder.
struct ExportTensor {
  core::TensorFileFormat format{};
  std::optional<AxisMapping> slice = {};  // only its rows and columns; nullopt: all of the tensor
};
// What the heat map shows, as it shows it, as a PNG in the working folder. figure: with title, axes and legend around it, as the panel
// draws them; else a pixel for each of its points and nothing else.
struct ExportHeatmap {
  bool figure = false;
};
struct SetScale {
  float scale = 1;
};
struct Rebind {
  ActionId action{};
  std::optional<std::vector<KeyChord>> chords;
};  // nullopt: as delivered
struct SetReducedMotion {
  bool reduced = false;
};
struct ChoosePython {
  std::string path;
};  // restarts the host with it and remembers it
struct LookForPythons {
  std::string asked;
};  // a path to look at besides those that are found
struct ReadFolder {
  std::string folder;
};  // for the file browser
struct SavePicture {};  // of the window as it is
struct SaveReport {};
struct CancelTask {
  std::uint64_t id = 0;
};  // of the list of tasks
struct ClearTasks {};  // those that ended leave the list
struct SetTheme {
  ThemeChoice theme{};
};
struct SetLayout {
  LayoutPreset layout{};
};  // arranges the panels anew, also when it is the current one
struct DismissNotice {
  std::uint64_t id = 0;
};
struct Ask {
  ActionId action{};
};  // as if it had been picked from its menu
struct Quit {};
}  // namespace command

// One on a line, so that two people can add one.
// clang-format off
using Command = std::variant<
    command::RunScript,
    command::RunText,
    command::StopScript,
    command::KillHost,
    command::RestartHost,
    command::Rescan,
    command::ResumeScript,
    command::PauseScript,
    command::ChooseFrame,
    command::LetFramesGo,
    command::ToggleBreakpoint,
    command::PutBreakpoint,
    command::RemoveAllBreakpoints,
    command::MoveBreakpoints,
    command::SetStopOnRaise,
    command::SetWatches,
    command::ReadSource,
    command::OpenScript,
    command::OpenTour,
    command::NewScript,
    command::SaveScript,
    command::RestoreText,
    command::SendInput,
    command::ClearOutput,
    command::SelectTensor,
    command::CompareTensor,
    command::Hover,
    command::Pin,
    command::LetGo,
    command::ReadValues,
    command::WorkOnBytes,
    command::WriteBytes,
    command::AskPython,
    command::AskRows,
    command::HoldMemory,
    command::ReleaseMemory,
    command::SearchValues,
    command::ComputeStatistics,
    command::SurveyTensors,
    command::DrawHeatmap,
    command::HandTo,
    command::CopyTensor,
    command::Prove,
    command::CompareValues,
    command::CompareWithMoment,
    command::DrawComparison,
    command::FindMismatch,
    command::ExportTensor,
    command::ExportHeatmap,
    command::LeaveFile,
    command::LookAt,
    command::RememberTensor,
    command::FindDifferences,
    command::FindSinceWhen,
    command::MarkAgainst,
    command::SetScale,
    command::SetTheme,
    command::FindPlaces,
    command::SetLayout,
    command::DismissNotice,
    command::Ask,
    command::Rebind,
    command::SetReducedMotion,
    command::ChoosePython,
    command::LookForPythons,
    command::ReadFolder,
    command::SavePicture,
    command::SaveReport,
    command::CancelTask,
    command::ClearTasks,
    command::ReloadScript,
    command::KeepMine,
    command::FindInScript,
    command::ReplaceInScript,
    command::KeepHistory,
    command::GoToSource,
    command::Quit>;
// clang-format on

class Commands {
 public:
  Commands();
  ~Commands();
  Commands(const Commands&) = delete;
  Commands& operator=(const Commands&) = delete;

  // For each command of the list above, and for Command itself. Defined in commands.cpp: what moves and destroys a variant of all
  // commands takes the compiler more than a second, which every panel would pay.
  template <class Asked>
  void push(Asked command);
  void push_copy(const Command& command);
  // Hands them over in `out`, whose room is used for the next ones.
  void take(std::vector<Command>& out);
  [[nodiscard]] bool empty() const;

 private:
  std::vector<Command> list_;
};

}  // namespace dlscope::app
