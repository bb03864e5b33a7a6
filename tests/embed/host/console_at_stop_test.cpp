// Console code in the frames of a stop: which names it sees, what it assigns, what is left of it.
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <cstdint>
#include <filesystem>
#include <string>

#include "tests/embed/host/debugged.h"
#include "tests/embed/host/each_python.h"
#include "tests/embed/host/work_steps.h"

using namespace dlscope;
using namespace dlscope::tests;
using Catch::Matchers::ContainsSubstring;
using core::Outcome;

TEST_CASE("console code at a stop sees and changes the frame it is meant for", "[host][debugging]") {
  EACH_PYTHON(python);
  Debugged d(python);
  d.breakpoint_at({Debugged::line(4)});
  d.start(
      "def work(n):\n    def cell(): return n\n    m = n * 2\n    return n + m + cell()\ntop = 5\nprint(work(10))\nprint(top)\n");
  d.stopped();
  CHECK(d.console("n, m, top")->outcome == Outcome::finished);
  CHECK(d.host.out() == "(10, 20, 5)\n");
  CHECK(d.console("n = 100; m = 1; mine = 7")->outcome == Outcome::finished);
  CHECK(d.console("print(mine, n, [n for _ in range(2)])")->outcome == Outcome::finished);
  CHECK_THAT(d.host.out(), ContainsSubstring("7 100 [100, 100]\n"));
  CHECK(d.console("top = 6", 1)->outcome == Outcome::finished);
  const auto failed = d.console("1 / 0");
  REQUIRE(failed);
  CHECK(failed->outcome == Outcome::raised);
  CHECK(failed->error->type == "ZeroDivisionError");
  CHECK_THAT(failed->error->traceback, !ContainsSubstring("_host"));
  const auto deleted = d.console("n = 99; del m; n = 100");
  REQUIRE(deleted);
  REQUIRE(deleted->error);
  CHECK(deleted->error->message == "m of work() cannot be deleted from here. Assign None to let go of what it holds");
  CHECK(d.console("try: 1 / 0\nexcept Exception as m: pass")->outcome == Outcome::finished);
  CHECK(d.console("work(1)")->outcome == Outcome::finished);  // comes by the breakpoint, and does not stop
  CHECK(d.ask("complete", R"({"text": "mi", "cursor": 2})").find("min") != std::string::npos);
  CHECK(d.ask("complete", R"({"text": "cel", "cursor": 3, "frame": 0})").find("\"cell\"") != std::string::npos);
  d.resume();
  CHECK(d.finish() == Outcome::finished);
  CHECK_THAT(d.host.out(), ContainsSubstring("201\n6\n"));
}

TEST_CASE("functions, comprehensions and classes in console code at a stop see its names as they are by then",
          "[host][debugging]") {
  EACH_PYTHON(python);
  Debugged d(python);
  d.breakpoint_at({Debugged::line(3)});
  d.start("top = 5\ndef work(n, k):\n    return n + k\nprint(work([1, 2], [3]))\nprint(top)\n");
  d.stopped();
  const auto said = [&](const char* code) {
    const std::size_t before = d.host.out().size();
    CHECK(d.console(code)->outcome == Outcome::finished);
    return d.host.out().substr(before);
  };
  CHECK(said("k = 7; w = [v * k for v in n]; print(w, k)") == "[7, 14] 7\n");
  CHECK(said("mine = 1\nf = lambda: mine + k + top\nmine = 2; print(f(), sum(v + mine for v in n))") == "14 7\n");
  CHECK(said("class Pair:\n    both = n + [k, top]\n    def sum(self): return sum(self.both)\nprint(Pair().sum(), "
             "Pair.__module__)") == "15 __main__\n");
  // A := binds in the code around the comprehension, as it does in a function.
  CHECK(said("[last := v for v in n]; print(last)") == "2\n");
  CHECK(said("print(last)") == "2\n");
  CHECK(said("[k := [v] for v in n]; print(k)") == "[2]\n");
  // What is declared global is the module's, beside a comprehension too, and functions that are called see it at once.
  CHECK(said("global top; top = [v * 10 for v in n]") == "");
  CHECK(said("print(top, f() if False else 0)") == "[10, 20] 0\n");
  CHECK(said("import types; print([abs(-1) for _ in n], [types.__name__ for _ in n])") == "[1, 1] ['types', 'types']\n");
  const auto failed = d.console("[absent for _ in n]");
  REQUIRE(failed);
  CHECK(failed->error->type == "NameError");
  // A function sees what it saw when it was typed, also where the code might have made a variable of that name.
  CHECK(said("see = lambda: top\nif not n: top = 1\nprint(see())") == "[10, 20]\n");
  CHECK(said("print(see())") == "[10, 20]\n");
  CHECK(said("_ = 3; show = lambda: _ + k[0]; print(show())") == "5\n");
  CHECK(said("print(show())") == "5\n");
  // A generator that is kept binds no more when the code has ended.
  CHECK(said("kept = (late := v for v in n)") == "");
  CHECK(said("print(next(kept), 'late' in dir())") == "1 False\n");
  d.resume();
  CHECK(d.finish() == Outcome::finished);
  CHECK_THAT(d.host.out(), ContainsSubstring("[1, 2, 2]\n[10, 20]\n"));
}

