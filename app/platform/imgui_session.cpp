#include "app/platform/imgui_session.h"

#include <imgui.h>

namespace dlscope::app {

ImguiSession::ImguiSession() : context_(ImGui::CreateContext()) {
  ImGuiIO& io = ImGui::GetIO();
  io.IniFilename = nullptr;
  io.LogFilename = nullptr;
  io.ConfigFlags |= ImGuiConfigFlags_DockingEnable | ImGuiConfigFlags_NavEnableKeyboard;
  io.ConfigInputTextCursorBlink = false;  // a blinking cursor would need frames while nothing happens
  io.ConfigWindowsMoveFromTitleBarOnly = true;
  io.ConfigDpiScaleFonts = false;  // apply_theme() sets the scale
  fonts_ = load_fonts();
}

ImguiSession::~ImguiSession() { ImGui::DestroyContext(context_); }

}  // namespace dlscope::app
