// After an uncaught exception the run is over, and its frames can be looked at: stack, locals, console, questions, until they are let go.
#include <signal.h>

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <algorithm>
#include <string>
#include <vector>

#include "tests/embed/host/debugged.h"
#include "tests/embed/host/each_python.h"
#include "tests/embed/host/library_python.h"

using namespace dlscope;
using namespace dlscope::tests;
using Catch::Matchers::ContainsSubstring;
using core::Outcome;
using core::wire::Stopped;
using core::wire::StopReason;

namespace {

// A run that has just been told to have ended is a moment later over.
std::string ask(Debugged& d, const std::string& kind, const std::string& json) {
  std::string answer;
  for (int attempt = 0; attempt < 1000; ++attempt) {
    answer = d.ask(kind, json);
    if (answer != std::string("error: ") + core::wire::kAnswerBusy) break;
  }
  return answer;
}

const char* const kThreeCalls = R"(import array, weakref

class Kept(array.array):
    pass

def inner(x):
    part = memoryview(x)[1:]
    try:
        raise ValueError("bad input")
    finally:
        part_of_finally = 1

def middle(n):
    x = Kept('d', range(n))
    died = weakref.finalize(x, print, "x died")
    inner(x)

def main():
    count = 4
    middle(count)

main()
)";

}  // namespace

TEST_CASE("an exception that ended the script leaves its frames to look at", "[host][debugging][ended]") {
  EACH_PYTHON(python);
  Debugged d(python);
  d.start(kThreeCalls);
  CHECK(d.finish() == Outcome::raised);
  const Stopped ended = d.stopped();
  CHECK(ended.reason == StopReason::ended);
  CHECK(ended.message == "ValueError: bad input");
  CHECK(functions_of(ended) == std::vector<std::string>{"inner", "middle", "main", "<module>"});
  CHECK(ended.frames[0].line == 9);  // where it was raised, not where the frame was left
  CHECK(ended.frames[0].user);
  CHECK(std::ranges::all_of(ended.frames, [](const auto& frame) { return frame.heading.empty(); }));

  const core::SnapshotPtr snapshot = d.last_snapshot();
  REQUIRE(snapshot);
  CHECK(snapshot->info.scanned == core::Scanned::raise);
  const core::TensorRecord* const part = snapshot->find("part");
  REQUIRE(part != nullptr);
  CHECK(snapshot->find("x") == snapshot->tensors.data());  // the innermost frame's names come first
  REQUIRE(snapshot->find("middle().x") != nullptr);
  CHECK(snapshot->find("middle().x")->group == part->group);

  // Console, questions and watches see the frame that is named.
  CHECK(d.console("print('in inner:', len(part), 'n' in dir())", 0)->outcome == Outcome::finished);
  CHECK(d.console("print('in middle:', n); n = 5; y = n + 1", 1)->outcome == Outcome::finished);
  CHECK(d.console("print('again:', n, y)", 1)->outcome == Outcome::finished);
  CHECK(d.console("nope", 2)->outcome == Outcome::raised);
  CHECK(d.console("print('in the module:', callable(main)); z = 7", 3)->outcome == Outcome::finished);
  CHECK_THAT(d.host.out(), ContainsSubstring("in inner: 3 False\nin middle: 4\nagain: 5 6\nin the module: True\n"));
  CHECK_THAT(ask(d, "evaluate", R"({"expressions": ["n", "x[1]", "part"], "frame": 1})"),
             ContainsSubstring("5") && ContainsSubstring("1.0") && ContainsSubstring("NameError"));
  CHECK_THAT(ask(d, "evaluate", R"({"expressions": ["z"], "frame": 3})"), ContainsSubstring("7"));
  CHECK_THAT(ask(d, "complete", R"({"text": "par", "cursor": 3, "explicit": true, "frame": 0})"), ContainsSubstring("part"));
  CHECK_THAT(ask(d, "evaluate", R"({"expressions": ["1"], "frame": 9})"), ContainsSubstring("there is no frame 9"));

  // What they hold lives until they are let go of.
  CHECK_THAT(d.host.out(), !ContainsSubstring("x died"));
  d.host.send(core::wire::Resume{ended.stop, core::wire::ResumeKind::go, {}, 0});
  d.host.send(core::wire::Scan{9});
  REQUIRE(d.host.wait_for<core::wire::ScanFinished>());
  CHECK(d.last_snapshot()->find("middle().x") == nullptr);
  CHECK_THAT(d.host.out(), ContainsSubstring("x died"));
  const auto too_late = d.console("print('too late')", 0);
  REQUIRE(too_late);
  CHECK(too_late->outcome == Outcome::raised);
  CHECK_THAT(ask(d, "evaluate", R"({"expressions": ["z"], "frame": 0})"), ContainsSubstring("7"));
}

