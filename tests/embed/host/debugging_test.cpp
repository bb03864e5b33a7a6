// Stops: the user's code stands still at a breakpoint, after a step, on a pause, at an exception, and goes on.
#include <signal.h>
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <algorithm>
#include <string>
#include <vector>

#include "core/wire/snapshot_codec.h"
#include "tests/embed/host/each_python.h"
#include "tests/embed/host/host_process.h"

using namespace dlscope;
using namespace dlscope::test;
using Catch::Matchers::ContainsSubstring;
using core::Outcome;
using core::wire::ResumeKind;
using core::wire::Stopped;
using core::wire::StopReason;

namespace {

// A host whose viewer serves stops.
class Debugged {
 public:
  explicit Debugged(const TestPython& python) : host(python), script((host.folder().path() / "script.py").string()) {}

  HostProcess host;
  std::string script;  // its path

  void breakpoint_at(std::vector<core::wire::Breakpoint> all, bool on_raise = false) {
    for (auto& each : all) {
      if (each.path.empty()) each.path = script;
    }
    host.send(core::wire::SetBreakpoints{std::move(all), on_raise, true});
  }
  static core::wire::Breakpoint line(std::uint32_t number, std::string condition = {}) {
    core::wire::Breakpoint breakpoint;
    breakpoint.id = breakpoint.line = number;
    breakpoint.condition = std::move(condition);
    return breakpoint;
  }
  void start(const std::string& code) {
    core::wire::Run run;
    run.run = ++runs_;
    run.path = host.folder().write("script.py", code);
    run.scan_after = true;
    run.interactive_stops = true;
    host.send(run);
  }
  // The next stop, after its scan.
  Stopped stopped() {
    auto stop = host.wait_for<Stopped>();
    if (!stop) {
      const auto end = outcome();
      FAIL("no stop; the script said: " << host.out() << host.err() << (end && end->error ? end->error->traceback : ""));
    }
    REQUIRE(host.wait_for<core::wire::ScanFinished>());
    current_ = stop->stop;
    return *stop;
  }
  void resume(ResumeKind kind = ResumeKind::go, std::uint32_t run_to = 0) {
    host.send(core::wire::Resume{current_, kind, script, run_to});
    const auto resumed = host.wait_for<core::wire::Resumed>();
    REQUIRE(resumed);
    CHECK(resumed->stop == current_);
  }
  // Console code at the stop; what it printed is in host.out().
  std::optional<core::RunOutcome> console(const std::string& code, std::uint32_t frame = 0) {
    core::wire::Run run;
    run.run = ++runs_;
    run.source = code;
    run.fresh_namespace = false;
    run.scan_after = false;
    run.echo = true;
    run.stop = current_;
    run.frame = frame;
    host.send(run);
    const auto finished = host.wait_for<core::wire::RunFinished>();
    if (!finished) return std::nullopt;
    CHECK(finished->run == run.run);
    return finished->outcome;
  }
  std::string ask(const std::string& kind, const std::string& json) {
    host.send(core::wire::Ask{++questions_, kind, json});
    const auto answer = host.wait_for<core::wire::Answer>();
    REQUIRE(answer);
    return answer->error.empty() ? answer->text : "error: " + answer->error;
  }
  core::Outcome finish() {
    const auto end = outcome();
    REQUIRE(end);
    if (end->error) UNSCOPED_INFO(end->error->traceback);
    return end->outcome;
  }
  std::optional<core::RunOutcome> outcome() {
    const auto finished = host.wait_for<core::wire::RunFinished>();
    if (!finished) return std::nullopt;
    return finished->outcome;
  }
  core::SnapshotPtr last_snapshot() {
    for (auto message = host.messages.rbegin(); message != host.messages.rend(); ++message) {
      const auto* ready = std::get_if<core::wire::SnapshotReady>(&*message);
      if (ready == nullptr) continue;
      const auto bytes = host.region().take_snapshot(ready->sequence);
      REQUIRE(bytes);
      const auto snapshot = core::wire::decode_snapshot(*bytes);
      REQUIRE(snapshot);
      return *snapshot;
    }
    return {};
  }

 private:
  std::uint64_t runs_ = 0, questions_ = 0, current_ = 0;
};

std::vector<std::string> functions_of(const Stopped& stop) {
  std::vector<std::string> names;
  for (const auto& frame : stop.frames) names.push_back(frame.function);
  return names;
}

std::string place_of(const Stopped& stop) {
  return stop.frames.empty() ? "nowhere" : stop.frames[0].function + ":" + std::to_string(stop.frames[0].line);
}

const char* const kCalls = R"(def inner(n):
    m = n + 1
    return m

def outer(n):
    a = inner(n)
    b = inner(a)
    return a + b

total = 0
for i in range(100):
    total += outer(i)
print('total', total)
)";

}  // namespace

