// A picture of the window without a window: the same frame, drawn off screen from a given snapshot.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/models/actions/action_id.h"
#include "app/models/actions/view_options.h"
#include "app/models/debug/breakpoint_list.h"
#include "app/models/exchange/capsule_life.h"
#include "app/models/exchange/exchange_text.h"
#include "app/models/exchange/hand_over_steps.h"
#include "app/models/exchange/life_answer.h"
#include "core/base/result.h"
#include "core/inventory/proof.h"
#include "core/inventory/run_outcome.h"
#include "core/inventory/snapshot.h"
#include "core/memory/memory_reader.h"
#include "core/wire/debugging.h"
#include "core/wire/work.h"

namespace dlscope::app {

struct ScreenshotRequest {
  core::SnapshotPtr snapshot;  // null: nothing was scanned; the empty state is drawn
  core::RunOutcome outcome;
  std::string script_path;  // "" for code
  bool of_file = false;     // script_path is a file of tensors; `reader` reads this process, which has it open
  std::string script_text;
  std::string output_text;                      // text of the output pane: what the script printed, or where that went
  std::string python;                           // the interpreter as shown: "Python 3.11.7 · .venv"; "": unknown
  std::vector<core::SnapshotPtr> earlier_snapshots;  // snapshots taken before `snapshot`, oldest first
  std::uint64_t look_at = 0;                    // which of them all is shown as the past, counted from 1; 0: none
  std::string select;                           // name path; "": the first tensor that shares, else the first
  std::string slice;                            // what is chosen of it, as typed; also shown in the exchange view; "": all
  std::string compare;                          // name path of the tensor compared with it; "": none
  std::string compare_file;                     // or the tensor file; "": none
  std::optional<std::uint64_t> element;         // C-order number of the pinned element of `select`
  int width = 1920, height = 1080;              // pixels of the picture
  float scale = 1.0F;                           // clamped to [kMinScale, kMaxScale]
  std::shared_ptr<core::MemoryReader> reader;   // of the stopped script's process; null: values are not shown
  std::optional<core::wire::Stopped> stop;      // where the script is stopped, for a picture of a stop
  std::vector<KeptBreakpoint> breakpoints;
  std::vector<std::string> watches;
  LayoutPreset layout = LayoutPreset::debug;
  ThemeChoice theme = ThemeChoice::dark;
  std::vector<std::string> chain;  // of `proof`; both are shown in the exchange view
  std::optional<core::Proof> proof;
  std::optional<core::wire::HandedOver> handed;  // a hand-over that was done, likewise
  std::optional<StepsState> steps;               // or one that is under way step by step
  std::optional<LifeAnswer> life;                // what keeps the selected tensor's memory alive, likewise
  std::vector<CapsuleLife> capsules;             // watched capsules, likewise; empty: not shown
  std::string streams;                           // a file with a recorded trace of streams, likewise
  std::vector<ActionId> ask;                     // carried out before the picture, as if picked from a menu: a sheet to show
  std::string output_path;                       // PNG, replaced atomically
  std::string figure_path;                       // the heat map alone is also written here; "": it is not
  std::string proof_figure_path;                 // `proof` as a figure, likewise
  std::string proof_caption;
};

// Needs no display: EGL without a surface, else a hidden window. Fails (environment) with a message when neither works or
// the file cannot be written, (not_found) when `select` names no tensor.
// thread: main; makes and destroys its own GL context.
[[nodiscard]] core::Result<void> write_screenshot(const ScreenshotRequest& request);

// Checks whether a picture can be made here, by making the context for a small one: "OpenGL 4.5, llvmpipe". Fails (environment)
// with a message to show. thread: main.
[[nodiscard]] core::Result<std::string> probe_offscreen();

}  // namespace dlscope::app