TEST_CASE("the next run lets go of the frames of the last one", "[host][debugging][ended]") {
  EACH_PYTHON(python);
  Debugged d(python);
  d.start(kThreeCalls);
  CHECK(d.finish() == Outcome::raised);
  const Stopped ended = d.stopped();
  d.start("print('second')");
  CHECK(d.finish() == Outcome::finished);
  CHECK_THAT(d.host.out(), ContainsSubstring("x died\nsecond"));
  CHECK(d.console("part", 0)->outcome == Outcome::raised);
}

TEST_CASE("the frames of the exceptions that led to it come below it, each with how it led there", "[host][debugging][ended]") {
  EACH_PYTHON(python);
  Debugged d(python);
  d.start(R"(import array
def read(key):
    a = array.array('d', [1])
    return {}[key]
def parse():
    try:
        read('k')
    except KeyError as error:
        b = array.array('d', [2])
        raise ValueError('no such key') from error
def clean():
    c = array.array('d', [3])
    1 / 0
def main():
    try:
        parse()
    except ValueError:
        clean()
main()
)");
  CHECK(d.finish() == Outcome::raised);
  const Stopped ended = d.stopped();
  CHECK(ended.message == "ZeroDivisionError: division by zero");
  CHECK(functions_of(ended) ==
        std::vector<std::string>{"clean", "main", "<module>", "parse", "main", "read", "parse"});
  CHECK(ended.frames[1].line == 18);
  CHECK(ended.frames[3].heading == "Raised while this was handled: ValueError: no such key");
  CHECK(ended.frames[3].line == 10);
  CHECK(ended.frames[4].line == 16);
  CHECK(ended.frames[4].heading.empty());
  CHECK(ended.frames[5].heading == "Caused by KeyError: 'k'");
  CHECK(ended.frames[6].line == 7);
  const core::SnapshotPtr snapshot = d.last_snapshot();
  REQUIRE(snapshot);
  for (const char* name : {"c", "parse().b", "read().a"}) {
    INFO(name);
    CHECK(snapshot->find(name) != nullptr);
  }
  CHECK(snapshot->tensors.size() == 3);
  CHECK_THAT(ask(d, "evaluate", R"({"expressions": ["a[0]", "key"], "frame": 5})"),
             ContainsSubstring("1.0") && ContainsSubstring("'k'"));
}

TEST_CASE("the frames of each exception in a group are there, with their locals", "[host][debugging][ended]") {
  EACH_PYTHON(python);
  if (python.minor < 11) SKIP("exception groups came with Python 3.11");
  Debugged d(python);
  d.start(R"(import array, asyncio
async def load(key):
    a = array.array('d', [1])
    try:
        return {}[key]
    except KeyError as error:
        raise ValueError('no ' + key) from error
async def main():
    async with asyncio.TaskGroup() as group:
        group.create_task(load('x'))
        group.create_task(load('y'))
asyncio.run(main())
)");
  CHECK(d.finish() == Outcome::raised);
  const Stopped ended = d.stopped();
  CHECK(ended.message == "ExceptionGroup: unhandled errors in a TaskGroup (2 sub-exceptions)");
  std::vector<std::string> headings;
  for (const auto& frame : ended.frames) {
    if (!frame.heading.empty()) headings.push_back(frame.heading + " " + frame.function + ":" + std::to_string(frame.line));
  }
  CHECK(headings == std::vector<std::string>{"One of 2: ValueError: no x load:7", "Caused by KeyError: 'x' load:5",
                                             "One of 2: ValueError: no y load:7", "Caused by KeyError: 'y' load:5"});
  const core::SnapshotPtr snapshot = d.last_snapshot();
  REQUIRE(snapshot);
  CHECK(snapshot->find("load().a") != nullptr);
  CHECK(snapshot->tensors.size() == 2);
}

