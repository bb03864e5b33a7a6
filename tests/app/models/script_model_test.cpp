#include "app/models/script/script_model.h"

#include <sys/stat.h>
#include <unistd.h>
#include <catch2/catch_test_macros.hpp>

#include <filesystem>
#include <fstream>

namespace dlscope::app {
namespace {

namespace fs = std::filesystem;

class Folder {
 public:
  Folder() : path_(fs::temp_directory_path() / ("dlscope-script-test-" + std::to_string(::getpid()))) {
    fs::create_directories(path_);
  }
  ~Folder() { fs::remove_all(path_); }
  [[nodiscard]] std::string file(const char* name) const { return (path_ / name).string(); }

 private:
  fs::path path_;
};

}  // namespace

TEST_CASE("a script is written whole and read back", "[app][models]") {
  const Folder folder;
  const std::string file = folder.file("a.py");
  REQUIRE(write_text_file(file, "print(1)\n", 0600).has_value());
  CHECK(read_text_file(file).value() == "print(1)\n");
  CHECK((fs::status(file).permissions() & fs::perms::all) == fs::perms(0600));
  fs::permissions(file, fs::perms(0755));
  REQUIRE(write_text_file(file, "print(2)\n", 0600).has_value());
  CHECK((fs::status(file).permissions() & fs::perms::all) == fs::perms(0755));  // its own permissions stay
  CHECK(std::distance(fs::directory_iterator(fs::path(file).parent_path()), fs::directory_iterator()) == 1);
}

TEST_CASE("saving through a link changes the file behind it", "[app][models]") {
  const Folder folder;
  REQUIRE(write_text_file(folder.file("real.py"), "old").has_value());
  fs::create_symlink(folder.file("real.py"), folder.file("link.py"));
  REQUIRE(write_text_file(folder.file("link.py"), "new").has_value());
  CHECK(fs::is_symlink(folder.file("link.py")));
  CHECK(read_text_file(folder.file("real.py")).value() == "new");
}

TEST_CASE("what is no script is refused with words", "[app][models]") {
  const Folder folder;
  CHECK(read_text_file(folder.file("missing.py")).error().kind == core::ErrorKind::not_found);
  CHECK(read_text_file(folder.file(".")).error().kind == core::ErrorKind::invalid);
  std::ofstream(folder.file("binary"), std::ios::binary) << std::string("ab\0cd", 5);
  CHECK(read_text_file(folder.file("binary")).error().kind == core::ErrorKind::invalid);
  CHECK(write_text_file(folder.file("no/such/folder.py"), "x").error().kind == core::ErrorKind::environment);
}

TEST_CASE("how a run ended is one sentence", "[app][models]") {
  core::RunOutcome outcome;
  CHECK(outcome_sentence(outcome) == "Not run yet.");
  outcome.outcome = core::Outcome::finished;
  CHECK(outcome_sentence(outcome) == "Finished.");
  outcome.exit_code = 7;
  CHECK(outcome_sentence(outcome) == "Left with exit code 7.");
  outcome = {};
  outcome.outcome = core::Outcome::raised;
  outcome.error = core::ScriptError{"ZeroDivisionError", "division by zero", 3, ""};
  CHECK(outcome_sentence(outcome) == "Raised ZeroDivisionError in line 3: division by zero.");
  CHECK(error_mark(outcome)->line == 3);
  outcome = {};
  outcome.outcome = core::Outcome::crashed;
  outcome.signal = 11;
  CHECK(outcome_sentence(outcome) == "The script's process crashed with SIGSEGV.");
  CHECK_FALSE(error_mark(outcome).has_value());
}

}  // namespace dlscope::app
