// What else the program is doing at a stop: its other threads, and its asyncio tasks.
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <algorithm>

#include <string>
#include <vector>

#include "tests/embed/host/debugged.h"
#include "tests/embed/host/each_python.h"

using namespace dlscope;
using namespace dlscope::tests;
using Catch::Matchers::ContainsSubstring;
using core::Outcome;

namespace {

constexpr const char* kThreads = R"(import array, threading
ready, leave = threading.Event(), threading.Event()
turns = 0
def count():
    global turns
    while not leave.is_set():
        turns += 1
def wait(n):
    own = array.array('d', [n])
    ready.set()
    leave.wait()
def main():
    here = array.array('d', [1])
    print('stands', flush=True)
    leave.set()
thread = threading.Thread(target=wait, args=(7,), name='loader-1')
counter = threading.Thread(target=count, name='count on')
thread.start(), counter.start()
ready.wait()
main()
thread.join(), counter.join()
)";

std::size_t frame_of(const core::wire::Stopped& stop, const std::string& heading, const std::string& function) {
  bool below = false;
  for (std::size_t i = 0; i < stop.frames.size(); ++i) {
    if (!stop.frames[i].heading.empty()) below = stop.frames[i].heading.find(heading) != std::string::npos;
    if (below && stop.frames[i].function == function) return i;
  }
  FAIL("no frame of " << function << " below " << heading);
  return 0;
}

std::vector<std::string> names_of(const core::Snapshot& snapshot) {
  std::vector<std::string> names;
  for (const auto& tensor : snapshot.tensors) names.emplace_back(snapshot.name(tensor));
  return names;
}

// What is said twenty times in a row: the thread that counts stands. It may be a while until it has come to its next line.
template <class Ask>
std::string settled(Ask ask) {
  for (int attempt = 0; attempt < 100; ++attempt) {
    const std::string said = ask();
    int same = 0;
    while (same < 20 && ask() == said) ++same;
    if (same == 20) return said;
  }
  FAIL("the other thread does not stand");
  return {};
}

}  // namespace

TEST_CASE("a stop shows where the other threads are, and one can be chosen", "[host][debugging][stacks]") {
  EACH_PYTHON(python);
  Debugged d(python);
  d.breakpoint_at({Debugged::line(14)});
  d.start(kThreads);
  const auto stop = d.stopped();
  CHECK(stop.thread == "MainThread");
  CHECK(stop.frames[0].function == "main");
  CHECK(stop.frames[0].heading.empty());
  const std::size_t waits = frame_of(stop, "Thread \"loader-1\" was here, and runs on", "wait");
  CHECK(stop.frames[waits].line == 11);
  CHECK(stop.frames[waits].user);
  static_cast<void>(frame_of(stop, "Thread \"count on\"", "count"));
  CHECK(names_of(*d.last_snapshot()) == std::vector<std::string>{"here"});

  const std::string number = std::to_string(waits);
  CHECK(d.ask("evaluate", R"({"expressions": ["n", "own[0]"], "frame": )" + number + "}") ==
        R"({"values": [{"text": "7"}, {"text": "7.0"}]})");
  CHECK(d.ask("look_from", R"({"frame": )" + number + "}") == "{}");
  REQUIRE(d.host.wait_for<core::wire::ScanFinished>());
  const auto names = names_of(*d.last_snapshot());
  CHECK(std::ranges::any_of(names, [](const std::string& name) { return name == "own" || name == "wait().own"; }));
  CHECK(std::ranges::find(names, "here") == names.end());
  CHECK(d.ask("look_from", R"({"frame": 0})") == "{}");
  REQUIRE(d.host.wait_for<core::wire::ScanFinished>());
  CHECK(names_of(*d.last_snapshot()) == std::vector<std::string>{"here"});
  CHECK_THAT(d.ask("look_from", R"({"frame": 999})"), ContainsSubstring("there is no frame 999"));
  d.resume();
  CHECK(d.finish() == Outcome::finished);
}

TEST_CASE("a variable of a thread that runs on is looked at, and not changed from the console", "[host][debugging][stacks]") {
  EACH_PYTHON(python);
  Debugged d(python);
  d.breakpoint_at({Debugged::line(14)});
  d.start(kThreads);
  const auto stop = d.stopped();
  const auto waits = static_cast<std::uint32_t>(frame_of(stop, "Thread \"loader-1\"", "wait"));
  const auto n = [&] { return d.ask("evaluate", R"({"expressions": ["n"], "frame": )" + std::to_string(waits) + "}"); };
  auto end = d.console("n = 99", waits);
  REQUIRE(end);
  CHECK(end->outcome == Outcome::raised);
  REQUIRE(end->error);
  CHECK_THAT(end->error->message, ContainsSubstring("n of wait() was not changed: Thread \"loader-1\" may run on"));
  CHECK(n() == R"({"values": [{"text": "7"}]})");
  end = d.console("fresh = n + 1; print(fresh)", waits);  // a name of the console's own
  REQUIRE(end);
  CHECK(end->outcome == Outcome::finished);
  end = d.console("own = None; print(own)", 0);  // of the thread that stands: a name that main() does not have
  REQUIRE(end);
  CHECK(end->outcome == Outcome::finished);
  d.resume();
  CHECK(d.finish() == Outcome::finished);
  CHECK_THAT(d.host.out(), ContainsSubstring("8\n"));
}

