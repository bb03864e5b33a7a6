// A picture of a stop has nobody behind it whom it could ask.
#include "app/models/host/recorded_stop.h"

#include <catch2/catch_test_macros.hpp>

#include "app/models/inspector/inspector_model.h"
#include "app/models/inspector/live_answers.h"
#include "tests/support/sample_snapshot.h"

namespace dlscope::app {
namespace {

TEST_CASE("a picture of a stop asks Python nothing, and does not say that it does", "[app][models]") {
  GroupColours colours;
  const IndexPtr index = build_index(tests::tour_snapshot(), colours);
  core::wire::Stopped stop;
  stop.stop = 1;
  stop.reason = core::wire::StopReason::breakpoint;
  stop.frames = {{.function = "f", .path = "script.py", .line = 3, .user = true}};
  for (const bool ended : {false, true}) {
    if (ended) stop.reason = core::wire::StopReason::ended;
    core::RunOutcome outcome;
    outcome.outcome = core::Outcome::raised;
    const HostSession session = recorded_at(stop, "/usr/bin/python3", outcome);
    CHECK((session.state() == HostState::stopped) == !ended);
    CHECK(session.questions().closed());
    LiveAnswers looks;
    CHECK_FALSE(looks.follow(index.get(), 0, session, session.questions()));
    REQUIRE(looks.current() != nullptr);
    CHECK(looks.current()->state == LiveAnswer::State::no_python);
    const Inspection shown = inspect(*index, 0, looks.current());
    for (const Section& section : shown.sections) CHECK(section.note.find("Asking Python") == std::string::npos);
  }
}

}  // namespace
}  // namespace dlscope::app
