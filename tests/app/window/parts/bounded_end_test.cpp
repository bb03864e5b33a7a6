// The end of the window when a disk stands still: the process leaves after the bound and says so; otherwise it ends as usual.
#include <catch2/catch_test_macros.hpp>

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <string>
#include <thread>

#include "app/window/application_parts.h"
#include "app/window/bounded_end.h"
#include "tests/support/temporary_folder.h"

namespace dlscope::tests {
namespace {

using namespace std::chrono_literals;

struct Ended {
  int code = -1;
  std::string said;
};

// Runs `body` in a process of its own, whose end is what is looked at.
template <class Body>
Ended in_child(Body body) {
  int ends[2];
  REQUIRE(::pipe(ends) == 0);
  const pid_t child = ::fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    ::dup2(ends[1], STDERR_FILENO);
    ::close(ends[0]);
    ::close(ends[1]);
    body();
    ::_exit(0);
  }
  ::close(ends[1]);
  Ended ended;
  char piece[256];
  for (ssize_t got = 0; (got = ::read(ends[0], piece, sizeof piece)) > 0;) ended.said.append(piece, static_cast<std::size_t>(got));
  ::close(ends[0]);
  int status = 0;
  REQUIRE(::waitpid(child, &status, 0) == child);
  if (WIFEXITED(status)) ended.code = WEXITSTATUS(status);
  return ended;
}

// A disk that does not answer: a pipe that nobody reads makes open() wait for ever.
std::string stalled_file(const TemporaryFolder& folder) {
  const std::string path = (folder.path() / "stalled").string();
  REQUIRE(::mkfifo(path.c_str(), 0600) == 0);
  return path;
}

void wait_for_ever(const std::string& path) {
  const int file = ::open(path.c_str(), O_WRONLY);
  ::close(file);
}

}  // namespace

TEST_CASE("a window whose disk stands still leaves after the bound, and says what may be lost", "[window][end]") {
  const TemporaryFolder folder;
  const std::string path = stalled_file(folder);
  const Ended ended = in_child([&] {
    const app::BoundedEnd end(200ms);
    app::ApplicationParts parts({}, nullptr);
    parts.jobs.post(app::Lane::files, [&](const std::stop_token&) -> app::JobPool::Apply {
      wait_for_ever(path);
      return {};
    });
  });
  CHECK(ended.code == 3);
  CHECK(ended.said ==
        "dlscope: the window has closed, but something did not end within ten seconds (as a rule a disk that does not answer): its "
        "settings or an unsaved text may not have been stored.\n");
}

TEST_CASE("settings that cannot be written because the disk stands still do not keep the process either", "[window][end]") {
  const TemporaryFolder folder;
  const std::string path = stalled_file(folder);
  const Ended ended = in_child([&] {
    const app::BoundedEnd end(200ms);
    wait_for_ever(path);  // on the thread of the window itself
  });
  CHECK(ended.code == 3);
}

TEST_CASE("a window that ends in time does so as usual", "[window][end]") {
  const Ended ended = in_child([] {
    const app::BoundedEnd end(60s);
    const app::ApplicationParts parts({}, nullptr);
  });
  CHECK(ended.code == 0);
  CHECK(ended.said.empty());
  std::atomic<int> late = 0;
  { const app::BoundedEnd end(60s, [&] { ++late; }); }
  CHECK(late == 0);
  {
    const app::BoundedEnd end(1ms, [&] { ++late; });
    while (late == 0) std::this_thread::yield();
  }
  CHECK(late == 1);
}

}  // namespace dlscope::tests
