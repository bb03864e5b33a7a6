#include "app/host/captured_run.h"

#include <catch2/catch_test_macros.hpp>

#include <stop_token>
#include <thread>

using namespace dlscope;
using namespace dlscope::app;
using std::chrono::milliseconds;
using std::chrono::seconds;

TEST_CASE("Both streams and the exit code are kept", "[app][host]") {
  const auto run = run_captured({"/bin/sh", "-c", "echo out; echo err >&2; exit 7"}, seconds{60});
  REQUIRE(run);
  CHECK(run->output == "out\n");
  CHECK(run->errors == "err\n");
  CHECK(run->exit_code == 7);
}

TEST_CASE("A command that does not end is ended, and its children with it", "[app][host]") {
  const auto run = run_captured({"/bin/sh", "-c", "sleep 600 & sleep 600"}, milliseconds{200});
  REQUIRE_FALSE(run);
  CHECK(run.error().kind == core::ErrorKind::cancelled);
}

TEST_CASE("A command nobody waits for any more is ended", "[app][host]") {
  std::stop_source stop;
  std::jthread hand([&] {
    std::this_thread::sleep_for(milliseconds{50});
    stop.request_stop();
  });
  const auto run =
      run_captured({"/bin/sh", "-c", "sleep 600"}, seconds{500}, stop.get_token());  // else the test's own limit ends it
  REQUIRE_FALSE(run);
  CHECK(run.error().kind == core::ErrorKind::cancelled);
  CHECK(run.error().message.find("not waited for") != std::string::npos);
}

TEST_CASE("A signal counts as 128 and its number", "[app][host]") {
  const auto run = run_captured({"/bin/sh", "-c", "kill -9 $$"}, seconds{60});
  REQUIRE(run);
  CHECK(run->exit_code == 128 + 9);
}

TEST_CASE("Endless output is cut", "[app][host]") {
  const auto run = run_captured({"/bin/sh", "-c", "head -c 10000000 /dev/zero"}, seconds{60});
  REQUIRE(run);
  CHECK(run->output.size() == std::size_t{256} << 10);
}

TEST_CASE("A file that cannot be run is said so", "[app][host]") {
  const auto run = run_captured({"/nonexistent/program"}, seconds{60});
  REQUIRE_FALSE(run);
  CHECK(run.error().message.find("/nonexistent/program") != std::string::npos);
}
