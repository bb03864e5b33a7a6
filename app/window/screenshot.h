// A picture of the window without a window: the same frame, drawn off screen from a given snapshot.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/models/actions/action_id.h"
#include "app/models/actions/view_options.h"
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
  std::string output_text;                     // what stands in the output pane: what the script printed, or where it went
  std::string python;                          // the interpreter in words: "Python 3.11.7 · .venv"; "" = unknown
  std::vector<core::SnapshotPtr> looks_before;  // that were taken before `snapshot`, oldest first
  std::uint64_t look_at = 0;                    // which of all these is looked back at, counted from 1; 0: none
  std::string select;                          // name path; "": the first tensor that shares, else the first
  std::string compare;                         // name path of the tensor compared with it; "": none
  std::optional<std::uint64_t> element;        // C-order number of an element of it that is pinned
  int width = 1920, height = 1080;             // pixels of the picture
  float scale = 1.0F;                          // clamped to [kMinScale, kMaxScale]
  std::shared_ptr<core::MemoryReader> reader;  // of the script's process while it stands; null: values are not shown
  std::optional<core::wire::Stopped> stop;     // where the script stands, for a picture of a stop
  std::vector<core::wire::Breakpoint> breakpoints;
  std::vector<std::string> watches;
  LayoutPreset layout = LayoutPreset::debug;
  ThemeChoice theme = ThemeChoice::dark;
  std::vector<std::string> chain;                   // of a proof that was made: shown in the exchange view
  std::optional<core::Proof> proof;
  std::optional<core::wire::HandedOver> handed;     // a hand-over that was made, likewise
  std::string streams;                              // a file with a recorded trace of streams, likewise
  std::vector<ActionId> ask;  // as if picked from a menu before the picture: a sheet to show
  std::string output_path;    // PNG, replaced atomically
  std::string figure_path;    // where the heat map in it is written as a figure of its own; "": nowhere
};

// Needs no display: EGL without a surface, else a hidden window. Fails (environment) with words when neither works or
// the file cannot be written, (not_found) when `select` names no tensor.
// thread: main; makes and destroys its own GL context.
[[nodiscard]] core::Result<void> write_screenshot(const ScreenshotRequest& request);

// Checks whether a picture can be made here, by making the context for a small one: "OpenGL 4.5, llvmpipe". Fails (environment)
// with a message to show. thread: main.
[[nodiscard]] core::Result<std::string> probe_offscreen();

}  // namespace dlscope::app
