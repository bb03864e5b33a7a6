// An hour of work in a minute, with a real Python: scripts are opened, run, edited, crash; Python is restarted, killed, exchanged.
// In no frame of it does a view show something as current that is not.
#include <catch2/catch_test_macros.hpp>

#include <cstdlib>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>

#include "app/models/tensors/tensor_state.h"
#include "tests/app/window/real/live_window.h"
#include "tests/support/temporary_folder.h"

namespace dlscope::tests {
namespace {

using app::HostState;
using app::TensorState;

// Knows from what it did itself whether what is shown can be current, and looks in every frame whether it is said to be.
class Hour {
 public:
  app::Application& app() { return window_.app(); }
  LiveWindow& window() { return window_; }

  // What was shown so far is of a process that is no longer there, or that crashed.
  void lost_process() { lost_ = app().index(); }
  void until(const char* what, const std::function<bool()>& done) {
    INFO(what);
    REQUIRE(window_.story().wait_for([&] {
      check();
      return done();
    }));
    window_.story().frames(2);
    check();
    check_text();
    check_panels();
  }
  void run(const char* path, const std::string& text) {
    app().load_text(path, text);
    const app::IndexPtr before = app().index();
    app().run_script();
    until(path, [&] { return app().index() != before && window_.state() == HostState::idle; });
    const std::uint32_t other = app().selected() == 0 ? 1 : 0;  // what the compare view shows beside the selected tensor
    app().commands().push(app::command::CompareTensor{app().index()->size() > 1 ? other : core::kNone32});
    window_.story().frames(2);
  }
  // Of the tensor that is selected.
  [[nodiscard]] TensorState state() { return app::state_of(app().moment(), app().held().contains(app().selected())); }
  [[nodiscard]] std::string moment_text() { return app::moment_description(app().moment()); }
  [[nodiscard]] int checks() const { return checks_; }

 private:
  [[nodiscard]] bool can_be_current() {
    const app::HostSession& host = app().host();
    return app().index() != lost_ && host.is_up() && host.current_run() == 0 &&
           app().index()->snapshot->info.run + 1 == host.next_run();
  }
  void check() {
    if (!app().index() || app().selected() == core::kNone32) return;
    ++checks_;
    const bool can_be = can_be_current();
    const app::ValuesPanelState& values = app().panels().values;
    if (!can_be) {
      if (state() == TensorState::current) FAIL("said to be live: " << moment_text());
      if (moment_text().find(';') == std::string::npos)
        FAIL("nothing is said to have happened since: \"" << moment_text() << "\"");
      // Drawn in a frame that began like this one.
      if (!could_be_ && values.own && values.cells_read > 0) FAIL("values read as its own: " << moment_text());
    }
    could_be_ = can_be;
  }
  // In what was drawn: status bar, table, inspector and map each say the moment, and the values the tensor's state.
  void check_text() {
    const std::string text = window_.story().text_of_frame();
    if (!app().index() || app().selected() == core::kNone32 || can_be_current()) return;
    INFO(text);
    CHECK(times(text, moment_text()) >= 4);
    CHECK(times(text, app::state_text(app().moment(), state())) >= 1);
    CHECK(times(text, " live") == 0);
  }
  // Each view that shows tensors by itself, large and where its head has one line: it says when what it shows was seen, or
  // what became of it. (Exchange offers acts, and says itself why it refuses them.)
  void check_panels() {
    if (!app().index() || app().selected() == core::kNone32 || can_be_current()) return;
    const app::ViewSwitches shown = app().panels().menu.show;
    using enum app::ActionContext;
    for (const app::ActionContext panel :
         {tensors, inspector, memory, sharing, values, layout, statistics, heatmap, hex, compare}) {
      if (panel == compare && (app().compared() == core::kNone32 || app().compared() >= app().index()->size())) continue;
      for (const bool small : {false, true}) {
        window_.story().resize(small ? 900 : 1920, small ? 420 : 1080);
        app().panels().menu.show = {};
        window_.story().frames(3);
        const std::size_t around = says_when(window_.story().text_of_frame());  // the status bar, notices
        app().panels().menu.show[panel] = true;
        window_.story().frames(4);
        check_panel(panel, around, small);
      }
    }
    app().panels().menu.show = shown;
    window_.story().resize(1920, 1080);
    app().commands().push(app::command::SetLayout{app::LayoutPreset::debug});  // the same panels in front as before
    window_.story().frames(8);
  }
  void check_panel(app::ActionContext panel, std::size_t around, bool small) {
    const std::string text = window_.story().text_of_frame();
    INFO(app::title_of(panel) << (small ? ", small: " : ": ") << text);
    CHECK(says_when(text) > around);
    CHECK(times(text, " live") == 0);
    // What follows from sharing followed then.
    if (panel == app::ActionContext::sharing || panel == app::ActionContext::inspector)
      CHECK(times(text, "Writing to ") == times(text, "Then: Writing to "));
    if (panel == app::ActionContext::values && !app().panels().values.cells.empty())
      CHECK(times(text, "then: ") + times(text, "shown: then") > 0);
    app::ComparePanelState& compare = app().panels().compare;
    for (const auto* rows : {&compare.rows, &compare.grid.cells})
      for (const app::SideBySide& row : *rows) CHECK_FALSE(row.differs);  // bytes that may be another's are not compared
  }
  // How often a text says the moment, what has happened since, or the tensor's state.
  std::size_t says_when(std::string_view text) {
    return times(text, moment_text()) + times(text, app::since_description(app().moment())) +
           times(text, app::state_text(app().moment(), state())) + times(text, app::brief_state_text(app().moment(), state())) +
           times(text, "code runs");  // the moment where there is no room for it
  }
  static std::size_t times(std::string_view text, std::string_view words) {
    std::size_t count = 0;
    for (auto at = text.find(words); at != std::string_view::npos; at = text.find(words, at + words.size())) ++count;
    return count;
  }

