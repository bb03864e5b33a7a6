// Files that the window writes in the background, and what is said of them.
#include "app/window/commands/saved_files.h"

#include <catch2/catch_test_macros.hpp>

#include <fstream>
#include <iterator>

#include "tests/support/temporary_folder.h"

namespace dlscope::app {
namespace {

struct Saving {
  JobPool jobs;
  TaskRunner tasks{jobs};
  Notices notices;

  void save(const std::string& path) {
    save_text(tasks, notices, "The proof", "{\"verdict\": \"SHARED\"}\n", path);
    jobs.finish_all();
  }
};

}  // namespace

TEST_CASE("a text is saved as it is, and a notice says where", "[app]") {
  const tests::TemporaryFolder folder;
  Saving saving;
  const std::string path = folder / "proof.json";
  saving.save(path);
  std::ifstream file(path);
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  CHECK(text == "{\"verdict\": \"SHARED\"}\n");
  REQUIRE(saving.notices.all().size() == 1);
  CHECK(saving.notices.all().front().tone == Tone::good);
  CHECK(saving.notices.all().front().text == "The proof was saved as " + path + ".");
}

TEST_CASE("a text that cannot be saved is said with its reason", "[app]") {
  const tests::TemporaryFolder folder;
  Saving saving;
  const std::string path = folder / "no such folder/proof.json";
  saving.save(path);
  REQUIRE(saving.notices.all().size() == 1);
  CHECK(saving.notices.all().front().tone == Tone::bad);
  CHECK(saving.notices.all().front().text.find(path) != std::string::npos);
}

}  // namespace dlscope::app
