// A source file of the stack, other than the script, shown in its place while a frame of it is chosen: read-only, with
// breakpoints. Editing and running still mean the script.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "app/models/actions/commands.h"
#include "app/panels/frame_context.h"
#include "app/panels/script/gutter.h"

class TextEditor;

namespace dlscope::app {

struct SourceViewState {
  SourceViewState();
  ~SourceViewState();
  SourceViewState(const SourceViewState&) = delete;
  SourceViewState& operator=(const SourceViewState&) = delete;

  std::string path;                 // "": the script is shown
  std::string text;                 // content of the file
  std::string failure;              // why it cannot be shown; "": it can
  std::uint64_t text_revision = 0;  // rises when the file was read
  std::uint64_t loaded_revision = 0, marked_line = 0;
  std::uint32_t reveal_line = 0;  // one-based; 0: none
  std::unique_ptr<TextEditor> editor;
  GutterState gutter;

  [[nodiscard]] bool open() const { return !path.empty(); }
};

void show_source(SourceViewState& state, const std::string& path, std::uint32_t line, Commands& commands);
void close_source(SourceViewState& state);
// like: the editor whose palette is used.
void draw_source(const FrameContext& context, SourceViewState& state, const TextEditor& like, const std::string& script_title,
                 Commands& commands);
[[nodiscard]] std::uint32_t source_cursor_line(const SourceViewState& state);  // one-based

}  // namespace dlscope::app
