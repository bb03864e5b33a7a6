// Copies asked of a real host: made, compared, bound and entered in the ledger; refused or cancelled without anything left.
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <string>
#include <utility>

#include "tests/embed/host/each_python.h"
#include "tests/embed/host/host_process.h"
#include "tests/embed/host/library_python.h"
#include "tests/embed/host/work_steps.h"
#include "tests/support/cuda_program.h"

using namespace dlscope;
using namespace dlscope::tests;
using Catch::Matchers::ContainsSubstring;
using core::wire::Copied;
using core::wire::CopyTensor;
using core::wire::HandedOver;
using core::wire::WorkEnded;
using core::wire::WorkOutcome;

TEST_CASE("a copy is made, compared, bound and entered in the ledger", "[host][work]") {
  EACH_PYTHON(python);
  HostProcess host(python);
  const auto snapshot = look_after(host, "x = bytearray(range(16))\nodd = memoryview(x)[1::2]\n");
  CHECK(snapshot->copies.empty());
  CopyTensor work{.tensor = ref_to(snapshot, "odd"), .keep_order = false, .dtype = {}, .library = {}, .name = {}};
  const auto copied = std::get<Copied>(carry_out(host, work).result);
  CHECK((copied.bytes == 8 && copied.compared && copied.name == "odd_copy" && copied.type == "dlscope.Tensor"));
  CHECK(copied.line == "odd_copy = dlscope.copy(odd)");
  work.dtype = "float32";
  const auto converted = std::get<Copied>(carry_out(host, work).result);
  CHECK((converted.bytes == 32 && converted.name == "odd_float32"));
  REQUIRE(console(host, "print('values', list(memoryview(odd_copy)), list(memoryview(odd_float32)))"));
  CHECK(host.wait_for_output("values [1, 3, 5, 7, 9, 11, 13, 15] [1.0, 3.0"));
  host.send(core::wire::Scan{1});
  const auto later = next_snapshot(host);
  REQUIRE(later->copies.size() == 2);
  CHECK(later->copies[0].bytes == 8);

  work.tensor = ref_to(later, "odd");
  work.dtype = "no_such_dtype";
  const WorkEnded wrong = carry_out(host, work);
  CHECK(wrong.outcome == WorkOutcome::failed);
  CHECK_THAT(wrong.message, ContainsSubstring("no_such_dtype"));
  work = {.tensor = ref_to(later, "odd"), .keep_order = false, .dtype = {}, .library = "nonesuch", .name = {}};
  CHECK(carry_out(host, work).outcome == WorkOutcome::failed);
}

TEST_CASE("a conversion is not said to keep the values that it changed, and NumPy counts as many", "[host][work]") {
  HostProcess host(library_python());
  const auto snapshot = look_after(host, R"(
import numpy
h = numpy.array([70000, 1e-9, numpy.nan, -1.5, 3e38, 255.5], 'f4')
i = numpy.array([[1, -5], [300, 2**40]])
def changed(a, b):
    b = numpy.asarray(memoryview(b))
    return int(sum(x != y and not (x != x and y != y) for x, y in zip(a.ravel().tolist(), b.ravel().tolist())))
)");
  CopyTensor work{.tensor = ref_to(snapshot, "h"), .keep_order = false, .dtype = "int8", .library = {}, .name = {}};
  const auto narrowed = std::get<Copied>(carry_out(host, work).result);
  CHECK((narrowed.compared && narrowed.path.ends_with("; the conversion changed 6 of 6 values")));
  work.dtype = "float64";
  CHECK(std::get<Copied>(carry_out(host, work).result).path.ends_with("; the conversion changed no value"));
  work.dtype = "float16";
  CHECK(std::get<Copied>(carry_out(host, work).result).path.ends_with("; the conversion changed 3 of 6 values"));
  work.tensor = ref_to(snapshot, "i");
  work.dtype = "int8";
  CHECK(std::get<Copied>(carry_out(host, work).result).path.ends_with("; the conversion changed 2 of 4 values"));
  work.dtype.clear();
  CHECK_FALSE(std::get<Copied>(carry_out(host, work).result).path.contains("conversion"));
  REQUIRE(console(host, "print('changed', changed(h, h_int8), changed(h, h_float64), changed(h, h_float16), changed(i, i_int8))"));
  CHECK(host.wait_for_output("changed 6 0 3 2"));
  host.send(core::wire::Scan{1});
  const auto later = next_snapshot(host);
  REQUIRE(later->copies.size() == 5);
  CHECK(later->str(later->copies[0].path) == "cpu -> cpu, converted in tiles; the conversion changed 6 of 6 values");
  CHECK(later->str(later->copies[1].path) == "cpu -> cpu, converted in tiles; the conversion changed no value");
}

