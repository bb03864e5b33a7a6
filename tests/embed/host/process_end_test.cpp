#include "embed/host/process_end.h"

#include <catch2/catch_test_macros.hpp>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <memory>
#include <thread>

namespace dlscope::embed {
namespace {

using namespace std::chrono_literals;

constexpr int kStayed = 7;

// The exit code of a child process whose time is over after `time`, and that looks whether it is after 20 ms.
int exit_code_with(core::wire::RegionHeader& header, std::chrono::milliseconds time) {
  const pid_t child = fork();
  if (child == 0) {
    ProcessEnd end(header);
    if (time != 0ms) end.exit_within(time);
    std::this_thread::sleep_for(20ms);
    end.exit_if_time_is_over();
    _exit(kStayed);
  }
  int status = 0;
  REQUIRE(waitpid(child, &status, 0) == child);
  REQUIRE(WIFEXITED(status));
  return WEXITSTATUS(status);
}

TEST_CASE("the end of the viewer is noticed once", "[host][process_end]") {
  const auto header = std::make_unique<core::wire::RegionHeader>();
  ProcessEnd end(*header);
  CHECK_FALSE(end.notices_viewer_gone());
  header->viewer_gone = 1;
  CHECK(end.notices_viewer_gone());
  CHECK_FALSE(end.notices_viewer_gone());
  CHECK_FALSE(end.sees_crash());
}

TEST_CASE("a process whose time is over ends, and no other one", "[host][process_end]") {
  const auto header = std::make_unique<core::wire::RegionHeader>();
  CHECK(exit_code_with(*header, 1ms) == 0);
  CHECK(exit_code_with(*header, 1h) == kStayed);
  CHECK(exit_code_with(*header, 0ms) == kStayed);
}

}  // namespace
}  // namespace dlscope::embed