TEST_CASE("what console code at a stop declares global is the module's at once, whoever calls it", "[host][debugging]") {
  EACH_PYTHON(python);
  Debugged d(python);
  d.breakpoint_at({Debugged::line(3)});
  d.start("top = 5\ndef seen(): return top\ndef work(n): return n\nprint(work([1, 2]))\nprint(top)\n");
  d.stopped();
  const auto said = [&](const char* code) {
    const std::size_t before = d.host.out().size();
    CHECK(d.console(code)->outcome == Outcome::finished);
    return d.host.out().substr(before);
  };
  CHECK(said("def put(v):\n    global top\n    top = v\n    return seen()") == "");
  CHECK(said("print(put(6), top, seen())") == "6 6 6\n");  // by a later line
  CHECK(said("global top; top = 7; print([seen() + v for v in n], (lambda: top)())") == "[8, 9] 7\n");
  CHECK(said("global more; [more := v for v in n]; print(more, 'more' in globals())") == "2 True\n");
  // Its functions see the frame's variables, and what other lines assign, as these are by then.
  CHECK(said("f = lambda: mine + n[0]\nmine = 1; print(f())") == "2\n");
  CHECK(said("mine = 2; n = [10]; print(f())") == "12\n");
  CHECK(said("def times(i): return i * times(i - 1) if i else 1\ntimes(4)") == "24\n");
  CHECK(said("times(5)") == "120\n");
  // They are called what they would be called in a module.
  CHECK(said("class A:\n    def f(self): return n\nprint(A.f.__qualname__, A.__qualname__, A.__module__, f.__qualname__, "
             "A().f())") == "A.f A __main__ <lambda> [10]\n");
  CHECK(said("__hidden = 1; print([__hidden for _ in n], sorted(name for name in locals() if name.startswith('__')))") ==
        "[1] ['__hidden']\n");
  // A name that the code itself assigns is the module's up to then; after `del`, too.
  CHECK(said("seen = [seen() for _ in n]; print(seen)") == "[7]\n");
  CHECK(said("del seen; print(seen(), [v for v in n])") == "7 [10]\n");
  CHECK(said("from math import *\nprint([floor(v + 0.5) for v in n])") == "[10]\n");
  CHECK(said("from __future__ import annotations\ndef g(a: absent): return n\nprint(g(1), g.__annotations__)") ==
        "[10] {'a': 'absent'}\n");
  CHECK(said("x: int = 3; [x for _ in n]") == "[3]\n");
  CHECK(said("def d(a=[last := v for v in n]): return a, (lambda: (own := 1))()\nd(), last") == "(([10], 1), 10)\n");
  const auto failed = d.console("def outer():\n    return [absent for _ in n]\nouter()");
  REQUIRE(failed);
  CHECK(failed->error->type == "NameError");
  CHECK_THAT(failed->error->traceback,
             ContainsSubstring("in <module>") && ContainsSubstring("in outer") && !ContainsSubstring("_host"));
  CHECK(d.console("return [n for _ in n]")->error->type == "SyntaxError");
  d.resume();
  CHECK(d.finish() == Outcome::finished);
  CHECK_THAT(d.host.out(), ContainsSubstring("[10]\n7\n"));
}

TEST_CASE("names that console code at a stop makes are listed, held, watched and completed like the function's own", "[host][debugging]") {
  EACH_PYTHON(python);
  Debugged d(python);
  d.breakpoint_at({Debugged::line(4)});
  d.start("import array\ndef work(n):\n    x = array.array('d', [n])\n    return x[0]\n\nprint(work(1))\nprint(work(2))\n");
  d.stopped();
  CHECK(d.console("zebra = memoryview(x); made = [array.array('d', [n, n])]; gone = memoryview(x)")->outcome == Outcome::finished);
  CHECK(d.console("del gone")->outcome == Outcome::finished);
  const auto scanned = [&] {
    d.host.send(core::wire::Scan{5});
    REQUIRE(d.host.wait_for<core::wire::ScanFinished>());
    return d.last_snapshot();
  };
  const core::SnapshotPtr snapshot = scanned();
  REQUIRE(snapshot->find("zebra") != nullptr);
  CHECK(snapshot->find("zebra")->group == snapshot->find("x")->group);
  CHECK(snapshot->find("made[0]") != nullptr);
  CHECK(snapshot->find("gone") == nullptr);
  CHECK(d.hold("zebra").outcome == core::wire::WorkOutcome::done);
  CHECK(d.ask("evaluate", R"json({"expressions": ["made[0][1]"]})json") == R"({"values": [{"text": "1.0"}]})");
  CHECK(d.ask("complete", R"({"text": "zeb", "cursor": 3, "frame": 0})").find("\"zebra\"") != std::string::npos);
  d.resume();
  d.stopped();  // of another call
  const core::SnapshotPtr next = d.last_snapshot();
  CHECK(next->find("x") != nullptr);
  CHECK(next->find("zebra") == nullptr);
  d.breakpoint_at({});
  d.resume();
  CHECK(d.finish() == Outcome::finished);
}

