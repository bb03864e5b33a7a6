"""CUDA tensors end to end, on a driver of our own that needs no GPU (tests/core/devices/fake_cuda): a script loads and initialises it as
a library would, and hands out capsules over its memory, some of which lie."""

import os
import pathlib
import subprocess
import unittest

from harness import BUILD, Case

# The driver's library by its path; from then on it is this process's libcuda.so.1.
PRODUCER = """\
import ctypes, sys
sys.path.insert(0, %r)
from ctypes_producer import Producer

driver = ctypes.CDLL(%r)
driver.fake_cuda_allocate.restype = driver.fake_cuda_shadow.restype = ctypes.c_void_p
driver.fake_cuda_allocate.argtypes = [ctypes.c_char_p, ctypes.c_int, ctypes.c_size_t]
driver.fake_cuda_shadow.argtypes = [ctypes.c_uint64]

def memory(kind, device, values):
    address = driver.fake_cuda_allocate(kind.encode(), device, 4 * len(values))
    behind = driver.fake_cuda_shadow(address)
    ctypes.memmove(behind, (ctypes.c_float * len(values))(*values), 4 * len(values))
    return address

def tensor(address, device, shape=(2, 3), strides=(3, 1), claims=None):
    return Producer(data=address, device=device, shape=shape, strides=strides, claims=claims or device)
""" % (str(pathlib.Path(__file__).resolve().parents[1] / "embed" / "support"), str(BUILD / "tests" / "fake_cuda" / "libcuda.so.1"))

ACTIVE = "assert driver.cuInit(0) == 0\ndriver.fake_cuda_activate(0)\n"

CLEAN = """
left = [driver.fake_cuda_count(what) for what in (b"stream", b"event", b"pinned", b"pending", b"pageable", b"freed in use")]
assert left == [0] * 6 and driver.fake_cuda_count(b"retained") == 1, left
"""


def codes(remarks):
    return {remark["code"]: remark["message"] for remark in remarks}


# A producer with work of its own on a side stream (three steps: the driver's double does one each time it is asked), which says by its
# array interface which stream that is. orders: what it does about the stream that a consumer names.
SIDE_STREAM = """
import dlscope, json
driver.cuMemsetD8Async.argtypes = [ctypes.c_uint64, ctypes.c_ubyte, ctypes.c_size_t, ctypes.c_void_p]
driver.cuEventRecord.argtypes = driver.cuStreamWaitEvent.argtypes = [ctypes.c_void_p, ctypes.c_void_p]
driver.cuStreamSynchronize.argtypes = [ctypes.c_void_p]
driver.cuStreamWaitEvent.argtypes = [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_uint]
driver.cuDevicePrimaryCtxRetain.argtypes = [ctypes.c_void_p, ctypes.c_int]
driver.cuCtxPushCurrent_v2.argtypes = [ctypes.c_void_p]
context = ctypes.c_void_p()
assert driver.cuDevicePrimaryCtxRetain(ctypes.byref(context), 0) == 0 and driver.cuCtxPushCurrent_v2(context) == 0

class OnSideStream(Producer):
    def __init__(self, orders, flags=1):
        self.where, self.other = (memory("device", 0, range(6)) for i in range(2))
        super().__init__(data=self.where, device=(2, 0), shape=(2, 3), strides=(3, 1), claims=(2, 0))
        self.orders, self.side, self.event = orders, ctypes.c_void_p(), ctypes.c_void_p()
        assert driver.cuStreamCreate(ctypes.byref(self.side), flags) == 0 and driver.cuEventCreate(ctypes.byref(self.event), 2) == 0
    def work(self):
        for where in (self.other, self.other, self.where):
            assert driver.cuMemsetD8Async(where, 0, 24, self.side) == 0
        return self
    @property
    def __cuda_array_interface__(self):
        return {"shape": (2, 3), "typestr": "<f4", "data": (self.where, False), "version": 3, "stream": self.side.value}
    def __dlpack__(self, stream=None, **keywords):
        if self.orders == "by an event":
            assert driver.cuEventRecord(self.event, self.side) == 0 and driver.cuStreamWaitEvent(1, self.event, 0) == 0
        if self.orders == "by waiting":
            assert driver.cuStreamSynchronize(self.side) == 0
        return super().__dlpack__(**keywords)

def recorded(x):
    dlscope.stream_trace(clear=True)
    copy = dlscope.copy(dlscope.from_dlpack(x))
    return memoryview(copy).tolist(), dlscope.stream_trace()
"""


