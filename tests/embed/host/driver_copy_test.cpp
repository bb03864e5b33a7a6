// Copies that the CUDA driver makes, asked of a real host with a fake driver: progress, cancelled half-way, compared, failing in
// the middle; what is left afterwards, and what is said.
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <thread>

#include <fmt/format.h>

#include "tests/embed/host/each_python.h"
#include "tests/embed/host/host_process.h"
#include "tests/embed/host/newest_snapshot.h"
#include "tests/support/cuda_program.h"

using namespace dlscope;
using namespace dlscope::tests;
using Catch::Matchers::ContainsSubstring;
using Catch::Matchers::StartsWith;
using core::wire::Copied;
using core::wire::CopyTensor;
using core::wire::WorkEnded;
using core::wire::WorkOutcome;

namespace {

constexpr const char* kScript = R"(
import array, dlscope
driver.fake_cuda_activate(1)
host = memoryview(array.array('f', range(12 << 20)))
here = dlscope.copy(host[:1000], device='cuda:0')
grid = device_array(range(120), (10, 12))
turned = DeviceArray(grid.address, (12, 10), (4, 48))
LEFT = (b'allocation', b'pinned', b'stream', b'event', b'pending', b'retained', b'freed in use')
def left():
    return [driver.fake_cuda_count(what) for what in LEFT]
before = left()
)";

CopyTensor copy_of(const core::SnapshotPtr& snapshot, const char* tensor, const char* device) {
  return {.tensor = ref_to(snapshot, tensor), .keep_order = false, .dtype = {}, .library = {}, .name = "made", .device = device};
}

// Nothing is allocated, under way or bound that was not before. Returns the newest snapshot.
core::SnapshotPtr check_nothing_left(HostProcess& host) {
  core::SnapshotPtr snapshot =
      snapshot_after_line(host, "print('nothing', left() == before or (left(), before), 'made' in globals(), flush=True)");
  CHECK(host.wait_for_output("nothing True False"));
  return snapshot;
}

}  // namespace

TEST_CASE("a copy to a device tells how far it is, is compared, and says which way it went", "[host][work][cuda]") {
  EACH_PYTHON(python);
  HostProcess host(python);
  auto snapshot = look_after(host, cuda_program(kScript));
  host.send(core::wire::Start{500, copy_of(snapshot, "host", "cuda:0")});
  const WorkEnded end = end_of(host, 500);
  std::uint64_t last = 0;
  int told = 0;
  for (const core::wire::ToViewer& message : host.messages) {
    const auto* const progress = std::get_if<core::wire::Progress>(&message);
    if (progress == nullptr) continue;
    CHECK(progress->done >= last);
    last = progress->done;
    ++told;
  }
  CHECK(told > 0);
  REQUIRE(end.outcome == WorkOutcome::done);
  const auto made = std::get<Copied>(end.result);
  CHECK((made.compared && made.bytes == std::uint64_t{48} << 20 && made.plain_ns > 0));
  CHECK(made.path == "host -> pinned ring -> cuda:0");
  snapshot = snapshot_after_line(host, "print('same', memoryview(dlscope.copy(made)) == host, flush=True)");
  CHECK(host.wait_for_output("same True"));
}

TEST_CASE("each way that the driver copies is compared and named", "[host][work][cuda]") {
  EACH_PYTHON(python);
  HostProcess host(python);
  auto snapshot = look_after(host, cuda_program(kScript));
  struct Case {
    const char *tensor, *device, *dtype, *path;
  };
  const bool has_kernels = [&] {
    const auto made = std::get<Copied>(carry_out(host, copy_of(snapshot, "turned", "")).result);
    CHECK(made.compared);
    snapshot = snapshot_after_line(host, "del made");
    return made.path == "cuda:0 -> pinned ring -> host, packed by a kernel";
  }();
  const std::string packed = has_kernels ? ", packed by a kernel" : ", packed on the host";
  for (const Case& c : {Case{"here", "", "", "cuda:0 -> pinned ring -> host"}, Case{"here", "cuda:0", "", "on cuda:0"},
                        Case{"here", "cuda:1", "", "cuda:0 -> cuda:1 (directly if the program has enabled peer access, "
                                                   "otherwise through the host by the driver)"},
                        Case{"here", "cuda:1", "float16",
                             "cuda:0 -> pinned ring -> host, converted on the host, host -> pinned ring -> cuda:1; the conversion "
                             "changed no value"},
                        Case{"host", "cuda_host:0", "", "cpu -> cuda_host:0, memcpy"}}) {
    CopyTensor work = copy_of(snapshot, c.tensor, c.device);
    work.dtype = c.dtype;
    const WorkEnded end = carry_out(host, work);
    INFO(c.tensor << " to " << c.device << ": " << end.message);
    REQUIRE(end.outcome == WorkOutcome::done);
    const auto made = std::get<Copied>(end.result);
    CHECK(made.compared);
    CHECK(made.path == c.path);
    snapshot = snapshot_after_line(host, "del made");
  }
  const auto turned = std::get<Copied>(carry_out(host, copy_of(snapshot, "turned", "cuda:1")).result);
  CHECK_THAT(turned.path, StartsWith("cuda:0 -> cuda:1 ("));
  CHECK(turned.compared);
  CHECK_THAT(turned.path, ContainsSubstring(packed));
  snapshot = snapshot_after_line(host, "del made");
  snapshot = check_nothing_left(host);
}

