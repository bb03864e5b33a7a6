// Stops in the packages that a module lies in: they run as part of the run, as `python -m pdb -m` has it.
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <filesystem>
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

constexpr const char* kOuter = R"(import array
def prepare(n):
    made = array.array('d', [n])
    return made
weights = prepare(2)
print('outer runs')
)";
constexpr const char* kInner = "from .. import weights\nseen = list(weights)\n";
constexpr const char* kTrain = "import sys\nfrom . import seen\nprint('train', seen, sys.argv[1:])\n";

// pkg/__init__.py, pkg/deep/__init__.py and pkg/deep/train.py.
class Package {
 public:
  explicit Package(Debugged& debugged, const std::string& outer = kOuter) : d(debugged) {
    files = {d.host.folder().write("pkg/__init__.py", outer), d.host.folder().write("pkg/deep/__init__.py", kInner),
             d.host.folder().write("pkg/deep/train.py", kTrain)};
    for (std::string& file : files) file = std::filesystem::canonical(file).string();
  }
  core::wire::Breakpoint at(std::size_t file, std::uint32_t line) const {
    auto out = Debugged::line(line);
    out.id = static_cast<std::uint32_t>(10 * file) + line;
    out.path = files[file];
    return out;
  }
  void start(const std::string& stop_at = {}, const std::string& module = "pkg.deep.train", bool interactive = true) {
    core::wire::Run run;
    run.run = ++runs;
    run.module = module;
    run.working_folder = d.host.folder().path().string();
    run.arguments = {"--lr"};
    run.scan_after = true;
    run.stop_at = stop_at;
    run.interactive_stops = interactive;
    d.host.send(run);
  }
  Debugged& d;
  std::vector<std::string> files;
  std::uint64_t runs = 100;
};

}  // namespace

TEST_CASE("breakpoints in the packages above a module stop as in any code of the run", "[host][debugging][module]") {
  EACH_PYTHON(python);
  Debugged d(python);
  Package package(d);
  d.breakpoint_at({package.at(0, 4), package.at(1, 2), package.at(2, 3)});
  package.start();
  Stopped stop = d.stopped();
  CHECK(place_of(stop) == "prepare:4");
  CHECK(stop.breakpoint == 4);
  CHECK(stop.frames[0].path == package.files[0]);
  REQUIRE(stop.frames.size() > 1);
  CHECK(stop.frames[1].function == "<module>");
  CHECK(stop.frames[1].line == 5);
  for (std::size_t i = 2; i < stop.frames.size(); ++i) {
    INFO(stop.frames[i].path);
    CHECK_FALSE(stop.frames[i].user);
    CHECK_THAT(stop.frames[i].path, ContainsSubstring("<frozen"));
  }
  CHECK(d.ask("evaluate", R"({"expressions": ["made[0]", "__name__"]})") ==
        R"({"values": [{"text": "2.0"}, {"text": "'pkg'"}]})");
  const core::SnapshotPtr snapshot = d.last_snapshot();
  REQUIRE(snapshot);
  CHECK(snapshot->find("made") != nullptr);
  d.resume(ResumeKind::step_out);
  CHECK(place_of(d.stopped()) == "<module>:6");
  d.resume();
  stop = d.stopped();
  CHECK(place_of(stop) == "<module>:2");
  CHECK(stop.frames[0].path == package.files[1]);
  CHECK(d.host.out() == "outer runs\n");
  d.resume();
  stop = d.stopped();
  CHECK(place_of(stop) == "<module>:3");
  CHECK(stop.frames[0].path == package.files[2]);
  CHECK(d.ask("evaluate", R"({"expressions": ["__name__", "seen"]})") ==
        R"({"values": [{"text": "'__main__'"}, {"text": "[2.0]"}]})");
  d.resume();
  CHECK(d.finish() == Outcome::finished);
  CHECK(d.host.out() == "outer runs\ntrain [2.0] ['--lr']\n");
}

TEST_CASE("a moment asked for beforehand may lie in a package's __init__", "[host][debugging][module]") {
  EACH_PYTHON(python);
  for (const auto& [at, line, name] : {std::tuple{"pkg/__init__.py:4", 4U, "made"},
                                       {"deep/__init__.py:2", 2U, "weights"},
                                       {"prepare:return", 4U, "made"},
                                       {"3", 3U, "seen"}}) {  // of the module itself: not line 3 of a package
    INFO(at);
    Debugged d(python);
    Package package(d);
    package.start(at, "pkg.deep.train", false);
    CHECK(d.finish() == Outcome::finished);
    REQUIRE(d.host.wait_for<core::wire::ScanFinished>());
    const core::SnapshotPtr snapshot = d.last_snapshot();
    REQUIRE(snapshot);
    CHECK(snapshot->info.scanned == core::Scanned::stop);
    CHECK(snapshot->info.stop.line == line);
    CHECK_THAT(d.host.out(), !ContainsSubstring("train"));
    if (std::string(name) != "seen") CHECK(snapshot->find(name) != nullptr);
  }
}

TEST_CASE("an exception in a package's __init__ leaves its frames, and its own words", "[host][debugging][module]") {
  EACH_PYTHON(python);
  for (const char* const module : {"pkg.deep.train", "pkg"}) {
    INFO(module);
    Debugged d(python);
    Package package(d, "def load(name):\n    part = 7\n    return __import__(name)\nload('not_installed_here')\n");
    d.host.folder().write("pkg/__main__.py", "print('never')\n");
    package.start({}, module);
    const auto outcome = d.outcome();
    REQUIRE(outcome);
    CHECK(outcome->outcome == Outcome::raised);
    REQUIRE(outcome->error);
    CHECK(outcome->error->type == "ModuleNotFoundError");
    CHECK(outcome->error->message == "No module named 'not_installed_here'");
    CHECK_THAT(outcome->error->traceback, ContainsSubstring("line 3, in load") && !ContainsSubstring("_host"));
    CHECK_THAT(d.host.err(), ContainsSubstring("line 4, in <module>") && ContainsSubstring("not_installed_here"));
    const Stopped ended = d.stopped();
    CHECK(ended.reason == StopReason::ended);
    CHECK(functions_of(ended) == std::vector<std::string>{"load", "<module>"});
    CHECK(ended.frames[0].path == package.files[0]);
    REQUIRE(d.console("print('part', part)")->outcome == Outcome::finished);
    CHECK_THAT(d.host.out(), ContainsSubstring("part 7"));
  }
}

TEST_CASE("Stop ends a run that is in a package's __init__", "[host][debugging][module]") {
  EACH_PYTHON(python);
  Debugged d(python);
  Package package(d, "import time\nprint('begun', flush=True)\nwhile True:\n    time.sleep(0.01)\n");
  package.start();
  REQUIRE(d.host.wait_for_output("begun"));
  d.host.stop();
  CHECK(d.finish() == Outcome::interrupted);
  CHECK_THAT(d.host.err(), ContainsSubstring("KeyboardInterrupt"));
}
