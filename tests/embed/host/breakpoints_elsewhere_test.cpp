// Breakpoints outside the script: in the user's modules, in files that changed since, in what only a child process runs.
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <fmt/format.h>

#include <string>

#include "tests/embed/host/debugged.h"
#include "tests/embed/host/each_python.h"

using namespace dlscope;
using namespace dlscope::tests;
using core::Outcome;
using core::wire::Stopped;

TEST_CASE("a breakpoint in a module of the user's, which stays loaded", "[host][debugging]") {
  EACH_PYTHON(python);
  Debugged d(python);
  auto inside = Debugged::line(2);
  inside.path = d.host.folder().write("helper.py", "def work(n):\n    inside = n\n    return inside\n");
  d.breakpoint_at({inside});
  for (int run = 0; run < 2; ++run) {
    d.start("import helper\nhelper.work(1)\n");
    const Stopped stop = d.stopped();
    CHECK(place_of(stop) == "work:2");
    CHECK(stop.frames[0].path == inside.path);
    d.resume();
    CHECK(d.finish() == Outcome::finished);
  }
}

TEST_CASE("a breakpoint in a file that changed since it was imported says so", "[host][debugging]") {
  EACH_PYTHON(python);
  Debugged d(python);
  const std::string same = "def first(n):\n    return n\n", work = "def work(n):\n    inside = n\n    return inside\n";
  const std::string path = d.host.folder().write("helper.py", same + work);
  const std::string script = "import helper\nhelper.first(1)\nhelper.work(1)\n";
  d.start(script);
  CHECK(d.finish() == Outcome::finished);
  d.host.folder().write("helper.py", same + "# more\n# and more\n" + work);
  auto moved = Debugged::line(6), stays = Debugged::line(2);
  moved.path = stays.path = path;
  d.breakpoint_at({moved, stays});
  d.start(script);
  CHECK(place_of(d.stopped()) == "first:2");
  d.resume();
  CHECK(d.finish() == Outcome::finished);
  const auto last = last_states(d);
  REQUIRE(last);
  CHECK_THAT(last->all[0].message, Catch::Matchers::ContainsSubstring("the file has changed since Python read it"));
  CHECK(last->all[1].message.empty());
}

TEST_CASE("a breakpoint in what only a child process runs says that child processes do not stop", "[host][debugging]") {
  EACH_PYTHON(python);
  const char* const start = GENERATE("multiprocessing.get_context('spawn').Process(target=work)",
                                     "multiprocessing.get_context('fork').Process(target=work)", "Forked()");
  CAPTURE(start);
  Debugged d(python);
  d.breakpoint_at({Debugged::line(4), Debugged::line(18)});
  d.start(fmt::format(R"(import os, multiprocessing

def work():
    print('in the child', flush=True)

class Forked:
    def start(self):
        self.pid = os.fork()
        if self.pid == 0:
            work()
            os._exit(0)
    def join(self):
        os.waitpid(self.pid, 0)

if __name__ == '__main__':
    child = {}
    child.start()
    child.join()
)",
                      start));
  CHECK(place_of(d.stopped()) == "<module>:18");
  d.resume();
  CHECK(d.finish() == Outcome::finished);
  CHECK(d.host.out() == "in the child\n");
  auto last = last_states(d);
  REQUIRE(last);
  CHECK_THAT(last->all[0].message, Catch::Matchers::ContainsSubstring("child processes (multiprocessing, os.fork) run"));
  CHECK(last->all[1].message.empty());
  d.start("x = 1\n");  // a run without children says nothing of the ones before
  CHECK(d.finish() == Outcome::finished);
  last = last_states(d);
  REQUIRE(last);
  CHECK(last->all[0].message.find("child") == std::string::npos);
}
