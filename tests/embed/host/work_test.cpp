// Tasks and acts against a real host: they end exactly once, go on while Python hangs or lies dead, and leave the user's
// program as it was.
#include <sys/resource.h>

#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include "tests/embed/host/each_python.h"
#include "tests/embed/host/host_process.h"
#include "tests/embed/host/work_steps.h"
#include "tests/support/process_facts.h"
#include "tests/support/put_part.h"

using namespace dlscope;
using namespace dlscope::tests;
using Catch::Matchers::ContainsSubstring;
using core::SearchedValue;
using core::wire::TensorRef;
using core::wire::WorkEnded;
using core::wire::WorkOutcome;

TEST_CASE("a value is looked for and counted in the whole tensor", "[host][work]") {
  EACH_PYTHON(python);
  HostProcess host(python);
  const auto snapshot = look_after(host, "import array\nx = array.array('f', [1.0] * 300000 + [float('nan'), 2.5, 2.5])\n");
  const TensorRef x = ref_to(snapshot, "x");
  const WorkEnded special = carry_out(host, core::wire::FindValue{x, SearchedValue::special, "", 7});
  CHECK(special.outcome == WorkOutcome::done);
  const auto matches = std::get<core::ValueMatches>(special.result);
  CHECK(matches.matches == 1);
  CHECK(matches.next == 300000);
  CHECK(matches.searched == 300003);
  const auto equal =
      std::get<core::ValueMatches>(carry_out(host, core::wire::FindValue{x, SearchedValue::equal, "2.5", 0}).result);
  CHECK(equal.matches == 2);
  CHECK(equal.first == 300001);
  const WorkEnded nonsense = carry_out(host, core::wire::FindValue{x, SearchedValue::equal, "many", 0});
  CHECK(nonsense.outcome == WorkOutcome::failed);
  CHECK_THAT(nonsense.message, ContainsSubstring("'many' is not a number"));
  CHECK(carry_out(host, core::wire::FindValue{{x.revision + 7, 0}, SearchedValue::nan, "", 0}).outcome == WorkOutcome::failed);
  CHECK(carry_out(host, core::wire::FindValue{{x.revision, 4711}, SearchedValue::nan, "", 0}).outcome == WorkOutcome::failed);
}

TEST_CASE("two tensors of different types are compared in the host, also when one is repeated to the other's shape",
          "[host][work]") {
  EACH_PYTHON(python);
  HostProcess host(python);
  const auto snapshot = look_after(host,
                                   "import array\nx = array.array('f', [1.0] * 300000 + [float('nan'), 2.5])\n"
                                   "y = array.array('d', x)\nz = array.array('d', x)\nz[7] = 1.5\n"
                                   "row = memoryview(bytes([1, 2, 3]))\n"
                                   "grid = memoryview(bytes([1, 2, 3, 1, 2, 4])).cast('B', (2, 3))\n");
  const auto compare = [&](const char* a, const char* b, bool broadcast = false) {
    return carry_out(host, core::wire::CompareTensors{ref_to(snapshot, a), ref_to(snapshot, b), {}, broadcast});
  };
  const auto same = std::get<core::Comparison>(compare("x", "y").result);
  CHECK(same.values == 300002);
  CHECK(same.different == 0);
  CHECK(same.both_nan == 1);
  CHECK_FALSE(same.bit_equal());
  const auto equal = std::get<core::Comparison>(compare("y", "y").result);
  CHECK(equal.bit_equal());
  CHECK(equal.hash_a == equal.hash_b);
  const auto changed = std::get<core::Comparison>(compare("x", "z").result);
  CHECK(changed.different == 1);
  CHECK(changed.first == 7);
  CHECK(changed.absolute == core::WorstError{0.5, 7});
  CHECK_THAT(compare("grid", "row").message, ContainsSubstring("the shapes differ: (2, 3) and (3,)"));
  const auto repeated = std::get<core::Comparison>(compare("grid", "row", true).result);
  CHECK(repeated.different == 1);
  CHECK(repeated.first == 5);
}

