// Console code in the frames of asyncio tasks that wait: what it assigns is there when the task goes on, or is refused.
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <cstdint>
#include <string>

#include "tests/embed/host/debugged.h"
#include "tests/embed/host/each_python.h"

using namespace dlscope;
using namespace dlscope::tests;
using Catch::Matchers::ContainsSubstring;
using core::Outcome;

namespace {

std::uint32_t frame_of(const core::wire::Stopped& stop, const std::string& heading, const std::string& function) {
  bool below = false;
  for (std::uint32_t i = 0; i < stop.frames.size(); ++i) {
    if (!stop.frames[i].heading.empty()) below = stop.frames[i].heading.find(heading) != std::string::npos;
    if (below && stop.frames[i].function == function) return i;
  }
  FAIL("no frame of " << function << " below " << heading);
  return 0;
}

// A task that waits in a coroutine of a coroutine, and one that waits in a loop over an asynchronous generator; main() stops with both waiting.
constexpr const char* kTasks = R"(import asyncio
async def inner(n):
    step = n
    def seen():
        return step
    await gate.wait()
    print('inner', n, step, seen())
    return step
async def outer(n):
    before, kept = 'b', [1]
    got = await inner(n)
    print('outer', before, got, kept)
async def numbers():
    yield 1
    await gate.wait()
    yield 2
async def follow():
    factor = 1
    async for number in numbers():
        print('number', number * factor)
async def main():
    global gate
    gate = asyncio.Event()
    tasks = [asyncio.create_task(outer(1), name='work'), asyncio.create_task(follow(), name='follow')]
    for turn in range(5):
        await asyncio.sleep(0)
    gate.set()
    await asyncio.gather(*tasks)
asyncio.run(main())
)";

}  // namespace

TEST_CASE("what console code assigns in a suspended task is what the task goes on with", "[host][debugging][stacks]") {
  EACH_PYTHON(python);
  Debugged d(python);
  d.breakpoint_at({Debugged::line(27)});
  d.start(kTasks);
  const auto stop = d.stopped();
  CHECK(stop.frames[0].function == "main");
  const auto assign = [&](const std::string& code, std::uint32_t frame) {
    const auto end = d.console(code, frame);
    REQUIRE(end);
    CHECK(end->outcome == Outcome::finished);
  };
  const std::uint32_t inner = frame_of(stop, "Task work", "inner");
  assign("n = 99; late = 'bound now'", inner);  // `late` is a name that the coroutine does not have: it stays the console's
  assign("n = 7", inner);
  assign("step += 40", inner);  // a cell: seen() has it, too
  assign("before = 'B'; kept.append(2)", frame_of(stop, "Task work", "outer"));
  assign("factor = 50", frame_of(stop, "Task follow", "follow"));
  CHECK(d.ask("evaluate", R"ask({"expressions": ["n", "step", "seen()"], "frame": )ask" + std::to_string(inner) + "}") ==
        R"({"values": [{"text": "7"}, {"text": "41"}, {"text": "41"}]})");
  d.resume();
  CHECK(d.finish() == Outcome::finished);
  CHECK(d.host.out() == "number 1\ninner 7 41 41\nouter B 41 [1, 2]\nnumber 100\n");
}

TEST_CASE("a variable that a suspended task has not bound yet is bound from the console", "[host][debugging][stacks]") {
  EACH_PYTHON(python);
  Debugged d(python);
  d.breakpoint_at({Debugged::line(12)});
  d.start(R"(import asyncio
async def work():
    await gate.wait()
    if False:
        answer = 0
    print('answer', answer)
async def main():
    global gate
    gate = asyncio.Event()
    task = asyncio.create_task(work(), name='work')
    await asyncio.sleep(0)
    gate.set()
    await task
asyncio.run(main())
)");
  const auto stop = d.stopped();
  const auto end = d.console("answer = 42", frame_of(stop, "Task work", "work"));
  REQUIRE(end);
  CHECK(end->outcome == Outcome::finished);
  d.resume();
  CHECK(d.finish() == Outcome::finished);
  CHECK(d.host.out() == "answer 42\n");
}

TEST_CASE("a task whose loop runs in another thread may run on: its variables are looked at and not changed",
          "[host][debugging][stacks]") {
  EACH_PYTHON(python);
  Debugged d(python);
  d.breakpoint_at({Debugged::line(17)});
  d.start(R"(import asyncio, threading
ready = threading.Event()
async def work():
    step = 1
    ready.set()
    await gate.wait()
    print('step', step)
async def main():
    global gate, loop
    loop, gate = asyncio.get_running_loop(), asyncio.Event()
    await asyncio.create_task(work(), name='work')
thread = threading.Thread(target=lambda: asyncio.run(main()), name='loop')
thread.start()
ready.wait()
asyncio.run_coroutine_threadsafe(asyncio.sleep(0), loop).result()  # by then the task waits
def leave():
    loop.call_soon_threadsafe(gate.set)
    thread.join()
leave()
)");
  const auto stop = d.stopped();
  const std::uint32_t work = frame_of(stop, "Task work", "work");
  const auto end = d.console("step = 2", work);
  REQUIRE(end);
  CHECK(end->outcome == Outcome::raised);
  REQUIRE(end->error);
  CHECK_THAT(end->error->message,
             ContainsSubstring("step of work() was not changed: Task work may run on while this one stands"));
  CHECK(d.ask("evaluate", R"({"expressions": ["step"], "frame": )" + std::to_string(work) + "}") ==
        R"({"values": [{"text": "1"}]})");
  d.resume();
  CHECK(d.finish() == Outcome::finished);
  CHECK(d.host.out() == "step 1\n");
}

TEST_CASE("a task whose loop stands still in the only thread is changed", "[host][debugging][stacks]") {
  EACH_PYTHON(python);
  Debugged d(python);
  d.breakpoint_at({Debugged::line(11)});
  d.start(R"(import asyncio
async def work():
    step = 1
    await gate
    print('step', step)
loop = asyncio.new_event_loop()
gate = loop.create_future()
task = loop.create_task(work(), name='work')
loop.run_until_complete(asyncio.sleep(0))
def go_on():
    gate.set_result(None)
    loop.run_until_complete(task)
go_on()
loop.close()
)");
  const auto stop = d.stopped();
  const auto end = d.console("step = 2", frame_of(stop, "Task work", "work"));
  REQUIRE(end);
  CHECK(end->outcome == Outcome::finished);
  d.resume();
  CHECK(d.finish() == Outcome::finished);
  CHECK(d.host.out() == "step 2\n");
}
