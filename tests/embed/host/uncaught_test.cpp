// An exception that is about to end a thread stops there where that is asked for: with its frames, while the rest of the program is there.
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "tests/embed/host/debugged.h"
#include "tests/embed/host/each_python.h"

using namespace dlscope;
using namespace dlscope::tests;
using Catch::Matchers::ContainsSubstring;
using core::Outcome;
using core::wire::ResumeKind;
using core::wire::Stopped;
using core::wire::StopReason;

namespace {

const char* const kWorker = R"(import array, sys, threading
def fetch(table, key):
    found = array.array('d', [7])
    return table[key]
def work(n):
    x = array.array('d', [n, n])
    try:
        fetch({}, n)
    except KeyError as error:
        raise ValueError('no item %d' % n) from error
    finally:
        left = True
)";

std::vector<std::string> headings_of(const Stopped& stop) {
  std::vector<std::string> out;
  for (const auto& frame : stop.frames) {
    if (!frame.heading.empty()) out.push_back(frame.heading);
  }
  return out;
}

std::size_t count_of(const std::string& text, const std::string& part) {
  std::size_t count = 0;
  for (auto at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++count;
  return count;
}

}  // namespace

TEST_CASE("an exception that ends a thread stops there with its frames, and the thread then ends as in Python",
          "[host][debugging][uncaught]") {
  EACH_PYTHON(python);
  Debugged d(python);
  const std::string code = std::string(kWorker) +
                           "def main():\n"
                           "    thread = threading.Thread(target=work, args=(3,), name='worker')\n"
                           "    thread.start()\n"
                           "    thread.join()\n"
                           "    print('alive:', thread.is_alive())\n"
                           "main()\n";
  d.start(code);  // without the choice nothing stops
  CHECK(d.finish() == Outcome::finished);
  CHECK(d.stopped().reason == StopReason::ended);
  const std::string printed = d.host.err();
  CHECK(count_of(printed, "Exception in thread worker") == 1);

  d.stop_on_uncaught();
  d.start(code);
  const Stopped stop = d.stopped();
  CHECK(stop.reason == StopReason::uncaught);
  CHECK(stop.thread == "worker");
  CHECK(stop.message == "ValueError: no item 3");
  REQUIRE(stop.frames.size() > 3);
  CHECK(place_of(stop) == "work:10");  // where it was raised, not where the frame was left
  CHECK(stop.frames[0].user);
  const std::vector<std::string> headings = headings_of(stop);
  REQUIRE(headings.size() == 2);
  CHECK(headings[0] == "Caused by KeyError: 3");
  CHECK(headings[1] == "Thread MainThread was here, and runs on");
  const auto cause = std::ranges::find(stop.frames, headings[0], &core::wire::StackFrame::heading);
  CHECK(cause->function == "fetch");
  const auto number = [&](auto at) { return static_cast<std::uint32_t>(at - stop.frames.begin()); };

  // Its frames are looked at as at any stop, and so are those of the others.
  core::SnapshotPtr snapshot = d.last_snapshot();
  REQUIRE(snapshot);
  CHECK(snapshot->info.scanned == core::Scanned::stop);
  CHECK(snapshot->find("x") != nullptr);
  CHECK(d.console("print('in work:', n, left, len(x)); n = 8")->outcome == Outcome::finished);
  CHECK(d.console("print('again:', n)")->outcome == Outcome::finished);
  CHECK(d.console("print('in fetch:', key)", number(cause))->outcome == Outcome::finished);
  CHECK_THAT(d.host.out(), ContainsSubstring("in work: 3 True 2\nagain: 8\nin fetch: 3\n"));
  CHECK_THAT(d.ask("evaluate", R"({"expressions": ["n + 1"], "frame": 0})"), ContainsSubstring("9"));
  CHECK(d.console("nope")->error->traceback.find("During handling") == std::string::npos);
  d.ask("look_from", R"({"frame": )" + std::to_string(number(cause)) + "}");
  REQUIRE(d.host.wait_for<core::wire::ScanFinished>());
  snapshot = d.last_snapshot();
  CHECK(snapshot->find("found") != nullptr);
  CHECK(d.host.err().find("Exception in thread", printed.size()) == std::string::npos);  // not yet

  d.resume();
  CHECK(d.finish() == Outcome::finished);
  const std::string twice = d.host.err();
  CHECK(count_of(twice, "Exception in thread worker") == 2);
  CHECK_THAT(twice, Catch::Matchers::EndsWith(printed));
  CHECK_THAT(d.host.out(), ContainsSubstring("alive: False"));
}

