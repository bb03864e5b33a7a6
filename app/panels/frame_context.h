// FrameContext: what every panel may read during one frame. Nothing in it changes while the frame is drawn.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "app/models/actions/actions.h"
#include "app/models/actions/keymap.h"
#include "app/models/actions/view_options.h"
#include "app/models/debug/breakpoint_list.h"
#include "app/models/focus/focus.h"
#include "app/models/heatmap/heatmap_store.h"
#include "app/models/history/history_answers.h"
#include "app/models/host/host_session.h"
#include "app/models/host/python_entry.h"
#include "app/models/host/questions.h"
#include "app/models/jobs/task_list.h"
#include "app/models/panels/panel_facts.h"
#include "app/models/statistics/statistics_store.h"
#include "app/models/tensors/snapshot_index.h"
#include "app/models/tensors/tensor_state.h"
#include "app/models/values/compared_sides.h"
#include "app/widgets/fonts.h"
#include "app/widgets/theme.h"
#include "core/memory/memory_reader.h"

namespace dlscope::app {

struct FrameContext {
  const Theme& theme;
  const Fonts& fonts;
  float scale = 1;
  LayoutPreset layout = LayoutPreset::debug;
  const SnapshotIndex* index = nullptr;  // null: nothing scanned yet
  std::uint64_t generation = 0;          // of the index: rises with each one shown, and is never used again
  const HostSession& host;               // what the host does, and how the last run ended
  Focus hover;                           // the one focus: what the mouse was on in the last frame, else what is pinned
  const Questions& answers;              // of Python, to what panels asked with command::AskPython
  Focus pinned;                          // what a click pinned; on nothing: none
  std::uint32_t selected = core::kNone32;
  std::uint32_t compared = core::kNone32;      // a second tensor, held against the selected one
  std::uint64_t selection_revision = 0;        // rises when something is selected: views scroll to it
  const core::MemoryReader* reader = nullptr;  // of the process the tensors are of; null: there is none to read
  Moment moment = {};                          // when what is shown was seen, and what has happened since
  HistoryView history = {};                    // the kept moments, and which of them is shown
  std::string_view file = {};                  // whose tensors they are; "": the script's
  const HeldTensors& held;
  const StatisticsStore& statistics;           // of the tensors of the index, as far as they were worked out
  const HeatmapStore& heatmap;                 // of the last tensor that a picture was asked of
  const ComparedSides& compared_sides;         // the tensors of the compare view
  const Keymap& keys;                          // which keys reach which action
  const AskedActions& actions;                 // what was asked for in this frame
  const TaskList& tasks;                       // long work, of the window's and of the host's
  const std::vector<std::string>& recent_files;
  const PythonList& pythons;
  const BreakpointList& breakpoints;
  const std::vector<std::string>& watches;  // expressions to be evaluated at stops
  bool stop_on_raise = false;
  bool reduced_motion = false;
  bool preparing = false;  // a worker is ordering or indexing: what is shown is about to be replaced

  // Of a tensor of the index.
  [[nodiscard]] TensorState state_of(std::uint32_t tensor) const { return app::state_of(moment, held.contains(tensor)); }
  // Why nothing of it may be read, as a sentence; "" where it may.
  [[nodiscard]] std::string why_not_read(std::uint32_t tensor) const { return app::why_not_read(moment, state_of(tensor)); }
  // From here on, at every look.
  [[nodiscard]] Remember remembered(std::uint32_t tensor) const {
    if (history.remembered == nullptr || index == nullptr || tensor >= index->size()) return Remember::no;
    return history.remembered->wanted(*index->snapshot, index->tensor(tensor));
  }
  [[nodiscard]] bool bytes_are_its_own(std::uint32_t tensor) const { return app::bytes_are_its_own(state_of(tensor)); }
  [[nodiscard]] bool has_tensors() const { return index != nullptr && index->size() > 0; }
  // The axis of the selected tensor that is pointed at, as an entry of its shape or strides; -1: none.
  [[nodiscard]] int lit_axis() const { return hover.on_tensor() && hover.tensor == selected ? hover.axis : -1; }
  [[nodiscard]] bool asked(ActionId id) const { return actions.asked(id); }
  [[nodiscard]] float px(float at_100_percent) const { return at_100_percent * scale; }
};

}  // namespace dlscope::app
