// Commands: what a person asked for during a frame. Panels only push them; the application carries them out after the frame, so
// that no panel changes what another one is drawing.
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
#include "app/models/history/history_query.h"
#include "app/models/host/questions.h"
#include "app/models/table/table_order.h"
#include "app/models/text/text_search.h"
#include "app/models/values/compared_sides.h"
#include "app/models/values/value_task.h"
#include "core/compare/comparison.h"
#include "core/files/file_format.h"
#include "core/search/value_search.h"
#include "core/wire/debugging.h"
#include "core/wire/work_requests.h"

namespace dlscope::app {

namespace command {
struct RunScript {
  std::string stop_at = {};  // as in --at; "": do not stop
};
struct RunText {
  std::string text;
  bool of_script = false;      // a part of the script: tracebacks name its file and lines
  std::size_t first_line = 0;  // zero-based, where that part begins
};  // runs in the namespace of the last run: a selection, a console line
struct InterruptScript {};
struct ResumeScript {
  core::wire::ResumeKind kind = core::wire::ResumeKind::go;  // not run_to: that is RunToLine
};                                                           // continues from a stop
struct RunToLine {
  std::string path;  // as in BreakpointList
  std::uint32_t line = 0;
};  // continues from a stop, or else runs the script, and stops there once
struct PauseScript {};
struct ChooseFrame {
  std::uint32_t frame = 0;  // of the stop
};
struct ReleaseFrames {};  // the frames kept after an exception
struct ToggleBreakpoint {
  std::string path;  // as in BreakpointList
  std::uint32_t line = 0;
};
struct PutBreakpoint {
  core::wire::Breakpoint breakpoint;  // replaces the one with its id; id 0: adds it
};
struct RemoveAllBreakpoints {};
struct MoveBreakpoints {
  std::string path;
  std::vector<LineEdit> edits;
};  // moves breakpoints after edits of a file
struct SetStopOnRaise {
  bool on = false;
};
struct SetStopOnUncaught {
  bool on = false;
};
struct SetWatches {
  std::vector<std::string> expressions;
};
struct ReadSource {
  std::string path;
};  // a file of the stack, to show beside the script
struct KillHost {};
struct RestartHost {};
struct Rescan {};
struct OpenScript {
  std::string path;
};
struct OpenTour {};
struct NewScript {};
struct SaveScript {
  std::string path;      // "": the file it was opened from
  bool replace = false;  // also when that overwrites changes on disk
  std::uint64_t document = 0;  // only while this one is open (ScriptModel::document); 0: whichever is
};
struct ReloadScript {};  // takes the text on disk; Undo brings back what was typed
struct KeepMine {};      // keeps the typed text; what is on disk may be overwritten
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
struct RestoreText {
  std::uint64_t id = 0;  // as in PutAsideTexts
};  // takes back a text that was put aside, or that an earlier session left
struct SendInput {
  std::string text;
};
struct ClearOutput {};
struct KeepHistory {
  std::string entry;
};  // stores a console entry for later sessions
struct GoToSource {
  std::string path;      // as a traceback names it
  std::size_t line = 0;  // one-based
};
struct SelectTensor {
  std::uint32_t tensor = core::kNone32;
};  // kNone32: deselects
struct CompareTensor {
  std::uint32_t tensor = core::kNone32;
};  // compares with the selected one; kNone32, or the compared tensor again: none
struct Hover {
  Focus focus;
};  // the last one in a frame counts; without one nothing is hovered
struct Pin {
  Focus focus;
};  // stays when the mouse leaves, until Deselect or another Pin
// Pins an element that was found earlier, of a tensor that is looked up by its name: ids may mean other tensors by now.
struct GoToFound {
  std::string name;
  std::uint64_t element = 0;
  std::uint64_t process = 0;  // the tensors searched, as in SnapshotSource
  std::uint64_t moment = 0;   // the past moment searched; 0: none was shown
};
struct Deselect {};  // releases one thing, in this order: selected cells, the pin, the compared tensor, the past moment
struct ReadValues {
  ValueTask task;
};  // the answer goes to the values view
struct WorkOnBytes {
  HexTask task;
};  // the answer goes to the hex view
// The host writes into the selected tensor's memory; the answer goes to the hex view.
struct WriteBytes {
  ByteWrite write;
};
// Asks Python; the answer is in FrameContext::answers some frames later.
struct AskPython {
  Question question;
};
struct FindPlaces {
  std::string query;
};  // for the palette: tensors and elements that a query names
struct AskRows {
  TableQuery query;
};
// The host takes a lease on the selected tensor's memory. pinned: keep it also while code runs, which that code may notice.
struct HoldMemory {
  bool pinned = false;
};
struct ReleaseMemory {
  std::uint64_t lease = 0;  // 0: the one on the selected tensor
  std::string name = {};    // of that lease's tensor
};
// Searches all values of the selected tensor, in the host, however long it takes. Sought is what the library means by them, also
// where the values are shown as they are stored.
struct SearchValues {
  core::SearchedValue sought = core::SearchedValue::special;
  std::string text;  // with equal: the number
};
// Statistics of all values of a tensor; in FrameContext::statistics some frames later.
struct ComputeStatistics {
  std::uint32_t tensor = core::kNone32;
  std::uint16_t field = core::kNone16;  // as in HeatmapRequest
};
// The values, the statistics and the heat map show this field of the tensor from the next frame on.
struct ChooseField {
  std::uint32_t tensor = core::kNone32;
  std::uint16_t field = core::kNone16;  // kNone16: all of it
};
// Reads tiles of a heat map; they are in FrameContext::heatmap some frames later.
struct DrawHeatmap {
  HeatmapRequest request;
};
struct SurveyTensors {};  // NaN, extremes and mean of every tensor of the table
// The host hands over, copies or proves tensors of the shown snapshot; the result is shown in the exchange view.
struct HandTo {
  core::wire::HandTo work;
};
struct CopyTensor {
  core::wire::CopyTensor work;
};
// Of the selected tensor: what the views show, and what copies, hand-overs and exports take ("[1:3, ::2]"; "": all of it).
struct ChooseSlice {
  std::string slice;
  bool to_copy = false;  // shows the tab for copies, too
};
struct Prove {
  core::wire::Prove work;
};
// Compares the selected tensor (A) with the compared one (B) value by value, however long it takes; the answer goes to the
// compare view.
struct CompareValues {
  std::uint64_t ticket = 0;  // the view's own number, to match the answer
  core::Tolerance tolerance;
  bool broadcast = false;  // B is repeated to the shape of A
};
// Compares the selected tensor (B) with its remembered bytes of that moment (A). 0: A is the selected tensor, B the compared one.
struct CompareWithMoment {
  std::uint64_t moment = 0;
  bool newest_before = false;  // instead: the newest moment before the shown one that has its bytes
};
// Compares the selected tensor (A) with one of a tensor file (B): the one of the same name, until another one is chosen. The file
// is opened as a task; "": closes it again.
struct CompareWithFile {
  std::string path;
};
// Chooses that tensor of the opened file.
struct CompareWithFileTensor {
  std::uint32_t tensor = core::kNone32;
};
// Reads tiles for a picture of the compare view; they are in FrameContext::compared_sides some frames later.
struct DrawComparison {
  ComparePicture picture{};
  HeatmapRequest request;
};
// Finds the next element after `from` at which A and B differ, or the previous one, and pins it. Wraps around at the end.
struct FindMismatch {
  std::optional<std::uint64_t> from;  // nullopt: from the beginning, or the end
  bool forward = true;
};
// Shows a kept moment in place of the newest one. 0, or the newest moment's number: back to the newest.
struct ShowMoment {
  std::uint64_t moment = 0;
};
// Remembers the tensor's bytes at every scan from here on, or a hash of each block; no: stops that. kNone32: the selected tensor.
struct RememberTensor {
  std::uint32_t tensor = core::kNone32;
  Remember how = Remember::bytes;
};
// Finds the differences of two kept moments, with the rows that pass a filter; the answer goes to the history view.
struct FindDifferences {
  DifferenceQuery query;
};
// Finds since when the tensor is as it is in the shown moment; the answer goes to the history view.
struct FindSinceWhen {
  SinceWhenQuery query;
};
// The change marks on the screen compare with that moment; 0: with the previous run, as usual.
struct MarkAgainst {
  std::uint64_t moment = 0;
};
// Closes the tensor file and shows the script's tensors again.
struct LeaveFile {};
// Writes the selected tensor, or a slice of it, to a file in the working folder.
struct ExportTensor {
  core::TensorFileFormat format{};
  std::optional<AxisMapping> slice = {};  // writes only its rows and columns; nullopt: all of the tensor
};
// Writes what the heat map shows as a PNG in the working folder. figure: as the panel draws it, with title, axes and legend; else
// only the picture, one pixel for each point.
struct ExportHeatmap {
  bool figure = false;
};
struct SetScale {
  float scale = 1;
};
struct Rebind {
  ActionId action{};
  std::optional<std::vector<KeyChord>> chords;
};  // nullopt: the default keys
struct SetReducedMotion {
  bool reduced = false;
};
struct ChoosePython {
  std::string path;
};  // restarts the host with it and stores the choice, if it can be used
struct LookForPythons {
  std::string asked;
};  // a path to look at besides the ones that are found
struct ReadFolder {
  std::string folder;
};  // for the file browser
struct SavePicture {};  // of the window as it is
struct SaveReport {};
// Writes the text to a new file in the working folder, named by the time: prefix, time, suffix.
struct SaveText {
  std::string what;  // "The proof", for the notice
  std::string prefix, suffix;
  std::string text;
};
struct CancelTask {
  std::uint64_t id = 0;
};  // in the list of tasks
struct ClearTasks {};  // removes ended tasks from the list
struct SetTheme {
  ThemeChoice theme{};
};
struct SetLayout {
  LayoutPreset layout{};
};  // arranges the panels again, also when it is the current layout
struct DismissNotice {
  std::uint64_t id = 0;
};  // gives up what it offers
struct Ask {
  ActionId action{};
};  // as if it had been picked from its menu
struct Quit {};
}  // namespace command

// One per line, so that two people can add one each without a conflict.
// clang-format off
using Command = std::variant<
    command::RunScript,
    command::RunText,
    command::InterruptScript,
    command::KillHost,
    command::RestartHost,
    command::Rescan,
    command::ResumeScript,
    command::RunToLine,
    command::PauseScript,
    command::ChooseFrame,
    command::ReleaseFrames,
    command::ToggleBreakpoint,
    command::PutBreakpoint,
    command::RemoveAllBreakpoints,
    command::MoveBreakpoints,
    command::SetStopOnRaise,
    command::SetStopOnUncaught,
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
    command::GoToFound,
    command::Deselect,
    command::ReadValues,
    command::WorkOnBytes,
    command::WriteBytes,
    command::AskPython,
    command::AskRows,
    command::HoldMemory,
    command::ReleaseMemory,
    command::SearchValues,
    command::ComputeStatistics,
    command::ChooseField,
    command::SurveyTensors,
    command::DrawHeatmap,
    command::HandTo,
    command::CopyTensor,
    command::ChooseSlice,
    command::Prove,
    command::CompareValues,
    command::CompareWithMoment,
    command::CompareWithFile,
    command::CompareWithFileTensor,
    command::DrawComparison,
    command::FindMismatch,
    command::ExportTensor,
    command::ExportHeatmap,
    command::LeaveFile,
    command::ShowMoment,
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
    command::SaveText,
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

  // Instantiated in commands.cpp for each command and for Command itself: code that moves and destroys the variant takes the
  // compiler more than a second, which otherwise every panel would pay.
  template <class Asked>
  void push(Asked command);
  void push_copy(const Command& command);
  // Swaps: `out` gets the commands, and its memory is used for the next ones.
  void take(std::vector<Command>& out);
  [[nodiscard]] bool empty() const;

 private:
  std::vector<Command> list_;
};

}  // namespace dlscope::app
