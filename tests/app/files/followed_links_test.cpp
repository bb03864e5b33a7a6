#include "app/files/followed_links.h"

#include <sys/stat.h>
#include <unistd.h>

#include <catch2/catch_test_macros.hpp>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "app/files/output_file.h"
#include "tests/support/temporary_folder.h"

namespace dlscope::app {
namespace {

namespace fs = std::filesystem;

constexpr uid_t kStranger = 65534;

std::string content(const std::string& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

// A folder like /tmp, and beside it a file of ours that nobody else may write.
struct SharedFolder {
  tests::TemporaryFolder all;
  std::string shared = all / "shared", precious = all / "precious";

  SharedFolder() {
    fs::create_directory(shared);
    REQUIRE(::chmod(shared.c_str(), 01777) == 0);
    std::ofstream(precious) << "precious";
  }
  [[nodiscard]] std::string link(const char* name, const std::string& to) const {
    fs::create_symlink(to, shared + "/" + name);
    return shared + "/" + name;
  }
};

void give_to_stranger(const std::string& path) {
  if (::lchown(path.c_str(), kStranger, static_cast<gid_t>(-1)) != 0)
    SKIP("only root can lay out what belongs to another user; the rule is the same for everybody");
}

void check_refused(const std::string& path, const char* why) {
  CAPTURE(path);
  const auto opened = OutputFile::open(path);
  REQUIRE_FALSE(opened);
  CHECK(opened.error().message == path + " cannot be written: " + why);
  const auto written = write_file(path, "ours");
  REQUIRE_FALSE(written);
  CHECK(written.error().message == opened.error().message);
}

constexpr const char* kLink = "it is a link of another user in a folder where everybody may make files";
constexpr const char* kFile = "it is a file of another user in a folder where everybody may make files";

}  // namespace

TEST_CASE("A link that another user laid out in a folder like /tmp is not followed", "[app][files]") {
  const SharedFolder folder;
  const std::string there = folder.link("report.json", folder.precious), new_one = folder.link("new.json", folder.all / "new");
  const std::string second = folder.link("second.json", there);  // ours, leading to theirs
  give_to_stranger(there);
  give_to_stranger(new_one);
  for (const std::string& path : {there, new_one, second}) check_refused(path, kLink);
  CHECK(content(folder.precious) == "precious");
  CHECK_FALSE(fs::exists(folder.all / "new"));
  CHECK(fs::is_symlink(there));

  // The kernel's own answer to the shell, where it is set to give it: ours is never more.
  int protects = 0;
  std::ifstream("/proc/sys/fs/protected_symlinks") >> protects;
  if (protects == 1) CHECK(std::system(("exec 2> /dev/null; echo x > " + there).c_str()) != 0);
}

TEST_CASE("A file or a FIFO that another user laid out in a folder like /tmp is not written", "[app][files]") {
  const SharedFolder folder;
  const std::string file = folder.shared + "/report.json", fifo = folder.shared + "/fifo";
  std::ofstream(file) << "theirs";
  REQUIRE(::chmod(file.c_str(), 0666) == 0);
  REQUIRE(::mkfifo(fifo.c_str(), 0666) == 0);
  give_to_stranger(file);
  give_to_stranger(fifo);
  check_refused(file, kFile);
  check_refused(fifo, kFile);
  CHECK(content(file) == "theirs");
}

TEST_CASE("Links and files of ours, and of the folder's owner, are written in a folder like /tmp", "[app][files]") {
  const SharedFolder folder;
  CHECK(write_file(folder.link("own.json", folder.precious), "ours"));
  CHECK(content(folder.precious) == "ours");
  CHECK(write_file(folder.shared + "/plain.json", "ours"));
  CHECK(write_file(folder.shared + "/plain.json", "ours again"));
  CHECK(content(folder.shared + "/plain.json") == "ours again");

  const std::string owners = folder.link("owners.json", folder.precious);
  give_to_stranger(owners);
  give_to_stranger(folder.shared);
  CHECK(write_file(owners, "through the owner's link"));
  CHECK(content(folder.precious) == "through the owner's link");
}

TEST_CASE("In a folder that is not everybody's a link is followed whoever made it", "[app][files]") {
  const SharedFolder folder;
  REQUIRE(::chmod(folder.shared.c_str(), 0755) == 0);
  const std::string link = folder.link("report.json", folder.precious);
  give_to_stranger(link);
  CHECK(write_file(link, "ours"));
  CHECK(content(folder.precious) == "ours");
}

TEST_CASE("A path is followed as far as it leads", "[app][files]") {
  const tests::TemporaryFolder folder;
  fs::create_symlink("middle", folder / "first");
  fs::create_symlink("not there", folder / "middle");
  CHECK(follow_links(folder / "first").value() == folder / "not there");
  CHECK(follow_links("/dev/fd/7").value() == "/dev/fd/7");
  CHECK(follow_links("no folder/x").value() == "no folder/x");
  fs::create_symlink("circle", folder / "circle");
  CHECK(follow_links(folder / "circle").value() == folder / "circle");
}

}  // namespace dlscope::app