TEST_CASE("other threads run on at a stop, or stand, as it was chosen", "[host][debugging][stacks]") {
  EACH_PYTHON(python);
  Debugged d(python);
  d.breakpoint_at({Debugged::line(14)});
  d.start(kThreads);
  d.stopped();
  const auto turns = [&] { return d.ask("evaluate", R"({"expressions": ["turns"]})"); };
  const std::string before = turns();
  bool ran = false;
  for (int i = 0; i < 1000 && !ran; ++i) ran = turns() != before;
  CHECK(ran);
  d.options(true, false);
  const std::string standing = settled(turns);
  d.options(false, false);
  ran = false;
  for (int i = 0; i < 1000 && !ran; ++i) ran = turns() != standing;
  CHECK(ran);
  d.options(true, false);
  d.resume();
  CHECK(d.finish() == Outcome::finished);

  d.start(kThreads);  // and from then on
  const auto stop = d.stopped();
  static_cast<void>(frame_of(stop, "Thread \"loader-1\" was here, and stands at its next line", "wait"));
  static_cast<void>(settled(turns));
  d.breakpoint_at({});
  CHECK(d.console("print(thread.is_alive())"));
  d.resume();
  CHECK(d.finish() == Outcome::finished);
  CHECK(d.host.out() == "stands\nTrue\nstands\n");
}

TEST_CASE("a stop shows where each asyncio task waits, by its name", "[host][debugging][stacks]") {
  EACH_PYTHON(python);
  Debugged d(python);
  d.breakpoint_at({Debugged::line(13)});
  d.start(R"(import array, asyncio
async def read(n):
    chunk = array.array('d', [n])
    await gate.wait()
    return chunk
async def fetch(n):
    data = await read(n)
    return data
async def main():
    global gate
    gate = asyncio.Event()
    tasks = [asyncio.create_task(fetch(n), name='fetch-%d' % n) for n in (1, 2)]
    await asyncio.sleep(0)
    for own in (1, 2):
        gate.set()
    return await asyncio.gather(*tasks)
print(len(asyncio.run(main())))
)");
  d.stopped();
  d.breakpoint_at({Debugged::line(15)});
  d.resume();
  const auto stop = d.stopped();
  CHECK(stop.frames[0].function == "main");
  const std::size_t at = frame_of(stop, "Task \"fetch-2\" waits here", "read");
  CHECK(stop.frames[at].line == 4);
  CHECK(stop.frames[frame_of(stop, "Task \"fetch-2\" waits here", "fetch")].line == 7);
  CHECK(d.ask("evaluate", R"({"expressions": ["chunk[0]"], "frame": )" + std::to_string(at) + "}") ==
        R"({"values": [{"text": "2.0"}]})");
  CHECK(d.ask("look_from", R"({"frame": )" + std::to_string(at) + "}") == "{}");
  REQUIRE(d.host.wait_for<core::wire::ScanFinished>());
  const auto names = names_of(*d.last_snapshot());
  CHECK(std::ranges::find(names, "chunk") != names.end());
  d.breakpoint_at({});
  d.resume();
  CHECK(d.finish() == Outcome::finished);
  CHECK(d.host.out() == "2\n");
}

TEST_CASE("steps pass over the code of libraries, unless it is wanted", "[host][debugging][stacks]") {
  EACH_PYTHON(python);
  Debugged d(python);
  d.breakpoint_at({Debugged::line(4)}, true);
  const char* const script = R"(import json
def main():
    text = '[1]'
    value = json.loads(text)
    try:
        json.loads('{')
    except ValueError:
        pass
    return value
main()
)";
  d.start(script);
  CHECK(place_of(d.stopped()) == "main:4");
  d.resume(core::wire::ResumeKind::step_into);
  CHECK(place_of(d.stopped()) == "main:5");
  d.resume();
  const auto raised = d.stopped();
  CHECK(raised.reason == core::wire::StopReason::raised);
  CHECK(place_of(raised) == "main:6");
  d.options(false, true);
  d.resume();
  CHECK(d.finish() == Outcome::finished);

  d.start(script);
  CHECK(place_of(d.stopped()) == "main:4");
  d.resume(core::wire::ResumeKind::step_into);
  const auto inside = d.stopped();
  CHECK(inside.frames[0].function == "loads");
  CHECK_FALSE(inside.frames[0].user);
  d.resume();
  const auto deep = d.stopped();
  CHECK(deep.reason == core::wire::StopReason::raised);
  CHECK(deep.frames[0].path.ends_with("decoder.py"));
  d.options(false, false);
  d.resume();
  CHECK(place_of(d.stopped()) == "main:6");
  d.resume();
  CHECK(d.finish() == Outcome::finished);
}
