// The window with a real host: a real Python runs real NumPy behind the real panels.
#include <imgui_internal.h>
#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>

#include <fstream>
#include <iterator>
#include <string>

#include "app/models/tensors/tensor_state.h"
#include "tests/app/window/real/live_window.h"
#include "tests/support/temporary_folder.h"

namespace dlscope::tests {
namespace {

using app::HostState;

}  // namespace

TEST_CASE("three names of one array are one group, and their numbers are on the screen", "[window][host]") {
  LiveWindow window;
  window.run("import numpy as np\nx = np.arange(12, dtype=np.float32).reshape(3, 4)\ny = x.T\nz = x[1:]\nprint('done')\n");
  app::Application& app = window.app();
  CHECK(app.outcome().outcome == core::Outcome::finished);
  CHECK(window.wait_for_output("done"));
  REQUIRE(app.index()->size() == 3);
  const auto group = [&](const char* name) { return app.index()->tensor(app.index()->find(name).value()).group; };
  CHECK(group("x") == group("y"));
  CHECK(group("x") == group("z"));
  app.select("y");
  window.story().frames(3);
  const auto& values = app.panels().values;
  REQUIRE(values.window.rows == 4);
  REQUIRE(values.window.columns == 3);
  CHECK(values.cells[1].text == "4.0");  // y[0, 1] is x[1, 0]
  CHECK(values.cells[5].text == "9.0");  // y[1, 2] is x[2, 1]
  // A line in the console changes the array; the numbers on the screen follow.
  window.story().act([](ImGuiTestContext* ui) {
    ui->ItemClick("//Output/##input");
    ui->KeyCharsReplace("x[1, 0] = -7");
    ui->KeyPress(ImGuiKey_Enter);
  });
  CHECK(window.story().wait_for(
      [&] { return app.panels().values.cells.size() > 1 && app.panels().values.cells[1].text == "-7.0"; }));
}

TEST_CASE("a thread that the script leaves behind is said to run, and its values follow", "[window][host]") {
  LiveWindow window;
  window.run(
      "import numpy as np, threading, time\nx = np.zeros(4)\ndef count():\n    while True:\n        time.sleep(.05)\n        x[:] += 1\n"
      "threading.Thread(target=count, daemon=True).start()\n");
  app::Application& app = window.app();
  app.select("x");
  CHECK(window.story().wait_for([&] { return app.moment().others_ran; }));
  CHECK(app::moment_description(app.moment()).find("other threads") != std::string::npos);
  const auto first = [&] { return app.panels().values.cells.empty() ? std::string() : app.panels().values.cells[0].text; };
  REQUIRE(window.story().wait_for([&] { return !first().empty(); }));
  const std::string then = first();
  CHECK(window.story().wait_for([&] { return first() != then; }));
}

TEST_CASE("what a script left open is written when Python restarts and when the window closes", "[window][host]") {
  const TemporaryFolder folder;
  const auto left_open = [&](const char* name) { return "file = open(r'" + folder / name + "', 'w')\nfile.write('text')\n"; };
  const auto content = [&](const char* name) {
    std::ifstream file(folder / name);
    return std::string(std::istreambuf_iterator<char>(file), {});
  };
  {
    LiveWindow window;
    window.run(left_open("restart"));
    restart(window.app());
    CHECK(window.story().wait_for([&] { return content("restart") == "text"; }));
    REQUIRE(window.wait_for_state(HostState::idle));
    window.run(left_open("close"));
  }
  CHECK(content("close") == "text");
}

TEST_CASE("an endless loop is stopped and the window goes on", "[window][host]") {
  LiveWindow window;
  const app::IndexPtr before = window.app().index();
  window.start("print('looping', flush=True)\nwhile True:\n    pass\n");
  REQUIRE(window.wait_for_output("looping"));
  window.story().act([](ImGuiTestContext* ui) { ui->ItemClick("//Script/■ Stop"); });
  REQUIRE(window.wait_for_state(HostState::idle));
  CHECK(window.app().outcome().outcome == core::Outcome::interrupted);
  // Its own scan, or what run() waits for might be this one.
  REQUIRE(window.story().wait_for([&] { return window.app().index() != before; }));
  window.run("import numpy as np\na = np.ones(3)\n");
  CHECK(window.app().index()->size() == 1);
}

TEST_CASE("a crash is told, the tensors stay, and Run brings a new Python", "[window][host]") {
  LiveWindow window;
  window.run("import numpy as np\na = np.ones(3)\n");
  window.start("import ctypes\nctypes.string_at(8)\n");
  REQUIRE(window.story().wait_for([&] { return window.state() == HostState::crashed || window.state() == HostState::ended; }));
  CHECK(window.app().host().detail().find("SEGV") != std::string::npos);
  CHECK(window.app().index()->size() == 1);
  CHECK_FALSE(window.app().notices().all().empty());
  window.run("import numpy as np\nb = np.zeros(2)\nc = b[:1]\n");
  CHECK(window.app().index()->size() == 2);
}

TEST_CASE("whatever the script does, menus and views react within two frames", "[window][host]") {
  // The Python process may be busy, deaf or dead; the window never waits for it.
  const std::string spin =
      std::string("import ctypes\nctypes.PyDLL(r'") + std::getenv("DLSCOPE_BUILD_DIR") + "/tests/libe2e_spin.so').spin()\n";
  const auto [what, code] = GENERATE_COPY(table<const char*, std::string>({
      {"sleeps", "import time\ntime.sleep(1000)\n"},
      {"loops", "while True: pass\n"},
      {"holds the GIL in C", spin},
      {"has crashed", "import os\nos.abort()\n"},
  }));
  DYNAMIC_SECTION(what) {
    LiveWindow window;
    window.run("import numpy as np\na = np.arange(1000.0)\n");
    window.start("print('begun', flush=True)\n" + code);
    REQUIRE(window.wait_for_output("begun"));
    if (code.find("abort") != std::string::npos) REQUIRE(window.wait_for_state(HostState::crashed));
    window.story().act([&](ImGuiTestContext* ui) {
      const auto frames_until = [&](auto act, auto shown) {
        const int before = ImGui::GetFrameCount();
        act();
        int frames = ImGui::GetFrameCount() - before;
        for (; frames < 50 && !shown(); ++frames) ui->Yield();
        return frames;
      };
      const auto middle = [&](const char* item) { return ui->ItemInfo(item).RectFull.GetCenter(); };
      IM_CHECK_LE(frames_until([&] { ui->KeyDown(ImGuiKey_F1); }, [&] { return window.app().panels().help.open; }), 2);
      ui->KeyUp(ImGuiKey_F1);
      ui->KeyPress(ImGuiKey_F1);
      const ImVec2 map = middle("//Memory/$$1/lane");
      IM_CHECK_LE(frames_until([&] { ui->MouseTeleportToPos(map); }, [&] { return window.app().focus().on_tensor(); }), 2);
      ui->MouseTeleportToPos(middle("##MainMenuBar##MenuBar/View"));
      IM_CHECK_LE(frames_until([&] { ui->MouseDown(); }, [&] { return ui->UiContext->OpenPopupStack.Size > 0; }), 2);
      ui->MouseUp();
      ui->PopupCloseAll();
    });
  }
}

TEST_CASE("a script that leaves with os._exit ends its Python, not the window", "[window][host]") {
  LiveWindow window;
  window.start("import os\nos._exit(3)\n");
  REQUIRE(window.wait_for_state(HostState::ended));
  CHECK(window.app().host().detail().find('3') != std::string::npos);
}

TEST_CASE("input() gets the line that was typed", "[window][host]") {
  LiveWindow window;
  window.start("name = input('who? ')\nprint('hello', name)\n");
  REQUIRE(window.wait_for_output("who?"));
  window.story().act([](ImGuiTestContext* ui) {
    ui->ItemClick("//Output/##reply");
    ui->KeyCharsReplaceEnter("world");
  });
  CHECK(window.wait_for_output("hello world"));
}

TEST_CASE("an exception marks its line", "[window][host]") {
  LiveWindow window;
  window.run("a = 1\n\nb = a / 0\n");
  REQUIRE(window.app().panels().script.mark.has_value());
  CHECK(window.app().panels().script.mark->line == 3);
  CHECK(window.wait_for_output("ZeroDivisionError"));
}

TEST_CASE("a hundred thousand arrays arrive in the table", "[window][host]") {
  LiveWindow window;
  window.run("import numpy as np\ndata = [np.zeros(4) for _ in range(100_000)]\n");
  CHECK(window.app().index()->size() == 100'000);
  CHECK(window.app().tensors().row_count() == 100'000);
  CHECK(window.app().panels().tensors.rows_drawn < 100);
  CHECK(window.story().vertices() < 60'000);
}

}  // namespace dlscope::tests
