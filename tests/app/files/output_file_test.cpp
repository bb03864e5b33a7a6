#include "app/files/output_file.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <catch2/catch_test_macros.hpp>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <thread>

#include "tests/support/temporary_folder.h"

namespace dlscope::app {
namespace {

namespace fs = std::filesystem;

std::string content(const std::string& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

void put(const std::string& path, const char* text) { std::ofstream(path) << text; }

unsigned mode_of(const std::string& path) { return static_cast<unsigned>(fs::status(path).permissions() & fs::perms::mask); }

bool produce_hello(const OutputFile::Sink& sink) { return sink("hel") && sink("lo\n"); }

// Writes "hello\n" both ways and says whether both did.
bool write_hello(const std::string& path) {
  auto file = OutputFile::open(path);
  return file && file->write(produce_hello) && write_file(path, "hello\n");
}

}  // namespace

TEST_CASE("A file is replaced in one step and keeps its mode", "[app][files]") {
  const tests::TemporaryFolder folder;
  const std::string path = folder / "r.json";
  put(path, "old");
  ::chmod(path.c_str(), 0640);
  const std::ifstream reader(path);  // of the old one
  auto file = OutputFile::open(path);
  REQUIRE(file);
  CHECK(content(path) == "old");
  REQUIRE(file->write(produce_hello));
  CHECK(content(path) == "hello\n");
  CHECK(std::string(std::istreambuf_iterator<char>(reader.rdbuf()), {}) == "old");
  CHECK(mode_of(path) == 0640);
  CHECK(folder.entries() == 1);
}

TEST_CASE("A new file has the mode the umask allows, or is its owner's alone", "[app][files]") {
  const tests::TemporaryFolder folder;
  const mode_t before = ::umask(027);
  CHECK(write_file(folder / "usual", "x"));
  CHECK(write_file(folder / "owners", "x", NewFile::owner_only));
  ::umask(before);
  CHECK(mode_of(folder / "usual") == 0640);
  CHECK(mode_of(folder / "owners") == 0600);
}

TEST_CASE("Writing that breaks off leaves the old file and nothing else", "[app][files]") {
  const tests::TemporaryFolder folder;
  const std::string path = folder / "r.json";
  put(path, "old");
  auto file = OutputFile::open(path);
  REQUIRE(file);
  CHECK_FALSE(file->write([](const OutputFile::Sink& sink) { return sink("half") && false; }));
  CHECK(content(path) == "old");
  CHECK(folder.entries() == 1);
}

TEST_CASE("What a killed process left behind is in nobody's way", "[app][files]") {
  const tests::TemporaryFolder folder;
  const std::string path = folder / "a.py";
  put(fmt::format("{}.{}.part", path, ::getpid()), "stale");
  CHECK(write_hello(path));
  CHECK(content(path) == "hello\n");
}

TEST_CASE("A name as long as names can be", "[app][files]") {
  const tests::TemporaryFolder folder;
  const std::string path = folder / std::string(255, 'n').c_str();
  CHECK(write_hello(path));
  CHECK(content(path) == "hello\n");
}

TEST_CASE("Links stay, and what they lead to is written", "[app][files]") {
  const tests::TemporaryFolder folder;
  fs::create_directory(folder / "there");
  put(folder / "there/real", "old");
  fs::create_symlink("there/real", folder / "link");
  fs::create_symlink("link", folder / "link to link");
  fs::create_symlink("there/new", folder / "dangling");
  fs::create_symlink("no such folder/new", folder / "lost");
  fs::create_symlink("circle", folder / "circle");

  CHECK(write_hello(folder / "link to link"));
  CHECK(fs::is_symlink(folder / "link"));
  CHECK(content(folder / "there/real") == "hello\n");

  CHECK(write_hello(folder / "dangling"));
  CHECK(fs::is_symlink(folder / "dangling"));
  CHECK(content(folder / "there/new") == "hello\n");

  CHECK_FALSE(OutputFile::open(folder / "lost"));
  CHECK_FALSE(write_file(folder / "lost", "x"));
  CHECK_FALSE(OutputFile::open(folder / "circle"));
}

TEST_CASE("A FIFO is written into and stays", "[app][files]") {
  const tests::TemporaryFolder folder;
  const std::string path = folder / "fifo";
  REQUIRE(::mkfifo(path.c_str(), 0600) == 0);
  CHECK_FALSE(write_file(path, "x"));  // nobody reads
  auto file = OutputFile::open(path);  // does not wait
  REQUIRE(file);
  std::string got;
  std::thread reader([&] { got = content(path); });
  CHECK(file->write(produce_hello));
  reader.join();
  CHECK(got == "hello\n");
  CHECK(fs::is_fifo(path));
}

TEST_CASE("A device is written into and stays", "[app][files]") {
  const tests::TemporaryFolder folder;
  const std::string full = folder / "full";
  if (::mknod(full.c_str(), S_IFCHR | 0600, ::makedev(1, 7)) != 0) SKIP("no right to make a device node");
  auto file = OutputFile::open(full);
  if (!file) SKIP("devices are not allowed on this file system: " << file.error().message);
  const auto written = file->write(produce_hello);
  REQUIRE_FALSE(written);
  CHECK(written.error().message == full + " cannot be written: No space left on device");
  CHECK(fs::is_character_file(full));
}

TEST_CASE("A descriptor's name is what is open there, at its place", "[app][files]") {
  const tests::TemporaryFolder folder;
  const int fd = ::open((folder / "log").c_str(), O_WRONLY | O_CREAT, 0600);
  REQUIRE(::write(fd, "first\n", 6) == 6);
  CHECK(write_hello(fmt::format("/dev/fd/{}", fd)));
  ::close(fd);
  CHECK(content(folder / "log") == "first\nhello\nhello\n");
}

TEST_CASE("Opening leaves nothing behind", "[app][files]") {
  const tests::TemporaryFolder folder;
  REQUIRE(OutputFile::open(folder / "r.json"));
  CHECK(folder.entries() == 0);
}

TEST_CASE("Places that cannot be written are found out at once", "[app][files]") {
  const tests::TemporaryFolder folder;
  for (const std::string& path :
       {folder / "no/r.json", folder / "", std::string("/proc/r.json"), std::string("/dev/fd/999"), std::string()}) {
    CAPTURE(path);
    CHECK_FALSE(OutputFile::open(path));
    const auto written = write_file(path, "x");
    REQUIRE_FALSE(written);
    CHECK(written.error().kind == core::ErrorKind::environment);
    CHECK(written.error().message.starts_with(path + " cannot be written: "));
  }
}

TEST_CASE("Two names of one place", "[app][files]") {
  const tests::TemporaryFolder folder;
  put(folder / "a", "");
  put(folder / "b", "");
  fs::create_symlink("a", folder / "link");
  fs::create_symlink("new", folder / "dangling");
  REQUIRE(::mkfifo((folder / "fifo").c_str(), 0600) == 0);
  CHECK(same_file(folder / "a", folder / "./a"));
  CHECK(same_file(folder / "a", folder / "link"));
  CHECK(same_file(folder / "new", folder / "./new"));
  CHECK(same_file(folder / "new", folder / "dangling"));
  CHECK_FALSE(same_file(folder / "a", folder / "b"));
  CHECK_FALSE(same_file(folder / "a", folder / "new"));
  CHECK_FALSE(same_file(folder / "new", folder / "newer"));
  CHECK_FALSE(same_file(folder / "fifo", folder / "fifo"));  // both are read one after the other
  CHECK_FALSE(same_file("", ""));
}

TEST_CASE("Much is written in pieces", "[app][files]") {
  const tests::TemporaryFolder folder;
  auto file = OutputFile::open(folder / "r.json");
  REQUIRE(file);
  const std::string piece(1000, 'x');
  REQUIRE(file->write([&](const OutputFile::Sink& sink) {
    for (int i = 0; i < 2000; ++i) {
      if (!sink(piece)) return false;
    }
    return true;
  }));
  CHECK(fs::file_size(folder / "r.json") == 2'000'000);
}

}  // namespace dlscope::app