TEST_CASE("a task runs while Python's only thread holds the GIL in C, and over the memory of a crashed script", "[host][work]") {
  EACH_PYTHON(python);
  HostProcess host(python);
  const auto snapshot = look_after(host, "import array\nx = array.array('d', [0.0] * 100000 + [7.0])\n");
  const core::wire::FindValue search{ref_to(snapshot, "x"), SearchedValue::equal, "7", 0};
  core::wire::Run hang;
  hang.source =
      "import ctypes, os\nos.mkfifo('gate')\nprint('begins', flush=True)\n"
      "ctypes.PyDLL(None).open(b'gate', 0)\n"  // PyDLL: keeps the GIL until the other end is opened
      "ctypes.string_at(1)\n";
  hang.fresh_namespace = false;
  hang.run = 77;
  host.send(hang);
  REQUIRE(host.wait_for_output("begins"));
  const WorkEnded busy = carry_out(host, search);
  CHECK(busy.outcome == WorkOutcome::done);
  CHECK(std::get<core::ValueMatches>(busy.result).first == 100000);

  host.send(core::wire::Start{500, core::wire::Hold{search.tensor, false}});  // waits for Python
  host.folder().write("gate", "");  // the script goes on, and crashes
  REQUIRE(host.wait_for_crash());
  const WorkEnded hold = end_of(host, 500);
  CHECK(hold.outcome == WorkOutcome::failed);
  CHECK_THAT(hold.message, ContainsSubstring("crashed"));
  const WorkEnded dead = carry_out(host, search);
  CHECK(dead.outcome == WorkOutcome::done);
  CHECK(std::get<core::ValueMatches>(dead.result).first == 100000);
}

TEST_CASE("statistics of a tensor: a sample first, then all of it, also while Python hangs and over a crashed script's memory",
          "[host][work]") {
  EACH_PYTHON(python);
  HostProcess host(python);
  const auto snapshot = look_after(host,
                                   "import array\nx = array.array('f', [1.0]) * 3000000\nx[2222222] = float('nan')\n"
                                   "small = array.array('i', [4, -5])\ntext = memoryview(b'abcd').cast('c')\n");
  const core::wire::ComputeStatistics work{ref_to(snapshot, "x")};
  host.send(core::wire::Start{1, work});
  const auto part = host.wait_for<core::wire::Part>();
  REQUIRE(part);
  const auto sample = std::get<core::Statistics>(part->part);
  CHECK(sample.summary.method == core::StatisticsMethod::sample);
  CHECK(sample.summary.seen < 3000000);
  CHECK(sample.histogram.valid);
  const WorkEnded end = end_of(host, 1);
  CHECK(end.outcome == WorkOutcome::done);
  const auto exact = std::get<core::Statistics>(end.result);
  CHECK(exact.summary.method == core::StatisticsMethod::exact);
  CHECK((exact.summary.seen == 3000000 && exact.summary.nan == 1 && exact.summary.mean == 1));
  CHECK(exact.summary.first_special.index == 2222222);
  const auto few = std::get<core::Statistics>(carry_out(host, core::wire::ComputeStatistics{ref_to(snapshot, "small")}).result);
  CHECK((few.summary.min.as_signed == -5 && few.summary.negative == 1));
  CHECK(carry_out(host, core::wire::ComputeStatistics{{work.tensor.revision + 7, 0}}).outcome == WorkOutcome::failed);
  CHECK(carry_out(host, core::wire::ComputeStatistics{{work.tensor.revision, 4711}}).outcome == WorkOutcome::failed);

  core::wire::Run hang;
  hang.source =
      "import ctypes, os\nos.mkfifo('gate')\nprint('begins', flush=True)\n"
      "ctypes.PyDLL(None).open(b'gate', 0)\n"  // PyDLL: keeps the GIL until the other end is opened
      "ctypes.string_at(1)\n";
  hang.fresh_namespace = false;
  hang.run = 77;
  host.send(hang);
  REQUIRE(host.wait_for_output("begins"));
  CHECK(std::get<core::Statistics>(carry_out(host, work).result).summary.nan == 1);
  host.folder().write("gate", "");  // the script goes on, and crashes
  REQUIRE(host.wait_for_crash());
  CHECK(std::get<core::Statistics>(carry_out(host, work).result).summary.nan == 1);
}

