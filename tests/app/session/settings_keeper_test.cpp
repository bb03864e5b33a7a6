#include "app/session/settings_keeper.h"

#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "tests/support/temporary_folder.h"

namespace dlscope::app {

TEST_CASE("settings are written when they change, and only then", "[session][settings]") {
  const tests::TemporaryFolder folder;
  const std::string file = folder / "settings.json";
  JobPool jobs;
  Notices notices;
  SettingsKeeper keeper({}, file);
  keeper.keep(jobs, notices);
  jobs.finish_all();
  CHECK_FALSE(std::filesystem::exists(file));
  keeper.values().reduced_motion = true;
  keeper.keep(jobs, notices);
  jobs.finish_all();
  CHECK(load_settings(file).settings.reduced_motion);
  std::filesystem::remove(file);
  keeper.keep(jobs, notices);
  jobs.finish_all();
  CHECK_FALSE(std::filesystem::exists(file));
  keeper.values().scale = 2.0F;
  keeper.close();
  CHECK(load_settings(file).settings.scale == 2.0F);
  CHECK(notices.all().empty());
}

TEST_CASE("settings that cannot be written are said, those without a file are not", "[session][settings]") {
  JobPool jobs;
  Notices notices;
  SettingsKeeper nowhere({}, "");
  nowhere.values().reduced_motion = true;
  nowhere.keep(jobs, notices);
  SettingsKeeper impossible({}, "/proc/no/settings.json");
  impossible.values().reduced_motion = true;
  impossible.keep(jobs, notices);
  jobs.finish_all();
  REQUIRE(notices.all().size() == 1);
  CHECK(notices.all().front().text.find("cannot be kept") != std::string::npos);
}

namespace {

KeptBreakpoint breakpoint(std::string path, std::uint32_t line, std::string condition = {}) {
  KeptBreakpoint out;
  out.path = std::move(path);
  out.line = line;
  out.condition = std::move(condition);
  return out;
}

}  // namespace

TEST_CASE("of two windows neither drops what the other wrote", "[session][settings]") {
  const tests::TemporaryFolder folder;
  const std::string file = folder / "settings.json";
  Settings before;
  before.breakpoints = {breakpoint("/old.py", 1), breakpoint("/gone.py", 2)};
  before.keys = {{"run", "F5"}, {"find", "Ctrl+F"}};
  before.arguments = {{"/old.py", "x"}};
  before.run_settings_used = {"/old.py"};
  before.recent_files = {"/1.py", "/2.py"};
  before.watches = {"w", "v"};
  before.folded = {"layout"};
  REQUIRE(save_settings(file, before));
  SettingsKeeper one(load_settings(file).settings, file), other(load_settings(file).settings, file);

  one.values().breakpoints = {breakpoint("/old.py", 1, "i > 2"), breakpoint("/a.py", 3)};  // /gone.py is removed
  one.values().keys = {{"run", "F6"}, {"find", "Ctrl+F"}};
  one.values().arguments["/a.py"] = "--one";
  one.values().run_settings_used = {"/a.py", "/old.py"};
  one.note_recent_file("/a.py");
  one.note_recent_python("/usr/bin/one");
  one.values().watches = {"v", "of one"};
  one.values().theme = ThemeChoice::dark;
  one.close();
  other.values().breakpoints.push_back(breakpoint("/b.py", 4));
  other.values().keys["find"] = "Ctrl+G";
  other.values().arguments["/b.py"] = "--other";
  other.values().run_settings_used = {"/b.py", "/old.py"};
  other.note_recent_file("/b.py");
  other.note_recent_file("/2.py");
  other.note_recent_python("/usr/bin/other");
  other.values().watches.push_back("of the other");
  other.values().folded = {};
  other.values().panels["show.hex"] = true;
  other.close();

  const Settings now = load_settings(file).settings;
  CHECK(now.breakpoints == std::vector{breakpoint("/old.py", 1, "i > 2"), breakpoint("/a.py", 3), breakpoint("/b.py", 4)});
  CHECK(now.keys == std::map<std::string, std::string>{{"run", "F6"}, {"find", "Ctrl+G"}});
  CHECK(now.arguments == std::map<std::string, std::string>{{"/old.py", "x"}, {"/a.py", "--one"}, {"/b.py", "--other"}});
  CHECK(now.run_settings_used == std::vector<std::string>{"/b.py", "/a.py", "/old.py"});
  CHECK(now.recent_files == std::vector<std::string>{"/2.py", "/b.py", "/a.py", "/1.py"});
  CHECK(now.recent_pythons == std::vector<std::string>{"/usr/bin/other", "/usr/bin/one"});
  CHECK(now.watches == std::vector<std::string>{"v", "of one", "of the other"});
  CHECK(now.theme == ThemeChoice::dark);
  CHECK(now.folded.empty());
  CHECK(now.panels == std::map<std::string, bool>{{"show.hex", true}});

  SECTION("a window goes on writing only what it changes") {
    one.values().scale = 2.0F;
    one.close();
    Settings expected = now;
    expected.scale = 2.0F;
    CHECK(load_settings(file).settings == expected);
  }
  SECTION("what two windows changed is as the last one has it") {
    one.values().keys["run"] = "F7";
    one.close();
    other.values().keys["run"] = "F8";
    other.close();
    CHECK(load_settings(file).settings.keys.at("run") == "F8");
  }
}

TEST_CASE("two windows that write at the same time lose nothing", "[session][settings]") {
  const tests::TemporaryFolder folder;
  const std::string file = folder / "settings.json";
  REQUIRE(save_settings(file, {}));
  constexpr int kWindows = 4, kEach = 20;
  std::vector<std::thread> windows;
  for (int window = 0; window < kWindows; ++window) {
    windows.emplace_back([&, window] {
      SettingsKeeper keeper({}, file);
      for (int i = 0; i < kEach; ++i) {
        keeper.values().keys["action " + std::to_string(window) + "." + std::to_string(i)] = "F5";
        keeper.close();
      }
    });
  }
  for (auto& window : windows) window.join();
  CHECK(load_settings(file).settings.keys.size() == kWindows * kEach);
}

TEST_CASE("together two windows keep no more than one may", "[session][settings]") {
  const tests::TemporaryFolder folder;
  const std::string file = folder / "settings.json";
  SettingsKeeper one({}, file), other({}, file);
  const auto use = [](SettingsKeeper& window, const std::string& name) {
    for (std::size_t i = 0; i < kMaxRunSettings; ++i) {
      const std::string path = "/" + name + std::to_string(i) + ".py";
      window.values().arguments[path] = "x";
      window.values().run_settings_used.push_back(path);
    }
    for (std::size_t i = 0; i < kMaxRecentFiles; ++i) window.note_recent_file("/" + name + std::to_string(i) + ".py");
    window.close();
  };
  use(one, "one");
  use(other, "other");
  const Settings now = load_settings(file).settings;
  CHECK(now.run_settings_used == other.values().run_settings_used);
  CHECK(now.arguments == other.values().arguments);
  CHECK(now.recent_files == other.values().recent_files);
}

TEST_CASE("what could not be written is written with the next change, and a broken file is kept", "[session][settings]") {
  const tests::TemporaryFolder folder;
  const std::string file = folder / "in/settings.json";
  std::ofstream(folder / "in") << "a file, where the folder should be";
  JobPool jobs;
  Notices notices;
  SettingsKeeper keeper({}, file);
  keeper.values().reduced_motion = true;
  keeper.keep(jobs, notices);
  jobs.finish_all();
  REQUIRE(notices.all().size() == 1);
  std::filesystem::remove(folder / "in");
  std::filesystem::create_directories(folder / "in");
  REQUIRE(save_settings(file, {}));
  keeper.values().scale = 2.0F;
  keeper.keep(jobs, notices);
  jobs.finish_all();
  CHECK(load_settings(file).settings == keeper.values());
  std::ofstream(file) << "{ not JSON";
  keeper.values().scale = 1.0F;
  keeper.keep(jobs, notices);
  jobs.finish_all();
  CHECK(load_settings(file).settings == keeper.values());
  CHECK(std::filesystem::exists(file + ".broken"));
  CHECK(notices.all().back().text.find("kept as " + file + ".broken") != std::string::npos);
}

TEST_CASE("the newest file stands first, each once, as many as are kept", "[session][settings]") {
  SettingsKeeper keeper({}, "");
  for (std::size_t i = 0; i < kMaxRecentFiles + 3; ++i) keeper.note_recent_file("/tmp/" + std::to_string(i) + ".py");
  keeper.note_recent_file("/tmp/x/../5.py");
  keeper.note_recent_file("");
  CHECK(keeper.values().recent_files.size() == kMaxRecentFiles);
  CHECK(keeper.values().recent_files.front() == "/tmp/5.py");
  CHECK(std::ranges::count(keeper.values().recent_files, "/tmp/5.py") == 1);
}

}  // namespace dlscope::app