TEST_CASE("a copy for a library that copies once more is two entries of the ledger, and what the library made is compared",
          "[host][work]") {
  EACH_PYTHON(python);
  HostProcess host(python);
  const auto snapshot = look_after(host, R"(
import dlscope, sys, types
x = bytearray(range(64))
def copies(source, **keywords):
    return dlscope.asdlpack(bytearray(memoryview(dlscope.from_dlpack(source)).tobytes()))
def zeros(source, **keywords):
    return dlscope.asdlpack(bytearray(64))
class Hidden:
    pass
library = sys.modules['cupy'] = types.ModuleType('cupy')
library.from_dlpack = copies
)");
  CopyTensor work{.tensor = ref_to(snapshot, "x"), .keep_order = false, .dtype = {}, .library = "cupy", .name = {}};
  const WorkEnded twice = carry_out(host, work);
  REQUIRE(twice.outcome == WorkOutcome::done);
  CHECK(std::get<Copied>(twice.result).compared);
  CHECK_THAT(twice.message, ContainsSubstring("cupy made a second copy of dlscope's; all 64 elements have the source's bits"));

  REQUIRE(console(host, "library.from_dlpack = lambda source, **keywords: Hidden()"));
  host.send(core::wire::Scan{1});
  auto now = next_snapshot(host);
  CHECK(now->copies.size() == 2);
  work.tensor = ref_to(now, "x");
  const WorkEnded not_known = carry_out(host, work);
  REQUIRE(not_known.outcome == WorkOutcome::done);
  CHECK_FALSE(std::get<Copied>(not_known.result).compared);
  CHECK_THAT(not_known.message, ContainsSubstring("whether cupy shares dlscope's copy is not known"));

  REQUIRE(console(host, "library.from_dlpack = zeros"));
  host.send(core::wire::Scan{2});
  now = next_snapshot(host);
  work.tensor = ref_to(now, "x");
  const WorkEnded wrong = carry_out(host, work);
  CHECK(wrong.outcome == WorkOutcome::failed);
  CHECK_THAT(wrong.message, ContainsSubstring("cupy made something else of the copy: the values differ"));

  REQUIRE(console(host, "library.from_dlpack = dlscope.from_dlpack"));
  host.send(core::wire::Scan{3});
  work.tensor = ref_to(next_snapshot(host), "x");
  const WorkEnded shared = carry_out(host, work);
  CHECK((shared.outcome == WorkOutcome::done && std::get<Copied>(shared.result).compared));
  CHECK(shared.message.find("second copy") == std::string::npos);
}

TEST_CASE("the Python line uses a name that Python knows, and there is none without one", "[host][work]") {
  EACH_PYTHON(python);
  HostProcess host(python);
  const auto snapshot = look_after(host,
                                   "m = memoryview(b'abcd')\na = {m}\nd = {'m': m}\nalone = {memoryview(b'efgh')}\ndel m\n");
  CopyTensor work{.tensor = ref_to(snapshot, "a<0>"), .keep_order = false, .dtype = {}, .library = {}, .name = {}};
  CHECK(std::get<Copied>(carry_out(host, work).result).line == "d_m_copy = dlscope.copy(d['m'])");
  work.tensor = ref_to(snapshot, "alone<0>");
  const auto copied = std::get<Copied>(carry_out(host, work).result);
  CHECK((copied.name == "alone_0_copy" && copied.line.empty()));
  const auto handed = std::get<HandedOver>(carry_out(host, hand_to(snapshot, "alone<0>", "dlscope")).result);
  CHECK(handed.line.empty());
}

namespace {

// Runs it in the script's namespace, and whether what it gives is equal to x.
void check_line(HostProcess& host, const std::string& library, const std::string& line) {
  INFO(line);
  core::wire::Run run;
  run.fresh_namespace = run.scan_after = false;
  run.source = "import " + library + "\n" + line + "\nprint(same(" + line.substr(0, line.find(' ')) + "), flush=True)";
  const std::size_t before = host.out().size();
  const auto outcome = host.run(run);
  REQUIRE(outcome);
  if (outcome->error) UNSCOPED_INFO(outcome->error->message);
  CHECK(outcome->outcome == core::Outcome::finished);
  CHECK(host.out().substr(before).ends_with("True\n"));
}

}  // namespace