TEST_CASE("a picture of a tensor: a sample first, then every texel exactly, with the one NaN", "[host][work]") {
  EACH_PYTHON(python);
  HostProcess host(python);
  const auto snapshot = look_after(host,
                                   "import array\nx = array.array('f', [1.0]) * 3000000\nx[2222222] = float('nan')\n"
                                   "grid = memoryview(x).cast('B').cast('f', (1500, 2000))\n");
  core::wire::ReduceTensor work{
      ref_to(snapshot, "grid"), {{0}, {1}, {}, core::CellValue::mean, {0, 0}}, {0, 0, 1500, 2000, 10, 10}, 1u << 26};
  core::Texels sampled, exact;
  sampled.resize({0, 0, 150, 200});
  exact.resize(sampled.rect);
  bool in_order = true, exact_began = false;  // how much of the sample is told before depends on how fast the machine is
  host.send(core::wire::Start{1, work});
  CHECK(end_of(host, 1).outcome == WorkOutcome::done);
  for (const auto& message : host.messages) {
    const auto* part = std::get_if<core::wire::Part>(&message);
    if (part == nullptr) continue;
    const auto texels = std::get<core::Texels>(part->part);
    REQUIRE(core::fits(texels, exact));
    const bool is_exact = texels.method == core::TexelMethod::exact;
    in_order = in_order && (is_exact || !exact_began);
    exact_began = exact_began || is_exact;
    tests::put_part(texels, is_exact ? exact : sampled);
  }
  CHECK(in_order);
  CHECK(std::ranges::count(exact.flags, core::kTexelFinite) == 150 * 200 - 1);
  CHECK(exact.flags[111 * 200 + 22] == (core::kTexelFinite | core::kTexelNan));  // 2222222 = 1111 * 2000 + 222
  work.window.rows = 1501;
  const WorkEnded beyond = carry_out(host, work);
  CHECK(beyond.outcome == WorkOutcome::failed);
  CHECK_THAT(beyond.message, ContainsSubstring("not part of the tensor"));
}

TEST_CASE("a picture of memory that can only be read in part shows where, before it is told to have failed", "[host][work]") {
  EACH_PYTHON(python);
  HostProcess host(python);
  const auto snapshot = look_after(host,
                                   "import ctypes, mmap\nm = mmap.mmap(-1, 1 << 20)\n"
                                   "grid = memoryview(m).cast('b', (1024, 1024))\n"
                                   "begin = ctypes.addressof(ctypes.c_char.from_buffer(m))\n"
                                   "hidden = ctypes.CDLL(None).mprotect(ctypes.c_void_p(begin + (1 << 19)), 4096, 0)\n");
  const core::wire::ReduceTensor work{
      ref_to(snapshot, "grid"), {{0}, {1}, {}, core::CellValue::mean, {0, 0}}, {0, 0, 1024, 1024, 4, 64}, 1u << 26};
  core::Texels sampled;
  sampled.resize({0, 0, 256, 16});
  host.send(core::wire::Start{1, work});
  const WorkEnded end = end_of(host, 1);
  CHECK(end.outcome == WorkOutcome::failed);
  CHECK_THAT(end.message, ContainsSubstring("cannot be read"));
  for (const auto& message : host.messages) {
    const auto* part = std::get_if<core::wire::Part>(&message);
    if (part == nullptr) continue;
    const auto texels = std::get<core::Texels>(part->part);
    if (texels.method == core::TexelMethod::sample) tests::put_part(texels, sampled);
  }
  CHECK(std::ranges::count(sampled.flags, core::kTexelUnread) == 16);  // rows 512 to 515
  CHECK(std::ranges::count(sampled.flags, core::kTexelFinite) == 255 * 16);
}

