#include "app/session/file_watch.h"

#include <catch2/catch_test_macros.hpp>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <thread>

#include "app/models/text/text_file.h"
#include "tests/support/temporary_folder.h"

namespace dlscope::app {
namespace {

namespace fs = std::filesystem;

class Watched {
 public:
  [[nodiscard]] std::string path(const char* name = "a.py") const { return folder_ / name; }
  void write(const std::string& text, const char* name = "a.py") const { std::ofstream(path(name)) << text; }

 private:
  tests::TemporaryFolder folder_;
};

std::vector<FileChange> wait_for(FileWatch& watch) {
  const auto give_up = std::chrono::steady_clock::now() + std::chrono::seconds(60);
  while (std::chrono::steady_clock::now() < give_up) {
    if (auto changes = watch.take(); !changes.empty()) return changes;
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  return {};
}

}  // namespace

TEST_CASE("another program's change, replacement and removal are noticed", "[watch]") {
  const Watched folder;
  folder.write("a\n");
  std::atomic<int> woken{0};
  FileWatch watch([&] { ++woken; });
  watch.watch(folder.path(), content_hash("a\n"));
  folder.write("b\n");
  auto changes = wait_for(watch);
  REQUIRE(changes.size() == 1);
  CHECK(changes[0].kind == FileChange::Kind::changed);
  CHECK(changes[0].bytes == "b\n");
  CHECK(woken > 0);

  folder.write("c\n", "other.py");
  fs::rename(folder.path("other.py"), folder.path());
  changes = wait_for(watch);
  REQUIRE(changes.size() == 1);
  CHECK(changes[0].bytes == "c\n");

  fs::remove(folder.path());
  changes = wait_for(watch);
  REQUIRE(changes.size() == 1);
  CHECK(changes[0].kind == FileChange::Kind::gone);

  folder.write("c\n");  // back, as it was
  changes = wait_for(watch);
  REQUIRE(changes.size() == 1);
  CHECK(changes[0].kind == FileChange::Kind::changed);
}

TEST_CASE("a file that was written with the same content did not change", "[watch]") {
  const Watched folder;
  folder.write("a\n");
  FileWatch watch({});
  watch.watch(folder.path(), content_hash("a\n"));
  folder.write("a\n");
  folder.write("x", "neighbour.py");
  folder.write("a\n");
  folder.write("b\n");
  const auto changes = wait_for(watch);
  REQUIRE(changes.size() == 1);
  CHECK(changes[0].bytes == "b\n");
}

TEST_CASE("a change from before the watch began is noticed", "[watch]") {
  const Watched folder;
  folder.write("new\n");
  FileWatch watch({});
  watch.watch(folder.path(), content_hash("old\n"));
  const auto changes = wait_for(watch);
  REQUIRE(changes.size() == 1);
  CHECK(changes[0].bytes == "new\n");
  watch.watch("", 0);
  folder.write("unseen\n");
  watch.watch(folder.path("none.py"), 0);
  const auto gone = wait_for(watch);
  REQUIRE(gone.size() == 1);
  CHECK(gone[0].kind == FileChange::Kind::gone);
}

}  // namespace dlscope::app
