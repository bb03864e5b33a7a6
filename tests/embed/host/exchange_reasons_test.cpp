// Why a hand-over ended in a copy, and whether the copy has the source's values, with the real libraries.
#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <string>

#include "core/wire/snapshot_codec.h"
#include "tests/embed/host/host_process.h"
#include "tests/embed/host/library_python.h"
#include "tests/embed/host/work_steps.h"

using namespace dlscope;
using namespace dlscope::tests;
using Catch::Matchers::ContainsSubstring;
using core::wire::HandedOver;

namespace {

HandedOver handed(HostProcess& host, core::wire::HandTo work) {
  const core::wire::WorkEnded end = carry_out(host, std::move(work));
  INFO(end.message);
  REQUIRE(end.outcome == core::wire::WorkOutcome::done);
  return std::get<HandedOver>(end.result);
}

}  // namespace

TEST_CASE("what JAX copies is explained by its alignment or by the width of its numbers", "[host][work][jax]") {
  const TestPython& python = library_python();
  HostProcess host(python);
  const auto snapshot = look_after(host, R"(
try:
    import numpy, jax
    pool = numpy.zeros(8192, 'u1')
    at = -pool.ctypes.data % 64
    aligned, off = pool[at:at + 4096].view('f4'), pool[at + 4:at + 4100].view('f4')
    half = pool[at + 16:at + 4112].view('f4')
    wide = pool[at:at + 4096].view('f8')
    wide[:] = numpy.arange(512)
    tenths = wide / 10
    narrow = not jax.config.jax_enable_x64
except ImportError:
    pass
)");
  if (snapshot->find("wide") == nullptr) SKIP("NumPy or JAX is not installed");
  const HandedOver same = handed(host, hand_to(snapshot, "aligned", "jax"));
  CHECK(same.verdict == "SHARED");
  const HandedOver copied = handed(host, hand_to(snapshot, "off", "jax"));
  REQUIRE(copied.verdict == "COPIED");
  CHECK_THAT(copied.step.why, ContainsSubstring("multiple of 64") && ContainsSubstring("this address is 4 more than"));
  CHECK(copied.values == "all 1024 elements have the source's bits");
  const HandedOver half = handed(host, hand_to(snapshot, "half", "jax"));
  if (half.verdict == "COPIED") CHECK_THAT(half.step.why, ContainsSubstring("it may be because of the address, which is 16 more than"));
  const HandedOver wide = handed(host, hand_to(snapshot, "wide", "jax"));
  REQUIRE(wide.verdict == "COPIED");
  CHECK_THAT(wide.step.why, ContainsSubstring("JAX keeps float64 as float32 while jax_enable_x64 is off"));
  CHECK(wide.values == "all 512 values are equal after the conversion from float64 to float32");
  const HandedOver tenths = handed(host, hand_to(snapshot, "tenths", "jax"));
  REQUIRE(tenths.verdict == "COPIED");  // rounding is not called a wrong value
  CHECK_THAT(tenths.values, ContainsSubstring("of 512 values differ after the conversion from float64 to float32, by "));
  host.send(core::wire::Scan{7});
  const auto later = next_snapshot(host);
  REQUIRE(later->copies.size() == (half.verdict == "COPIED" ? 4 : 3));
  CHECK(later->str(later->copies[0].from) == "off, a numpy.ndarray on cpu");
  CHECK(later->str(later->copies[0].to).starts_with("off_jax, a jaxlib."));
  CHECK_THAT(std::string(later->str(later->copies[0].why)), ContainsSubstring("asked for in the window), by jax"));
}

TEST_CASE("a copy that was asked for is said to be that, and one without a known rule has no invented reason", "[host][work]") {
  const TestPython& python = library_python();
  HostProcess host(python);
  const auto snapshot = look_after(host, R"(
import dlscope, sys, types
t = dlscope.asdlpack(bytearray(range(16)))
consumer = sys.modules["array_api_strict"] = types.ModuleType("array_api_strict")
consumer.from_dlpack = lambda source, **asked: bytearray(memoryview(dlscope.from_dlpack(source)))
)");
  core::wire::HandTo work = hand_to(snapshot, "t", "array_api_strict", "mine");
  const HandedOver unexplained = handed(host, work);
  REQUIRE(unexplained.verdict == "COPIED");
  CHECK(unexplained.step.why == "no byte is in common; why array_api_strict copied it is not known to dlscope");
  CHECK(unexplained.read_only == "nothing to keep: the source may be written");
  work.name = "again";
  work.copy = core::wire::CopyPolicy::always;
  CHECK(handed(host, work).step.why == "a copy was asked for (copy=True)");
}

