// What the exchange view says of a hand-over with real libraries: lines that run, refusals by whoever raised, advice for the slice.
#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "app/models/exchange/runnable_line.h"
#include "app/models/exchange/verdict_text.h"
#include "tests/app/window/real/live_exchange.h"

namespace dlscope::tests {
namespace {

constexpr const char* kArray = "import numpy as np; x = np.arange(64, dtype='f4').reshape(8, 8)";

// Whether this code runs to its end in a Python that has imported nothing.
bool runs_in_fresh_python(const std::string& code) {
  const std::filesystem::path package = std::filesystem::read_symlink("/proc/self/exe").parent_path() / "python";
  ::setenv("TF_CPP_MIN_LOG_LEVEL", "3", 1);
  ::setenv("DLSCOPE_TEST_LINE", code.c_str(), 1);
  const std::string command = "PYTHONPATH=" + package.string() + " PYTHONDONTWRITEBYTECODE=1 " + LiveWindow::python() +
                              " -c 'import os; exec(os.environ[\"DLSCOPE_TEST_LINE\"], {})'";
  return std::system(command.c_str()) == 0;
}

bool shows(LiveWindow& window, const char* text) { return window.story().text_of_frame().find(text) != std::string::npos; }

}  // namespace

TEST_CASE("the line that is copied runs in a Python that has the tensor and has imported nothing", "[window][real]") {
  LiveWindow window;
  window.run(std::string(kArray) + "\n");
  select(window, "x");
  ask(window, app::ActionId::exchange_selected);
  REQUIRE(window.story().wait_for([&] { return !view(window).hand.libraries.empty(); }));
  int lines = 0;
  for (const app::ExchangeLibrary& library : std::vector(view(window).hand.libraries)) {
    if (library.name == "cupy") continue;  // needs a device
    INFO(library.name);
    hand_over(window, "x", library.name.c_str(), ("x_of_" + library.name).c_str());
    REQUIRE(window.wait_for_state(app::HostState::idle));
    window.story().frames(3);
    const core::wire::HandedOver& done = *view(window).hand.result.done;
    if (done.verdict == "REFUSED") continue;
    INFO(done.line);
    const std::string line = app::runnable_line(done.line);
    CHECK(runs_in_fresh_python(std::string(kArray) + "; " + line));
    CHECK_FALSE(runs_in_fresh_python("import numpy as np; x = np.arange(64, dtype='f4'); del np; " + done.line));
    ++lines;
    const bool is_immutable = library.name == "jax" || library.name == "tensorflow";
    CHECK(app::write_warning(done.step).empty() == !(is_immutable && done.verdict == "SHARED"));
  }
  CHECK(lines >= 2);
}

TEST_CASE("a refusal names the side that raised, and what helps names the slice", "[window][real]") {
  LiveWindow window;
  window.run(
      "import numpy as np, torch, jax\nx = np.arange(64, dtype='f4').reshape(8, 8)\nw = torch.ones(3, requires_grad=True)\n"
      "v = x[::2]\n");
  hand_over(window, "w", "numpy", "n");
  REQUIRE(view(window).hand.result.done->verdict == "REFUSED");
  CHECK(app::verdict_meaning(*view(window).hand.result.done).starts_with("The tensor's own side refused it: its __dlpack__ raised"));
  CHECK(shows(window, "What helps: w.detach()"));
  hand_over(window, "v", "jax", "j");
  REQUIRE(view(window).hand.result.done->verdict == "REFUSED");
  CHECK(app::verdict_meaning(*view(window).hand.result.done).starts_with("The library that was to take it refused it."));
  CHECK(shows(window, "What helps: numpy.ascontiguousarray(v)"));

  select(window, "x");
  window.story().act([](ImGuiTestContext* ui) {
    ui->ItemClick("//Exchange/**/##slice");
    ui->KeyCharsReplaceEnter("[1:, ::2]");
  });
  window.story().frames(4);
  click(window, "Hand this slice over");
  REQUIRE(window.story().wait_for([&] { return view(window).hand.result.done && view(window).hand.result.subject.starts_with("x["); }));
  REQUIRE(view(window).hand.result.done->verdict == "REFUSED");
  window.story().frames(3);
  CHECK(shows(window, "What helps: numpy.ascontiguousarray(x[1:, ::2])"));
}

TEST_CASE("step by step the verdict of a refusal is shown though another tensor was selected", "[window][real]") {
  LiveWindow window;
  window.run("import numpy as np, torch\nw = torch.ones(3, requires_grad=True)\nother = np.zeros(5)\n");
  select(window, "w");
  ask(window, app::ActionId::exchange_selected);
  REQUIRE(window.story().wait_for([&] { return !view(window).hand.libraries.empty(); }));
  view(window).hand.choice.library = "numpy";
  REQUIRE(window.story().wait_for([&] { return view(window).hand.plan && view(window).hand.plan->line.starts_with("numpy"); }));
  click(window, "Step by step");
  REQUIRE(window.story().wait_for([&] { return view(window).hand.steps.made && view(window).hand.steps.ticket == 0; }));
  click(window, "Next step");
  REQUIRE(window.story().wait_for([&] { return view(window).hand.steps.made && view(window).hand.steps.made->failed; }));
  select(window, "other");
  click(window, "Next step");
  REQUIRE(window.story().wait_for([&] { return view(window).hand.result.done.has_value(); }));
  window.story().frames(6);
  CHECK(shows(window, "REFUSED"));
  CHECK(shows(window, "What helps: w.detach()"));
}

}  // namespace dlscope::tests
