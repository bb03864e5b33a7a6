// Opening tensor files, without a window.
#include "app/models/actions/event_log.h"
#include "app/window/shown/opened_file.h"

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <latch>
#include <string>

#include "app/window/application_parts.h"
#include "tests/core/files/file_bytes.h"

namespace dlscope::tests {
namespace {

using core::test::npy;
using core::test::TemporaryFile;

const app::TaskEntry* task_of(const app::ApplicationParts& parts, const std::string& path) {
  for (const app::TaskEntry& task : parts.tasks.list().all()) {
    if (task.title == "Opening " + path) return &task;
  }
  return nullptr;
}

}  // namespace

TEST_CASE("a file is opened as a task, which holds up neither unsaved text nor the end", "[window][files]") {
  const std::string array = npy("<f4", "(2,)", "12345678");
  const TemporaryFile first(".npy", array), second(".npz", core::test::zip({{"x.npy", array, true}}));
  app::ApplicationParts parts({}, nullptr);
  std::latch go_on(1);
  parts.tasks.start("before", app::TaskUnit::none, [&](app::TaskProgress&) -> core::Result<std::string> {
    go_on.wait();
    return std::string();
  }, {}, app::Lane::disk_tasks);
  app::open_tensor_file(first.path(), parts);
  parts.jobs.finish(app::Lane::files);  // would wait for ever if it had been a job of this lane
  REQUIRE(task_of(parts, first.path()) != nullptr);
  CHECK(task_of(parts, first.path())->can_cancel);

  app::open_tensor_file(second.path(), parts);  // in place of the first one
  CHECK(task_of(parts, first.path())->state == app::TaskState::cancelled);
  CHECK(parts.notices.logged().back().text == "Cancelled: Opening " + first.path() + ".");
  go_on.count_down();
  parts.jobs.finish_all();
  CHECK(app::shows_file(parts));
  CHECK(parts.tensors.views.source().file->path == second.path());
  CHECK(task_of(parts, second.path()) == nullptr);  // the log says it
  CHECK_THAT(app::log_text(app::log_rows(parts.notices, "")), Catch::Matchers::ContainsSubstring(second.path() + " was opened"));
}

TEST_CASE("a file that is no longer wanted is not shown, and one that cannot be opened is said to be", "[window][files]") {
  const TemporaryFile good(".npy", npy("<f4", "(2,)", "12345678")), bad(".npy", "no array");
  app::ApplicationParts parts({}, nullptr);
  std::latch go_on(1);
  parts.tasks.start("before", app::TaskUnit::none, [&](app::TaskProgress&) -> core::Result<std::string> {
    go_on.wait();
    return std::string();
  }, {}, app::Lane::disk_tasks);
  app::open_tensor_file(good.path(), parts);
  parts.tasks.cancel(task_of(parts, good.path())->id);
  go_on.count_down();
  parts.jobs.finish_all();
  CHECK_FALSE(app::shows_file(parts));
  app::open_tensor_file(bad.path(), parts);
  parts.jobs.finish_all();
  CHECK_FALSE(app::shows_file(parts));
  REQUIRE(parts.notices.all().size() == 1);
  CHECK_THAT(parts.notices.all().front().text, Catch::Matchers::StartsWith(bad.path() + ": "));
}

}  // namespace dlscope::tests
