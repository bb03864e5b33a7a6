// A window that debugs a script in a file with a real Python, by its keys and its console.
#pragma once

#include <catch2/catch_test_macros.hpp>
#include <cstdint>
#include <fstream>
#include <string>

#include "tests/app/window/real/live_window.h"
#include "tests/support/temporary_folder.h"

namespace dlscope::tests {

// A window with a real host and a script in a file.
class Debugged {
 public:
  explicit Debugged(const std::string& text) : path(folder / "train.py") {
    std::ofstream(path) << text;
    REQUIRE(window.app().load_script(path).has_value());
    window.story().frames(3);
  }
  void press(ImGuiKeyChord chord) {
    window.story().act([=](ImGuiTestContext* ui) { ui->KeyPress(chord); });
  }
  void breakpoint_at(std::uint32_t line, std::string condition = {}, std::string log = {}) {
    core::wire::Breakpoint b;
    b.path = path;
    b.line = line;
    b.condition = std::move(condition);
    b.log_text = std::move(log);
    window.app().commands().push(app::command::PutBreakpoint{b});
    window.story().frames(2);
  }
  [[nodiscard]] bool wait_for_stop(std::uint64_t after = 0) {
    const bool stopped = window.story().wait_for(
        [&] { return window.state() == app::HostState::stopped && stop().at.stop > after && window.app().moment().at_stop; });
    window.story().frames(3);
    return stopped;
  }
  void type(const char* text) {
    window.story().act([=](ImGuiTestContext* ui) {
      ui->ItemClick("//Output/##input");
      ui->KeyCharsReplace(text);
      ui->KeyPress(ImGuiKey_Enter);
    });
  }
  [[nodiscard]] const app::StopView& stop() { return *window.app().host().stop(); }
  [[nodiscard]] std::uint32_t line() { return stop().at.frames.front().line; }
  [[nodiscard]] app::ScriptPanelState& panel() { return window.app().panels().script; }
  [[nodiscard]] bool ends() { return window.wait_for_state(app::HostState::idle); }

  TemporaryFolder folder;
  std::string path;
  LiveWindow window;
};

}  // namespace dlscope::tests
