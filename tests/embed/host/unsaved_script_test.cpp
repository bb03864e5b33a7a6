// A script without a file, run from a window, has a file name of its own: text that it runs itself, which Python calls
// "<string>", is not taken for it.
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <string>

#include "core/wire/script_file.h"
#include "tests/embed/host/debugged.h"
#include "tests/embed/host/each_python.h"

using namespace dlscope;
using namespace dlscope::tests;
using Catch::Matchers::ContainsSubstring;
using core::Outcome;
using core::wire::kUnsavedScriptFile;
using core::wire::Stopped;

namespace {

core::wire::Run unsaved(const std::string& source) {
  core::wire::Run run;
  run.run = 1;
  run.source = source;
  run.interactive_stops = run.scan_after = true;
  return run;
}

// Lines of the script from `first` on (zero-based), run in the names of the run before, as the window sends them.
core::wire::Run part_of_unsaved(std::uint64_t number, std::size_t first, const std::string& lines) {
  core::wire::Run run = unsaved(std::string(first, '\n') + lines);
  run.run = number;
  run.path = kUnsavedScriptFile;
  run.fresh_namespace = false;
  run.echo = true;
  return run;
}

core::wire::Breakpoint in_unsaved(std::uint32_t line) {
  core::wire::Breakpoint breakpoint = Debugged::line(line);
  breakpoint.path = kUnsavedScriptFile;
  return breakpoint;
}

}  // namespace

TEST_CASE("text that an unsaved script runs itself is not taken for it", "[host][debugging]") {
  EACH_PYTHON(python);
  Debugged d(python);
  d.breakpoint_at({in_unsaved(4)});
  d.host.send(unsaved("text = 'a = 1\\nb = 2\\nbreakpoint()\\nc = 4\\n'\n"
                      "exec(text)\n"
                      "def own(n):\n"
                      "    return 1 / n\n"
                      "own(1)\n"
                      "own(0)\n"));
  const Stopped in_text = d.stopped();
  CHECK(in_text.frames[0].path == "<string>");
  CHECK(in_text.frames[0].user);
  CHECK(in_text.frames[1].path == kUnsavedScriptFile);
  CHECK(in_text.frames[1].line == 2);
  d.resume();
  for (int calls = 0; calls < 2; ++calls) {  // not in line 4 of the text
    const Stopped own = d.stopped();
    CHECK(place_of(own) == "own:4");
    CHECK(own.frames[0].path == kUnsavedScriptFile);
    d.resume();
  }
  const auto end = d.outcome();
  REQUIRE(end);
  CHECK(end->script_path == kUnsavedScriptFile);
  REQUIRE(end->error);
  CHECK(end->error->line == 4);
  CHECK_THAT(end->error->traceback, ContainsSubstring("File \"<unsaved script>\", line 4, in own\n    return 1 / n\n"));
  CHECK_THAT(d.host.err(), ContainsSubstring("File \"<unsaved script>\", line 6, in <module>\n    own(0)\n"));
}

TEST_CASE("an error in text that an unsaved script runs marks the line that runs it", "[host]") {
  EACH_PYTHON(python);
  HostProcess host(python);
  for (const char* const text : {"exec('\\n\\n\\n1 / 0')\n", "exec('\\n\\n\\n1 +')\n", "import collections\nexec('\\n\\n\\n1 / 0')\n"}) {
    const auto outcome = host.run(unsaved(text));
    REQUIRE(outcome);
    REQUIRE(outcome->error);
    CHECK(outcome->error->line == (std::string(text).starts_with("import") ? 2 : 1));
  }
}