TEST_CASE("an exception that compiled code of a library raised was raised in the script's frame", "[host][debugging][ended]") {
  Debugged d(library_python());
  d.start(R"(import numpy
x = numpy.arange(4.)
def g(n):
    loc = numpy.ones(3)
    x = numpy.zeros(2)
    return numpy.random.default_rng(0).integers(5, 2)
g(3)
)");
  CHECK(d.finish() == Outcome::raised);
  const Stopped ended = d.stopped();
  // Cython's frame has a file name that leads nowhere from here: "numpy/random/_bounded_integers.pyx".
  CHECK_FALSE((ended.frames[0].user || ended.frames[0].function == "g"));
  const auto users = std::ranges::find_if(ended.frames, [](const auto& frame) { return frame.user; });
  REQUIRE(users != ended.frames.end());
  CHECK((users->function == "g" && users->line == 6));
  const core::SnapshotPtr snapshot = d.last_snapshot();
  REQUIRE(snapshot);
  REQUIRE((snapshot->find("loc") != nullptr && snapshot->find("x") != nullptr));
  CHECK(snapshot->find("g().loc") == nullptr);
  CHECK(snapshot->find("x")->elements == 2);
  CHECK(snapshot->find("globals()['x']") != nullptr);
}

TEST_CASE("an exception that ended a thread leaves its frames to look at, and the script finished", "[host][debugging][ended]") {
  EACH_PYTHON(python);
  const char* const head = R"(import array, sys, threading
def work(n):
    x = array.array('d', [n])
    {}[n]
def main():
    for n in range(2):
        thread = threading.Thread(target=work, args=(n,), name='worker %d' % n)
        thread.start()
        thread.join()
)";
  struct Row {
    const char* script;
    Outcome outcome;
    bool kept;
    const char* printed;  // by whom
  };
  const Row rows[] = {
      {"main()\n", Outcome::finished, true, "KeyError: 1"},
      {"def hook(args):\n    print('own', args.exc_value)\n    before(args)\nbefore, threading.excepthook = threading.excepthook, hook\nmain()\n",
       Outcome::finished, true, "KeyError: 1"},
      {"threading.excepthook = lambda args: sys.stderr.write('own')\nmain()\n", Outcome::finished, false, "ownown"},
      {"main()\nraise ValueError('end')\n", Outcome::raised, true, "ValueError: end"}};
  for (const Row& row : rows) {
    INFO(row.script);
    Debugged d(python);
    d.start(std::string(head) + row.script);
    CHECK(d.finish() == row.outcome);
    if (!row.kept) {
      REQUIRE(d.host.wait_for<core::wire::ScanFinished>());
      CHECK(d.last_snapshot()->info.scanned == core::Scanned::end);
      continue;
    }
    const Stopped ended = d.stopped();
    CHECK(ended.reason == StopReason::ended);
    CHECK(ended.thread == (row.outcome == Outcome::raised ? "" : "worker 1"));
    CHECK(ended.message == (row.outcome == Outcome::raised ? "ValueError: end" : "KeyError: 1"));
    const auto frame = std::ranges::find(ended.frames, std::string("work"), &core::wire::StackFrame::function);
    REQUIRE(frame != ended.frames.end());
    CHECK(frame->heading == (row.outcome == Outcome::raised ? "In thread worker 1: KeyError: 1" : "In thread worker 1"));
    CHECK(frame->line == 4);
    const core::SnapshotPtr snapshot = d.last_snapshot();
    REQUIRE(snapshot);
    CHECK(snapshot->info.scanned == core::Scanned::raise);
    CHECK(snapshot->find(row.outcome == Outcome::raised ? "work().x" : "x") != nullptr);
    CHECK_THAT(d.host.err(), ContainsSubstring(row.printed) && !ContainsSubstring("_host_threads"));
    CHECK(std::ranges::any_of(d.host.messages, [](const auto& message) {
      const auto* notice = std::get_if<core::wire::Notice>(&message);
      return notice != nullptr && notice->text == "2 threads ended with an exception. The last one, worker 1: KeyError: 1";
    }));
  }
}