TEST_CASE("the line that is shown for a copy or a hand-over to a library runs, and gives the same", "[host][work]") {
  int libraries = 0;
  // Each in a process of its own: some of them crash beside each other.
  for (const std::string library :
       {"numpy", "torch", "jax", "tensorflow", "paddle", "dpnp", "tvm_ffi", "array_api_strict", "mlx", "dlscope"}) {
    INFO(library);
    HostProcess host(library_python());
    const auto snapshot = look_after(host,
                                     "import dlscope, numpy as np\nx = np.arange(6, dtype=np.float32)\n"
                                     "def same(one):\n"
                                     "    one = one if hasattr(one, '__dlpack__') else one.numpy()\n"
                                     "    return dlscope.compare(one, x)['different'] == 0\n");
    const CopyTensor work{.tensor = ref_to(snapshot, "x"), .keep_order = false, .dtype = {}, .library = library, .name = "c"};
    const WorkEnded copied = carry_out(host, work);
    if (copied.message.find("ModuleNotFoundError") != std::string::npos) continue;
    const WorkEnded handed = carry_out(host, hand_to(snapshot, "x", library.c_str(), "h"));
    INFO(copied.message << "; " << handed.message);
    REQUIRE((copied.outcome == WorkOutcome::done && handed.outcome == WorkOutcome::done));
    check_line(host, library, std::get<Copied>(copied.result).line);
    check_line(host, library, std::get<HandedOver>(handed.result).line);
    ++libraries;
  }
  CHECK(libraries > 1);
}

TEST_CASE("a copy larger than the memory is refused before it is begun, and one that is cancelled leaves nothing",
          "[host][work]") {
  EACH_PYTHON(python);
  HostProcess host(python);
  // One byte, broadcast to more than any machine has.
  const auto snapshot =
      look_after(host,
                 "import ctypes\nb = bytearray(1)\nclass Large:\n  __array_interface__ = {'version': 3, 'typestr': '|u1', "
                 "'shape': (1 << 20, 1 << 25), 'strides': (0, 0), 'data': (ctypes.addressof((ctypes.c_char * "
                 "1).from_buffer(b)), False)}\nlarge = Large()\n"
                 "class Long:\n  __array_interface__ = dict(Large.__array_interface__, shape=(1 << 29,), strides=(0,))\n"
                 "long = Long()\n");
  const CopyTensor large{.tensor = ref_to(snapshot, "large"), .keep_order = false, .dtype = {}, .library = {}, .name = {}};
  const WorkEnded refused = carry_out(host, large);
  CHECK(refused.outcome == WorkOutcome::failed);
  CHECK_THAT(refused.message, ContainsSubstring("does not fit"));

  host.send(core::wire::Start{
      5000, CopyTensor{.tensor = ref_to(snapshot, "long"), .keep_order = false, .dtype = {}, .library = {}, .name = {}}});
  REQUIRE(host.wait_for<core::wire::Progress>());
  host.send(core::wire::Cancel{5000});
  CHECK(end_of(host, 5000).outcome == WorkOutcome::cancelled);
  REQUIRE(console(host, "print('nothing', 'long_copy' in globals())"));
  CHECK(host.wait_for_output("nothing False"));
  host.send(core::wire::Scan{1});
  CHECK(next_snapshot(host)->copies.empty());
}

TEST_CASE("a copy is made on a CUDA device that is there, and refused in words on another one", "[host][work][cuda]") {
  EACH_PYTHON(python);
  HostProcess host(python);
  const auto snapshot = look_after(host, cuda_program("import dlscope\nx = memoryview((ctypes.c_float * 6)(*range(6)))\n"));
  CopyTensor work{
      .tensor = ref_to(snapshot, "x"), .keep_order = false, .dtype = {}, .library = {}, .name = "y", .device = "cuda:0"};
  const auto there = std::get<Copied>(carry_out(host, work).result);
  CHECK((there.bytes == 24 && there.compared && there.line == "y = dlscope.copy(x, device='cuda:0')"));
  work.name = "pinned";
  work.device = "cuda_host:0";
  CHECK(std::get<Copied>(carry_out(host, work).result).compared);
  REQUIRE(console(host, "print('copies', y.device, list(memoryview(dlscope.copy(y))), pinned.device, flush=True)"));
  CHECK(host.wait_for_output("copies (2, 0) [0.0, 1.0, 2.0, 3.0, 4.0, 5.0] (3, 0)"));
  for (const auto& [device, message] : {std::pair{"cuda:7", "there is no cuda:7"}, std::pair{"oneapi:0", "not on oneapi:0"},
                                        std::pair{"nowhere", "is not known"}}) {
    work.name = "z";
    work.device = device;
    const WorkEnded end = carry_out(host, work);
    CHECK(end.outcome == WorkOutcome::failed);
    CHECK_THAT(end.message, ContainsSubstring(message));
  }
  REQUIRE(console(host, "print('nothing', 'z' in globals(), flush=True)"));
  CHECK(host.wait_for_output("nothing False"));
}