TEST_CASE("Python finds the source of an unsaved script", "[host]") {
  EACH_PYTHON(python);
  HostProcess host(python);
  const auto outcome = host.run(unsaved("import inspect, linecache, sys, traceback\ndef own():\n    return 1\nlinecache.checkcache()\n"
                                        "print(inspect.getsource(own), own.__code__.co_filename, sys.argv, '__file__' in globals())\n"
                                        "try: exec('x = 1\\n1 / 0')\n"
                                        "except ZeroDivisionError: print(traceback.format_exc())\n"));
  REQUIRE(outcome);
  CHECK(outcome->outcome == Outcome::finished);
  CHECK_THAT(host.out(), ContainsSubstring("def own():\n    return 1\n <unsaved script> ['-c'] False\n"));
  CHECK_THAT(host.out(), ContainsSubstring("File \"<unsaved script>\", line 6, in <module>\n    try: exec('x = 1\\n1 / 0')\n"));
  CHECK_THAT(host.out(), ContainsSubstring("File \"<string>\", line 2, in <module>\nZeroDivisionError"));  // no line of the script's
}

TEST_CASE("a part of an unsaved script counts as its lines", "[host][debugging]") {
  EACH_PYTHON(python);
  Debugged d(python);
  d.breakpoint_at({in_unsaved(5)});
  d.host.send(unsaved("def earlier(n):\n    return 1 / n\nx = 1\n"));
  REQUIRE(d.outcome());
  d.host.send(part_of_unsaved(2, 3, "x = 2\ny = x\nearlier(0)\n"));
  const Stopped stop = d.stopped();  // in line 5 of the script, the second of the part
  CHECK(stop.frames[0].path == kUnsavedScriptFile);
  CHECK(stop.frames[0].line == 5);
  CHECK(stop.frames[0].user);
  d.resume();
  const auto end = d.outcome();
  REQUIRE(end);
  CHECK(end->script_path == kUnsavedScriptFile);
  REQUIRE(end->error);
  CHECK(end->error->line == 2);
  // The text of lines that the part does not have is that of the run before.
  CHECK_THAT(end->error->traceback, ContainsSubstring("File \"<unsaved script>\", line 6, in <module>\n    earlier(0)\n"));
  CHECK_THAT(end->error->traceback, ContainsSubstring("File \"<unsaved script>\", line 2, in earlier\n    return 1 / n\n"));
  // A line of the console is none of the script's.
  core::wire::Run console = unsaved("1 / 0\n");
  console.run = 3;
  console.fresh_namespace = false;
  d.host.send(console);
  const auto line = d.outcome();
  REQUIRE(line);
  REQUIRE(line->error);
  CHECK(line->script_path != kUnsavedScriptFile);
  CHECK_THAT(line->error->traceback, ContainsSubstring("File \"<input 1>\", line 1, in <module>\n"));
}

TEST_CASE("a syntax error in a part of an unsaved script has the script's line", "[host]") {
  EACH_PYTHON(python);
  HostProcess host(python);
  REQUIRE(host.run(unsaved("x = 1\n")));
  const auto outcome = host.run(part_of_unsaved(2, 6, "y = 1\n1 +\n"));
  REQUIRE(outcome);
  REQUIRE(outcome->error);
  CHECK(outcome->error->line == 8);
}

namespace {

// Parts of a saved and of an unsaved script are the same to the host but for the path.
struct Script {
  Debugged& d;
  bool is_saved;

  [[nodiscard]] core::wire::Breakpoint breakpoint(std::uint32_t line) const {
    return is_saved ? Debugged::line(line) : in_unsaved(line);
  }
  void run(const std::string& code) const {
    if (is_saved) return d.start(code);
    d.host.send(unsaved(code));
  }
  void run_part(std::uint64_t number, std::size_t first, const std::string& lines) const {
    core::wire::Run part = part_of_unsaved(number, first, lines);
    if (is_saved) part.path = d.script;
    d.host.send(part);
  }
  // Continues from the stop to the end of the run, without another stop.
  [[nodiscard]] core::Outcome rest() const {
    d.resume();
    return d.finish();
  }
};

core::wire::BreakpointState state_of(const Debugged& d, std::uint64_t id) {
  const auto states = last_states(d);
  REQUIRE(states);
  for (const auto& state : states->all) {
    if (state.id == id) return state;
  }
  FAIL("no breakpoint " << id);
  return {};
}

}  // namespace

