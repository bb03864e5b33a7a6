// __cuda_array_interface__ against a real host with a fake driver: on which device the memory is, and the stream that it is ready on.
#include <catch2/catch_test_macros.hpp>

#include "tests/embed/host/each_python.h"
#include "tests/embed/host/host_process.h"
#include "tests/embed/host/work_steps.h"
#include "tests/support/cuda_program.h"

using namespace dlscope;
using namespace dlscope::tests;

TEST_CASE("the driver is asked which device the memory of an array interface is on", "[host][cuda]") {
  EACH_PYTHON(python);
  HostProcess host(python);
  const auto snapshot = look_after(host, cuda_program(R"(
import dlscope
driver.fake_cuda_activate(1)
first, second = (DeviceArray(driver.fake_cuda_allocate(b"device", device, 32), (8,)) for device in (0, 1))
nowhere = DeviceArray(0x7f0000001000, (8,))
ctypes.memmove(driver.fake_cuda_shadow(second.address), (ctypes.c_float * 8)(*range(8)), 32)
taken = dlscope.asdlpack(second)
print('taken', taken.device, memoryview(dlscope.copy(taken)).tolist(), flush=True)
print('kept', dlscope.contiguous(DeviceArray(second.address, (4,), (8,))).device, flush=True)
)"));
  CHECK(host.wait_for_output("taken (2, 1) [0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0]"));
  CHECK(host.wait_for_output("kept (2, 1)"));
  const auto told = [&](const char* name) -> const core::TensorRecord& { return *snapshot->find(name); };
  CHECK(told("first").device == core::DeviceId{2, 0});
  CHECK(told("second").device == core::DeviceId{2, 1});
  for (const char* const name : {"first", "second"}) {
    CHECK_FALSE(snapshot->has_remark(told(name), core::RemarkCode::device_assumed));
    CHECK_FALSE(snapshot->has_remark(told(name), core::RemarkCode::device_mismatch));
  }
  CHECK(snapshot->has_remark(told("nowhere"), core::RemarkCode::device_assumed));
}

TEST_CASE("the stream of an array interface is waited for before the tensor is handed on, or the tensor is refused", "[host][cuda]") {
  EACH_PYTHON(python);
  HostProcess host(python);
  look_after(host, cuda_program(R"(
import dlscope
context, side = ctypes.c_void_p(), ctypes.c_void_p()
assert driver.cuDevicePrimaryCtxRetain(ctypes.byref(context), 0) == 0 and driver.cuCtxPushCurrent_v2(context) == 0
assert driver.cuStreamCreate(ctypes.byref(side), 1) == 0
driver.cuMemsetD8Async.argtypes = [ctypes.c_uint64, ctypes.c_ubyte, ctypes.c_size_t, ctypes.c_void_p]

class Streamed(DeviceArray):
    stream = None
    @property
    def __cuda_array_interface__(self):
        return {**super().__cuda_array_interface__, "stream": self.stream}

def made(stream):
    x = Streamed(driver.fake_cuda_allocate(b"device", 0, 32), (8,))
    x.stream = stream
    assert driver.cuMemsetD8Async(x.address, 7, 32, side) == 0  # happens when somebody waits
    return x

def first_byte(x):
    return ctypes.string_at(driver.fake_cuda_shadow(x.address), 1)[0]

x = made(side.value)
dlscope.describe(x)
print('a look', driver.fake_cuda_calls(b'cuStreamWaitEvent'), flush=True)
t = dlscope.asdlpack(x)
capsule = t.__dlpack__(stream=1, max_version=(1, 0))
before = first_byte(x)
assert driver.cuStreamSynchronize(ctypes.c_void_p(1)) == 0  # what a consumer on the default stream waits for
print('ready', before, first_byte(x), flush=True)
for stream in (0, -3, 0x123400, 'x'):
    try:
        dlscope.asdlpack(made(stream))
    except BufferError as error:
        print('refused', stream, error, flush=True)
for stream in (None, 1):
    print('taken', stream, dlscope.asdlpack(made(stream)).device, flush=True)
driver.fake_cuda_fail(b'cuStreamIsCapturing', 906, 0)
try:
    dlscope.asdlpack(made(side.value))
except BufferError as error:
    print('capturing', error, flush=True)
)"));
  CHECK(host.wait_for_output("a look 0"));
  CHECK(host.wait_for_output("ready 0 7"));
  CHECK(host.wait_for_output("refused 0 Streamed names stream 0 in its __cuda_array_interface__, which is none"));
  CHECK(host.wait_for_output("refused -3 Streamed names stream -3"));
  CHECK(host.wait_for_output("refused 1192960 Streamed says that its memory is ready on stream 0x123400, which cannot be waited for: "
                             "waiting for the program's work failed: CUDA_ERROR_INVALID_HANDLE"));
  CHECK(host.wait_for_output("refused x "));
  CHECK(host.wait_for_output("taken None (2, 0)"));
  CHECK(host.wait_for_output("taken 1 (2, 0)"));
  CHECK(host.wait_for_output("capturing Streamed says that its memory is ready on stream"));
}
