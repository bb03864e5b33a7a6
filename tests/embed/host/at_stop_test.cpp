// What a host does while the user's code stands still: scans, watches, leases, threads, ends.
#include <signal.h>
#include <sys/wait.h>
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "tests/embed/host/debugged.h"
#include "tests/embed/host/each_python.h"
#include "tests/embed/host/work_steps.h"

using namespace dlscope;
using namespace dlscope::tests;
using Catch::Matchers::ContainsSubstring;
using core::Outcome;
using core::wire::LeaseState;
using core::wire::ResumeKind;
using core::wire::Stopped;

namespace {

const char* const kLocals = R"(import array
kept = array.array('d', [0])
def work(n):
    x = array.array('d', [n])
    y = memoryview(x)
    return y[0]

print(work(1))
print(work(2))
)";

}  // namespace

TEST_CASE("a scan at a stop shows the locals, and a lease can be taken there", "[host][debugging]") {
  EACH_PYTHON(python);
  Debugged d(python);
  d.breakpoint_at({Debugged::line(6)});
  d.start(kLocals);
  d.stopped();
  const core::SnapshotPtr snapshot = d.last_snapshot();
  REQUIRE(snapshot);
  CHECK(snapshot->find("x") != nullptr);
  CHECK(snapshot->find("y") != nullptr);
  CHECK(snapshot->find("kept") != nullptr);
  CHECK(snapshot->info.stop.line == 6);
  CHECK(d.hold("x").outcome == core::wire::WorkOutcome::done);
  const auto last_state = [&] {
    std::optional<LeaseState> state;
    for (const auto& message : d.host.messages) {
      if (const auto* change = std::get_if<core::wire::LeaseChanged>(&message)) state = change->state;
    }
    return state;
  };
  CHECK(last_state() == LeaseState::held);
  d.host.send(core::wire::Scan{5});
  auto scan = d.host.wait_for<core::wire::ScanFinished>();
  REQUIRE(scan);
  CHECK(scan->request == 5);
  CHECK(d.last_snapshot()->find("x") != nullptr);
  d.breakpoint_at({});
  d.resume();
  CHECK(d.finish() == Outcome::finished);
  REQUIRE(d.host.wait_for<core::wire::ScanFinished>());
  CHECK(last_state() == LeaseState::gone);  // with its function
  CHECK(d.host.out() == "1.0\n2.0\n");
}