TEST_CASE("breakpoints in functions of the run before stop when a part calls them", "[host][debugging]") {
  EACH_PYTHON(python);
  const bool is_saved = GENERATE(false, true), set_before = GENERATE(false, true);
  CAPTURE(is_saved, set_before);
  Debugged d(python);
  const Script script{d, is_saved};
  if (set_before) d.breakpoint_at({script.breakpoint(2)});
  script.run("def earlier(n):\n    return 1 + n\nx = 1\n");
  REQUIRE(d.outcome());
  d.breakpoint_at({script.breakpoint(2)});
  script.run_part(2, 3, "earlier(0)\n");
  CHECK(place_of(d.stopped()) == "earlier:2");
  CHECK(script.rest() == Outcome::finished);
  script.run_part(3, 3, "x = 2\ny = x\nearlier(0)\n");
  CHECK(place_of(d.stopped()) == "earlier:2");  // not in line 4, of the part
  CHECK(script.rest() == Outcome::finished);
  const auto state = state_of(d, 2);
  CHECK(state.line == 2);
  CHECK(state.message.empty());
  core::wire::Run console = unsaved("earlier(1)\n");
  console.run = 4;
  console.fresh_namespace = false;
  console.echo = true;
  d.host.send(console);
  CHECK(place_of(d.stopped()) == "earlier:2");
  CHECK(script.rest() == Outcome::finished);
}

TEST_CASE("a breakpoint on the last statement of a part stops where that is an expression", "[host][debugging]") {
  EACH_PYTHON(python);
  const bool is_saved = GENERATE(false, true);
  CAPTURE(is_saved);
  Debugged d(python);
  const Script script{d, is_saved};
  script.run("x = 1\n");
  REQUIRE(d.outcome());
  d.breakpoint_at({script.breakpoint(5)});
  script.run_part(2, 3, "y = x\nabs(y)\n");
  CHECK(place_of(d.stopped()) == "<module>:5");
  CHECK(script.rest() == Outcome::finished);
  script.run_part(3, 4, "abs(x)\n");  // nothing but that expression
  CHECK(place_of(d.stopped()) == "<module>:5");
  CHECK(script.rest() == Outcome::finished);
}

TEST_CASE("a breakpoint in a function that a part defines anew stops in the new one", "[host][debugging]") {
  EACH_PYTHON(python);
  const bool is_saved = GENERATE(false, true);
  CAPTURE(is_saved);
  Debugged d(python);
  const Script script{d, is_saved};
  d.breakpoint_at({script.breakpoint(3)});
  script.run("def other():\n    a = 1\n    b = 2\n    return a + b\ndef last():\n    return 6\n");
  REQUIRE(d.outcome());
  script.run_part(2, 0, "def other():\n    a = 1\n\n    return a + 3\n");
  REQUIRE(d.outcome());
  script.run_part(3, 6, "print(other())\n");
  CHECK(place_of(d.stopped()) == "other:4");  // line 3 of the new one is empty
  CHECK(script.rest() == Outcome::finished);
  CHECK_THAT(d.host.out(), ContainsSubstring("4\n"));
  // The functions around it are as they were, however often the part is run.
  d.breakpoint_at({script.breakpoint(6)});
  for (std::uint64_t run = 4; run < 7; ++run) {
    script.run_part(run, 0, "def other():\n    a = 1\n\n    return last()\nother()\n");
    CHECK(place_of(d.stopped()) == "last:6");
    CHECK(script.rest() == Outcome::finished);
  }
}

TEST_CASE("a line of a function that is also run alone stops in both", "[host][debugging]") {
  EACH_PYTHON(python);
  Debugged d(python);
  const Script script{d, false};
  d.breakpoint_at({in_unsaved(2)});
  script.run("def both(n):\n    m = n + 1\n    return m\n");
  REQUIRE(d.outcome());
  script.run_part(2, 1, "n = 1\n");
  CHECK(place_of(d.stopped()) == "<module>:2");
  CHECK(script.rest() == Outcome::finished);
  script.run_part(3, 3, "both(1)\n");
  CHECK(place_of(d.stopped()) == "both:2");
  CHECK(script.rest() == Outcome::finished);
}