TEST_CASE("a breakpoint stops before its line, shows the stack and the locals, and goes on", "[host][debugging]") {
  EACH_PYTHON(python);
  Debugged d(python);
  d.breakpoint_at({Debugged::line(7)});
  d.start(kCalls);
  const Stopped stop = d.stopped();
  CHECK(stop.reason == StopReason::breakpoint);
  CHECK(stop.breakpoint == 7);
  CHECK(stop.thread == "MainThread");
  CHECK(functions_of(stop) == std::vector<std::string>{"outer", "<module>"});
  REQUIRE(stop.frames.size() == 2);
  CHECK(stop.frames[0].line == 7);
  CHECK(stop.frames[0].path == d.script);
  CHECK(stop.frames[0].user);
  CHECK(stop.frames[1].line == 12);
  CHECK(
      d.ask("evaluate", R"({"expressions": ["a", "n + 1", "nothing", "[a for _ in range(2)]"]})") ==
      R"({"values": [{"text": "1"}, {"text": "1"}, {"error": "NameError: name 'nothing' is not defined"}, {"text": "[1, 1]"}]})");
  CHECK(d.ask("evaluate", R"({"expressions": ["i"], "frame": 1})") == R"({"values": [{"text": "0"}]})");
  CHECK(d.host.region().header().phase.load() == static_cast<std::uint32_t>(core::wire::HostPhase::stopped));
  d.breakpoint_at({});
  d.resume();
  CHECK(d.finish() == Outcome::finished);
  CHECK(d.host.out() == "total 10200\n");
}

TEST_CASE("a condition, a hit count and a log text", "[host][debugging]") {
  EACH_PYTHON(python);
  Debugged d(python);
  auto log = Debugged::line(3);
  log.log_text = "m is {m} \\n {'é'!r:>5}";
  log.condition = "m < 3";
  d.breakpoint_at({Debugged::line(12, "i == 37"), log});
  d.start(kCalls);
  CHECK(place_of(d.stopped()) == "<module>:12");
  CHECK(d.ask("evaluate", R"({"expressions": ["i", "total"]})") == R"({"values": [{"text": "37"}, {"text": "1443"}]})");
  d.resume();
  CHECK(d.finish() == Outcome::finished);
  CHECK(d.host.out() == "m is 1 \\n   'é'\nm is 2 \\n   'é'\nm is 2 \\n   'é'\ntotal 10200\n");

  auto hit = Debugged::line(12);
  hit.hit = 99;
  d.breakpoint_at({hit});
  d.start(kCalls);
  d.stopped();
  CHECK(d.ask("evaluate", R"({"expressions": ["i"]})") == R"({"values": [{"text": "98"}]})");
  d.resume();
  d.stopped();
  d.resume();
  CHECK(d.finish() == Outcome::finished);
}

TEST_CASE("steps over, into, out of calls, and to a line", "[host][debugging]") {
  EACH_PYTHON(python);
  Debugged d(python);
  d.breakpoint_at({Debugged::line(12)});
  d.start(kCalls);
  CHECK(place_of(d.stopped()) == "<module>:12");
  d.breakpoint_at({});
  d.resume(ResumeKind::step_into);
  Stopped stop = d.stopped();
  CHECK(place_of(stop) == "outer:6");
  CHECK(stop.reason == StopReason::step);
  d.resume(ResumeKind::step_over);
  CHECK(place_of(d.stopped()) == "outer:7");
  d.resume(ResumeKind::step_into);
  CHECK(place_of(d.stopped()) == "inner:2");
  d.resume(ResumeKind::step_over);
  CHECK(place_of(d.stopped()) == "inner:3");
  d.resume(ResumeKind::step_over);  // returns
  CHECK(place_of(d.stopped()) == "outer:8");
  d.resume(ResumeKind::step_out);
  CHECK(place_of(d.stopped()) == "<module>:11");
  d.resume(ResumeKind::run_to, 3);
  CHECK(place_of(d.stopped()) == "inner:3");
  d.resume(ResumeKind::run_to, 13);
  CHECK(place_of(d.stopped()) == "<module>:13");
  d.resume(ResumeKind::step_over);
  CHECK(d.finish() == Outcome::finished);
  CHECK(d.host.out() == "total 10200\n");
}

TEST_CASE("a script stops again in the next run, and not in one without breakpoints", "[host][debugging]") {
  EACH_PYTHON(python);
  Debugged d(python);
  d.breakpoint_at({Debugged::line(2)});
  for (int run = 0; run < 2; ++run) {
    d.start("x = 1\nx = 2\nx = 3\n");
    CHECK(place_of(d.stopped()) == "<module>:2");
    d.resume();
    CHECK(d.finish() == Outcome::finished);
  }
  d.breakpoint_at({});
  d.start("x = 1\nx = 2\nx = 3\n");
  CHECK(d.finish() == Outcome::finished);
}
