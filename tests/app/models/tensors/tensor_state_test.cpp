#include "app/models/tensors/tensor_state.h"

#include <catch2/catch_test_macros.hpp>

namespace dlscope::app {
namespace {

core::SnapshotInfo seen_after(std::uint64_t run, core::Scanned scanned = core::Scanned::end) {
  core::SnapshotInfo info;
  info.run = run;
  info.scanned = scanned;
  return info;
}

// A process that has finished run 8 and shows what it left.
struct AfterRun8 {
  Timeline timeline;
  std::uint64_t process = 0;
  AfterRun8() {
    timeline.process_started();
    timeline.run_began(8);
    timeline.run_ended();
    process = timeline.process();
  }
  [[nodiscard]] Moment moment() const { return timeline.moment_of(seen_after(8), process); }
  [[nodiscard]] TensorState state(bool held = false) const { return state_of(moment(), held); }
};

}  // namespace

TEST_CASE("what was seen is current until code runs again", "[app][models]") {
  AfterRun8 window;
  CHECK(window.state() == TensorState::current);
  CHECK(bytes_are_its_own(window.state()));
  CHECK(moment_description(window.moment()) == "as of run 8");
  CHECK(state_text(window.moment(), window.state()) == "live");

  window.timeline.run_began(9);
  CHECK(window.moment().since == Since::running);
  CHECK(window.state() == TensorState::not_held);
  CHECK_FALSE(bytes_are_its_own(window.state()));
  CHECK(may_be_read(window.state()));
  CHECK(moment_description(window.moment()) == "as of run 8; run 9 is running");
  CHECK(state_text(window.moment(), window.state()) == "not held since run 9 began");

  window.timeline.run_ended();  // and its snapshot has not arrived
  CHECK(window.state() == TensorState::not_held);
  CHECK(moment_description(window.moment()) == "as of run 8; run 9 has run since");
  CHECK(window.timeline.moment_of(seen_after(9), window.process).since == Since::nothing);
}

TEST_CASE("of the tensors of a file it is told which are mapped, which were unpacked and which cannot be read", "[app][models]") {
  CHECK(file_tensors_text({.mapped = 1}) == "1 tensor, mapped and not copied");
  CHECK(file_tensors_text({.unpacked = 2}) == "2 tensors, unpacked into memory");
  CHECK(file_tensors_text({.mapped = 2, .unpacked = 1}) == "3 tensors: 2 mapped, 1 unpacked into memory");
  CHECK(file_tensors_text({.mapped = 1, .undescribed = 1}) == "2 tensors: 1 mapped, 1 that dlscope cannot read");

  const Moment moment{.of_file = true, .file = {.mapped = 1, .unpacked = 1}};
  CHECK(moment_meaning(moment) == "The file has 2 tensors: 1 mapped, 1 unpacked into memory. Nothing in it was run.");
  CHECK(state_meaning(moment, TensorState::current, core::Tri::no).find("it is mapped, not copied") != std::string::npos);
  CHECK(state_meaning(moment, TensorState::current, core::Tri::yes).find("unpacked into memory") != std::string::npos);
  CHECK(state_meaning(moment, TensorState::current, core::Tri::yes).find("mapped") == std::string::npos);
  CHECK(state_meaning(moment, TensorState::current, core::Tri::unknown).find("cannot read") != std::string::npos);
}

TEST_CASE("what is held stays its own whatever runs, until its process ends", "[app][models]") {
  AfterRun8 window;
  CHECK(window.state(true) == TensorState::held);
  window.timeline.run_began(9);
  CHECK(window.state(true) == TensorState::held);
  window.timeline.process_crashed();
  CHECK(window.state(true) == TensorState::held);
  CHECK(window.state() == TensorState::not_held);
  CHECK(moment_description(window.moment()) == "as of run 8; run 9 crashed");
  window.timeline.process_ended();
  CHECK(window.state(true) == TensorState::dead);
  const HeldTensors held({7, 2, 5});
  CHECK(held.contains(5));
  CHECK_FALSE(held.contains(4));
  CHECK(HeldTensors().empty());
}

TEST_CASE("what another process left is never read, also when its successor is up", "[app][models]") {
  AfterRun8 window;
  window.timeline.process_leaves();
  CHECK(window.state() == TensorState::dead);
  window.timeline.process_started();
  CHECK(window.state() == TensorState::dead);
  CHECK_FALSE(may_be_read(window.state()));
  CHECK(moment_description(window.moment()) == "as of run 8; that Python has ended");
  window.timeline.run_began(9);
  window.timeline.run_ended();
  CHECK(window.state() == TensorState::dead);
  CHECK(state_of(window.timeline.moment_of(seen_after(9), window.timeline.process()), false) == TensorState::current);
}

TEST_CASE("a scan that the script made itself is of the middle of its run", "[app][models]") {
  AfterRun8 window;
  const core::SnapshotInfo within = seen_after(8, core::Scanned::earlier);
  const Moment moment = window.timeline.moment_of(within, window.process);
  CHECK(state_of(moment, false) == TensorState::not_held);
  CHECK(moment_description(moment) == "as of the middle of run 8");
  window.timeline.run_began(9);
  CHECK(moment_description(window.timeline.moment_of(within, window.process)) == "as of run 8; run 9 is running");
}

TEST_CASE("what was seen at a stop holds while the script stands there, and no longer", "[app][models]") {
  AfterRun8 window;
  const auto seen_at_stop = [](std::uint64_t revision) {
    core::SnapshotInfo info = seen_after(9, core::Scanned::stop);
    info.revision = revision;
    return info;
  };
  const auto moment_of = [&](std::uint64_t revision) {
    return window.timeline.moment_of(seen_at_stop(revision), window.process);
  };
  window.timeline.snapshot_came(20);  // of run 8
  window.timeline.run_began(9);
  window.timeline.stopped();
  // The look at this stop has not come: what is shown is of run 8.
  CHECK(window.moment().since == Since::ran);
  window.timeline.snapshot_came(21);
  CHECK(moment_of(21).since == Since::nothing);
  CHECK(state_of(moment_of(21), false) == TensorState::current);
  CHECK(moment_description(moment_of(21)) == "as of this stop in run 9");
  CHECK(state_text(moment_of(21), TensorState::current) == "seen at this stop");
  CHECK(state_meaning(moment_of(21), TensorState::current).find("other threads") != std::string::npos);

  SECTION("it goes on") {
    window.timeline.resumed();
    CHECK(moment_of(21).since == Since::running);
    CHECK(moment_description(moment_of(21)) == "as of the middle of run 9, which goes on");
    CHECK_FALSE(bytes_are_its_own(state_of(moment_of(21), false)));
    window.timeline.stopped();
    CHECK(moment_of(21).since == Since::ran);  // of the stop before
    CHECK(state_text(moment_of(21), TensorState::not_held) == "not held, and the run went on");
    window.timeline.snapshot_came(22);
    CHECK(moment_of(22).since == Since::nothing);
    CHECK(moment_of(21).since == Since::ran);
    window.timeline.resumed();
    window.timeline.run_ended(9);
    CHECK(moment_of(22).since == Since::ran);
    core::SnapshotInfo end = seen_after(9);
    end.revision = 23;
    window.timeline.snapshot_came(23);
    CHECK(window.timeline.moment_of(end, window.process).since == Since::nothing);
    CHECK_FALSE(window.timeline.moment_of(end, window.process).at_stop);
  }
  SECTION("a line of the console runs there") {
    window.timeline.run_began(10);
    CHECK(moment_of(21).since == Since::running);
    window.timeline.run_ended(10);
    CHECK(moment_of(21).since == Since::ran);
    window.timeline.snapshot_came(22);
    CHECK(moment_of(22).since == Since::nothing);
    CHECK(moment_of(22).at_stop);
    window.timeline.resumed();
    window.timeline.run_ended(9);
    core::SnapshotInfo end = seen_after(9);
    end.revision = 23;
    window.timeline.snapshot_came(23);
    CHECK(window.timeline.moment_of(end, window.process).since == Since::nothing);
  }
  SECTION("Python crashes, or is restarted") {
    window.timeline.process_crashed();
    CHECK(moment_of(21).since == Since::crashed);
    window.timeline.process_started();
    CHECK(moment_of(21).since == Since::ended);
  }
}

TEST_CASE("other threads and windows leave what was seen live, and it is said that it may have changed", "[app][models]") {
  AfterRun8 window;
  core::SnapshotInfo seen = seen_after(8);
  seen.revision = 30;
  window.timeline.snapshot_came(30);
  const auto moment = [&] { return window.timeline.moment_of(seen, window.process); };
  const Moment before = moment();
  CHECK(nothing_ran(before));
  CHECK(moment_meaning(before).find("No code has run") != std::string::npos);
  window.timeline.other_code_ran();
  const TensorState state = state_of(moment(), false);
  CHECK(moment().since == Since::nothing);
  CHECK_FALSE(nothing_ran(moment()));
  CHECK_FALSE(moment() == before);  // what was computed before may be out of date
  CHECK(state == TensorState::current);
  CHECK(bytes_are_its_own(state));
  CHECK_FALSE(may_be_anothers(state));
  CHECK_FALSE(surely_its_own(moment(), state));
  CHECK(surely_its_own(moment(), TensorState::held));
  CHECK(state_text(moment(), state) == "live: other code runs, values may have changed");
  CHECK(since_description(moment()) == "other threads of its process, windows or signal handlers have run");
  CHECK(moment_description(moment()) == "as of run 8; other threads of its process, windows or signal handlers have run since");
  for (const std::string& text : {moment_meaning(moment()), state_meaning(moment(), state)}) {
    CHECK(text.find("No code has run") == std::string::npos);
    CHECK(text.find("may have changed") != std::string::npos);
  }

  core::SnapshotInfo later = seen;
  later.revision = 31;
  window.timeline.snapshot_came(31);  // looked at again
  CHECK(nothing_ran(window.timeline.moment_of(later, window.process)));
  CHECK(moment().others_ran);
  window.timeline.run_began(9);
  CHECK(moment().since == Since::running);
  CHECK_FALSE(moment().others_ran);
}

TEST_CASE("each state has brief words of its own", "[app][models]") {
  const Moment ended{.run = 8, .since = Since::ended}, crashed{.run = 8, .since = Since::crashed, .since_run = 9};
  CHECK(std::string_view(brief_state_text(ended, TensorState::dead)) == "process ended");
  CHECK(std::string_view(brief_state_text(crashed, TensorState::not_held)) == "crashed since");
  CHECK(std::string_view(brief_state_text({.since = Since::running}, TensorState::not_held)) == "not held");
  CHECK(std::string_view(brief_state_text({.others_ran = true}, TensorState::current)) == "others ran");
  CHECK(std::string_view(brief_state_text({}, TensorState::current)) == "live");
  CHECK(std::string_view(brief_state_text({.of_file = true}, TensorState::current)) == "in a file");
  for (const TensorState state : {TensorState::held, TensorState::not_held, TensorState::dead, TensorState::past})
    CHECK(std::string_view(brief_state_text(ended, state)) != "live");
}

TEST_CASE("a group is in doubt as long as one of its tensors is not held", "[app][models]") {
  const std::vector<std::uint32_t> group = {2, 5, 7};
  const Moment now{.run = 8}, running{.run = 8, .since = Since::running, .since_run = 9}, ended{.run = 8, .since = Since::ended};
  CHECK_FALSE(any_may_be_anothers(now, {}, group));
  CHECK(any_may_be_anothers(running, {}, group));
  CHECK(any_may_be_anothers(running, HeldTensors({2, 5}), group));
  CHECK(any_may_be_anothers(running, HeldTensors({1, 2, 5, 9}), group));
  CHECK_FALSE(any_may_be_anothers(running, HeldTensors({7, 2, 5, 9}), group));
  CHECK(any_may_be_anothers(ended, HeldTensors({2, 5, 7}), group));  // the leases ended with the process
  CHECK_FALSE(any_may_be_anothers({.since = Since::looked_again}, {}, group));
}

TEST_CASE("without a process nothing has happened since", "[app][models]") {
  const Timeline timeline;  // a picture, a recording
  const Moment moment = timeline.moment_of(seen_after(1), timeline.process());
  CHECK(moment.since == Since::nothing);
  CHECK(state_of(moment, false) == TensorState::current);
  CHECK(moment_description(timeline.moment_of(seen_after(0), timeline.process())).empty());
}

}  // namespace dlscope::app