TEST_CASE("a copy by the driver that is cancelled half-way leaves nothing half-made", "[host][work][cuda]") {
  EACH_PYTHON(python);
  HostProcess host(python);
  auto snapshot = look_after(host, cuda_program(kScript));
  const std::filesystem::path reached = host.folder().path() / "reached", released = host.folder().path() / "released";
  snapshot = snapshot_after_line(host, fmt::format("driver.fake_cuda_hold(b'cuEventSynchronize', 3, b'{}', b'{}')", reached.string(),
                                                   released.string()));
  host.send(core::wire::Start{500, copy_of(snapshot, "host", "cuda:0")});
  while (!std::filesystem::exists(reached)) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  host.send(core::wire::Cancel{500});
  host.send(core::wire::Start{501, core::wire::SurveyTensors{.revision = 0}});  // it is answered behind the Cancel, and fails at once
  CHECK(end_of(host, 501).outcome == WorkOutcome::failed);
  std::ofstream(released).flush();
  CHECK(end_of(host, 500).outcome == WorkOutcome::cancelled);
  snapshot = check_nothing_left(host);
}

TEST_CASE("a copy by the driver that fails in the middle says why, and leaves nothing", "[host][work][cuda]") {
  EACH_PYTHON(python);
  HostProcess host(python);
  auto snapshot = look_after(host, cuda_program(kScript));
  struct Case {
    const char *tensor, *device, *failure, *message;
  };
  for (const Case& c :
       {Case{"host", "cuda:0", "b'cuMemHostAlloc', 2, 1", "CUDA_ERROR_OUT_OF_MEMORY"},
        Case{"host", "cuda:0", "b'cuMemAlloc_v2', 2, 0", "do not fit on cuda:0"},
        Case{"host", "cuda:0", "b'cuEventSynchronize', 700, 3", "CUDA_ERROR_ILLEGAL_ADDRESS"},
        Case{"host", "cuda:0", "b'*', 709, 20", "CUDA_ERROR_CONTEXT_IS_DESTROYED"},
        Case{"turned", "cuda:1", "b'cuMemAlloc_v2', 2, 1", "do not fit on cuda:0"},
        Case{"here", "cuda:1", "b'cuMemcpyPeerAsync', 2, 0", "copying from cuda:0 to cuda:1 failed: CUDA_ERROR_OUT_OF_MEMORY"},
        Case{"here", "", "b'cuMemcpyDtoHAsync_v2', 700, 0", "CUDA_ERROR_ILLEGAL_ADDRESS"}}) {
    snapshot = snapshot_after_line(host, std::string("driver.fake_cuda_fail(") + c.failure + ")");
    const WorkEnded end = carry_out(host, copy_of(snapshot, c.tensor, c.device));
    const std::string name = std::string(c.failure).substr(0, std::string(c.failure).find(','));
    snapshot = snapshot_after_line(host, "driver.fake_cuda_fail(" + name + ", 0, 0)");
    INFO(c.tensor << " to " << c.device << ", " << c.failure << ": " << end.message);
    CHECK(end.outcome == WorkOutcome::failed);
    CHECK_THAT(end.message, ContainsSubstring(c.message));
    if (name != "b'*'") snapshot = check_nothing_left(host);  // what was in a lost context is gone with it
  }
}