TEST_CASE("console code in a method knows its class, in functions and comprehensions too", "[host][debugging]") {
  EACH_PYTHON(python);
  Debugged d(python);
  d.breakpoint_at({Debugged::line(5)});
  d.start("class Base:\n    def name(self): return 'base'\nclass Job(Base):\n    def name(self):\n        return super().name()\nprint(Job().name())\n");
  d.stopped();
  const auto said = [&](const char* code) {
    const std::size_t before = d.host.out().size();
    CHECK(d.console(code)->outcome == Outcome::finished);
    return d.host.out().substr(before);
  };
  CHECK(said("print([__class__.__name__ for _ in 'ab'], (lambda: __class__.__name__)())") == "['Job', 'Job'] Job\n");
  CHECK(said("print([super(Job, self).name() for _ in 'a'])") == "['base']\n");
  CHECK(said("class New(Base):\n    def name(self): return 'new ' + super().name() + __class__.__name__\nprint(New().name())") ==
        "new baseNew\n");
  d.resume();
  CHECK(d.finish() == Outcome::finished);
}

TEST_CASE("console code in a module's frame assigns its globals, while its comprehension runs too", "[host][debugging]") {
  EACH_PYTHON(python);
  Debugged d(python);
  d.breakpoint_at({Debugged::line(2)});
  d.start("def f(v):\n    return v * rate\nrate = 2\nold = 1\nprint([f(v) for v in [1, 2]], rate, new, 'old' in globals())\n");
  const core::wire::Stopped at = d.stopped();
  const auto module = static_cast<std::uint32_t>(at.frames.size() - 1);
  REQUIRE(at.frames[module].function == "<module>");
  CHECK(d.console("rate = 3; new = [7]; del old", module)->outcome == Outcome::finished);
  d.breakpoint_at({});
  d.resume();
  CHECK(d.finish() == Outcome::finished);
  CHECK(d.host.out() == "[3, 6] 3 [7] False\n");
}

TEST_CASE("console code assigns the names that the script gave to exec, whatever mapping they are", "[host][debugging]") {
  EACH_PYTHON(python);
  Debugged d(python);
  auto point = Debugged::line(2);
  point.path = d.host.folder().write("code.py", "x = 1\ny = x\n");
  d.breakpoint_at({point});
  for (const char* names : {"{}", "type('D', (dict,), {})()", "__import__('collections').ChainMap({}, {'z': 1})"}) {
    INFO(names);
    d.start("names, module = " + std::string(names) + ", {}\nexec(compile(open('code.py').read(), '" + point.path +
            "', 'exec'), module, names)\nprint(names['x'], names['y'], 'x' in module)\n");
    d.stopped();
    CHECK(d.console("x = 5; z = 2")->outcome == Outcome::finished);
    CHECK(d.ask("evaluate", R"({"expressions": ["x + z"]})") == R"({"values": [{"text": "7"}]})");
    d.resume();
    CHECK(d.finish() == Outcome::finished);
    CHECK(d.host.out() == "5 5 False\n");
    std::filesystem::resize_file(d.host.folder().path() / "stdout", 0);
  }
}

TEST_CASE("console code at a stop keeps nothing of the frame alive when that has ended", "[host][debugging]") {
  EACH_PYTHON(python);
  Debugged d(python);
  d.breakpoint_at({Debugged::line(7)});
  d.start(
      "import gc, weakref\ngc.disable()\nclass Held: pass\ndef work(n):\n    held = Held()\n    refs.append(weakref.ref(held))\n"
      "    return n\nrefs = []\nwork(1)\nprint('gone', refs[0]() is None)\n");
  d.stopped();
  CHECK(d.console("w = [held for _ in range(n)]; w = 0; [n for _ in range(2)]")->outcome == Outcome::finished);
  CHECK(d.console("[absent for _ in range(n)]")->outcome == Outcome::raised);
  d.resume();
  CHECK(d.finish() == Outcome::finished);
  CHECK_THAT(d.host.out(), ContainsSubstring("gone True\n"));
}
