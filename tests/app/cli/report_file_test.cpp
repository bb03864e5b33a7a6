#include "app/cli/report_file.h"

#include <sys/stat.h>

#include <unistd.h>
#include <algorithm>

#include <catch2/catch_test_macros.hpp>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

using namespace dlscope;
using namespace dlscope::app;
namespace fs = std::filesystem;

namespace {

class Folder {
 public:
  Folder() : path_(fs::temp_directory_path() / ("dlscope-report-" + std::to_string(::getpid()))) {
    fs::remove_all(path_);
    fs::create_directories(path_);
  }
  ~Folder() { fs::remove_all(path_); }
  [[nodiscard]] std::string operator/(const char* name) const { return (path_ / name).string(); }
  [[nodiscard]] std::ptrdiff_t files() const { return std::distance(fs::directory_iterator(path_), fs::directory_iterator()); }

 private:
  fs::path path_;
};

std::string content(const std::string& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

bool produce_hello(const core::JsonSink& sink) { return sink("hel") && sink("lo\n"); }

}  // namespace

TEST_CASE("A file is replaced in one step and keeps its mode", "[app][cli]") {
  const Folder folder;
  const std::string path = folder / "r.json";
  std::ofstream(path) << "old";
  ::chmod(path.c_str(), 0640);
  auto file = ReportFile::open(path, {});
  REQUIRE(file);
  CHECK(content(path) == "old");
  REQUIRE(file->write(produce_hello));
  CHECK(content(path) == "hello\n");
  CHECK((fs::status(path).permissions() & fs::perms::mask) == fs::perms{0640});
  CHECK(folder.files() == 1);
}

TEST_CASE("A report that breaks off leaves the old one and nothing else", "[app][cli]") {
  const Folder folder;
  const std::string path = folder / "r.json";
  std::ofstream(path) << "old";
  auto file = ReportFile::open(path, {});
  REQUIRE(file);
  CHECK_FALSE(file->write([](const core::JsonSink& sink) { return sink("half") && false; }));
  CHECK(content(path) == "old");
  CHECK(folder.files() == 1);
}

TEST_CASE("Opening leaves nothing behind", "[app][cli]") {
  const Folder folder;
  REQUIRE(ReportFile::open(folder / "r.json", {}));
  CHECK(folder.files() == 0);
}

TEST_CASE("Places that cannot be written are found out at once", "[app][cli]") {
  const Folder folder;
  CHECK_FALSE(ReportFile::open(folder / "no/r.json", {}));
  CHECK_FALSE(ReportFile::open(folder / "", {}));
  CHECK_FALSE(ReportFile::open("/proc/r.json", {}));
  CHECK_FALSE(ReportFile::open("-", {.output_open = false}));
  CHECK_FALSE(ReportFile::open("/dev/fd/999", {}));
}

TEST_CASE("A full device is said so when it is written", "[app][cli]") {
  auto file = ReportFile::open("/dev/full", {});
  REQUIRE(file);
  const auto written = file->write(produce_hello);
  REQUIRE_FALSE(written);
  CHECK(written.error().message.find("/dev/full") != std::string::npos);
}

TEST_CASE("A large report goes out in pieces", "[app][cli]") {
  const Folder folder;
  auto file = ReportFile::open(folder / "r.json", {});
  REQUIRE(file);
  const std::string piece(1000, 'x');
  REQUIRE(file->write([&](const core::JsonSink& sink) {
    for (int i = 0; i < 2000; ++i) {
      if (!sink(piece)) return false;
    }
    return true;
  }));
  CHECK(fs::file_size(folder / "r.json") == 2'000'000);
}