TEST_CASE("a copy that was asked for and not made is said to be missing, and one that was needed anyway has that reason, too",
          "[host][work]") {
  HostProcess host(library_python());
  const auto snapshot = look_after(host, R"(
try:
    import numpy, jax, torch
    pool = numpy.zeros(8192, 'u1')
    at = -pool.ctypes.data % 64
    al, off = torch.from_numpy(pool[at:at + 256].view('f4')), torch.from_numpy(pool[at + 4:at + 260].view('f4'))
    def shares(made, source):
        return made.unsafe_buffer_pointer() == source.data_ptr()
    ignored = shares(jax.dlpack.from_dlpack(al, copy=True), al)
except ImportError:
    pass
)");
  if (snapshot->find("al") == nullptr) SKIP("NumPy, PyTorch or JAX is not installed");
  core::wire::HandTo work = hand_to(snapshot, "al", "jax", "made");
  work.copy = core::wire::CopyPolicy::always;
  const HandedOver given = handed(host, work);
  work.tensor = ref_to(snapshot, "off");
  work.name = "other";
  const HandedOver needed = handed(host, work);
  REQUIRE(needed.verdict == "COPIED");
  CHECK_THAT(needed.step.why, ContainsSubstring("a copy was asked for (copy=True); without that, too: on the CPU JAX shares only memory"));
  REQUIRE(console(host, "print('judge', ignored, shares(made, al), shares(other, off))"));
  if (given.verdict == "SHARED") {
    CHECK(host.wait_for_output("judge True True False"));
    CHECK(given.step.why == "a copy was asked for (copy=True), and none was made by jax: both are the same 256 bytes");
    host.send(core::wire::Scan{7});
    const auto later = next_snapshot(host);
    CHECK(std::ranges::any_of(later->events, [&](const core::EventRecord& event) {
      return later->str(event.text) == "al was handed to jax with copy=True, and no copy was made: made shares its memory";
    }));
  } else {
    CHECK(host.wait_for_output("judge False False False"));
    CHECK(given.step.why == "a copy was asked for (copy=True)");
  }
}

TEST_CASE("the alignment that JAX asks for explains no copy of a tensor that is not compact", "[host][work]") {
  HostProcess host(library_python());
  const auto snapshot = look_after(host, R"(
import numpy, sys, types
pool = numpy.zeros(8192, 'u1')
at = -pool.ctypes.data % 64 + 4
odd = pool[at:at + 4096].view('f4')
strided, back = odd[::2], odd[16:0:-1]
consumer = sys.modules["jax"] = types.ModuleType("jax")
consumer.dlpack = types.ModuleType("jax.dlpack")
consumer.dlpack.from_dlpack = lambda source, **asked: numpy.from_dlpack(source).copy()
)");
  CHECK_THAT(handed(host, hand_to(snapshot, "odd", "jax")).step.why, ContainsSubstring("this address is 4 more than"));
  CHECK(handed(host, hand_to(snapshot, "strided", "jax")).step.why == "no byte is in common; why jax copied it is not known to dlscope");
  CHECK(handed(host, hand_to(snapshot, "back", "jax")).step.why == "no byte is in common; why jax copied it is not known to dlscope");
}

TEST_CASE("values that a conversion makes NaN are counted, and not taken for rounding", "[host][work]") {
  HostProcess host(library_python());
  const auto snapshot = look_after(host, R"(
import numpy, sys, types
whole, tenths = numpy.arange(8.0), numpy.arange(8.0) / 10
def narrow(source, **asked):
    made = numpy.from_dlpack(source).astype('f4')
    made[2:5] = numpy.nan
    return made
consumer = sys.modules["array_api_strict"] = types.ModuleType("array_api_strict")
consumer.from_dlpack = narrow
)");
  CHECK(handed(host, hand_to(snapshot, "whole", "array_api_strict")).values ==
        "3 of 8 values differ after the conversion from float64 to float32: all of these are NaN on one side only");
  CHECK_THAT(handed(host, hand_to(snapshot, "tenths", "array_api_strict")).values,
             ContainsSubstring("float32: 3 of these are NaN on one side only, the others differ by ") &&
                 ContainsSubstring("whether all of that is rounding is not known"));
}

TEST_CASE("a copy of what is read-only needs no flag", "[host][work]") {
  const TestPython& python = library_python();
  HostProcess host(python);
  const auto snapshot = look_after(host, "import dlscope\nt = dlscope.asdlpack(bytes(range(16)))\n");
  core::wire::HandTo work = hand_to(snapshot, "t", "dlscope", "mine");
  work.copy = core::wire::CopyPolicy::always;
  const HandedOver copied = handed(host, work);
  REQUIRE(copied.verdict == "COPIED");
  CHECK(copied.read_only == "not needed: the result has memory of its own");
}