TEST_CASE("a picture of a difference comes from the host as parts, exact in the end; other shapes are refused in words",
          "[host][work]") {
  EACH_PYTHON(python);
  HostProcess host(python);
  const auto snapshot =
      look_after(host,
                 "import array\nx = array.array('f', [1.0]) * 3000000\ny = array.array('d', [1.0]) * 3000000\n"
                 "y[2222222] = -1.5\na = memoryview(x).cast('B').cast('f', (1500, 2000))\n"
                 "b = memoryview(y).cast('B').cast('d', (1500, 2000))\nc = memoryview(y).cast('B').cast('d', (2000, 1500))\n");
  core::wire::SubtractTensors work{ref_to(snapshot, "a"), ref_to(snapshot, "b"), {{0}, {1}, {}, core::CellValue::mean, {0, 0}},
                                   {0, 0, 1500, 2000, 10, 10}, core::DifferenceKind::difference, 1u << 26};
  core::Texels exact;
  exact.resize({0, 0, 150, 200});
  host.send(core::wire::Start{1, work});
  CHECK(end_of(host, 1).outcome == WorkOutcome::done);
  for (const auto& message : host.messages) {
    const auto* part = std::get_if<core::wire::Part>(&message);
    if (part == nullptr) continue;
    const auto& texels = std::get<core::Texels>(part->part);
    REQUIRE(core::fits(texels, exact));
    if (texels.method == core::TexelMethod::exact) tests::put_part(texels, exact);
  }
  CHECK(std::ranges::count(exact.flags, core::kTexelFinite) == 150 * 200 - 1);
  CHECK(exact.flags[111 * 200 + 22] == (core::kTexelFinite | core::kTexelUnequal));
  CHECK(exact.max[111 * 200 + 22] == 2.5);
  work.b = ref_to(snapshot, "c");
  const WorkEnded other = carry_out(host, work);
  CHECK(other.outcome == WorkOutcome::failed);
  CHECK_THAT(other.message, ContainsSubstring("same shape"));
}

TEST_CASE("a survey answers for every tensor of the snapshot once", "[host][work]") {
  EACH_PYTHON(python);
  HostProcess host(python);
  const auto snapshot =
      look_after(host, "import array\nxs = [array.array('d', [i, -i, 0.5]) for i in range(3000)]\nxs[1234][1] = float('inf')\n");
  host.send(core::wire::Start{1, core::wire::SurveyTensors{snapshot->info.revision}});
  CHECK(end_of(host, 1).outcome == WorkOutcome::done);
  std::vector<int> seen(snapshot->tensors.size());
  std::uint64_t infinite = 0;
  for (const auto& message : host.messages) {
    const auto* part = std::get_if<core::wire::Part>(&message);
    if (part == nullptr) continue;
    for (const auto& one : std::get<core::wire::Summaries>(part->part).tensors) {
      REQUIRE(one.tensor < seen.size());
      ++seen[one.tensor];
      infinite += one.summary.pos_inf;
      CHECK(one.summary.method == core::StatisticsMethod::exact);
    }
  }
  CHECK(std::ranges::count(seen, 1) == 3000);
  CHECK(infinite == 1);
  CHECK(carry_out(host, core::wire::SurveyTensors{snapshot->info.revision + 9}).outcome == WorkOutcome::failed);
}

TEST_CASE("a search through 8 GiB reports how far it is and is cancelled in the middle", "[host][work]") {
  EACH_PYTHON(python);
  HostProcess host(python);
  const auto snapshot = look_after(host, "import mmap\nm = mmap.mmap(-1, 8 << 30)\nx = memoryview(m)\n");
  host.send(core::wire::Start{1, core::wire::FindValue{ref_to(snapshot, "x"), SearchedValue::equal, "1", 0}});
  const auto progress = host.wait_for<core::wire::Progress>();
  REQUIRE(progress);
  CHECK(progress->total == std::uint64_t{8} << 30);
  CHECK(progress->unit == core::wire::ProgressUnit::bytes);
  host.send(core::wire::Cancel{1});
  CHECK(end_of(host, 1).outcome == WorkOutcome::cancelled);
  std::uint64_t furthest = 0;
  for (const auto& message : host.messages) {
    if (const auto* told = std::get_if<core::wire::Progress>(&message)) furthest = std::max(furthest, told->done);
  }
  CHECK(furthest < std::uint64_t{8} << 30);
  host.send(core::wire::Cancel{1});  // ended already: nothing happens
  const auto cancel_in_the_middle = [&](const core::wire::Start& start) {
    host.send(start);
    const auto started = host.wait_for<core::wire::Progress>();
    REQUIRE(started);
    CHECK(started->total >= std::uint64_t{8} << 30);
    host.send(core::wire::Cancel{start.id});
    CHECK(end_of(host, start.id).outcome == WorkOutcome::cancelled);
  };
  cancel_in_the_middle({2, core::wire::ComputeStatistics{ref_to(snapshot, "x")}});
  cancel_in_the_middle({3, core::wire::SurveyTensors{snapshot->info.revision}});
  CHECK(carry_out(host, core::wire::Release{4711}).outcome == WorkOutcome::failed);
}