class Cuda(Case):
    def test_what_the_driver_says_stands_beside_what_the_producer_claims(self):
        ran = self.run_script(PRODUCER + """
assert driver.cuInit(0) == 0
first, second = memory("device", 0, range(12)), memory("device", 1, range(12))
x = tensor(first, (2, 0))
y = tensor(first + 24, (2, 0))
wrong_ordinal = tensor(second, (2, 0))
host_for_device = tensor(memory("pinned", 0, range(12)), (2, 0))
own = (ctypes.c_float * 6)()
own_for_device = tensor(ctypes.addressof(own), (2, 1))
device_for_host = tensor(second, (1, 0))
pinned = tensor(memory("pinned", 0, range(12)), (1, 0))
managed = tensor(memory("managed", 1, range(12)), (13, 1))
""", "--expect", "x disjoint y", "--expect", "wrong_ordinal identical device_for_host")
        self.assert_exit(ran, 0)
        self.assertEqual([d["name"] for d in ran.report["devices"]][1:], ["Fake GPU", "Fake GPU"])
        x = ran.tensor("x")
        self.assertEqual((x["space"], x["device_by_driver"]), ("cuda:0", {"type": 2, "id": 0, "name": "cuda:0"}))
        self.assertEqual((x["problems"], x["readable"]), ([], False))
        self.assertEqual(int(x["allocation"]["end"], 16) - int(x["allocation"]["begin"], 16), 48)
        self.assertEqual((x["allocation"]["begin"], x["allocation"]["source"]), (x["data"], "driver"))
        self.assertEqual(ran.tensor("y")["allocation"], x["allocation"])

        for name, words in [("wrong_ordinal", "described as cuda:0, but the CUDA driver says that %s is memory of cuda:1"),
                            ("host_for_device", "described as cuda:0, but the CUDA driver says that %s is pinned host memory"),
                            ("own_for_device", "described as cuda:1, but the CUDA driver says that %s is no memory that the driver knows"),
                            ("device_for_host", "described as cpu, but the CUDA driver says that %s is memory of cuda:1")]:
            with self.subTest(name):
                record = ran.tensor(name)
                self.assertEqual(codes(record["problems"]), {"device_mismatch": words % record["data"]})
                self.assertFalse(record["readable"])
        self.assertIsNone(ran.tensor("own_for_device")["device_by_driver"])
        self.assertEqual(codes(ran.tensor("pinned")["notes"])["memory_kind"], "pinned host memory, described as cpu")
        self.assertEqual(ran.tensor("pinned")["device_by_driver"]["name"], "cuda_host:0")
        self.assertTrue(ran.tensor("pinned")["readable"])
        managed = ran.tensor("managed")
        self.assertEqual((managed["device_by_driver"]["name"], managed["space"], managed["problems"]), ("cuda_managed:1", "host", []))

    def test_a_driver_that_the_script_did_not_initialise_is_left_alone(self):
        ran = self.run_script(PRODUCER + """
x = tensor(memory("device", 0, range(12)), (2, 0))
import atexit
atexit.register(lambda: print("initialised", driver.fake_cuda_calls(b"cuInit"), "asked", driver.fake_cuda_calls(b"cuPointerGetAttributes")))
""")
        self.assert_exit(ran, 0)
        x = ran.tensor("x")
        self.assertEqual((x["device_by_driver"], x["allocation"], x["problems"], x["space"]), (None, None, [], "cuda:0"))
        self.assertEqual(len(ran.report["devices"]), 1)
        self.assertIn("initialised 0 asked 0", ran.out)

    def test_a_driver_that_lost_its_context_is_told_in_words(self):
        ran = self.run_script(PRODUCER + """
assert driver.cuInit(0) == 0
x = tensor(memory("device", 0, range(12)), (2, 0))
driver.fake_cuda_fail(b"cuPointerGetAttributes", 709, 0)
""")
        self.assert_exit(ran, 0)
        x = ran.tensor("x")
        self.assertEqual(codes(x["notes"])["memory_not_told"],
                         "asking the CUDA driver about an address failed: CUDA_ERROR_CONTEXT_IS_DESTROYED")
        self.assertEqual((x["device_by_driver"], x["problems"]), (None, []))

    def test_statistics_on_request_read_the_device_and_leave_nothing_there(self):
        ran = self.run_script(PRODUCER + ACTIVE + """
x = tensor(memory("device", 0, range(12)), (2, 0))
every_other = tensor(memory("device", 0, range(12)), (2, 0), shape=(3,), strides=(4,))
wrong_ordinal = tensor(memory("device", 0, range(12)), (2, 1))
own = (ctypes.c_float * 6)()
lie = tensor(ctypes.addressof(own), (2, 0))
import atexit
@atexit.register
def clean():
""" + "".join("    %s\n" % line for line in CLEAN.strip().splitlines()) + """    print("clean")
""", "--stats", "exact")
        self.assert_exit(ran, 0)
        stats = ran.tensor("x")["stats"]
        self.assertEqual((stats["count"], stats["min"], stats["max"], stats["mean"]), (6, 0, 5, 2.5))
        stats = ran.tensor("every_other")["stats"]
        self.assertEqual((stats["count"], stats["min"], stats["max"]), (3, 0, 8))
        for name in ("wrong_ordinal", "lie"):
            self.assertIsNone(ran.tensor(name)["stats"])
        self.assertEqual(ran.report["copies"], [])
        self.assertIn("clean", ran.out)

    def test_statistics_make_no_context(self):
        ran = self.run_script(PRODUCER + """
assert driver.cuInit(0) == 0
x = tensor(memory("device", 0, range(12)), (2, 0))
""", "--stats", "exact")
        self.assert_exit(ran, 0)
        self.assertIsNone(ran.tensor("x")["stats"])
        self.assertIn("no statistics: the program has no active primary context on cuda:0, and none is created just to read from it",
                      [event["text"] for event in ran.report["events"]])

    def test_a_copy_to_the_host_where_the_library_makes_none(self):
        ran = self.run_script(PRODUCER + ACTIVE + """
import dlscope
x = tensor(memory("device", 0, range(12)), (2, 0), shape=(3, 4), strides=(4, 1))
for keywords in ({}, {"device": "cpu"}, {"device": (1, 0)}):
    c = dlscope.copy(x, **keywords)
    assert c.device == (1, 0) and c.is_copied, c
    assert memoryview(c).tolist() == [[0, 1, 2, 3], [4, 5, 6, 7], [8, 9, 10, 11]], memoryview(c).tolist()
turned = tensor(memory("device", 0, range(12)), (2, 0), shape=(4, 3), strides=(1, 4))
assert memoryview(dlscope.copy(turned)).tolist() == [[0, 4, 8], [1, 5, 9], [2, 6, 10], [3, 7, 11]]
backwards = tensor(memory("device", 0, range(12)) + 44, (2, 0), shape=(6,), strides=(-2,))
assert memoryview(dlscope.copy(backwards, dtype="float64")).tolist() == [11, 9, 7, 5, 3, 1]
assert memoryview(dlscope.copy(dlscope.asdlpack(x), dtype="int32")).tolist()[2] == [8, 9, 10, 11]
assert dlscope.stats(turned)["mean"] == 5.5
""" + CLEAN)
        self.assert_exit(ran, 0)
        self.assertEqual(len(ran.report["copies"]), 6)
        copy = ran.report["copies"][0]
        self.assertEqual((copy["from"], copy["to"], copy["bytes"]), ("ctypes_producer.Producer on cuda:0", "dlscope.Tensor on cpu", 48))

    def test_a_copy_from_a_device_into_memory_of_the_host(self):
        ran = self.run_script(PRODUCER + ACTIVE + """
import dlscope
x = tensor(memory("device", 0, range(6)), (2, 0))
part = dlscope.copy(x, out=memoryview(bytearray(24)).cast("f", (2, 3)))
assert memoryview(part).tolist() == [[0, 1, 2], [3, 4, 5]], memoryview(part).tolist()
reversed_rows = memoryview(bytearray(48)).cast("d", (2, 3))[::-1]
dlscope.copy(x, out=reversed_rows)  # converted on the host
assert reversed_rows.tolist() == [[0, 1, 2], [3, 4, 5]], reversed_rows.tolist()
there = tensor(memory("device", 0, range(6)), (2, 0))
try:
    dlscope.copy(memoryview(bytearray(24)).cast("f", (2, 3)), out=there)
    raise AssertionError("written to a device")
except BufferError as error:
    assert "out is on cuda:0, and dlscope writes into the host's memory only" in str(error), error
""" + CLEAN)
        self.assert_exit(ran, 0)
        self.assertEqual([copy["why"] for copy in ran.report["copies"]],
                         ["dlscope.copy() wrote 24 bytes into `out`", "dlscope.copy()", "dlscope.copy() wrote 48 bytes into `out`"])
        self.assertEqual([copy["path"] for copy in ran.report["copies"]],
                         ["cuda:0 -> pinned ring -> host", "cuda:0 -> pinned ring -> host", "cpu -> cpu, converted in tiles"])

    def test_a_recorded_hand_over_replays_as_what_it_was(self):
        """The copy of a producer that has nobody wait reads what was there before, and its recording says why."""
        files = {name: self.folder / (name + ".streams.json") for name in ("ignores", "event", "waits", "idle", "blocking", "out", "last")}
        ran = self.run_script(PRODUCER + ACTIVE + SIDE_STREAM + """
files = %r
old, new = [[0, 1, 2], [3, 4, 5]], [[0, 0, 0], [0, 0, 0]]
kept = []
for name, orders, flags, expected in (("ignores", None, 1, old), ("event", "by an event", 1, new), ("waits", "by waiting", 1, new)):
    kept.append(OnSideStream(orders, flags).work())
    values, trace = recorded(kept[-1])
    assert values == expected, (name, values)
    dlscope.save_stream_trace(files[name])
    assert json.load(open(files[name]))["steps"] == trace["steps"]
kept.append(OnSideStream(None))
assert recorded(kept[-1])[0] == old
dlscope.save_stream_trace(files["idle"])
kept.append(OnSideStream(None, flags=0).work())
recorded(kept[-1])
dlscope.save_stream_trace(files["blocking"])
# dlscope as the producer: memory that is ready on the default stream, for a consumer on another one, on that one, on none.
own = dlscope.copy(memoryview(bytes(64)), device="cuda:0")
dlscope.stream_trace(clear=True)
for stream in (kept[0].side.value, 1, None, -1):
    own.__dlpack__(stream=stream, max_version=(1, 0))
dlscope.save_stream_trace(files["out"])
steps = dlscope.stream_trace()["steps"]
assert [(s["kind"], s.get("asked")) for s in steps] == [
    ("hand_over", hex(kept[0].side.value)), ("record", None), ("wait", None), ("hand_over", "1"), ("hand_over", "None"), ("hand_over", "-1")], steps
assert steps[2]["stream"] == "stream " + hex(kept[0].side.value) and len({s["buffer"] for s in steps if "buffer" in s}) == 1
# A call of somebody else's that the exchange view makes.
dlscope.stream_trace(clear=True)
from dlscope import _dlscope
for x in kept[:2]:
    _dlscope.noted_dlpack(x.work(), (), {"stream": 1}, "cupy.from_dlpack", (2, 0))
steps = dlscope.stream_trace()["steps"]
assert [(s["kind"], s.get("consumer")) for s in steps] == [("write", None), ("hand_over", "cupy.from_dlpack"), ("write", None),
    ("hand_over", "cupy.from_dlpack"), ("record", None), ("wait", None)], steps
assert steps[1]["what"] == "seen: the producer is still at work, and the default stream does not wait for it", steps[1]
before = dlscope.stream_trace()
dlscope.report(); dlscope.describe(kept[0]); dlscope.describe(own)
assert dlscope.stream_trace()["steps"] == before["steps"]  # looks are no hand-overs
""" % {name: str(path) for name, path in files.items()})
        self.assert_exit(ran, 0)
        said = {name: self.judge_trace(path) for name, path in files.items() if name != "last"}
        self.assertEqual({name: code for name, (code, _) in said.items()}, {"ignores": 4, "event": 0, "waits": 0, "idle": 0, "blocking": 0, "out": 0})
        ignores = said["ignores"][1]
        self.assertIn("Replayed, not observed", ignores)
        self.assertIn("RACE\n", ignores)
        self.assertRegex(ignores, "dlscope's copy may read #[0-9]+ at 0x[0-9a-f]+ before the producer's work is done: nothing orders them")
        for name, words in (("event", "the default stream waits"), ("waits", "the host waits until stream 0x"), ("blocking", "the legacy default stream and stream 0x")):
            self.assertIn("ORDERED\n", said[name][1])
        for name in ("idle", "out"):
            self.assertIn("NOTHING TO ORDER", said[name][1])

    def judge_trace(self, path):
        ran = subprocess.run([str(BUILD / "dlscope"), "--headless", str(path)], capture_output=True, text=True, timeout=60)
        return ran.returncode, ran.stdout

    def test_copies_to_on_and_between_devices(self):
        """By the driver: to a device, pinned and managed memory; on a device, to another one, converted; given back with the last name."""
        ran = self.run_script(PRODUCER + ACTIVE + """
import array, dlscope
driver.cuDevicePrimaryCtxGetState.argtypes = [ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p]

def back(t):
    return memoryview(dlscope.copy(t)).tolist()

before = driver.fake_cuda_count(b"allocation")
host = dlscope.asdlpack(memoryview(array.array("f", range(12))).cast("B").cast("f", (3, 4)))
for place, number in (("cuda:0", (2, 0)), ("cuda:1", (2, 1)), ("cuda_host", (3, 0)), ("cuda_managed:1", (13, 1))):
    made = dlscope.copy(host, device=place)
    assert made.device == number and made.is_copied, made
    assert (memoryview(made).tolist() if number[0] != 2 else back(made)) == [[0, 1, 2, 3], [4, 5, 6, 7], [8, 9, 10, 11]], place
    del made
assert driver.fake_cuda_count(b"allocation") == before

# Asked of the producer first, which knows nothing of devices.
x = dlscope.from_dlpack(host, device="cuda:0")
assert x.device == (2, 0) and back(x)[2] == [8, 9, 10, 11]
try:
    dlscope.from_dlpack(host, device="cuda:0", copy=False)
except BufferError as error:
    assert "needs a copy, and copy=False" in str(error), error
else:
    raise AssertionError("it was moved without a copy")

turned = tensor(x.data_ptr(), (2, 0), shape=(4, 3), strides=(1, 4))
here = dlscope.contiguous(turned)
assert here.device == (2, 0) and here.strides == (3, 1) and here.data_ptr() != x.data_ptr(), here
assert back(here) == [[0, 4, 8], [1, 5, 9], [2, 6, 10], [3, 7, 11]], back(here)
for source, expected in ((x, [0, 1, 2, 3]), (turned, [0, 4, 8])):
    there = dlscope.copy(source, device="cuda:1")
    assert there.device == (2, 1) and back(there)[0] == expected, there
whole = dlscope.copy(turned, device="cuda:1", dtype="int16")
assert whole.dtype == "int16" and back(whole)[1] == [1, 5, 9], whole
del there, whole, here, x, turned, source
assert driver.fake_cuda_count(b"allocation") == before, driver.fake_cuda_count(b"allocation")

for place, words in (("cuda:9", "there is no cuda:9: the CUDA driver has 2 devices. Supported here: 'cpu', where the tensor is"),):
    try:
        dlscope.copy(host, device=place)
    except ValueError as error:
        assert words in str(error), error
    else:
        raise AssertionError(place)
driver.fake_cuda_fail(b"cuMemAlloc_v2", 2, 0)
try:
    dlscope.copy(host, device="cuda:0")
except MemoryError as error:
    assert "48 bytes do not fit on cuda:0" in str(error), error
driver.fake_cuda_fail(b"cuMemAlloc_v2", 0, 0)
driver.fake_cuda_fail(b"cuMemcpyHtoDAsync_v2", 700, 0)
try:
    dlscope.copy(host, device="cuda:0")
except BufferError as error:
    assert "CUDA_ERROR_ILLEGAL_ADDRESS" in str(error), error
driver.fake_cuda_fail(b"cuMemcpyHtoDAsync_v2", 0, 0)
assert driver.fake_cuda_count(b"allocation") == before
""" + CLEAN)
        self.assert_exit(ran, 0)
        self.assertIn(("ctypes_producer.Producer on cuda:0", "dlscope.Tensor on cuda:1", 24),
                      [(copy["from"], copy["to"], copy["bytes"]) for copy in ran.report["copies"]])

    def test_a_consumer_on_any_stream_waits_for_what_the_producer_has_put_on_the_default_one(self):
        ran = self.run_script(PRODUCER + ACTIVE + """
import dlscope
driver.cuStreamCreate.argtypes = [ctypes.c_void_p, ctypes.c_uint]
driver.cuStreamDestroy_v2.argtypes = [ctypes.c_void_p]
driver.cuDevicePrimaryCtxRetain.argtypes = [ctypes.c_void_p, ctypes.c_int]
driver.cuCtxPushCurrent_v2.argtypes = [ctypes.c_void_p]
context, stream = ctypes.c_void_p(), ctypes.c_void_p()
assert driver.cuDevicePrimaryCtxRetain(ctypes.byref(context), 0) == 0 and driver.cuCtxPushCurrent_v2(context) == 0
assert driver.cuStreamCreate(ctypes.byref(stream), 0) == 0

x = tensor(memory("device", 0, range(12)), (2, 0))
t = dlscope.asdlpack(x)
waits = driver.fake_cuda_calls(b"cuStreamWaitEvent")
for number in (None, -1, 1):
    t.__dlpack__(stream=number, max_version=(1, 0))
assert driver.fake_cuda_calls(b"cuStreamWaitEvent") == waits
for number in (2, stream.value):
    t.__dlpack__(stream=number, max_version=(1, 0))
assert driver.fake_cuda_calls(b"cuStreamWaitEvent") == waits + 2
for number, kind, words in ((0, ValueError, "stream 0 is ambiguous"), (0xdead0, BufferError, "CUDA_ERROR_INVALID_HANDLE")):
    try:
        t.__dlpack__(stream=number, max_version=(1, 0))
    except kind as error:
        assert words in str(error), error
    else:
        raise AssertionError(number)
assert driver.cuStreamDestroy_v2(stream) == 0
assert driver.cuCtxPopCurrent_v2(ctypes.byref(context)) == 0
driver.cuDevicePrimaryCtxRelease_v2(0)
del t
""" + CLEAN)
        self.assert_exit(ran, 0)

    def test_every_error_of_a_copy_is_told_in_the_drivers_words(self):
        ran = self.run_script(PRODUCER + ACTIVE + """
import dlscope
def refused(x):
    try:
        dlscope.copy(x)
    except BufferError as error:
        return str(error)
    raise AssertionError("it was copied")
x = tensor(memory("device", 0, range(12)), (2, 0))
for entry, number, name in ((b"cuMemHostAlloc", 2, "CUDA_ERROR_OUT_OF_MEMORY"), (b"cuStreamCreate", 709, "CUDA_ERROR_CONTEXT_IS_DESTROYED"),
                            (b"cuMemcpyDtoHAsync_v2", 1, "CUDA_ERROR_INVALID_VALUE"), (b"cuEventSynchronize", 700, "CUDA_ERROR_ILLEGAL_ADDRESS"),
                            (b"cuPointerGetAttributes", 101, "CUDA_ERROR_INVALID_DEVICE")):
    driver.fake_cuda_fail(entry, number, 0)
    words = refused(x)
    driver.fake_cuda_fail(entry, 0, 0)
    assert words.endswith("failed: " + name), words
own = (ctypes.c_float * 6)()
assert refused(tensor(ctypes.addressof(own), (2, 0))).endswith("is no memory that the driver knows")
assert "is memory of cuda:1" in refused(tensor(memory("device", 1, range(12)), (2, 0)))
assert "no active primary context on cuda:1" in refused(tensor(memory("device", 1, range(12)), (2, 1)))
assert memoryview(dlscope.copy(x)).tolist() == [[0, 1, 2], [3, 4, 5]]
""" + CLEAN)
        self.assert_exit(ran, 0)
        self.assertEqual(len(ran.report["copies"]), 1)

    def test_the_doctor_tells_the_devices(self):
        ran = self.dlscope("--doctor", env={**os.environ, "LD_LIBRARY_PATH": str(BUILD / "tests" / "fake_cuda")})
        self.assertIn("driver for CUDA 12.4, 2 devices", ran.out)
        old = self.dlscope("--doctor", env={**os.environ, "LD_LIBRARY_PATH": str(BUILD / "tests" / "fake_cuda_old")})
        self.assertIn("the NVIDIA driver is too old (CUDA 11 or newer is needed)", old.out)


if __name__ == "__main__":
    unittest.main(verbosity=2)
