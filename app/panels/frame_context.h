// FrameContext: what the panels read during one frame. It does not change while the frame is drawn.
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
#include "app/models/history/history_query.h"
#include "app/models/host/host_session.h"
#include "app/models/host/outcome_sentence.h"
#include "app/models/host/python_entry.h"
#include "app/models/host/questions.h"
#include "app/models/jobs/task_list.h"
#include "app/models/panels/panel_facts.h"
#include "app/models/statistics/statistics_store.h"
#include "app/models/tensors/snapshot_index.h"
#include "app/models/tensors/tensor_state.h"
#include "app/models/values/chosen_slices.h"
#include "app/models/values/compared_sides.h"
#include "app/models/values/shown_values.h"
#include "app/widgets/fonts.h"
#include "app/widgets/theme.h"
#include "core/memory/memory_reader.h"

namespace dlscope::app {

class TouchCounts;

struct FrameContext {
  const Theme& theme;
  const Fonts& fonts;
  float scale = 1;
  LayoutPreset layout = LayoutPreset::debug;
  const SnapshotIndex* index = nullptr;  // null: nothing scanned yet
  std::uint64_t generation = 0;          // of the index: rises with each one shown, and is never reused
  const HostSession& host;               // what the host does, and how the last run ended
  std::string_view other_script = {};    // the script of that run, if another one is in the editor by now: "a.py"
  Focus hover;                           // the focus: what the mouse was on in the last frame, else what is pinned
  const Questions& answers;              // Python's answers to command::AskPython
  Focus pinned;                          // what a click pinned; on nothing: none
  std::uint32_t selected = core::kNone32;
  std::uint32_t compared = core::kNone32;      // the tensor compared with the selected one
  ChosenSlice slice = {};                      // what is chosen of the selected tensor
  std::uint64_t selection_revision = 0;        // rises with each selection: views scroll to it
  const core::MemoryReader* reader = nullptr;  // reads the memory of the shown tensors; null: it cannot be read
  Moment moment = {};                          // when the shown snapshot was taken, and what has happened since
  HistoryView history = {};                    // the kept moments, and which one is shown
  std::string_view file = {};                  // the tensor file that is shown; "": the script's tensors are
  const HeldTensors& held;
  const StatisticsStore& statistics;           // computed statistics of the tensors of the index
  const HeatmapStore& heatmap;                 // of the tensor whose heat map was last requested
  const ComparedSides& compared_sides;         // the tensors of the compare view
  const Keymap& keys;                          // the present keys of the actions
  const AskedActions& actions;                 // the actions asked for in this frame
  const TaskList& tasks;                       // long work of the window and of the host
  const std::vector<std::string>& recent_files;
  const PythonList& pythons;
  const BreakpointList& breakpoints;
  const std::vector<std::string>& watches;  // expressions to evaluate at stops
  bool stop_on_raise = false, stop_on_uncaught = false;
  bool reduced_motion = false;
  bool preparing = false;  // a worker orders rows or builds an index: what is shown is about to be replaced
  const TouchCounts* touches = nullptr;  // how often bytes of the selected tensors are reached; null: nobody counts
  const ShownValues& values;  // what the views of values show of the selected tensor: all of it, or one of its fields

  // How the last run ended, in a sentence.
  [[nodiscard]] std::string outcome_text() const {
    const std::string sentence = outcome_sentence(host.outcome());
    return other_script.empty() ? sentence : std::string(other_script) + ": " + sentence;
  }
  // State of a tensor of the index.
  [[nodiscard]] TensorState state_of(std::uint32_t tensor) const { return app::state_of(moment, held.contains(tensor)); }
  // Why its bytes may not be read, as a sentence; "": they may.
  [[nodiscard]] std::string why_not_read(std::uint32_t tensor) const { return app::why_not_read(moment, state_of(tensor)); }
  // Whether and how the tensor is remembered at the scans from here on.
  [[nodiscard]] Remember remembered(std::uint32_t tensor) const;
  [[nodiscard]] bool bytes_are_its_own(std::uint32_t tensor) const { return app::bytes_are_its_own(state_of(tensor)); }
  [[nodiscard]] bool has_tensors() const { return index != nullptr && index->size() > 0; }
  // The hovered axis of the selected tensor (an entry of its shape or strides); -1: none.
  [[nodiscard]] int lit_axis() const { return hover.on_tensor() && hover.tensor == selected ? hover.axis : -1; }
  [[nodiscard]] bool asked(ActionId id) const { return actions.asked(id); }
  [[nodiscard]] float px(float at_100_percent) const { return at_100_percent * scale; }
};

}  // namespace dlscope::app