TEST_CASE("a fork finds no thread of ours, and the task goes on after it", "[host][work]") {
  EACH_PYTHON(python);
  HostProcess host(python);
  const auto snapshot = look_after(host, "import mmap\nm = mmap.mmap(-1, 8 << 30)\nx = memoryview(m)\n");
  host.send(core::wire::Start{1, core::wire::FindValue{ref_to(snapshot, "x"), SearchedValue::equal, "1", 0}});
  REQUIRE(host.wait_for<core::wire::Progress>());
  const auto outcome = console(host,
                               "import os, warnings\n"
                               "warnings.simplefilter('error')\n"
                               "pid = os.fork()\n"
                               "if pid == 0: os._exit(len(os.listdir('/proc/self/task')))\n"
                               "print('threads of the child', os.waitpid(pid, 0)[1] >> 8)\n");
  REQUIRE(outcome);
  CHECK(outcome->outcome == core::Outcome::finished);
  CHECK(host.wait_for_output("threads of the child 1"));
  CHECK(host.err() == "");
  const auto before = host.messages.size();
  REQUIRE(host.wait_for<core::wire::Progress>());
  CHECK(host.messages.size() > before);
  host.send(core::wire::Cancel{1});
  CHECK(end_of(host, 1).outcome == WorkOutcome::cancelled);
}

#ifdef __x86_64__
TEST_CASE("threads that a script's thread starts again after a fork know subnormals, although the script's own flushes them",
          "[host][work]") {
  EACH_PYTHON(python);
  HostProcess host(python);
  const auto snapshot = look_after(host,
                                   "import array, ctypes, os\n"
                                   "x = array.array('f', [0.0, 1.0, 1e-40])\n"
                                   "libm, environment = ctypes.CDLL('libm.so.6'), bytearray(64)\n"
                                   "place = (ctypes.c_char * 64).from_buffer(environment)\n"
                                   "libm.fegetenv(place)\n"
                                   "environment[28] |= 0x40\n"  // glibc's fenv_t on x86-64: MXCSR is at 28
                                   "environment[29] |= 0x80\n"
                                   "libm.fesetenv(place)\n"
                                   "flushed = x[2] == 0.0\n"
                                   "if os.fork() == 0: os._exit(0)\n"
                                   "os.wait()\n"
                                   "print('flushed:', flushed)\n");
  REQUIRE(host.wait_for_output("flushed: True"));
  const auto found = std::get<core::ValueMatches>(
      carry_out(host, core::wire::FindValue{ref_to(snapshot, "x"), SearchedValue::equal, "1e-40", 0}).result);
  CHECK(found.matches == 1);
  CHECK(found.first == 2);
}
#endif

TEST_CASE("acts wait while a script runs, are cancelled while they wait, and are carried out afterwards", "[host][work]") {
  EACH_PYTHON(python);
  HostProcess host(python);
  const auto snapshot = look_after(host, "b = bytearray(8)\nc = bytearray(8)\n");
  core::wire::Run run;
  run.source = "import time\nprint('begins', flush=True)\nwhile not __import__('os').path.exists('go'): time.sleep(0.01)\n";
  run.fresh_namespace = false;
  run.run = 55;
  host.send(run);
  REQUIRE(host.wait_for_output("begins"));
  host.send(core::wire::Start{1, core::wire::Hold{ref_to(snapshot, "b"), false}});
  host.send(core::wire::Start{2, core::wire::Hold{ref_to(snapshot, "c"), false}});
  host.send(core::wire::Cancel{1});
  CHECK(end_of(host, 1).outcome == WorkOutcome::cancelled);
  host.folder().write("go", "");
  REQUIRE(host.wait_for<core::wire::RunFinished>());
  CHECK(end_of(host, 2).outcome == WorkOutcome::done);
  CHECK(host.leave() == 0);
}