TEST_CASE("the devices of a driver that the program has initialised are known without a tensor or a context on them",
          "[host][scan][cuda]") {
  EACH_PYTHON(python);
  HostProcess host(python);
  auto snapshot = look_after(host, "import ctypes, dlscope\ndriver = ctypes.CDLL('" + std::string(DLSCOPE_FAKE_CUDA) +
                                             "')\nassert driver.cuInit(0) == 0\nx = memoryview(bytearray(8))\n");
  std::size_t devices = 0;
  for (const core::DeviceRecord& device : snapshot->devices) devices += device.device.type == 2 ? 1 : 0;
  CHECK(devices == 2);
  snapshot = snapshot_after_line(host, "print('contexts', driver.fake_cuda_count(b'retained'), flush=True)");
  CHECK(host.wait_for_output("contexts 0"));
  CopyTensor work = copy_of(snapshot, "x", "cuda:1");
  const auto made = std::get<Copied>(carry_out(host, work).result);
  CHECK(made.compared);
  snapshot = snapshot_after_line(host, "print('there', made.device, flush=True)");
  CHECK(host.wait_for_output("there (2, 1)"));
}

TEST_CASE("a copy of what its library brought to the host is compared with the tensor on the device", "[host][work][cuda]") {
  EACH_PYTHON(python);
  HostProcess host(python);
  auto snapshot = look_after(host, cuda_program(R"(
import array, dlscope
class Moving:
    def __init__(self, values):
        self.there = dlscope.copy(device_array(range(8)), device='cuda:0')
        self.here = dlscope.asdlpack(array.array('f', values))
    def __dlpack__(self, dl_device=None, **keywords):
        return (self.there if dl_device is None else self.here).__dlpack__(max_version=(1, 0))
    def __dlpack_device__(self):
        return 2, 0
right, wrong = Moving(range(8)), Moving([0, 1, 2, 3, 4, 5, 6, 70])
)"));
  const std::size_t before = snapshot->copies.size();
  const auto made = std::get<Copied>(carry_out(host, copy_of(snapshot, "right", "")).result);
  CHECK(made.compared);
  CHECK_THAT(made.path, StartsWith("cuda:0 -> cpu, by its library; then cpu -> cpu"));
  CopyTensor second = copy_of(snapshot, "wrong", "");
  second.name = "other";
  const WorkEnded end = carry_out(host, second);
  CHECK(end.outcome == WorkOutcome::failed);
  CHECK_THAT(end.message, ContainsSubstring("its library brought other values to the host"));
  snapshot = snapshot_after_line(host, "print('bound', memoryview(made).tolist(), flush=True)");
  CHECK(host.wait_for_output("bound [0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0]"));
  CHECK(snapshot->copies.size() == before + 4);  // each is two copies
}

TEST_CASE("copy=True on a device is a copy also where the producer ignores it", "[host][work][cuda]") {
  EACH_PYTHON(python);
  HostProcess host(python);
  look_after(host, cuda_program(R"(
import dlscope
there = dlscope.copy(device_array(range(8)), device='cuda:0')
class Ignoring:
    def __dlpack__(self, copy=None, **keywords):
        return there.__dlpack__(max_version=(1, 0))
    def __dlpack_device__(self):
        return 2, 0
class Bare:
    def __dlpack__(self, **keywords):
        return there.__dlpack__(max_version=(1, 0))
copied = dlscope.from_dlpack(Ignoring(), copy=True)
print('copied', copied.is_copied, copied.device, copied.data_ptr() != there.data_ptr(), flush=True)
print('values', memoryview(dlscope.copy(copied)).tolist() == memoryview(dlscope.copy(there)).tolist(), flush=True)
ledger = len(dlscope.report({})['copies'])
again = dlscope.from_dlpack(there, copy=True)
print('its own', again.is_copied, len(dlscope.report({})['copies']) - ledger, flush=True)
brought = dlscope.from_dlpack(Bare(), device='cpu')
print('brought', brought.device, brought.is_copied, memoryview(brought).tolist(), flush=True)
)"));
  CHECK(host.wait_for_output("copied True (2, 0) True"));
  CHECK(host.wait_for_output("values True"));
  CHECK(host.wait_for_output("its own True 1"));
  CHECK(host.wait_for_output("brought (1, 0) True [0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0]"));
}
