// Debugged: a host whose viewer serves stops; the other half of tests/embed/host/debugging_test.cpp and its neighbours.
#pragma once

#include <catch2/catch_test_macros.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "core/wire/snapshot_codec.h"
#include "tests/embed/host/host_process.h"

namespace dlscope::tests {

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
    asked_ = core::wire::SetBreakpoints{std::move(all), on_raise, asked_.user_code_only, asked_.stop_others,
                                         asked_.on_uncaught};
    host.send(asked_);
  }
  void stop_on_uncaught(bool on = true) {
    asked_.on_uncaught = on;
    host.send(asked_);
  }
  // The same breakpoints; returns when the host has taken the options.
  void options(bool stop_others, bool library_code) {
    asked_.stop_others = stop_others;
    asked_.user_code_only = !library_code;
    host.send(asked_);
    REQUIRE(host.wait_for<core::wire::BreakpointsChanged>());
  }
  static core::wire::Breakpoint line(std::uint32_t number, std::string condition = {}) {
    core::wire::Breakpoint breakpoint;
    breakpoint.id = breakpoint.line = number;
    breakpoint.condition = std::move(condition);
    return breakpoint;
  }
  // run_to: as Run::stop_at; "": nowhere.
  void start(const std::string& code, const std::string& run_to = {}) {
    core::wire::Run run;
    run.run = ++runs_;
    run.path = host.folder().write("script.py", code);
    run.scan_after = true;
    run.interactive_stops = true;
    run.stop_at = run_to;
    host.send(run);
  }
  // The next stop, after its scan.
  core::wire::Stopped stopped() {
    auto stop = host.wait_for<core::wire::Stopped>();
    if (!stop) {
      const auto end = outcome();
      FAIL("no stop; the script said: " << host.out() << host.err() << (end && end->error ? end->error->traceback : ""));
    }
    REQUIRE(host.wait_for<core::wire::ScanFinished>());
    current_ = stop->stop;
    return *stop;
  }
  void resume(core::wire::ResumeKind kind = core::wire::ResumeKind::go, std::uint32_t run_to = 0) {
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
  // Takes a lease of that tensor of the last snapshot.
  core::wire::WorkEnded hold(const char* name) {
    const core::SnapshotPtr snapshot = last_snapshot();
    REQUIRE(snapshot);
    const core::TensorRecord* const tensor = snapshot->find(name);
    REQUIRE(tensor != nullptr);
    const auto number = static_cast<std::uint32_t>(tensor - snapshot->tensors.data());
    host.send(core::wire::Start{77, core::wire::Hold{{snapshot->info.revision, number}, false}});
    const auto end = host.wait_for<core::wire::WorkEnded>();
    REQUIRE(end);
    return *end;
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
  core::wire::SetBreakpoints asked_;
  std::uint64_t runs_ = 0, questions_ = 0, current_ = 0;
};

inline std::vector<std::string> functions_of(const core::wire::Stopped& stop) {
  std::vector<std::string> names;
  for (const auto& frame : stop.frames) names.push_back(frame.function);
  return names;
}

inline std::string place_of(const core::wire::Stopped& stop) {
  return stop.frames.empty() ? "nowhere" : stop.frames[0].function + ":" + std::to_string(stop.frames[0].line);
}

// A loop of a hundred passes, each of which calls two levels deep.
inline const char* const kHundredCalls = R"(def inner(n):
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

// How the breakpoints stood when the host told it last.
inline std::optional<core::wire::BreakpointsChanged> last_states(const Debugged& d) {
  std::optional<core::wire::BreakpointsChanged> last;
  for (const auto& message : d.host.messages) {
    if (const auto* states = std::get_if<core::wire::BreakpointsChanged>(&message)) last = *states;
  }
  return last;
}

}  // namespace dlscope::tests