TEST_CASE("an act that hangs in a class of the user's is cancelled", "[host][work]") {
  EACH_PYTHON(python);
  HostProcess host(python);
  const auto snapshot = look_after(host, R"(
import time
class Slow:
    calls = 0
    def __init__(self): self.memory = bytearray(8)
    def __dlpack_device__(self): return (1, 0)
    @property
    def __array_interface__(self):
        Slow.calls += 1
        if Slow.calls > 1:
            print('hangs', flush=True)
            time.sleep(1000)
        import ctypes
        address = ctypes.addressof((ctypes.c_char * 8).from_buffer(self.memory))
        return {'version': 3, 'typestr': '|u1', 'shape': (8,), 'data': (address, False)}
s = Slow()
)");
  REQUIRE(snapshot->find("s") != nullptr);
  host.send(core::wire::Start{1, core::wire::Hold{ref_to(snapshot, "s"), false}});
  REQUIRE(host.wait_for_output("hangs"));
  host.send(core::wire::Cancel{1});
  CHECK(end_of(host, 1).outcome == WorkOutcome::cancelled);
  CHECK(host.leave() == 0);
}

TEST_CASE("a script that has no memory left keeps its process, and every request ends in words or with its result",
          "[host][work]") {
  if (kMemoryIsKept) SKIP("under a sanitizer the process ends instead");
  EACH_PYTHON(python);
  HostSettings settings;
  settings.environment = {{"MALLOC_MMAP_THRESHOLD_", "4096"}, {"MALLOC_ARENA_MAX", "1"}};  // else much is in reserve
  HostProcess host(python, settings);
  const auto snapshot = look_after(host,
                                   "import array, resource\n"
                                   "x = memoryview(array.array('d', [1.5]) * 400_000).cast('B').cast('d', (400, 1000))\n"
                                   "def leave(more):\n"
                                   "    used = int(open('/proc/self/statm').read().split()[0]) * resource.getpagesize()\n"
                                   "    resource.setrlimit(resource.RLIMIT_AS, (used + more, resource.RLIM_INFINITY))\n");
  const TensorRef x = ref_to(snapshot, "x");
  core::wire::ReduceTensor picture;
  picture.tensor = x;
  picture.axes.down = {0};
  picture.axes.across = {1};
  picture.axes.at = {0, 0};
  picture.window = {0, 0, 400, 1000, 1, 2};
  picture.most_exact = ~std::uint64_t{0};
  const auto run_line = [&](const std::string& line) {
    core::wire::Run run;
    run.source = line;
    run.fresh_namespace = run.scan_after = false;
    return host.run(run);
  };
  CHECK(carry_out(host, picture).outcome == WorkOutcome::done);
  int want = 0;
  for (const std::size_t more : {0, 1 << 16, 1 << 18, 1 << 20, 1 << 22}) {
    CAPTURE(more);
    REQUIRE(carry_out(host, picture).outcome == WorkOutcome::done);  // its threads are there
    const auto limited = run_line("leave(" + std::to_string(more) + ")");
    REQUIRE((limited && limited->outcome == core::Outcome::finished));
    for (const WorkEnded& end : {carry_out(host, picture), carry_out(host, core::wire::ComputeStatistics{x}),
                                 carry_out(host, core::wire::FindValue{x, SearchedValue::nan, "", 0})}) {
      CAPTURE(end.message);
      CHECK((end.outcome == WorkOutcome::done || !end.message.empty()));
      want += end.message.find("memory") != std::string::npos ? 1 : 0;
    }
    const auto line = run_line("None");  // wants memory itself
    REQUIRE(line);
    CHECK((line->outcome == core::Outcome::finished || (line->error && !line->error->type.empty())));
    const rlimit unlimited{RLIM_INFINITY, RLIM_INFINITY};
    REQUIRE(prlimit(host.pid(), RLIMIT_AS, &unlimited, nullptr) == 0);
  }
  CHECK(want > 0);
  CHECK(carry_out(host, picture).outcome == WorkOutcome::done);
  CHECK(host.leave() == 0);
}
