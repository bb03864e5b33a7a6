#include "app/models/script/console_history.h"

#include <catch2/catch_test_macros.hpp>

#include <sys/stat.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

namespace dlscope::app {
namespace {

class Folder {
 public:
  Folder() {
    std::string pattern = (std::filesystem::temp_directory_path() / "dlscope-history-XXXXXX").string();
    REQUIRE(::mkdtemp(pattern.data()) != nullptr);
    path_ = pattern;
  }
  ~Folder() { std::filesystem::remove_all(path_); }
  [[nodiscard]] std::string state() const { return path_ + "/state"; }

 private:
  std::string path_;
};

}  // namespace

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
  CHECK(history.entries().size() == ConsoleHistory::kMost);
  CHECK(history.entries().back() == "2999");
}

TEST_CASE("history survives in a private file", "[console]") {
  const Folder folder;
  CHECK(load_history(folder.state()).empty());
  REQUIRE(append_history(folder.state(), "x = 1").has_value());
  REQUIRE(append_history(folder.state(), "def f():\n    return '\\n'").has_value());
  CHECK(load_history(folder.state()) == std::vector<std::string>{"x = 1", "def f():\n    return '\\n'"});
  struct stat info {};
  REQUIRE(::stat((folder.state() + "/console-history").c_str(), &info) == 0);
  CHECK((info.st_mode & 0777U) == 0600U);
  // A writer that died in the middle of a line costs that line only.
  std::ofstream(folder.state() + "/console-history", std::ios::app) << "half";
  CHECK(load_history(folder.state()).size() == 2);
  // It never grows without end.
  const std::string large(60'000, 'y');
  for (int i = 0; i < 60; ++i) REQUIRE(append_history(folder.state(), large + std::to_string(i)).has_value());
  CHECK(std::filesystem::file_size(folder.state() + "/console-history") <= (2u << 20) + 70'000);
  CHECK(load_history(folder.state()).back() == large + "59");
}

}  // namespace dlscope::app
