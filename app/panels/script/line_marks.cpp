#include "app/panels/script/line_marks.h"

#include <TextEditor.h>
#include <imgui.h>

namespace dlscope::app {

void mark_frame_line(TextEditor& editor, std::uint32_t line, const Theme& theme, bool innermost) {
  if (line == 0 || line > editor.GetLineCount()) return;
  const ImVec4 colour = innermost ? theme.warn : theme.accent;
  const char* means =
      innermost ? "The script is stopped here: this line runs next." : "A function that was called here has not returned yet.";
  editor.AddMarker(line - 1, ImGui::GetColorU32({colour.x, colour.y, colour.z, 0.30F}),
                   ImGui::GetColorU32({colour.x, colour.y, colour.z, 0.20F}), means, {});
}

}  // namespace dlscope::app
