#include "app/models/script/console_history.h"
#include "tests/support/temporary_folder.h"

#include <catch2/catch_test_macros.hpp>

#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <string>

namespace dlscope::app {
TEST_CASE("Up and Down walk through what was typed, and back to what is being typed", "[console]") {
  ConsoleHistory history;
  CHECK(history.add("a"));
  CHECK(history.add("b\nc\n"));
  CHECK_FALSE(history.add("b\nc"));
  CHECK_FALSE(history.add("  \n"));
  CHECK_FALSE(history.add(std::string(ConsoleHistory::kLongestKept + 1, 'x')));
  CHECK(history.entries().size() == 2);
  CHECK_FALSE(history.newer().has_value());
  CHECK(history.older("half") == "b\nc");
  CHECK(history.older("b\nc") == "a");
  CHECK_FALSE(history.older("a").has_value());
  CHECK(history.newer() == "b\nc");
  CHECK(history.newer() == "half");
  CHECK_FALSE(history.newer().has_value());
  CHECK(history.search("c", 9) == 1);
  CHECK_FALSE(history.search("zzz", 9).has_value());
}

TEST_CASE("history is bounded, and older sessions come before this one", "[console]") {
  ConsoleHistory history;
  history.add("mine");
  CHECK(history.older("") == "mine");
  history.put_before({"first", "second"});
  CHECK(history.older("mine") == "second");
  for (int i = 0; i < 3'000; ++i) history.add(std::to_string(i));
  CHECK(history.entries().size() == ConsoleHistory::kMax);
  CHECK(history.entries().back() == "2999");
}

TEST_CASE("history survives in a private file", "[console]") {
  const tests::TemporaryFolder folder;
  const std::string state = folder / "state";
  CHECK(load_history(state).empty());
  REQUIRE(append_history(state, "x = 1").has_value());
  REQUIRE(append_history(state, "def f():\n    return '\\n'").has_value());
  CHECK(load_history(state) == std::vector<std::string>{"x = 1", "def f():\n    return '\\n'"});
  struct stat info {};
  REQUIRE(::stat((state + "/console-history").c_str(), &info) == 0);
  CHECK((info.st_mode & 0777U) == 0600U);
  // A writer that died in the middle of a line costs that line only.
  std::ofstream(state + "/console-history", std::ios::app) << "half";
  CHECK(load_history(state).size() == 2);
  // It never grows without end.
  const std::string large(60'000, 'y');
  for (int i = 0; i < 60; ++i) REQUIRE(append_history(state, large + std::to_string(i)).has_value());
  CHECK(std::filesystem::file_size(state + "/console-history") <= (2u << 20) + 70'000);
  CHECK(load_history(state).back() == large + "59");
}

}  // namespace dlscope::app
