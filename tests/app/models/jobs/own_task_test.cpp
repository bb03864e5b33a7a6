#include "app/models/jobs/own_task.h"

#include <catch2/catch_test_macros.hpp>

namespace dlscope::app {
namespace {

// Finds something in each of its steps; the last one ends it or fails.
class Finding final : public core::Task {
 public:
  Finding(std::uint64_t steps, bool fails) : steps_(steps), fails_(fails) {}
  core::Result<State> step() override {
    if (++found_ < steps_) return State::more;
    if (fails_) return core::fail(core::ErrorKind::environment, "the rest cannot be read");
    return State::done;
  }
  core::TaskProgress progress() const override { return {found_, steps_}; }
  [[nodiscard]] std::uint64_t found() const { return found_; }

 private:
  std::uint64_t steps_, found_ = 0;
  bool fails_;
};

}  // namespace

TEST_CASE("what a task of the window has found is taken after each step, also when the step fails", "[app][tasks]") {
  for (const bool fails : {false, true}) {
    Finding task(3, fails);
    TaskProgress progress({}, {});
    std::uint64_t taken = 0;
    const auto result = carry_out_task(task, progress, [&] { taken = task.found(); });
    CHECK(taken == 3);
    CHECK(result.has_value() != fails);
    if (fails) CHECK(result.error().message == "the rest cannot be read");
  }
}

TEST_CASE("a task of the window that is cancelled makes no further step", "[app][tasks]") {
  Finding task(3, false);
  std::stop_source stop;
  stop.request_stop();
  TaskProgress progress(stop.get_token(), {});
  const auto result = carry_out_task(task, progress);
  REQUIRE_FALSE(result);
  CHECK(result.error().kind == core::ErrorKind::cancelled);
  CHECK(task.found() == 1);
}

}  // namespace dlscope::app
