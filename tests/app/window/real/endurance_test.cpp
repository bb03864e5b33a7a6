// Long use of one window and of one supervisor, with a real Python: memory, descriptors, maps and threads stay as they are, and no
// file is left behind. Short runs here; how to make them long, and what came of it: docs/testing.md.
#include <unistd.h>

#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <chrono>
#include <cstdlib>
#include <string>
#include <thread>

#include "app/cli/supervised_run.h"
#include "app/models/history/moment_history.h"
#include "tests/app/window/real/live_window.h"
#include "tests/support/process_facts.h"
#include "tests/support/temporary_folder.h"

namespace dlscope::tests {
namespace {

using app::HostState;

// Temporary and state files of this process and its children lie in a folder of its own as long as it lives.
class OwnFolders {
 public:
  OwnFolders() {
    ::setenv("TMPDIR", folder_.operator/("").c_str(), 1);
    ::setenv("XDG_STATE_HOME", folder_.operator/("").c_str(), 1);
  }
  ~OwnFolders() {
    ::unsetenv("TMPDIR");
    ::unsetenv("XDG_STATE_HOME");
  }
  OwnFolders(const OwnFolders&) = delete;
  OwnFolders& operator=(const OwnFolders&) = delete;
  // Folders in it, too, and what is in them.
  [[nodiscard]] long files() const {
    using Walk = std::filesystem::recursive_directory_iterator;
    return std::distance(Walk(folder_.path()), Walk());
  }

 private:
  TemporaryFolder folder_;
};

// Taken when everything has been used once; nothing may have become more at the end. Memory: what lists and texts with bounds of
// their own still take, and what the allocator keeps.
class Steady {
 public:
  // `all`: how long what follows is; told when it is long.
  Steady(pid_t pid, const OwnFolders& folders, int all)
      : pid_(pid), folders_(folders), files_(folders.files()), before_(facts_of(pid)) {
    tell(pid == ::getpid() ? "the viewer after" : "the host after", 0, all, before_, files_);
  }
  void check(long more_kib) const {
    const ProcessFacts now = facts_of(pid_);
    CHECK(now.descriptors <= before_.descriptors);
    CHECK(now.threads <= before_.threads);
    CHECK(now.shared_kib <= before_.shared_kib);
    CHECK(folders_.files() <= files_);
    if (kMemoryIsKept) return;
    CHECK(now.maps <= before_.maps + 24);  // the allocator's arenas
    CHECK(now.memory_kib <= before_.memory_kib + more_kib);
  }