  LiveWindow window_;
  app::IndexPtr lost_;
  bool could_be_ = true;
  int checks_ = 0;
};

constexpr const char* kA = "import numpy as np\nx = np.arange(12.0).reshape(3, 4)\ny = x.T\nonly_a = np.ones(5)\n";
constexpr const char* kEdited = "import numpy as np\nx = np.arange(12).reshape(3, 4)\nmore = np.zeros(7)\n";
constexpr const char* kCrash = "import numpy as np\nx = np.arange(12, dtype='int16')\nimport ctypes\nctypes.string_at(0)\n";
constexpr const char* kB = "import numpy as np\nq = np.arange(6)\npart = q[2:]\n";
constexpr const char* kEndless = "import numpy as np\nq = np.arange(60)\nwhile True: pass\n";

// Another Python with NumPy: an older one, else the same once more under another path. "": there is none.
std::string other_python(const TemporaryFolder& folder) {
  namespace fs = std::filesystem;
  if (const char* const old = std::getenv("DLSCOPE_TEST_PYTHON_OLD")) return old;
  const fs::path python = LiveWindow::python(), environment = python.parent_path().parent_path();
  if (!fs::exists(environment / "pyvenv.cfg")) return {};
  fs::create_directories(folder.path() / "bin");
  fs::copy_file(environment / "pyvenv.cfg", folder.path() / "pyvenv.cfg");
  fs::create_directory_symlink(environment / "lib", folder.path() / "lib");
  fs::create_symlink(fs::canonical(python), folder.path() / "bin" / "python");
  return folder / "bin/python";
}

}  // namespace

TEST_CASE("an hour of work in a minute: nothing is shown as current that is not", "[window][host]") {
  Hour hour;
  app::Application& app = hour.app();
  hour.run("a.py", kA);
  app.select("x");
  hour.until("a.py is looked at", [&] { return hour.state() == TensorState::current && app.panels().values.cells.size() == 12; });
  // Nothing of ours has run since; threads that a library has just started may have, and then that is said.
  CHECK(hour.moment_text().starts_with("as of run 1"));

  hour.run("a.py", kEdited);
  CHECK(hour.moment_text().starts_with("as of run 2"));
  CHECK(app.index()->marks.gone.size() == 2);  // y and only_a
  hour.until("the edited x", [&] { return !app.panels().values.cells.empty() && app.panels().values.cells[1].text == "1"; });

  app.load_text("a.py", kCrash);
  app.run_script();
  hour.until("the crash", [&] { return hour.window().state() == HostState::crashed; });
  CHECK(hour.state() == TensorState::not_held);
  CHECK(hour.moment_text() == "as of run 2; run 3 crashed");
  CHECK(app.panels().values.cells[1].text == "1");  // what was seen then, not the bytes of the crash

  hour.lost_process();
  app.commands().push(app::command::RestartHost{});
  hour.until("the restart", [&] { return hour.window().state() == HostState::idle; });
  CHECK(hour.state() == TensorState::dead);
  CHECK(app.panels().values.cells[1].text == "1");
  CHECK(app.panels().values.cells_read == 0);

  hour.run("b.py", kB);
  CHECK(hour.moment_text().starts_with("as of run 4"));
  CHECK(app.index()->marks.before == nullptr);  // another script in another process: nothing of a.py is gone from it
  REQUIRE(app.selected() != core::kNone32);     // there is no x: what shares is looked at

  app.load_text("b.py", kEndless);
  app.run_script();
  hour.until("the endless loop", [&] { return app.host().current_run() == 5; });
  CHECK(hour.state() == TensorState::not_held);
  app.commands().push(app::command::KillHost{});  // says what is lost
  hour.until("the question", [&] { return !app.notices().all().empty(); });
  hour.lost_process();
  app.commands().push(app::command::KillHost{});
  hour.until("the kill", [&] { return hour.window().state() == HostState::ended; });
  CHECK(hour.state() == TensorState::dead);

  const TemporaryFolder folder;
  const std::string other = other_python(folder);
  if (other.empty()) SKIP("no second Python: DLSCOPE_TEST_PYTHON_OLD is not set, and DLSCOPE_TEST_PYTHON is of no environment");
  app.commands().push(app::command::ChoosePython{other});
  hour.until("the other Python", [&] {
    return hour.window().state() == HostState::idle && app.host().executable().find(other) != std::string::npos;
  });
  CHECK(app.host().executable().find("chosen in this window") != std::string::npos);
  CHECK(hour.state() == TensorState::dead);
  hour.run("a.py", kA);
  CHECK(hour.moment_text().starts_with("as of run 6"));
  CHECK(app.index()->marks.before == nullptr);
  hour.until("the first script again", [&] { return hour.state() == TensorState::current; });
  CHECK(hour.checks() > 100);
}

}  // namespace dlscope::tests
