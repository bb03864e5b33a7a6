// A line that a test has the script's Python run, as if it had been typed at the console.
#pragma once

#include <catch2/catch_test_macros.hpp>

#include <string>

#include "tests/app/window/real/live_window.h"

namespace dlscope::tests {

// Runs the line, and waits until it has printed that and Python is idle again.
inline void check_line(LiveWindow& window, const std::string& line, const std::string& printed) {
  window.app().commands().push(app::command::RunText{.text = line + "\n"});
  INFO(window.app().output().all_text());
  CHECK(window.wait_for_output(printed));
  REQUIRE(window.wait_for_state(app::HostState::idle));
  window.story().frames(3);
}

}  // namespace dlscope::tests
