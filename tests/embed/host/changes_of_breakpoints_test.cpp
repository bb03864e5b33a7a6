// Breakpoints that change while a step, a pause or a hold of the other threads is on take nothing away from it.
#include <fcntl.h>
#include <unistd.h>

#include <catch2/catch_test_macros.hpp>

#include <cstdint>
#include <string>

#include "tests/embed/host/debugged.h"
#include "tests/embed/host/each_python.h"

using namespace dlscope;
using namespace dlscope::tests;
using core::Outcome;
using core::wire::ResumeKind;
using core::wire::StopReason;

namespace {

// The script waits in C code at line 5.
constexpr const char* kWaits =
    "import os\nif not os.path.exists('gate'): os.mkfifo('gate')\ndef work():\n    print('on', flush=True)\n    open('gate').readline()\n"
    "    x = 1\n    return x\nwork()\nprint('over')\n";
constexpr std::uint32_t kLastLine = 9;

// Returns when the host has taken it.
void breakpoint_in_last_line(Debugged& d) {
  d.breakpoint_at({Debugged::line(kLastLine)});
  for (;;) {
    const auto changed = d.host.wait_for<core::wire::BreakpointsChanged>();
    REQUIRE(changed);
    if (changed->all.size() == 1 && changed->all[0].id == kLastLine) return;
  }
}

// Lets one reader of the pipe go on.
class Gate {
 public:
  explicit Gate(Debugged& d) : fd_(open((d.host.folder().path() / "gate").c_str(), O_RDWR)) {
    REQUIRE(fd_ >= 0);
    REQUIRE(write(fd_, "\n", 1) == 1);
  }
  ~Gate() { close(fd_); }
  Gate(const Gate&) = delete;
  Gate& operator=(const Gate&) = delete;

 private:
  int fd_;
};

}  // namespace

TEST_CASE("a step goes on when breakpoints change before it has come to its end", "[host][debugging]") {
  EACH_PYTHON(python);
  Debugged d(python);
  d.breakpoint_at({Debugged::line(6)});
  d.start(
      "import os, time\ndef wait():\n    print('on', flush=True)\n    while not os.path.exists('go'): time.sleep(.01)\ndef work():\n"
      "    wait()\n    x = 1\n    return x\nwork(); print('over')\n");
  d.stopped();
  d.resume(ResumeKind::step_over);
  REQUIRE(d.host.wait_for_output("on\n"));
  breakpoint_in_last_line(d);
  d.host.folder().write("go", "");
  const core::wire::Stopped stop = d.stopped();
  CHECK(stop.reason == StopReason::step);
  CHECK(place_of(stop) == "work:7");
  d.resume();
  CHECK(d.finish() == Outcome::finished);
}

TEST_CASE("a step into goes on when breakpoints change before it has come to its end", "[host][debugging]") {
  EACH_PYTHON(python);
  Debugged d(python);
  d.breakpoint_at({Debugged::line(5)});
  d.start(kWaits);
  d.stopped();
  d.resume(ResumeKind::step_into);
  breakpoint_in_last_line(d);
  const Gate gate(d);
  const core::wire::Stopped stop = d.stopped();
  CHECK(stop.reason == StopReason::step);
  CHECK(place_of(stop) == "work:6");
  d.resume();
  CHECK(place_of(d.stopped()) == "<module>:9");
  d.resume();
  CHECK(d.finish() == Outcome::finished);
}

TEST_CASE("a pause goes on when breakpoints change before it has stopped anything", "[host][debugging]") {
  EACH_PYTHON(python);
  Debugged d(python);
  d.start(kWaits);
  REQUIRE(d.host.wait_for_output("on\n"));
  d.host.send(core::wire::Pause{});
  breakpoint_in_last_line(d);
  const Gate gate(d);
  const core::wire::Stopped stop = d.stopped();
  CHECK(stop.reason == StopReason::pause);
  CHECK(stop.frames[0].function == "work");
  d.breakpoint_at({});
  d.resume();
  CHECK(d.finish() == Outcome::finished);
}

TEST_CASE("a thread that leaves C code stands while the others are held, also when breakpoints have changed meanwhile",
          "[host][debugging]") {
  EACH_PYTHON(python);
  Debugged d(python);
  d.breakpoint_at({Debugged::line(8)});
  d.options(true, false);
  d.start(
      "import socket, threading\na, b = socket.socketpair()\nturns, leave = 0, False\ndef count():\n    global turns\n"
      "    a.sendall(bytes(1 << 24))  # for which there is no room\n    while not leave: turns += 1\ndef work(): return 1\n"
      "t = threading.Thread(target=count)\nt.start()\nb.recv(1)\nwork()\nleave = True; t.join(); print('over')\n");
  d.stopped();
  breakpoint_in_last_line(d);
  d.breakpoint_at({});
  REQUIRE(d.host.wait_for<core::wire::BreakpointsChanged>());
  CHECK(d.ask("evaluate", R"x({"expressions": ["len(b.recv((1 << 24) - 1, socket.MSG_WAITALL))"]})x") ==
        R"({"values": [{"text": "16777215"}]})");
  for (int i = 0; i < 300; ++i) REQUIRE(d.ask("evaluate", R"({"expressions": ["turns"]})") == R"({"values": [{"text": "0"}]})");
  d.resume();
  CHECK(d.finish() == Outcome::finished);
  CHECK(d.host.out() == "over\n");
}

TEST_CASE("a breakpoint set while a generator or a coroutine is suspended is reached when an exception is thrown into it",
          "[host][debugging]") {
  EACH_PYTHON(python);
  Debugged d(python);
  d.breakpoint_at({Debugged::line(16)});
  d.start(R"(def numbers():
    try:
        yield 1
    except ValueError:
        x = 2
        yield x
    finally:
        y = 3
class Once:
    def __await__(self): yield
async def wait():
    try: await Once()
    finally: print('closed')
thrown, closed, waiting = numbers(), numbers(), wait()
print(next(thrown), next(closed), waiting.send(None))
print('suspended')
thrown.throw(ValueError)
closed.close()
waiting.close()
)");
  CHECK(place_of(d.stopped()) == "<module>:16");
  d.breakpoint_at({Debugged::line(5), Debugged::line(8), Debugged::line(13)});
  d.resume();
  CHECK(place_of(d.stopped()) == "numbers:5");
  d.resume();
  CHECK(place_of(d.stopped()) == "numbers:8");
  d.breakpoint_at({Debugged::line(13)});
  d.resume();
  CHECK(place_of(d.stopped()) == "wait:13");
  d.resume();
  CHECK(d.finish() == Outcome::finished);
}
