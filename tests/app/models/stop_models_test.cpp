// What is shown of a stop: its words, the rows of the stack, the values of watches.
#include <catch2/catch_test_macros.hpp>

#include <string>

#include "app/models/debug/stack_rows.h"
#include "app/models/debug/watch_values.h"
#include "app/models/host/stop_text.h"
#include "app/models/script/console_completion.h"

namespace dlscope::app {
namespace {

using core::wire::StackFrame;
using core::wire::StopReason;

StopView stop_in(std::vector<StackFrame> frames, StopReason reason = StopReason::breakpoint) {
  StopView view;
  view.at.reason = reason;
  view.at.thread = "MainThread";
  view.at.frames = std::move(frames);
  return view;
}

StackFrame frame(const char* function, bool user, std::uint32_t line = 37) { return {function, "/home/u/train.py", line, user}; }

std::string shape_of(const StopView& stop, bool unfold = false) {
  std::string out;
  for (const StackRow& row : stack_rows(stop, unfold)) out += (row.count > 1 ? "[" + std::to_string(row.count) + "]" : "-");
  return out;
}

}  // namespace

TEST_CASE("a stop says where and why", "[app][stops]") {
  CHECK(stop_sentence(stop_in({frame("step", true)})) == "Stopped at train.py:37 in step(), breakpoint.");
  CHECK(stop_sentence(stop_in({frame("<module>", true, 4)}, StopReason::step)) == "Stopped at train.py:4, step.");
  CHECK(stop_sentence(stop_in({frame("read", false, 900), frame("load", true)}, StopReason::pause)) ==
        "Stopped at train.py:37 in load(), paused.");
  CHECK(stop_sentence(stop_in({})) == "Stopped, breakpoint.");
  StopView raised = stop_in({frame("Job.two", true)}, StopReason::raised);
  raised.at.message = "ValueError: no";
  raised.at.thread = "loader";
  CHECK(stop_sentence(raised) == "Stopped at train.py:37 in Job.two(), raised ValueError: no, in thread loader.");
}

TEST_CASE("library frames that follow one another are one row", "[app][stops]") {
  StopView stop =
      stop_in({frame("a", true), frame("l", false), frame("l", false), frame("l", false), frame("b", true), frame("l", false)});
  CHECK(shape_of(stop) == "-[3]--");
  CHECK(shape_of(stop, true) == "------");
  stop.frame = 2;  // the chosen one is seen
  CHECK(shape_of(stop) == "------");
  CHECK(shape_of(stop_in({frame("l", false), frame("l", false)})) == "--");  // nothing else to see
  CHECK(shape_of(stop_in({})).empty());
}

TEST_CASE("an answer about watches has a value for each, whatever it says", "[app][stops]") {
  CHECK(evaluate_question({"x", "y\"z"}, 2) == R"({"expressions":["x","y\"z"],"frame":2})");
  const auto values = values_from_json(R"({"values": [{"text": "3"}, {"error": "NameError: y"}]})", 3);
  REQUIRE(values.size() == 3);
  CHECK(values[0] == WatchValue{"3", ""});
  CHECK(values[1] == WatchValue{"", "NameError: y"});
  CHECK_FALSE(values[2].error.empty());
  CHECK(values_from_json("nonsense", 1).size() == 1);
  CHECK(values_from_json(R"({"values": [{"text": "1"}, {"text": "2"}]})", 1).size() == 1);
}

TEST_CASE("a watched value that differs from the one at an earlier stop there says what it was", "[app][stops]") {
  WatchedStops stops;
  const std::vector<std::string> both{"i", "x"};
  const auto note = [&](std::uint64_t stop, const char* function, std::vector<WatchValue> values, const char* thread = "MainThread") {
    stops.note({1, stop, thread, "train.py", function}, both, std::move(values));
  };
  note(4, "step", {{"36", ""}, {"", "NameError: x"}});
  CHECK(stops.was("i", {"36", ""}).empty());  // there was no stop before
  note(5, "main", {{"1", ""}, {"", "NameError: x"}});
  CHECK(stops.change("i", {"1", ""}).empty());  // another function's variable
  note(5, "step", {{"36", ""}, {"", ""}});      // another frame of the same stop
  note(6, "step", {{"7", ""}, {"2", ""}}, "worker");
  CHECK(stops.was("i", {"7", ""}).empty());
  note(7, "step", {{"37", ""}, {"", ""}});
  CHECK(stops.was("i", {"37", ""}) == "36");
  CHECK(stops.change("i", {"37", ""}) == "Changed since it was last evaluated in step(). It was: 36");
  CHECK(stops.was("new", {"1", ""}).empty());  // it was not watched
  note(7, "step", {{"38", ""}, {"", ""}});     // a line at the console
  CHECK(stops.was("i", {"38", ""}) == "36");
  CHECK(stops.was("i", {"36", ""}).empty());
  note(8, "step", {{"8", ""}, {"2", ""}}, "worker");
  CHECK(stops.was("i", {"8", ""}) == "7");
  stops.note({2, 9, "MainThread", "train.py", "step"}, both, {{"0", ""}, {"", ""}});  // another run
  CHECK(stops.change("i", {"0", ""}).empty());
}

TEST_CASE("completion at a stop asks for the names of the chosen frame", "[app][stops]") {
  CHECK(completion_question("x.", 2).find("frame") == std::string::npos);
  CHECK(completion_question("x.", 2, 1).find("\"frame\":1") != std::string::npos);
}

}  // namespace dlscope::app
