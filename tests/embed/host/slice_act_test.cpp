// A slice of a tensor, copied and handed over: a view of the same memory, made from the layout. Without libraries on every
// Python, and with NumPy and PyTorch where they are installed.
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <cstdlib>

#include "tests/embed/host/each_python.h"
#include "tests/embed/host/host_process.h"
#include "tests/embed/host/newest_snapshot.h"

using namespace dlscope;
using namespace dlscope::tests;
using Catch::Matchers::ContainsSubstring;
using core::AxisSlice;
using core::wire::Copied;
using core::wire::CopyPolicy;
using core::wire::CopyTensor;
using core::wire::HandedOver;
using core::wire::HandTo;
using core::wire::WorkEnded;
using core::wire::WorkOutcome;

namespace {

CopyTensor copy_of(const core::SnapshotPtr& snapshot, const char* tensor, std::vector<AxisSlice> slice) {
  return {.tensor = ref_to(snapshot, tensor),
          .keep_order = false,
          .dtype = {},
          .library = {},
          .name = "made",
          .device = {},
          .slice = std::move(slice)};
}

HandTo hand(const core::SnapshotPtr& snapshot, const char* tensor, const char* library, std::vector<AxisSlice> slice) {
  return {.tensor = ref_to(snapshot, tensor),
          .library = library,
          .device = {},
          .copy = CopyPolicy::if_needed,
          .name = "made",
          .stream = {},
          .slice = std::move(slice)};
}

const std::vector<AxisSlice> kSlice{{0, 1, 2, 1}, {1, 0, 3, 2}};  // x[1:3, ::2] of (4, 6)

}  // namespace

TEST_CASE("a slice is copied and handed over as a view of the tensor's memory", "[host][work]") {
  EACH_PYTHON(python);
  HostProcess host(python);
  auto snapshot = look_after(host, "import dlscope\nx = memoryview(bytearray(range(24))).cast('B', (4, 6))\n"
                                         "one = memoryview(bytearray(range(24)))\n");
  WorkEnded end = carry_out(host, copy_of(snapshot, "x", kSlice));
  INFO(end.message);
  REQUIRE(end.outcome == WorkOutcome::done);
  auto copied = std::get<Copied>(end.result);
  CHECK((copied.bytes == 6 && copied.compared));
  CHECK(copied.line.empty());  // a memoryview does not slice several axes
  snapshot = snapshot_after_line(host, "print('copy', memoryview(made).tolist(), flush=True); del made");
  CHECK(host.wait_for_output("copy [[6, 8, 10], [12, 14, 16]]"));

  copied = std::get<Copied>(carry_out(host, copy_of(snapshot, "one", {{0, 20, 4, -3}})).result);
  CHECK(copied.line == "made = dlscope.copy(one[20:10:-3])");
  snapshot = snapshot_after_line(
      host, "print('line', memoryview(made) == memoryview(dlscope.copy(one[20:10:-3])), flush=True); del made");
  CHECK(host.wait_for_output("line True"));

  end = carry_out(host, hand(snapshot, "x", "dlscope", kSlice));
  INFO(end.message);
  const auto handed = std::get<HandedOver>(end.result);
  CHECK((handed.verdict == "SHARED" && handed.step.from == "x[1:3, ::2]"));
  snapshot = snapshot_after_line(host, "x[2, 4] = 99; print('shared', memoryview(made).tolist(), flush=True); del made");
  CHECK(host.wait_for_output("shared [[6, 8, 10], [12, 14, 99]]"));

  for (const auto& [slice, message] : {std::pair{AxisSlice{2, 0, 1, 1}, "of a tensor that has fewer"},
                                       std::pair{AxisSlice{0, 3, 2, 1}, "goes beyond axis 0, which has 4"}}) {
    end = carry_out(host, copy_of(snapshot, "x", {slice}));
    CHECK(end.outcome == WorkOutcome::failed);
    CHECK_THAT(end.message, ContainsSubstring(message));
  }
}

