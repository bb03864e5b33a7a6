// Acts in a real host, as a person sees them: what is under way is said, Stop ends it and nothing else, and what was asked for
// meanwhile follows.
#include <chrono>
#include <filesystem>
#include <fstream>
#include <string>

#include "tests/app/window/real/live_window.h"
#include "tests/support/temporary_folder.h"

namespace dlscope::tests {
namespace {

// A producer that answers at once, as it does in a scan, and while a file exists takes as long as it is not interrupted.
struct SlowProducer {
  TemporaryFolder folder;
  std::string flag = (folder.path() / "slow").string();
  LiveWindow window;

  SlowProducer() {
    window.run("import numpy, os, time\n"
               "class Slow:\n"
               "    array = numpy.arange(6.0)\n"
               "    def __dlpack_device__(self):\n"
               "        return self.array.__dlpack_device__()\n"
               "    def __dlpack__(self, **keywords):\n"
               "        while os.path.exists('" + flag + "'):\n"
               "            time.sleep(0.01)\n"
               "        return self.array.__dlpack__(**keywords)\n"
               "x = Slow()\n");
  }
  void slow() { std::ofstream(flag) << "slow"; }
  void quick() { std::filesystem::remove(flag); }
};

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

void stop(LiveWindow& window) {
  window.app().commands().push(app::command::InterruptScript{});
  window.story().frames(2);
}

}  // namespace

TEST_CASE("while an act runs the window says which; Stop cancels it, and the next run is as usual", "[window][real][acts]") {
  SlowProducer producer;
  LiveWindow& window = producer.window;
  producer.slow();
  hand_over(window);
  CHECK(window.app().host().act() == "Handing x to numpy");
  CHECK(window.app().host().stop_refusal() == nullptr);
  CHECK(window.story().text_of_frame().find("● working") != std::string::npos);  // in the menu bar; the act is its tooltip
  stop(window);
  REQUIRE(window.wait_for_state(app::HostState::idle));
  producer.quick();
  CHECK(window.app().panels().exchange.hand.result.problem == "Cancelled: nothing was made.");
  CHECK(window.app().host().stop_refusal() == std::string("Nothing is running."));
  window.app().commands().push(app::command::RunText{.text = "print('still', 'here')\n"});
  CHECK(window.wait_for_output("still here"));
}

TEST_CASE("a run that is asked for during an act begins after it; Stop ends both", "[window][real][acts]") {
  SlowProducer producer;
  LiveWindow& window = producer.window;
  producer.slow();
  SECTION("it begins after the act") {
    hand_over(window);
    window.app().commands().push(app::command::RunText{.text = "print('after', 'it')\n"});
    window.story().frames(3);
    CHECK(window.state() == app::HostState::acting);
    CHECK(window.app().host().busy());
    const auto open = window.app().tasks().shown(app::TaskList::Clock::now() + std::chrono::seconds(10));
    REQUIRE(open != nullptr);
    window.app().commands().push(app::command::CancelTask{open->id});
    producer.quick();
    CHECK(window.wait_for_output("after it"));
  }
  SECTION("Stop ends the act, and the run does not begin") {
    hand_over(window);
    window.app().commands().push(app::command::RunText{.text = "print('never', 'printed')\n"});
    window.story().frames(3);
    stop(window);
    REQUIRE(window.wait_for_state(app::HostState::idle));
    producer.quick();
    window.app().commands().push(app::command::RunText{.text = "print('the', 'end')\n"});
    REQUIRE(window.wait_for_output("the end"));
    CHECK(window.app().output().all_text().find("never printed") == std::string::npos);
  }
}

}  // namespace dlscope::tests
