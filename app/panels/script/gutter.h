// The gutter beside the lines of a text: breakpoints, which a click sets or removes and a right click edits; an arrow at the line
// of the chosen frame of a stop.
#pragma once

#include <cstdint>
#include <string>

#include "app/models/actions/commands.h"
#include "app/panels/frame_context.h"

class TextEditor;

namespace dlscope::app {

struct GutterState {
  // Of the frame being drawn; set by begin_gutter().
  const FrameContext* context = nullptr;
  std::string path;              // of this text, as in BreakpointList
  std::uint32_t frame_line = 0;  // line of the chosen frame, one-based; 0: not in this text
  bool innermost = false;        // it is the innermost frame: this line runs next
  // Lines that were clicked; 0: none.
  std::uint32_t toggled = 0, menu_at = 0;
  // State of the menu.
  core::wire::Breakpoint edited, kept;  // as its fields show it; as last committed
  bool menu_open = false;
  std::uint64_t opened_at = 0;  // where the program stood then
  int hit = 1;
};

// The line of the chosen frame, if it is in the text at `path`; 0: it is not.
[[nodiscard]] std::uint32_t frame_line_in(const FrameContext& context, const std::string& path);

// Call once for an editor; `state` must outlive it.
void add_gutter(TextEditor& editor, GutterState& state);
// Call before and after drawing the editor.
void begin_gutter(const FrameContext& context, const std::string& path, GutterState& state);
void end_gutter(const FrameContext& context, GutterState& state, Commands& commands);

}  // namespace dlscope::app
