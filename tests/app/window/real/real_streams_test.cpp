// Traces of streams in the window: a recorded one opened by its path, and what hand-overs here did, written and read again.
#include <unistd.h>

#include <catch2/catch_test_macros.hpp>

#include <cstdio>
#include <cstdlib>
#include <string>

#include "app/models/exchange/exchange_text.h"
#include "tests/app/window/real/live_exchange.h"

namespace dlscope::tests {

TEST_CASE("a recorded trace of streams is opened by its path, judged, and what is wrong with one is said", "[window][real]") {
  LiveWindow window;
  window.run("x = bytearray(8)\n");
  window.app().commands().push(app::command::OpenScript{std::string(DLSCOPE_SAMPLES) + "/race.streams.json"});
  REQUIRE(window.story().wait_for([&] { return view(window).streams.view.has_value(); }));
  window.story().frames(4);
  CHECK(view(window).tab == app::ExchangeTab::streams);
  CHECK(view(window).streams.view->verdict.race);
  view(window).streams.path = "/nowhere/x.streams.json";
  click(window, "Open");
  REQUIRE(window.story().wait_for([&] { return !view(window).streams.problem.empty(); }));
  CHECK(view(window).streams.problem == "/nowhere/x.streams.json: there is no such file");
  CHECK_FALSE(view(window).streams.view);
  view(window).streams.path = std::string(DLSCOPE_SAMPLES) + "/ordered.streams.json";
  click(window, "Open");
  REQUIRE(window.story().wait_for([&] { return view(window).streams.view.has_value(); }));
  CHECK_FALSE(view(window).streams.view->verdict.race);
  CHECK(has_tensor(window, "x"));  // the script's tensors stay

  // What this Python recorded is not shown as the file's.
  const auto shows = [&](const char* words) { return window.story().text_of_frame().find(words) != std::string::npos; };
  window.story().frames(2);
  CHECK(shows("Replayed, not observed"));
  click(window, "Show what was recorded here");
  REQUIRE(window.story().wait_for([&] { return view(window).streams.file.empty(); }));
  window.story().frames(2);
  CHECK(shows("Recorded here, by Python's process"));
  CHECK_FALSE(shows("Replayed, not observed"));
  CHECK_FALSE(shows("Of /"));
  CHECK_FALSE(shows("Code has run since"));
  window.app().commands().push(app::command::RunText{.text = "print('more', 'ran')\n"});
  REQUIRE(window.wait_for_output("more ran"));
  REQUIRE(window.wait_for_state(app::HostState::idle));
  window.story().frames(2);
  CHECK(shows("Code has run since"));
}

TEST_CASE("what hand-overs here did about streams is shown, and written by the line that does it", "[window][real]") {
  LiveWindow window;
  window.run("import numpy as np, torch\nx = np.arange(6, dtype='f4')\n");
  hand_over(window, "x", "torch", "t");
  REQUIRE(window.story().wait_for([&] { return has_tensor(window, "t"); }));
  click(window, "Streams");
  click(window, "Show what was recorded here");
  REQUIRE(window.story().wait_for([&] { return view(window).streams.view.has_value(); }));
  const core::StreamTrace trace = view(window).streams.view->trace;
  REQUIRE(trace.steps.size() == 1);
  CHECK((trace.steps[0].producer == "numpy.ndarray" && trace.steps[0].consumer == "torch.from_dlpack"));
  CHECK(trace.steps[0].what == "host memory has no streams");
  CHECK(app::stream_verdict_word(view(window).streams.view->verdict) == "NOTHING TO ORDER");
  const std::string path = std::string(std::getenv("TMPDIR") != nullptr ? std::getenv("TMPDIR") : "/tmp") + "/dlscope 'x' " +
                           std::to_string(::getpid()) + ".streams.json";
  view(window).streams.path = path;
  window.story().frames(2);
  click(window, "Write it to that file");
  REQUIRE(window.wait_for_output("save_stream_trace"));
  REQUIRE(window.wait_for_state(app::HostState::idle));
  view(window).streams.view.reset();
  click(window, "Open");
  REQUIRE(window.story().wait_for([&] { return view(window).streams.view.has_value(); }));
  CHECK(view(window).streams.view->trace.steps.size() == 1);
  std::remove(path.c_str());
}

}  // namespace dlscope::tests