 private:
  pid_t pid_;
  const OwnFolders& folders_;
  long files_;
  ProcessFacts before_;
};

// A window whose temporary and state files are counted, those of its Python included.
struct CountedWindow {
  OwnFolders folders;
  LiveWindow window;
};

constexpr long kMoreKib = 48 << 10;
constexpr long kMomentKib = 80;  // what the history keeps of each run of kScript: new addresses, so nothing that moments share

constexpr const char* kScript =
    "import array\n"
    "x = array.array('d', range(5000))\n"
    "y = memoryview(x)[100:]\n"
    "parts = [bytearray(64) for _ in range(200)]\n"
    "print('x' * 500)\n";

}  // namespace

TEST_CASE("runs and restarts in one window leave nothing behind", "[window][endurance]") {
  const int rounds = endurance("DLSCOPE_ENDURANCE_RESTARTS", 12);
  CountedWindow counted;
  auto& [folders, window] = counted;
  app::Application& app = window.app();
  const auto round = [&] {
    window.run(kScript);
    restart(app);
    window.story().frames(1);
    REQUIRE(window.wait_for_state(HostState::idle));
    REQUIRE(window.story().wait_for([&] { return !app.works_in_background(); }));
  };
  const int first = std::max(4, rounds / 10);
  for (int i = 0; i < first; ++i) round();
  const Steady steady(::getpid(), folders, rounds);
  for (int i = 1; i <= rounds; ++i) {
    round();
    tell("run and restart", i, rounds, facts_of(::getpid()), folders.files());
  }
  steady.check(kMoreKib + kMomentKib * std::min<long>(rounds, app::MomentHistory::kMaxMoments));
}

TEST_CASE("headless runs in one supervisor leave nothing behind", "[endurance]") {
  const int rounds = endurance("DLSCOPE_ENDURANCE_RUNS", 12);
  const OwnFolders folders;
  app::HostLaunch launch;
  launch.python = app::find_python({LiveWindow::python()}).value();
  app::InterruptWatch interrupts;
  const auto round = [&] {
    core::wire::Run run;
    run.run = 1;
    run.source = std::string(kScript).replace(std::string(kScript).find("print"), std::string::npos, "");
    const app::RunReport report = app::run_supervised(launch, run, {}, interrupts);
    REQUIRE(report.outcome.outcome == core::Outcome::finished);
    REQUIRE(report.snapshot->tensors.size() == 202);
  };
  const int first = std::max(4, rounds / 10);
  for (int i = 0; i < first; ++i) round();
  const Steady steady(::getpid(), folders, rounds);
  for (int i = 1; i <= rounds; ++i) {
    round();
    tell("headless run", i, rounds, facts_of(::getpid()), folders.files());
  }
  interrupts.release();
  steady.check(kMoreKib);
  CHECK(folders.files() == 0);
}

TEST_CASE("much output passes through the window's terminal and is not kept", "[window][endurance]") {
  const int megabytes = endurance("DLSCOPE_ENDURANCE_OUTPUT_MB", 40);
  CountedWindow counted;
  auto& [folders, window] = counted;
  const auto print = [&](int count) {
    window.run("import sys\nline = ('0123456789 ' * 9 + '\\n') * 1000\nfor _ in range(" + std::to_string(count * 10) +
               "): sys.stdout.write(line)\nprint('that is all')\n");
    REQUIRE(window.wait_for_output("that is all"));
  };
  print(20);
  const Steady steady(::getpid(), folders, megabytes);
  for (int done = 0; done < megabytes;) {
    const int now = std::min(megabytes - done, std::max(20, megabytes / 10));
    print(now);
    done += now;
    tell("MB of output", done, megabytes, facts_of(::getpid()), folders.files());
  }
  steady.check(kMoreKib);
}

TEST_CASE("heat maps, comparisons and searches one after the other leave nothing behind", "[window][endurance]") {
  const int rounds = endurance("DLSCOPE_ENDURANCE_VIEWS", 30);
  CountedWindow counted;
  auto& [folders, window] = counted;
  app::Application& app = window.app();
  window.run(
      "import numpy as np\n"
      "x = np.arange(60000, dtype=np.float32).reshape(200, 300)\n"
      "y = np.asfortranarray(x.astype(np.float64))\n");
  const pid_t host = last_child_of(::getpid());
  REQUIRE(host != 0);
  const auto show = [&](const char* panel) { window.story().act([panel](ImGuiTestContext* ui) { ui->WindowFocus(panel); }); };
  const auto pictures = [&](int count) {
    show("//Heat map");
    for (int i = 0; i < count; ++i) {
      const char* const name = i % 2 == 0 ? "x" : "y";
      app.select(name);
      REQUIRE(window.story().wait_for([&] {
        const app::HeatmapReading* reading = app.heatmap().reading();
        return reading != nullptr && reading->asked.tensor == app.index()->find(name) && !reading->computing();
      }));
    }
  };
  const auto comparisons = [&](int count) {
    show("//Compare");
    auto& panel = app.panels().compare;
    for (int i = 0; i < count; ++i) {
      app.commands().push(app::command::SelectTensor{*app.index()->find(i % 2 == 0 ? "x" : "y")});
      app.commands().push(app::command::CompareTensor{*app.index()->find(i % 2 == 0 ? "y" : "x")});
      window.story().frames(2);
      REQUIRE(
          window.story().wait_for([&] { return panel.found.has_value() && panel.revision == app.compared_sides().revision; }));
    }
  };
  const auto searches = [&](int count) {
    app::HexPanelState& hex = app.panels().hex;
    app.select("x");
    window.story().frames(3);
    for (int i = 0; i < count; ++i) {
      hex.said.clear();
      window.story().act([i](ImGuiTestContext* ui) {
        ui->WindowFocus("//Hex");
        ui->KeyPress(ImGuiMod_Ctrl | ImGuiKey_F);
        ui->Yield(2);
        ui->KeyCharsReplaceEnter(("float32 " + std::to_string(1000 + i % 50000)).c_str());
        ui->Yield(2);
      });
      REQUIRE(window.story().wait_for([&] { return !hex.searching && !hex.said.empty(); }));
    }
  };
  const auto all = [&](int count) {
    pictures(count * 8 / 10);
    comparisons(count / 10);
    searches(count / 10);
  };
  all(20);
  const Steady viewer(::getpid(), folders, rounds), in_host(host, folders, rounds);
  for (int done = 0; done < rounds;) {
    const int now = std::min(rounds - done, std::max(10, rounds / 10));
    all(now);
    done += now;
    tell("views, the viewer after", done, rounds, facts_of(::getpid()), folders.files());
    tell("views, the host after", done, rounds, facts_of(host), folders.files());
  }
  viewer.check(kMoreKib);
  in_host.check(kMoreKib);
}

TEST_CASE("a window beside a training loop stays as it is", "[window][endurance]") {
  const int seconds = endurance("DLSCOPE_ENDURANCE_SECONDS", 3);
  CountedWindow counted;
  auto& [folders, window] = counted;
  app::Application& app = window.app();
  constexpr const char* kLoop =
      "import numpy as np\n"
      "rng = np.random.default_rng(0)\n"
      "x = rng.normal(size=(256, 64)).astype(np.float32)\n"
      "y = (x @ rng.normal(size=(64, 1))).astype(np.float32)\n"
      "w = np.zeros((64, 1), np.float32)\n"
      "def train(steps):\n"
      "    import time\n"
      "    for step in range(steps):\n"
      "        error = x @ w - y\n"
      "        w[:] -= np.float32(0.01) * x.T @ error / len(x)\n"
      "        time.sleep(0.002)\n"
      "        if step % 50 == 0: print('step', step, 'loss', float(np.mean(error * error)), flush=True)\n";
  window.run(std::string(kLoop) + "train(100)\n");
  app.select("w");
  window.start(std::string(kLoop) + "train(10**9)\n");
  REQUIRE(window.wait_for_output("step 100 "));
  const pid_t host = last_child_of(::getpid());
  REQUIRE(host != 0);
  const auto look_on = [&](int for_seconds, bool telling) {
    const auto begin = std::chrono::steady_clock::now();
    for (int told = 0; told < for_seconds;) {
      window.story().frames(1);
      std::this_thread::sleep_for(std::chrono::milliseconds(16));
      const auto passed = std::chrono::duration_cast<std::chrono::seconds>(std::chrono::steady_clock::now() - begin).count();
      if (passed <= told) continue;
      told = static_cast<int>(passed);
      if (telling) tell("seconds of training, the viewer after", told, for_seconds, facts_of(::getpid()), folders.files());
      if (telling) tell("seconds of training, the host after", told, for_seconds, facts_of(host), folders.files());
    }
  };
  look_on(2, false);
  const Steady viewer(::getpid(), folders, seconds), in_host(host, folders, seconds);
  look_on(seconds, true);
  REQUIRE(app.host().current_run() != 0);
  viewer.check(kMoreKib);
  in_host.check(kMoreKib);
}

}  // namespace dlscope::tests
