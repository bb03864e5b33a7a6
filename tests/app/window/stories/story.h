// Story: the whole window on the null backend, driven by the test engine's mouse and keyboard. One per test case.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include <imgui.h>
#include <imgui_te_context.h>
#include <imgui_te_engine.h>

#include "app/window/application.h"
#include "tests/app/window/parts/fake_link.h"

namespace dlscope::tests {

class Story {
 public:
  explicit Story(app::ApplicationOptions options = {}, bool with_host = true);
  // With a link of the caller's: a real host.
  Story(app::ApplicationOptions options, std::unique_ptr<app::HostLink> link);
  ~Story();
  Story(const Story&) = delete;
  Story& operator=(const Story&) = delete;

  // Of the window, in pixels; 1920 x 1080 at first.
  void resize(float width, float height) { size_ = {width, height}; }

  // Draws that many frames without touching anything.
  void frames(int count);
  // Draws a frame; all text that it draws as text, a line of the window a line. Not what is drawn into a picture (map, values).
  std::string text_of_frame();
  // Shows a snapshot and waits until it is on the screen.
  void show(core::SnapshotPtr snapshot);
  // Lets the test engine act; every IM_CHECK and every failed action fails the test case.
  void act(const std::function<void(ImGuiTestContext*)>& script);
  // Waits, at most some seconds, until `done` holds, drawing frames.
  bool wait_for(const std::function<bool()>& done);

  app::Application& app() { return *application_; }
  FakeHost& host() { return host_; }
  [[nodiscard]] int vertices() const { return ImGui::GetDrawData()->TotalVtxCount; }

 private:
  void frame(std::string* text = nullptr);

  FakeHost host_;
  ImGuiContext* context_;
  ImGuiTestEngine* engine_;
  app::Fonts fonts_;
  std::unique_ptr<app::Application> application_;
  float scale_ = 0;
  ImVec2 size_{1920, 1080};
  int acts_ = 0;
};

// Restarts a Python that has variables, and answers the question whether they may be lost.
inline void restart(app::Application& app) {
  for (int i = 0; i < 2; ++i) app.commands().push(app::command::RestartHost{});
}

}  // namespace dlscope::tests
