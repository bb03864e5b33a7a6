#include "app/session/settings_keeper.h"

#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <filesystem>

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