TEST_CASE("what a thread without memory held is not kept from the script", "[host][debugging][ended]") {
  EACH_PYTHON(python);
  Debugged d(python);
  d.start(R"(import array, gc, threading, weakref
class Kept(array.array): pass
def work():
    x = Kept('d', [1])
    weakref.finalize(x, print, 'x died')
    raise MemoryError
thread = threading.Thread(target=work, name='worker')
thread.start()
thread.join()
gc.collect()
print('over')
)");
  CHECK(d.finish() == Outcome::finished);
  CHECK(d.host.out() == "x died\nover\n");
}

TEST_CASE("Stop tells where it was, sys.exit and a wrong text leave nothing", "[host][debugging][ended]") {
  EACH_PYTHON(python);
  Debugged d(python);
  d.start(
      "import array, time\ndef wait():\n  x = array.array('d', [1])\n  print('waits', flush=True); time.sleep(60)\nwait()\n");
  REQUIRE(d.host.wait_for_output("waits"));
  d.host.stop();
  CHECK(d.finish() == Outcome::interrupted);
  const Stopped ended = d.stopped();
  CHECK(ended.reason == StopReason::ended);
  CHECK(ended.message.empty());
  CHECK(place_of(ended) == "wait:4");
  CHECK(d.last_snapshot()->find("x") != nullptr);

  const auto stacks = [&] {
    return std::ranges::count_if(d.host.messages, [](const auto& message) { return std::holds_alternative<Stopped>(message); });
  };
  const auto before = stacks();
  d.start("import sys\ndef leave():\n  sys.exit(3)\nleave()\n");
  CHECK(d.finish() == Outcome::finished);
  REQUIRE(d.host.wait_for<core::wire::ScanFinished>());
  d.start("def broken(:\n");
  CHECK(d.finish() == Outcome::raised);
  REQUIRE(d.host.wait_for<core::wire::ScanFinished>());
  CHECK(stacks() == before);
}

TEST_CASE("a console line that goes wrong by itself takes the frames away from nobody", "[host][debugging][ended]") {
  EACH_PYTHON(python);
  Debugged d(python);
  d.start(kThreeCalls);
  CHECK(d.finish() == Outcome::raised);
  const Stopped ended = d.stopped();
  const auto line = [&](std::uint64_t number, const char* text) {
    core::wire::Run run;
    run.run = number;
    run.source = text;
    run.fresh_namespace = false;
    run.scan_after = true;
    run.echo = run.interactive_stops = true;
    d.host.send(run);
  };
  line(50, "nope");
  CHECK(d.finish() == Outcome::raised);
  REQUIRE(d.host.wait_for<core::wire::ScanFinished>());
  CHECK(d.last_snapshot()->find("middle().x") != nullptr);
  CHECK(d.console("len(part)", 0)->outcome == Outcome::finished);
  line(52, "middle(2)");  // this one has frames of its own
  CHECK(d.finish() == Outcome::raised);
  const Stopped next = d.stopped();
  CHECK(next.stop > ended.stop);
  CHECK(functions_of(next) == std::vector<std::string>{"inner", "middle", "<module>"});
  CHECK_THAT(d.host.out(), ContainsSubstring("x died"));
}

TEST_CASE("of a deep recursion the ends are kept", "[host][debugging][ended]") {
  EACH_PYTHON(python);
  Debugged d(python);
  d.start("def down(n):\n  if n == 0:\n    raise ValueError('at the bottom')\n  down(n - 1)\ndown(400)\n");
  CHECK(d.finish() == Outcome::raised);
  const Stopped ended = d.stopped();
  REQUIRE(ended.frames.size() == 170);
  CHECK(ended.frames[0].line == 3);
  CHECK(ended.frames[169].function == "<module>");
  CHECK(ended.frames[150].heading == "232 frames between, not shown");
  CHECK_THAT(ask(d, "evaluate", R"({"expressions": ["n"], "frame": 168})"), ContainsSubstring("400"));
}

