// ImguiSession: one Dear ImGui context, set up as every dlscope window and picture needs it.
#pragma once

#include "app/widgets/fonts.h"
#include "app/widgets/theme.h"

struct ImGuiContext;

namespace dlscope::app {

class ImguiSession {
 public:
  ImguiSession();  // makes the context current and loads the fonts; ImGui writes no files of its own
  ~ImguiSession();
  ImguiSession(const ImguiSession&) = delete;
  ImguiSession& operator=(const ImguiSession&) = delete;

  [[nodiscard]] const Fonts& fonts() const { return fonts_; }

 private:
  ImGuiContext* context_;
  Fonts fonts_;
};

}  // namespace dlscope::app
