// What is shown of a stop: its words, the rows of the stack, the values of watches.
#include <catch2/catch_test_macros.hpp>

#include <string>

#include "app/models/debug/names_frame.h"
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
  StopView with_condition = stop_in({frame("step", true)});
  with_condition.at.message = "The condition raised NameError: name 'foo' is not defined";
  CHECK(stop_sentence(with_condition) ==
        "Stopped at train.py:37 in step(), breakpoint: the condition raised NameError: name 'foo' is not defined.");
  StopView raised = stop_in({frame("Job.two", true)}, StopReason::raised);
  raised.at.message = "ValueError: no";
  raised.at.thread = "loader";
  CHECK(stop_sentence(raised) == "Stopped at train.py:37 in Job.two(), raised ValueError: no, in thread loader.");
  raised.at.reason = StopReason::uncaught;
  CHECK(stop_sentence(raised) == "Stopped at train.py:37 in Job.two(), uncaught ValueError: no, in thread loader.");
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

TEST_CASE("names belong to the innermost frame of the user's code, and another chosen frame is said", "[app][stops]") {
  StopView stop = stop_in({frame("l", false), frame("Trainer.step", true), frame("main", true), frame("<module>", true)});
  stop.frame = 1;
  Moment at_stop;
  at_stop.at_stop = true;
  CHECK_FALSE(other_frame_chosen(&stop, at_stop).has_value());
  stop.frame = 2;
  const auto frames = other_frame_chosen(&stop, at_stop);
  REQUIRE(frames.has_value());
  CHECK(names_frame_line(*frames) == "Names as in Trainer.step(), the innermost frame; you are in main().");
  stop.frame = 3;
  CHECK(other_frame_chosen(&stop, at_stop)->chosen == "the top level of train.py");
  CHECK_FALSE(other_frame_chosen(&stop, Moment{}).has_value());  // a look that was not made at a stop
  Moment past = at_stop, file = at_stop;
  past.since = Since::looked_again;
  file.of_file = true;
  CHECK_FALSE(other_frame_chosen(&stop, past).has_value());
  CHECK_FALSE(other_frame_chosen(&stop, file).has_value());
  CHECK_FALSE(other_frame_chosen(nullptr, at_stop).has_value());

  core::Snapshot snapshot;
  const auto text = [&](std::string_view words) {
    const core::TextRef ref{static_cast<std::uint32_t>(snapshot.text.size()), static_cast<std::uint32_t>(words.size())};
    snapshot.text.insert(snapshot.text.end(), words.begin(), words.end());
    return ref;
  };
  snapshot.frames = {{text("Trainer.step"), {}, 19, 0}, {text("main"), {}, 36, 1}};
  const auto owner = [&](std::string_view name, std::uint16_t of) {
    core::TensorRecord tensor;
    tensor.names = {static_cast<std::uint32_t>(snapshot.names.size()), 1};
    tensor.frame = of;
    snapshot.names.push_back(text(name));
    return owner_of_name(*frames, snapshot, tensor);
  };
  CHECK(owner("loss", 0) == "of Trainer.step()");
  CHECK(owner("main().loss", 1).empty());
  CHECK(owner("main()#2.loss", 1).empty());
  CHECK(owner("x", core::kNone16) == "global");
}

TEST_CASE("two calls of one function, and the frames of another thread, are told apart", "[app][stops]") {
  StopView stop =
      stop_in({frame("f", true, 5), frame("f", true, 9), frame("wait", false), frame("work", true), frame("run", false)});
  stop.at.frames[2].heading = "Thread \"worker\"";
  Moment at_stop;
  at_stop.at_stop = true;
  stop.frame = 1;
  CHECK(names_frame_line(*other_frame_chosen(&stop, at_stop)) ==
        "Names as in f(), line 5, the innermost frame; you are in f(), line 9.");
  stop.frame = 3;  // the table shows that thread's names
  CHECK_FALSE(other_frame_chosen(&stop, at_stop).has_value());
  stop.frame = 4;
  CHECK(other_frame_chosen(&stop, at_stop)->names == "work()");
  // Kept frames: a heading begins the exception that caused the one before; the names are of the first.
  stop.at.reason = StopReason::ended;
  stop.frame = 3;
  CHECK(other_frame_chosen(&stop, Moment{})->names == "f()");
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

TEST_CASE("a watch without a value belongs to the script in which it had one", "[app][stops]") {
  WatchHomes homes;
  const WatchValue missing{"", "NameError: name 'loss' is not defined"}, broken{"", "ValueError: loss"};
  CHECK(homes.elsewhere("/b.py", "loss", missing).empty());  // no script is known to have it
  homes.note("/home/u/a.py", {"loss", "other"}, {{"3", ""}, missing});
  CHECK(homes.elsewhere("/b.py", "loss", missing) == "of a.py");
  CHECK(homes.elsewhere("/home/u/a.py", "loss", missing).empty());  // of another frame there
  CHECK(homes.elsewhere("/b.py", "loss", {"4", ""}).empty());
  CHECK(homes.elsewhere("/b.py", "loss", broken).empty());
  CHECK(homes.elsewhere("/b.py", "other", missing).empty());
  homes.note("/b.py", {"loss"}, {missing});
  CHECK(homes.elsewhere("/b.py", "loss", missing) == "of a.py");
  homes.note("/b.py", {"loss"}, {{"4", ""}});
  CHECK(homes.elsewhere("", "loss", missing) == "of b.py");
  // Both scripts have such a name: where it is missing it is not assigned yet, or another frame's.
  CHECK(homes.elsewhere("/home/u/a.py", "loss", missing).empty());
  homes.note("/home/u/a.py", {"loss"}, {{"3", ""}});
  CHECK(homes.elsewhere("/b.py", "loss", missing).empty());
  CHECK(homes.elsewhere("/c.py", "loss", missing) == "of a.py");
}

TEST_CASE("completion at a stop asks for the names of the chosen frame", "[app][stops]") {
  CHECK(completion_question("x.", 2).find("frame") == std::string::npos);
  CHECK(completion_question("x.", 2, 1).find("\"frame\":1") != std::string::npos);
}

}  // namespace dlscope::app
