// LiveWindow: the window with a real host: a real Python runs real libraries behind the real panels.
#pragma once

#include <catch2/catch_test_macros.hpp>
#include <cstdlib>
#include <string>
#include <utility>

#include "tests/app/window/stories/story.h"

namespace dlscope::tests {

// A window whose Python is up.
class LiveWindow {
 public:
  LiveWindow() : LiveWindow(python()) {}
  explicit LiveWindow(std::string executable) : story_({}, app::make_host_link({std::move(executable)}, "", [] {})) {
    REQUIRE(story_.wait_for([&] { return state() == app::HostState::idle || state() == app::HostState::failed; }));
    INFO(story_.app().host().detail());
    REQUIRE(state() == app::HostState::idle);
  }

  static std::string python() {
    const char* path = std::getenv("DLSCOPE_TEST_PYTHON");
    if (path == nullptr) SKIP("DLSCOPE_TEST_PYTHON is not set: no Python with NumPy to run");
    return path;
  }

  void start(const std::string& script) {
    story_.app().load_text("", script);
    story_.frames(2);
    story_.act([](ImGuiTestContext* ui) { ui->KeyPress(ImGuiKey_F5); });
  }
  // Runs the script to its end, tensors included.
  void run(const std::string& script) {
    const app::IndexPtr before = story_.app().index();
    start(script);
    INFO(story_.app().output().all_text());
    REQUIRE(story_.wait_for([&] { return state() == app::HostState::idle && story_.app().index() != before; }));
    story_.frames(2);
  }

  [[nodiscard]] app::HostState state() { return story_.app().host().state(); }
  [[nodiscard]] bool wait_for_state(app::HostState wanted) {
    return story_.wait_for([&] { return state() == wanted; });
  }
  [[nodiscard]] bool wait_for_output(const std::string& text) {
    return story_.wait_for([&] { return story_.app().output().all_text().find(text) != std::string::npos; });
  }
  Story& story() { return story_; }
  app::Application& app() { return story_.app(); }

 private:
  Story story_;
};

}  // namespace dlscope::tests