// What is asked at a stop is answered from a dict of names that is made for the question, and holds each object once more.
TEST_CASE("nothing of dlscope's own counts among the references to a tensor at a stop", "[host][debugging]") {
  EACH_PYTHON(python);
  Debugged d(python);
  d.breakpoint_at({Debugged::line(5)});
  d.start("g = bytearray(8)\ndef f():\n    x = bytearray(8)\n    box = [x]\n    return 1\nf()\nprint('over')\n");
  static_cast<void>(d.stopped());
  for (const char* const name : {"g", "x", "x"})
    CHECK_THAT(d.ask("life", std::string(R"({"name": ")") + name + R"(", "others": []})"),
               ContainsSubstring(*name == 'x' ? R"("unnamed": 1})" : R"("unnamed": 0})"));  // x: the list
  CHECK(d.hold("g").outcome == core::wire::WorkOutcome::done);
  CHECK_THAT(d.ask("life", R"({"name": "g", "others": []})"),
             ContainsSubstring(R"("unnamed": 0})") && ContainsSubstring("dlscope, by a lease"));
  d.resume();
  CHECK(d.finish() == core::Outcome::finished);
}

TEST_CASE("an expression that is looked at at a stop assigns nothing", "[host][debugging]") {
  EACH_PYTHON(python);
  Debugged d(python);
  d.breakpoint_at({Debugged::line(2, "[top := v for v in n] and sum(v + k for v in n) == 5")});
  d.start("top = 5\ndef work(n, k): return n\nprint(work([1, 2], 1), top)\n");
  d.stopped();
  CHECK(
      d.ask("evaluate",
            R"json({"expressions": ["[top := [v, k] for v in n]", "[n := k for _ in n] + [n]", "(lambda: top)()", "n"]})json") ==
      R"({"values": [{"text": "[[1, 1], [2, 1]]"}, {"text": "[1, 1, 1]"}, {"text": "5"}, {"text": "[1, 2]"}]})");
  d.resume();
  CHECK(d.finish() == Outcome::finished);
  CHECK(d.host.out() == "[1, 2] 5\n");
}

TEST_CASE("Stop ends a watch that never ends, at the stop of any thread; the others have their values", "[host][debugging]") {
  EACH_PYTHON(python);
  Debugged d(python);
  const char* const functions = "def hang():\n    print('hangs', flush=True)\n    while True: pass\ndef work(n):\n    return n\n";
  const std::string calls[] = {"work(3)\n",
                               "import threading\nt = threading.Thread(target=work, args=(3,))\nt.start()\nt.join()\n"};
  d.breakpoint_at({Debugged::line(5)});
  for (const std::string& call : calls) {
    INFO(call);
    d.start(functions + call + "print('over')\n");
    d.stopped();
    d.host.send(core::wire::Ask{7, "evaluate", R"json({"expressions": ["n", "hang()", "n + 1"]})json"});
    REQUIRE(d.host.wait_for_output("hangs\n"));
    d.host.stop();
    const auto answer = d.host.wait_for<core::wire::Answer>();
    REQUIRE(answer);
    CHECK(answer->error.empty());
    CHECK_THAT(answer->text, ContainsSubstring(R"({"text": "3"})") && ContainsSubstring("KeyboardInterrupt: stopped before") &&
                                 ContainsSubstring("not evaluated: the expression before it was stopped"));
    CHECK(d.console("n = 4; n")->outcome == Outcome::finished);  // the script still stands there
    d.resume();
    CHECK(d.finish() == Outcome::finished);
    std::filesystem::resize_file(d.host.folder().path() / "stdout", 0);
  }
}

TEST_CASE("going on from a stop does not wait for a watch that never ends", "[host][debugging]") {
  EACH_PYTHON(python);
  Debugged d(python);
  d.breakpoint_at({Debugged::line(5)});
  d.start("def hang():\n    print('hangs', flush=True)\n    while True: pass\nx = 1\ny = 2\nprint('over')\n");
  d.stopped();
  d.host.send(core::wire::Ask{7, "evaluate", R"json({"expressions": ["hang()"]})json"});
  REQUIRE(d.host.wait_for_output("hangs\n"));
  d.host.send(core::wire::Ask{8, "evaluate", R"json({"expressions": ["hang()"]})json"});  // waits behind it
  d.resume();
  CHECK(d.finish() == Outcome::finished);
  CHECK_THAT(d.host.out(), ContainsSubstring("over"));
}

TEST_CASE("while a watch loops in C, which no interrupt reaches, the memory of the script is still read", "[host][debugging]") {
  EACH_PYTHON(python);
  Debugged d(python);
  d.breakpoint_at({Debugged::line(3)});
  d.start("import array\nkept = array.array('d', [1, 2])\nx = 1\n");
  d.stopped();
  const core::SnapshotPtr snapshot = d.last_snapshot();
  REQUIRE(snapshot);
  d.host.send(core::wire::Ask{7, "evaluate", R"json({"expressions": ["print('loops', flush=True) or sum(iter(int, 1))"]})json"});
  REQUIRE(d.host.wait_for_output("loops\n"));
  d.host.stop();
  d.host.send(core::wire::Start{5, core::wire::ComputeStatistics{ref_to(snapshot, "kept")}});
  const auto end = d.host.wait_for<core::wire::WorkEnded>();
  REQUIRE(end);
  CHECK(end->outcome == core::wire::WorkOutcome::done);
  CHECK(d.host.region().header().phase.load() == static_cast<std::uint32_t>(core::wire::HostPhase::answering));
}

TEST_CASE("Stop breaks off console code at a stop, and at the stop itself ends the script", "[host][debugging]") {
  EACH_PYTHON(python);
  Debugged d(python);
  d.breakpoint_at({Debugged::line(3)});
  d.start("try:\n    x = 1\n    y = 2\nfinally:\n    print('cleaned up')\nprint('not reached')\n");
  d.stopped();
  core::wire::Run run;
  run.run = 99;
  run.source = "print('hanging', flush=True)\nwhile True: pass";
  run.fresh_namespace = run.scan_after = false;
  run.stop = 1;
  d.host.send(run);
  REQUIRE(d.host.wait_for_output("hanging\n"));
  d.host.stop();
  auto end = d.outcome();
  REQUIRE(end);
  CHECK(end->outcome == Outcome::interrupted);
  CHECK(d.ask("evaluate", R"({"expressions": ["x"]})") == R"({"values": [{"text": "1"}]})");
  d.host.stop();
  CHECK(d.finish() == Outcome::interrupted);
  CHECK(d.host.out() == "hanging\ncleaned up\n");
  REQUIRE(d.host.wait_for<core::wire::SnapshotReady>());

  d.start("try:\n    x = 1\n    y = 2\nfinally:\n    print('again')\n");
  d.stopped();
  d.resume(ResumeKind::end_script);
  CHECK(d.finish() == Outcome::interrupted);
  CHECK_THAT(d.host.out(), ContainsSubstring("again"));
}

TEST_CASE("what is meant for a stop that is over does nothing, and runs wait for its end", "[host][debugging]") {
  EACH_PYTHON(python);
  Debugged d(python);
  d.breakpoint_at({Debugged::line(1)});
  d.start("x = 1\ny = 2\n");
  d.stopped();
  d.host.send(core::wire::Resume{17, ResumeKind::go, {}, 0});
  core::wire::Run later;
  later.run = 50;
  later.source = "print('later')";
  d.host.send(later);
  CHECK(d.ask("evaluate", R"({"expressions": ["1"]})") == R"({"values": [{"text": "1"}]})");
  CHECK(d.host.out().empty());
  d.resume();
  CHECK(d.finish() == Outcome::finished);
  CHECK(d.finish() == Outcome::finished);
  CHECK(d.host.out() == "later\n");
  const auto stale = d.console("print('too late')");
  REQUIRE(stale);
  CHECK(stale->outcome == Outcome::raised);
  CHECK(d.host.out() == "later\n");
}

TEST_CASE("the host ends with its viewer, and when it is told to, at a stop too", "[host][debugging]") {
  EACH_PYTHON(python);
  Debugged d(python);
  d.breakpoint_at({Debugged::line(2)});
  d.start("import atexit; atexit.register(lambda: print('left'))\nx = 1\nprint('not reached')\n");
  d.stopped();
  SECTION("told to leave") { CHECK(WIFEXITED(d.host.leave())); }
  SECTION("the viewer has gone") {
    d.host.region().header().viewer_gone = 1;
    CHECK(WIFEXITED(d.host.wait()));
  }
  CHECK(d.host.out() == "left\n");
}

TEST_CASE("a thread stands at its own stop, and the main thread waits for it", "[host][debugging]") {
  EACH_PYTHON(python);
  Debugged d(python);
  const char* const script =
      "import threading\ndef work(n):\n    x = n\n    print('worked', n)\nt = threading.Thread(target=work, args=(1,), "
      "name='worker')\n"
      "t.start()\nt.join()\nprint('joined')\n";
  d.breakpoint_at({Debugged::line(4)});
  d.start(script);
  Stopped stop = d.stopped();
  CHECK(stop.thread == "worker");
  CHECK(place_of(stop) == "work:4");
  CHECK(d.console("n = 5; x")->outcome == Outcome::finished);
  d.resume();
  CHECK(d.finish() == Outcome::finished);
  CHECK(d.host.out() == "1\nworked 5\njoined\n");

  d.start(script);
  d.stopped();
  core::wire::Run run;
  run.run = 99;
  run.source = "import sys\nsys.stdout.write('hanging\\n'); sys.stdout.flush()\nwhile True: pass";
  run.fresh_namespace = run.scan_after = false;
  run.stop = 2;
  d.host.send(run);
  REQUIRE(d.host.wait_for_output("hanging\n"));
  d.host.stop();
  auto end = d.outcome();
  REQUIRE(end);
  CHECK(end->outcome == Outcome::interrupted);
  d.resume(ResumeKind::end_script);
  CHECK(d.finish() == Outcome::interrupted);
  CHECK_THAT(d.host.out(), !ContainsSubstring("worked 1"));
}

TEST_CASE("two threads that come to a breakpoint stop one after the other", "[host][debugging]") {
  EACH_PYTHON(python);
  Debugged d(python);
  d.breakpoint_at({Debugged::line(3)});
  d.start(
      "import threading\ndef work(n):\n    x = n\nthreads = [threading.Thread(target=work, args=(n,), name='t%d' % n) for n in "
      "range(3)]\n"
      "for t in threads: t.start()\nfor t in threads: t.join()\nprint('joined')\n");
  std::vector<std::string> names;
  for (int i = 0; i < 3; ++i) {
    names.push_back(d.stopped().thread);
    d.resume();
  }
  std::ranges::sort(names);
  CHECK(names == std::vector<std::string>{"t0", "t1", "t2"});
  CHECK(d.finish() == Outcome::finished);
  CHECK(d.host.out() == "joined\n");
}

TEST_CASE("forks: the child of a script with breakpoints does not stop, that of console code ends", "[host][debugging]") {
  EACH_PYTHON(python);
  Debugged d(python);
  d.breakpoint_at({Debugged::line(7)});
  d.start(
      "import os\ndef f(n):\n    r = n\n    return r\nchild = os.fork()\nif child == 0:\n    print('child', f(1), flush=True)\n  "
      "  os._exit(3)\n"
      "print(os.waitpid(child, 0)[1] >> 8)\n");
  CHECK(d.finish() == Outcome::finished);
  CHECK(d.host.out() == "child 1\n3\n");

  d.breakpoint_at({Debugged::line(2)});
  d.start("import os\nx = 1\n");
  d.stopped();
  CHECK(d.console("child = os.fork()\nif child: print('code', os.waitpid(child, 0)[1])")->outcome == Outcome::finished);
  CHECK_THAT(d.host.out(), ContainsSubstring("code 0\n"));
  d.resume();
  CHECK(d.finish() == Outcome::finished);
}

TEST_CASE("forks: the child of an expression at a stop, between runs, or of a window's callback ends", "[host][debugging]") {
  EACH_PYTHON(python);
  Debugged d(python);
  const auto fork = [&] {
    return d.ask("evaluate", R"json({"expressions": ["__import__('os').fork() and __import__('os').wait()[1]"]})json");
  };
  const std::string calls[] = {"work(3)\n",
                               "import threading\nt = threading.Thread(target=work, args=(3,))\nt.start()\nt.join()\n"};
  d.breakpoint_at({Debugged::line(2)});
  for (const std::string& call : calls) {
    INFO(call);
    d.start("def work(n):\n    return n\n" + call);
    d.stopped();
    CHECK(fork() == R"({"values": [{"text": "0"}]})");
    d.resume();
    CHECK(d.finish() == Outcome::finished);
    REQUIRE(d.host.wait_for<core::wire::ScanFinished>());
  }
  CHECK(fork() == R"({"values": [{"text": "0"}]})");

  d.breakpoint_at({});
  d.start(R"(import os, sys, types
class Canvas:
    required_interactive_framework = 'gtk3'
    def flush_events(self):
        managers.clear()
        child = os.fork()
        if child: print('callback', os.waitpid(child, 0)[1], flush=True)
managers = [types.SimpleNamespace(canvas=Canvas())]
figures = types.SimpleNamespace(get_all_fig_managers=lambda: list(managers))
sys.modules['matplotlib._pylab_helpers'] = types.SimpleNamespace(Gcf=figures)
)");
  CHECK(d.finish() == Outcome::finished);
  CHECK(d.host.wait_for_output("callback 0\n"));
  CHECK_THAT(d.host.err(), !ContainsSubstring("has no viewer"));
}

TEST_CASE("another tool's trace function keeps working, or it is said who has it", "[host][debugging]") {
  EACH_PYTHON(python);
  Debugged d(python);
  d.breakpoint_at({Debugged::line(6)});
  d.start(
      "import sys\nseen = []\ndef tracer(frame, event, arg):\n    seen.append(event)\ndef f():\n    return 1\n"
      "sys.settrace(tracer)\nf()\nsys.settrace(None)\nprint(len(seen) > 0)\n");
  if (python.minor >= 12) {
    CHECK(place_of(d.stopped()) == "f:6");
    d.resume();
  }
  CHECK(d.finish() == Outcome::finished);
  CHECK(d.host.out() == "True\n");
  if (python.minor >= 12) return;
  d.breakpoint_at({});
  d.start(
      "import sys, time\ndef tracer(frame, event, arg): pass\nsys.settrace(tracer)\nprint('on', flush=True)\n"
      "while not hasattr(sys, 'go_on'): time.sleep(0.01)\n");
  REQUIRE(d.host.wait_for_output("on\n"));
  d.breakpoint_at({Debugged::line(5)});
  const auto notice = d.host.wait_for<core::wire::Notice>();
  REQUIRE(notice);
  CHECK_THAT(notice->text, ContainsSubstring("__main__.tracer"));
  d.host.stop();
  CHECK(d.finish() == Outcome::interrupted);
}

TEST_CASE("a Stop that comes while a trace function of the user's runs in our frames ends the script", "[host][debugging]") {
  EACH_PYTHON(python);
  Debugged d(python);
  d.start(
      "import signal, sys, time\ncame = []\ndef tracer(frame, event, arg):\n"
      "    if frame.f_code.co_name == '_take_changes' and not came:\n"
      "        came.append(1)\n        signal.raise_signal(signal.SIGINT)\n"
      "sys.settrace(tracer)\nprint('on', flush=True)\nwhile True: time.sleep(0.01)\n");
  REQUIRE(d.host.wait_for_output("on\n"));
  d.breakpoint_at({Debugged::line(2)});
  CHECK(d.finish() == Outcome::interrupted);
}

// Python 3.11 repeats the first instruction of a traced call for as long as a pending call waits that cannot begin.



TEST_CASE("breakpoints that change while others are taken are taken too, under a trace function of the user's as well",
          "[host][debugging]") {
  EACH_PYTHON(python);
  Debugged d(python);
  d.start(
      "import sys, time\ncame = []\ndef tracer(frame, event, arg):\n    if frame.f_code.co_name == 'replace' and not came:\n"
      "        came.append(1)\n        print('taking', flush=True)\n        time.sleep(0.3)\n"
      "sys.settrace(tracer)\nprint('on', flush=True)\nwhile True: time.sleep(0.01)\n");
  REQUIRE(d.host.wait_for_output("on\n"));
  d.breakpoint_at({Debugged::line(2)});
  REQUIRE(d.host.wait_for_output("taking\n"));
  d.breakpoint_at({Debugged::line(2), Debugged::line(1)});
  for (;;) {
    const auto changed = d.host.wait_for<core::wire::BreakpointsChanged>();
    REQUIRE(changed);
    if (changed->all.size() == 2) break;
  }
  d.host.stop();
  CHECK(d.finish() == Outcome::interrupted);
}