TEST_CASE("the excepthook of the script's own is called once, after the stop", "[host][debugging][uncaught]") {
  EACH_PYTHON(python);
  const char* const hooks[] = {
      "threading.excepthook = lambda args: print('own', args.exc_type.__name__, args.thread.name)\n",
      "before = threading.excepthook\ndef hook(args):\n    print('own', args.exc_type.__name__, args.thread.name)\n    before(args)\n"
      "threading.excepthook = hook\n"};
  for (const char* const hook : hooks) {
    INFO(hook);
    Debugged d(python);
    d.stop_on_uncaught();
    d.start(std::string(kWorker) + hook + "t = threading.Thread(target=work, args=(1,), name='w')\nt.start()\nt.join()\n");
    CHECK(d.stopped().reason == StopReason::uncaught);
    CHECK_THAT(d.host.out(), !ContainsSubstring("own"));
    d.resume();
    CHECK(d.finish() == Outcome::finished);
    CHECK(count_of(d.host.out(), "own ValueError w") == 1);
  }
}

TEST_CASE("what ends no thread, and what no code of the user's raised, does not stop as uncaught", "[host][debugging][uncaught]") {
  EACH_PYTHON(python);
  Debugged d(python);
  d.stop_on_uncaught();
  d.start(R"(import asyncio, sys, threading
from concurrent.futures import ThreadPoolExecutor
def fails(): raise ValueError('kept for whoever asks')
async def also(): fails()
async def main():
    task = asyncio.ensure_future(also())
    await asyncio.sleep(0.01)
    del task
with ThreadPoolExecutor(1) as pool: asked = pool.submit(fails)
print(type(asked.exception()).__name__)
asyncio.run(main())
for target in (sys.exit, [].pop):
    t = threading.Thread(target=target)
    t.start(); t.join()
try: fails()
except ValueError: pass
print('end')
fails()
)");
  CHECK(d.finish() == Outcome::raised);
  CHECK_THAT(d.host.out(), ContainsSubstring("ValueError\nend\n"));
  const Stopped ended = d.stopped();  // of the main thread: as without the choice
  CHECK(ended.reason == StopReason::ended);
  CHECK(ended.message == "ValueError: kept for whoever asks");
}

TEST_CASE("a thread that ends after the script's own code, or that was made or begun before the choice, stops, too",
          "[host][debugging][uncaught]") {
  EACH_PYTHON(python);
  Debugged d(python);
  d.start(std::string(kWorker) +
          "import time\n"
          "go = threading.Event()\n"
          "threading.excepthook = lambda args: print('own')\n"
          "def late(n):\n    go.wait()\n    work(n)\n"
          "for n in range(2): threading.Thread(target=late, args=(n,), name='late %d' % n).start()\n"
          "class Own(threading.Thread):\n"
          "    def __init__(self): super().__init__(name='own class')\n"
          "    def run(self): late(2)\n"
          "made = [Own(), threading.Thread(target=late, args=(3,), name='made', daemon=True)]\n"
          "print('begun', flush=True)\n"
          "while not go.is_set(): time.sleep(0.01)\n"
          "for each in made: each.start()\n"
          "for each in made: each.join()\n");
  REQUIRE(d.host.wait_for_output("begun"));
  d.stop_on_uncaught();
  REQUIRE(d.host.wait_for<core::wire::BreakpointsChanged>());
  d.host.send(core::wire::Pause{});
  CHECK(d.stopped().reason == StopReason::pause);
  CHECK(d.console("go.set()")->outcome == Outcome::finished);
  d.resume();
  std::multiset<std::string> threads;
  for (const ResumeKind how : {ResumeKind::step_over, ResumeKind::step_out, ResumeKind::go, ResumeKind::step_into}) {
    const Stopped stop = d.stopped();
    CHECK(stop.reason == StopReason::uncaught);
    threads.insert(stop.thread);
    d.resume(how);  // there is no line to step to
  }
  CHECK(threads == std::multiset<std::string>{"late 0", "late 1", "made", "own class"});
  CHECK(d.finish() == Outcome::finished);
  CHECK(count_of(d.host.out(), "own\n") == 4);
}

TEST_CASE("at the end of a thread the others stand where that is set, and Stop ends the script", "[host][debugging][uncaught]") {
  EACH_PYTHON(python);
  Debugged d(python);
  d.options(true, false);
  d.stop_on_uncaught();
  d.start(std::string(kWorker) +
          "count = 0\n"
          "def late():\n"
          "    while not count: pass\n"
          "    work(1)\n"
          "threading.Thread(target=late, name='w').start()\n"
          "while True:\n"
          "    count += 1\n");
  const Stopped stop = d.stopped();
  CHECK(stop.reason == StopReason::uncaught);
  CHECK(headings_of(stop).back() == "Thread MainThread was here, and stands at its next line");
  CHECK(d.console("import time; a = globals()['count']; time.sleep(0.05); print('stands:', a == globals()['count'])")->outcome ==
        Outcome::finished);
  CHECK_THAT(d.host.out(), ContainsSubstring("stands: True"));
  d.resume(ResumeKind::end_script);
  CHECK(d.finish() == Outcome::interrupted);
  CHECK(count_of(d.host.err(), "Exception in thread w") <= 1);  // on a busy machine the end of the script may come before it
}
