// Acts in a real host, as a person sees them: what is under way is said, Stop ends it and nothing else, and what was asked for
// meanwhile follows.
#include <string>

#include "tests/app/window/live_window.h"

namespace dlscope::tests {
namespace {

// A producer that answers a scan at once and, when it is armed, takes as long as it is not interrupted.
constexpr const char* kSlowProducer = R"(
import numpy, time
armed = False
class Slow:
    def __init__(self):
        self.array = numpy.arange(6.0)
    def __dlpack_device__(self):
        return self.array.__dlpack_device__()
    def __dlpack__(self, **keywords):
        while armed:
            time.sleep(0.01)
        return self.array.__dlpack__(**keywords)
x = Slow()
print('there')
)";

void hand_over(LiveWindow& window) {
  const std::uint32_t x = window.app().index()->find("x").value();
  core::wire::HandTo work;
  work.tensor = {window.app().index()->snapshot->info.revision, x};
  work.library = "numpy";
  work.name = "taken";
  window.app().commands().push(app::command::HandTo{work});
  REQUIRE(window.wait_for_state(app::HostState::acting));
  window.story().frames(2);
}

void arm(LiveWindow& window, const char* value) {
  window.app().commands().push(app::command::RunText{.text = std::string("armed = ") + value + "\n"});
  window.story().frames(2);
  REQUIRE(window.wait_for_state(app::HostState::idle));
}

void stop(LiveWindow& window) {
  window.app().commands().push(app::command::InterruptScript{});
  window.story().frames(2);
}

}  // namespace

TEST_CASE("while an act runs the window says which; Stop cancels it, and the next run is as usual", "[window][real][acts]") {
  LiveWindow window;
  window.run(kSlowProducer);
  arm(window, "True");
  hand_over(window);
  CHECK(window.app().host().act() == "Handing x to numpy");
  CHECK(window.app().host().stop_refusal() == nullptr);
  CHECK(window.story().text_of_frame().find("Handing x to numpy ...") != std::string::npos);
  stop(window);
  REQUIRE(window.wait_for_state(app::HostState::idle));
  CHECK(window.app().panels().exchange.handed_problem == "Cancelled: nothing was made.");
  CHECK(window.app().host().stop_refusal() == std::string("Nothing is running."));
  window.app().commands().push(app::command::RunText{.text = "print('still', 'here')\n"});
  CHECK(window.wait_for_output("still here"));
}

TEST_CASE("a run that is asked for during an act begins after it; Stop ends both", "[window][real][acts]") {
  LiveWindow window;
  window.run(kSlowProducer);
  arm(window, "True");
  SECTION("it begins after the act") {
    hand_over(window);
    window.app().commands().push(app::command::RunText{.text = "print('after', 'it')\n"});
    window.story().frames(3);
    CHECK(window.state() == app::HostState::acting);
    CHECK(window.app().host().busy());
    const auto open = window.app().tasks().shown(app::TaskList::Clock::now() + std::chrono::seconds(10));
    REQUIRE(open != nullptr);
    window.app().commands().push(app::command::CancelTask{open->id});
    CHECK(window.wait_for_output("after it"));
  }
  SECTION("Stop ends the act, and the run does not begin") {
    hand_over(window);
    window.app().commands().push(app::command::RunText{.text = "print('never', 'printed')\n"});
    window.story().frames(3);
    stop(window);
    REQUIRE(window.wait_for_state(app::HostState::idle));
    window.app().commands().push(app::command::RunText{.text = "print('the', 'end')\n"});
    REQUIRE(window.wait_for_output("the end"));
    CHECK(window.app().output().all_text().find("never printed") == std::string::npos);
  }
}

}  // namespace dlscope::tests