namespace {

// A run that stops before a function returns.
void start_with(Debugged& d, const std::string& code, const std::string& stop_at) {
  core::wire::Run run;
  run.run = 1;
  run.path = d.host.folder().write("script.py", code);
  run.scan_after = run.interactive_stops = true;
  run.stop_at = stop_at;
  d.host.send(run);
}

const char* const kAllLocal = R"(import array, asyncio, functools, sys
def helper(n):
    return n + 1
class Job:
    def run(self):
        rows = array.array('d', [1, 2])
        return helper(len(rows))
def traced(function):
    @functools.wraps(function)
    def call(*arguments):
        return function(*arguments)
    return call
async def work():
    kept = array.array('d', [3])
    await asyncio.sleep(0)
    return 5
def numbers():
    for i in range(3):
        values = array.array('d', [i])
        yield i
def main():
    x = array.array('d', [4])
    y = memoryview(x)
    if helper(1) == 2:
        return 0
    return 1
)";

}  // namespace

TEST_CASE("a run stops before a function returns, with all its names", "[host][debugging][ended]") {
  EACH_PYTHON(python);
  struct Case {
    const char *last_lines, *stop_at, *local;
    std::uint32_t line;  // 0: an end without a statement of its own, whose line is another one in each Python
  };
  for (const Case& each :
       {Case{"sys.exit(main())\n", "main:return", "x", 25}, Case{"Job().run()\n", "Job.run:return", "rows", 7},
        Case{"asyncio.run(work())\n", "work:return", "kept", 16}, Case{"list(numbers())\n", "numbers:return", "values", 0},
        Case{"main()\nmain()\n", "main:return#2", "x", 25}}) {
    INFO(each.last_lines);
    Debugged d(python);
    start_with(d, std::string(kAllLocal) + each.last_lines, each.stop_at);
    const Stopped stop = d.stopped();
    CHECK(stop.reason == StopReason::returns);
    if (each.line != 0) CHECK(stop.frames[0].line == each.line);
    if (each.line == 0)
      CHECK_THAT(d.ask("evaluate", R"({"expressions": ["i"], "frame": 0})"), ContainsSubstring("2"));  // no yield
    CHECK(d.last_snapshot()->find(each.local) != nullptr);
    d.resume();  // once
    CHECK(d.finish() == Outcome::finished);
  }
}

TEST_CASE("an exception is no return, and another function's return is not waited for", "[host][debugging][ended]") {
  EACH_PYTHON(python);
  Debugged d(python);
  start_with(d, "def other():\n    return 1\ndef main():\n    other()\n    raise ValueError('no')\nmain()\n", "main:return");
  CHECK(d.finish() == Outcome::raised);
  CHECK(d.stopped().reason == StopReason::ended);
}

TEST_CASE("where all was local to functions, the one that is called last is named", "[host][debugging][ended]") {
  EACH_PYTHON(python);
  struct Case {
    const char *last_lines, *function;
  };
  for (const Case& each :
       {Case{"main()\n", "main"}, Case{"if __name__ == '__main__':\n    sys.exit(main())\nelse:\n    helper(1)\n", "main"},
        Case{"asyncio.run(work())\nprint(1)\n", "work"},
        Case{"try:\n    Job().run()\nexcept OSError:\n    helper(1)\n", "Job.run"},
        Case{"job = Job()\nwith open('/dev/null'):\n    job.run()\n", "Job.run"}, Case{"main = traced(main)\nmain()\n", "main"},
        Case{"print('nothing is called')\n", ""}}) {
    INFO(each.last_lines);
    Debugged d(python);
    d.start(std::string(kAllLocal) + each.last_lines);
    CHECK(d.finish() == Outcome::finished);
    REQUIRE(d.host.wait_for<core::wire::ScanFinished>());
    const core::SnapshotPtr snapshot = d.last_snapshot();
    REQUIRE(snapshot);
    CHECK(snapshot->info.functions_returned);
    CHECK(snapshot->str(snapshot->info.last_function) == each.function);
  }
}