TEST_CASE("the line shown for a slice does the same with NumPy and PyTorch", "[host][work][numpy][torch]") {
  const char* const python = std::getenv("DLSCOPE_TEST_PYTHON");
  if (python == nullptr) SKIP("DLSCOPE_TEST_PYTHON names no interpreter with the libraries");
  HostProcess host(TestPython{python, "", "", 0});
  auto snapshot = look_after(host, R"(
import dlscope, numpy as np, torch
x = np.arange(24, dtype='f4').reshape(4, 6)
t = torch.arange(24).reshape(4, 6)
w = torch.arange(24.).reshape(4, 6).requires_grad_()
three = np.arange(60).reshape(3, 4, 5).transpose(2, 0, 1)[::-1]
)");
  struct Case {
    const char* tensor;
    std::vector<AxisSlice> slice;
    const char* expression;  // "": no line is shown
  };
  const std::vector<Case> cases{{"x", kSlice, "x[1:3, ::2]"},
                                {"t", kSlice, "t[1:3, ::2]"},
                                {"x", {{0, 3, 1, 0}}, "x[3]"},
                                {"t", {{1, 5, 1, 0}}, "t[:, 5]"},
                                {"x", {{0, 3, 4, -1}}, "x[::-1]"},
                                {"t", {{0, 3, 4, -1}}, ""},  // PyTorch has no negative steps
                                {"x", {{0, 0, 0, 1}}, "x[0:0]"},
                                {"w", kSlice, "w[1:3, ::2]"},
                                {"three", {{0, 4, 2, -2}, {2, 1, 1, 0}}, "three[:1:-2, :, 1]"}};
  for (const Case& c : cases) {
    const WorkEnded end = carry_out(host, copy_of(snapshot, c.tensor, c.slice));
    INFO(c.tensor << " " << c.expression << ": " << end.message);
    REQUIRE(end.outcome == WorkOutcome::done);
    const auto copied = std::get<Copied>(end.result);
    CHECK(copied.compared);
    const std::string expression = c.expression;
    CHECK(copied.line == (expression.empty() ? "" : "made = dlscope.copy(" + expression + ")"));
    const std::string again = expression.empty() ? "made" : copied.line.substr(7);
    const std::string tensor = c.tensor, array = "np.asarray(" + tensor + (tensor == "w" ? ".detach())" : ")");
    const std::string expected = array + (expression.empty() ? "[::-1]" : expression.substr(tensor.size()));
    snapshot = snapshot_after_line(host, "print('same', all(np.array_equal(np.from_dlpack(each), " + expected +
                                             ") for each in (made, " + again + ")), flush=True); del made");
    CHECK(host.wait_for_output("same True"));
  }
  for (const char* const library : {"numpy", "torch"}) {
    const WorkEnded end = carry_out(host, hand(snapshot, "x", library, kSlice));
    INFO(library << ": " << end.message);
    const auto handed = std::get<HandedOver>(end.result);
    CHECK(handed.verdict == "SHARED");
    CHECK(handed.line == std::string("made = ") + library + ".from_dlpack(x[1:3, ::2])");
    snapshot = snapshot_after_line(
        host, "x[2, 4] += 1; print('shared', float(made[1, 2]) == x[2, 4], tuple(made.shape), flush=True); del made");
    CHECK(host.wait_for_output("shared True (2, 3)"));
  }
}

TEST_CASE("a copy on a oneAPI device is made by dpnp, from a copy of dlscope's", "[host][work][dpnp]") {
  const char* const python = std::getenv("DLSCOPE_TEST_PYTHON");
  if (python == nullptr) SKIP("DLSCOPE_TEST_PYTHON names no interpreter with the libraries");
  HostProcess host(TestPython{python, "", "", 0});
  auto snapshot = look_after(host, "x = memoryview(bytearray(range(24))).cast('B', (4, 6))\n"
                                         "import glob, os, sys\n"
                                         "for found in glob.glob(sys.prefix + '/lib/**/libintelocl.so', recursive=True):\n"
                                         "    os.environ['OCL_ICD_FILENAMES'] = found\n"
                                         "try:\n    import dpnp\n    d = dpnp.arange(3)\n"
                                         "except Exception as error:\n    d = bytearray(1)\n"
                                         "    print('no dpnp', repr(error), flush=True)\n");
  const core::TensorRecord* const there = snapshot->find("d");
  REQUIRE(there != nullptr);
  if (there->device.type != 14) SKIP("dpnp does not work here: " << host.out());
  CopyTensor work = copy_of(snapshot, "x", kSlice);
  work.library = "dpnp";
  work.device = core::device_name(there->device);
  const WorkEnded end = carry_out(host, work);
  INFO(end.message);
  REQUIRE(end.outcome == WorkOutcome::done);
  const auto copied = std::get<Copied>(end.result);
  CHECK(copied.type == "dpnp.dpnp_array.dpnp_array");
  CHECK(copied.path == "cpu -> cpu, groups of elements split -> " + work.device + ", by dpnp");
  CHECK_FALSE(copied.compared);
  CHECK_THAT(copied.why_not_compared, ContainsSubstring("not in host memory"));
  snapshot = snapshot_after_line(
      host, "print('there', made.__dlpack_device__()[0] == 14, dpnp.asnumpy(made).tolist(), flush=True)");
  CHECK(host.wait_for_output("there True [[6, 8, 10], [12, 14, 16]]"));
  work.library.clear();
  const WorkEnded refused = carry_out(host, work);
  CHECK(refused.outcome == WorkOutcome::failed);
}
