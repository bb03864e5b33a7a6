// The gutter beside the lines of a text: breakpoints, set and taken away by a click, edited by a right click; an arrow where the chosen
// frame of a stop stands.
#pragma once

#include <cstdint>
#include <string>

#include "app/models/actions/commands.h"
#include "app/panels/frame_context.h"

class TextEditor;

namespace dlscope::app {

struct GutterState {
  // Of the frame that is being drawn; set by begin_gutter().
  const FrameContext* context = nullptr;
  std::string path;              // BreakpointList's, of this text
  std::uint32_t frame_line = 0;  // one-based, where the chosen frame stands; 0: not in this text
  bool innermost = false;        // nothing was called from there: the next line to run
  // What the mouse asked for.
  std::uint32_t toggled = 0, menu_at = 0;
  // In the menu.
  core::wire::Breakpoint edited, kept;  // as its fields show it, and as it was when it was last taken from them
  bool menu_open = false;
  int hit = 1;
};

// The line of the frame that is chosen at the stop where that lies in the text at `path`; 0: it does not.
[[nodiscard]] std::uint32_t frame_line_in(const FrameContext& context, const std::string& path);

// Once for an editor; `state` outlives it.
void add_gutter(TextEditor& editor, GutterState& state);
// Before and after the editor is drawn.
void begin_gutter(const FrameContext& context, const std::string& path, GutterState& state);
void end_gutter(const FrameContext& context, GutterState& state, Commands& commands);

}  // namespace dlscope::app
