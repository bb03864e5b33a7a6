// Headless runs of a host that publishes its tensors before their sharing is known: the report is of the final snapshot.
#include "app/cli/supervised_run.h"

#include <catch2/catch_test_macros.hpp>

#include <cstdlib>
#include <string>

#include "tests/support/temporary_folder.h"

namespace dlscope::app {
namespace {

using core::UnknownWhy;

RunReport run_with(const char* mode) {
  tests::TemporaryFolder package;  // it only has to exist: the fake host loads nothing from it
  package.write("dlscope/__init__.py", "\n");
  ::setenv("DLSCOPE_PYTHON_DIR", package.path().c_str(), 1);
  ::setenv("DLSCOPE_FAKE_HOST", mode, 1);
  HostLaunch launch;
  launch.python.executable = std::string{std::getenv("DLSCOPE_BUILD_DIR")} + "/tests/dlscope_fake_host";
  core::wire::Run run;
  run.run = 1;
  run.source = "x = 1\n";
  InterruptWatch interrupts;
  RunReport report = run_supervised(launch, std::move(run), {}, interrupts);
  interrupts.release();
  return report;
}

}  // namespace

TEST_CASE("a headless run waits for the snapshot in which sharing is known", "[app][unfinished]") {
  const RunReport report = run_with("unfinished");
  REQUIRE(report.snapshot);
  CHECK(report.snapshot->info.missing_pairs == UnknownWhy::none);
  CHECK(report.scan_end == ScanEnd::complete);
}

TEST_CASE("what is left of a process that ended before sharing was known is said to have been stopped", "[app][unfinished]") {
  for (const char* const mode : {"unfinished_dies", "unfinished_crashes"}) {
    INFO(mode);
    const RunReport report = run_with(mode);
    REQUIRE(report.snapshot);
    CHECK(report.snapshot->info.missing_pairs == UnknownWhy::stopped);
    CHECK(report.snapshot->info.open_groups == UnknownWhy::stopped);
    CHECK_FALSE(report.events.empty());
  }
}

}  // namespace dlscope::app
