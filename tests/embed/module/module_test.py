"""The module in plain interpreters: its functions, every Python found, an old NumPy, the tour."""

import array
import os
import shutil
import subprocess
import sys
import unittest

import dlscope

SOURCE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "..")
TENSOR_KEYS = {
    "id", "space", "name", "names", "library", "type", "protocol", "capsule", "read_by", "given_by", "dlpack_version", "refusals", "dtype", "shape",
    "strides", "strides_bytes", "strides_implied", "device", "device_claimed", "data", "byte_offset", "address", "extent", "elements",
    "nbytes", "distinct_bytes", "contiguity", "alignment", "flags", "deleter", "manager", "device_by_driver", "allocation", "scope", "frame",
    "group", "readable", "problems", "notes", "stats"}
REPORT_KEYS = {"format", "format_version", "app", "python", "libraries", "script", "scanned", "stop", "limits", "not_entered", "missing_pairs",
               "open_groups", "devices", "tensors", "groups", "sharing", "events", "copies"}

EVERYWHERE = """
import array, sys, dlscope
x = array.array("d", [1, 2, 3])
record = dlscope.describe(x)
assert int(record["address"], 16) == x.buffer_info()[0], record
report = dlscope.report({"x": x, "v": memoryview(x)[1:]})
assert [p["relation"] for p in report["sharing"]] == ["contains"], report["sharing"]
assert report["python"]["version"] == sys.version.split()[0]
assert dlscope.shares_memory(x, memoryview(x)) and not dlscope.shares_memory(x, bytearray(8))
assert "numpy" not in sys.modules
print("fine")
"""

# While one thread analyses without the GIL, others call: they are not calls inside each other.
THREADS = """
import threading, dlscope
memory, wrong, together = bytearray(1 << 18), set(), threading.Barrier(32)
calls = (lambda: dlscope.describe(memory), lambda: dlscope.overlap(memory, memory), lambda: dlscope.report({"memory": memory}))
def work():
    together.wait()
    for _ in range(20):
        for call in calls:
            try:
                call()
            except Exception as error:
                wrong.add(repr(error))
threads = [threading.Thread(target=work) for _ in range(32)]
[t.start() for t in threads], [t.join() for t in threads]
assert not wrong, wrong
print("fine")
"""

# The interpreter ends while daemon threads are inside a call, half of them in a producer's Python code.
DAEMONS = """
import threading, dlscope
class Producer:
    def __dlpack_device__(self):
        return (1, 0)
    def __dlpack__(self, **keywords):
        for _ in range(100_000):
            pass
        raise BufferError("no")
begun = threading.Semaphore(0)
def work(subject):
    while True:
        dlscope.report({"subject": subject})
        begun.release()
for subject in (bytearray(1 << 18), Producer()) * 4:
    threading.Thread(target=work, args=(subject,), daemon=True).start()
for _ in range(20):
    begun.acquire()
print("fine", flush=True)
"""

# The same while producers sleep for longer than the end waits for them. They come back while it goes on: slow.__del__ is one of its
# last steps, and lets other threads run.
SLEEPERS = """
import sys, threading, time, dlscope
from ctypes_producer import Producer
class Slow:
    def __del__(self, sleep=time.sleep):
        sleep(1.5)
slow = Slow()
begun = threading.Semaphore(0)
def nap():
    begun.release()
    time.sleep(1.5)
class Dlpack:
    def __dlpack_device__(self):
        return (1, 0)
    def __dlpack__(self, **keywords):
        nap()
        raise BufferError("no")
class Device(Dlpack):
    def __dlpack_device__(self):
        nap()
        return (1, 0)
class Interface:
    @property
    def __array_interface__(self):
        nap()
        return {}
class Finalised(Interface):
    @property
    def __array_interface__(self):
        class Interface(dict):
            def __del__(self):
                nap()
        return Interface()
class Buffer:
    def __buffer__(self, flags):
        nap()
        raise BufferError("no")
class Deleter(Producer):
    def _delete(self, address):
        nap()
class Destructor(Producer):
    def __init__(self):
        super().__init__(name="not_dlpack")
    def _destroy(self, capsule):
        nap()
def work(call, subject):
    while True:
        try:
            call(subject)
        except (BufferError, TypeError, ValueError):
            pass
pairs = [(dlscope.from_dlpack, Dlpack()), (lambda x: dlscope.report({"x": x}), Dlpack()), (dlscope.describe, Device()),
         (dlscope.from_dlpack, Deleter()), (dlscope.describe, Deleter()), (dlscope.describe, Destructor()),
         (dlscope.asdlpack, Interface()), (dlscope.describe, Interface()), (dlscope.describe, Finalised())]
if sys.version_info >= (3, 12):
    pairs.append((dlscope.describe, Buffer()))
for pair in pairs:
    threading.Thread(target=work, args=pair, daemon=True).start()
for _ in pairs:
    begun.acquire()
print("fine", flush=True)
"""

# What runs out of memory in C++ is a MemoryError of Python's, in the functions of the host too.
NO_MEMORY = """
import resource
from dlscope import _dlscope
text = "x" * (1 << 26)
used = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_AS, (used + (1 << 25), resource.getrlimit(resource.RLIMIT_AS)[1]))
try:
    _dlscope.host_attach(-1, text, "", "", "")
except MemoryError:
    print("fine")
"""

OLD_NUMPY = """
import numpy, dlscope
a = numpy.arange(6.0).reshape(2, 3)
record = dlscope.describe(a)
assert (record["capsule"], record["flags"]["read_only"]) == ("dltensor", None), record
assert int(record["address"], 16) == a.ctypes.data and record["strides_bytes"] == [24, 8]
a.flags.writeable = False
record = dlscope.describe(a)
assert (record["protocol"], record["flags"]["read_only"]) == ("array_interface", True), record
assert record["refusals"][0]["protocol"] == "dlpack" and "readonly" in record["refusals"][0]["message"]
print("fine")
"""


def run(python, code):
    return subprocess.run([python, "-c", code], capture_output=True, text=True, timeout=120)


class Module(unittest.TestCase):
    def test_records_have_every_key(self):
        self.assertEqual(TENSOR_KEYS - set(dlscope.describe(b"abc")), set())
        report = dlscope.report({"x": bytearray(3)})
        self.assertEqual(REPORT_KEYS - set(report), set())
        self.assertEqual((report["format"], report["format_version"], report["scanned"]), ("dlscope-report", 1, "earlier"))
        self.assertEqual(report["app"]["version"], dlscope.__version__)

    def test_describe_equals_the_report(self):
        x = memoryview(bytearray(40)).cast("f")[::2]
        told, listed = dlscope.describe(x), dlscope.report({"x": x})["tensors"][0]
        for key in TENSOR_KEYS - {"name", "names"}:
            self.assertEqual(told[key], listed[key], key)

    def test_overlap_words(self):
        memory = bytearray(16)
        view = memoryview(memory)
        for a, b, relation, shared in ((view[:8], view[4:], "overlaps", 4), (view, view[2:4], "contains", 2),
                                       (view[2:4], view, "contained", 2), (view, view, "identical", 16),
                                       (view[::2], view[1::2], "interleaved", 0), (view[:4], view[8:], "disjoint", 0),
                                       (view[:0], view, "disjoint", 0)):
            told = dlscope.overlap(a, b)
            self.assertEqual((told["relation"], told["shared_bytes"]), (relation, shared))
            self.assertEqual(told["witness"] is None, shared == 0)
            self.assertIs(dlscope.shares_memory(a, b), shared > 0)

    def test_what_is_not_known_is_not_guessed(self):
        class Refusing:
            def __dlpack__(self, **keywords):
                raise BufferError("not today")

        told = dlscope.overlap(Refusing(), bytearray(4))
        self.assertEqual((told["relation"], told["shared_bytes"]), ("unknown", None))
        self.assertEqual((told["reason"], told["method"]), ("not_described", None))
        self.assertEqual(told["why"], "the first argument was not described: BufferError: not today")
        with self.assertRaisesRegex(ValueError, "not today"):
            dlscope.shares_memory(bytearray(4), Refusing())

    def test_compare_of_builtins(self):
        x, y = array.array("f", [0, 1, 2, float("nan")]), array.array("d", [0, 1, 2.5, float("nan")])
        told = dlscope.compare(x, y)
        self.assertEqual((told["count"], told["different"], told["both_nan"], told["first"]), (4, 1, 1, [2]))
        self.assertEqual((told["max_absolute"], told["max_relative"]), ({"value": 0.5, "index": [2]}, {"value": 0.2, "index": [2]}))
        self.assertFalse(told["bit_equal"] or told["same_dtype"])
        self.assertEqual(dlscope.compare(x, y, atol=0.5)["outside"], 0)
        same = dlscope.compare(x, array.array("f", x))
        self.assertTrue(same["bit_equal"] and same["hash_a"] == same["hash_b"] and same["first"] is None)
        self.assertTrue(dlscope.compare(x, x)["bit_equal"])
        self.assertEqual(dlscope.compare(array.array("f", [1]), array.array("f", [1.0000001]))["max_ulps"]["value"], 1)
        grid = memoryview(bytes([1, 2, 3, 1, 2, 4])).cast("B", (2, 3))
        with self.assertRaisesRegex(ValueError, r"the shapes differ: \(2, 3\) and \(3,\)"):
            dlscope.compare(grid, bytes([1, 2, 3]))
        self.assertEqual(dlscope.compare(grid, bytes([1, 2, 3]), broadcast=True)["first"], [1, 2])
        for wrong in (-1, float("nan")):
            self.assertRaises(ValueError, dlscope.compare, x, y, atol=wrong)
        self.assertRaises(TypeError, dlscope.compare, x, 7)

    def test_compare_against_numpy(self):
        try:
            import numpy
        except ImportError:
            self.skipTest("NumPy is not installed")
        rng = numpy.random.default_rng(2)
        x = rng.normal(size=(30, 40))
        for a_type in ("float16", "float32", "float64", "int32", "complex64"):
            for b_type in ("float32", "float64", "int8"):
                a, b = (x * 9).astype(a_type), numpy.asfortranarray((x * 9 + (rng.random(x.shape) < 0.3)).astype(b_type))[::-1][::-1]
                told = dlscope.compare(a, b, rtol=0.01, atol=0.5)
                wide = numpy.complex128 if a_type == "complex64" else numpy.float64
                p, q = a.astype(wide), b.astype(wide)
                error = numpy.abs(p - q)
                self.assertEqual(told["different"], int((p != q).sum()))
                self.assertEqual(told["outside"], int((error > 0.5 + 0.01 * numpy.abs(q)).sum()))
                self.assertEqual(told["first"], list(numpy.argwhere(p != q)[0]))
                self.assertAlmostEqual(told["max_absolute"]["value"], error.max(), delta=1e-12)
                self.assertAlmostEqual(error[tuple(told["max_absolute"]["index"])], error.max(), delta=1e-12)

    def test_stats_of_builtins(self):
        told = dlscope.stats(array.array("d", [1.0, -2.0, float("nan"), 0.0, float("inf"), float("-inf"), 5e-324]))
        self.assertEqual((told["method"], told["count"], told["seen"]), ("exact", 7, 7))
        self.assertEqual((told["min"], told["max"], told["nan"], told["pos_inf"], told["neg_inf"]), (-2.0, 1.0, 1, 1, 1))
        self.assertEqual((told["zero"], told["negative"], told["subnormal"]), (1, 2, 1))
        self.assertEqual(told["first_special"], {"value": "nan", "index": [2]})
        self.assertEqual(told["last_special"], {"value": "-inf", "index": [5]})
        self.assertAlmostEqual(told["mean"], -0.25, delta=told["mean_error"] + 1e-16)
        self.assertAlmostEqual(told["std"], (sum((x + 0.25) ** 2 for x in (1, -2, 0, 0)) / 4) ** 0.5, delta=told["std_error"] + 1e-15)
        whole = dlscope.stats(memoryview(bytes(range(256))).cast("B", (16, 16)))
        self.assertEqual((whole["min"], whole["max"], whole["mean"], whole["quantiles"]["0.5"]), (0, 255, 127.5, 127.0))
        self.assertEqual((whole["histogram"]["counts"], whole["quantiles"]["distinct"]), ([1] * 256, 256))
        self.assertEqual(dlscope.stats(array.array("q", [2**63 - 1, -2**63]))["max"], 2**63 - 1)
        empty = dlscope.stats(b"")
        self.assertEqual((empty["count"], empty["min"], empty["mean"], empty["histogram"]), (0, None, None, None))

    def test_stats_of_a_sample(self):
        zeros = dlscope.stats(bytearray(1 << 24), exact=False)
        self.assertEqual((zeros["method"], zeros["count"], zeros["mean_error"]), ("sample", 1 << 24, None))
        self.assertLess(zeros["seen"], 1 << 21)
        self.assertEqual(dlscope.stats(bytearray(100), exact=False)["method"], "exact")

    def test_stats_against_numpy(self):
        try:
            import numpy
        except ImportError:
            self.skipTest("NumPy is not installed")
        rng = numpy.random.default_rng(1)
        base = rng.normal(3, 2, (40, 50, 60))
        for name in ("float16", "float32", "float64", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"):
            x = (numpy.abs(base) * 7).astype(name) if name[0] == "u" else (base * 7).astype(name)
            for view in (x, x.T, x[::-1, ::3], x[:, 7], numpy.broadcast_to(x[3], (5, 50, 60)), x[..., ::-1][4:9]):
                told = dlscope.stats(view)
                wide = view.astype("f8")
                self.assertEqual((told["count"], told["min"], told["max"], told["zero"]),
                                 (view.size, view.min().item(), view.max().item(), int((view == 0).sum())))
                self.assertAlmostEqual(told["mean"], wide.mean(), delta=told["mean_error"] + 1e-12)
                self.assertAlmostEqual(told["std"], wide.std(), delta=told["std_error"] + 1e-12)
                self.assertEqual(sum(told["histogram"]["counts"]) + told["histogram"]["below"] + told["histogram"]["above"], view.size)
        x = base.astype("f4").transpose(2, 0, 1)
        x[7, 3, 2] = numpy.nan
        self.assertEqual(dlscope.stats(x)["first_special"], {"value": "nan", "index": [7, 3, 2]})
        flags = rng.random((100, 100)) < 0.25
        told = dlscope.stats(flags)
        self.assertEqual((told["min"], told["max"], told["zero"]), (False, True, int((~flags).sum())))
        whole = dlscope.stats(base.astype("f2"))
        quantile = numpy.quantile(base.astype("f2").astype("f8"), 0.25, method="inverted_cdf")
        self.assertEqual(whole["quantiles"]["0.25"], quantile)
        small = dlscope.stats(base.astype("f4")[0])
        ranks = numpy.quantile(base.astype("f4")[0].astype("f8"), [float(q) for q in small["quantiles"] if q[0] == "0"], method="inverted_cdf")
        self.assertEqual([v for q, v in small["quantiles"].items() if q[0] == "0"], list(ranks))
        self.assertEqual((small["quantiles"]["method"], small["quantiles"]["distinct"]), ("exact", len(numpy.unique(base.astype("f4")[0]))))
        self.assertIsNone(dlscope.stats(base + 1j)["min"])

    def test_stats_of_a_negated_view_are_of_what_torch_means(self):
        try:
            import torch
        except ImportError:
            self.skipTest("PyTorch is not installed")
        x = torch.complex(torch.arange(6.0), torch.tensor([2.0, -4, float("inf"), 0, -float("inf"), 9])).conj().imag
        self.assertTrue(x.is_neg())
        told = dlscope.stats(x)
        plain = dlscope.stats(x.resolve_neg())
        for key in ("min", "max", "mean", "std", "nan", "pos_inf", "neg_inf", "zero", "negative", "first_special", "last_special"):
            self.assertEqual(told[key], plain[key], key)
        self.assertEqual((told["min"], told["max"]), (-9, 4))
        self.assertEqual(told["histogram"], plain["histogram"])
        self.assertEqual(told["quantiles"], plain["quantiles"])
        self.assertEqual(told["quantiles"]["0.5"], torch.sort(x.resolve_neg()[torch.isfinite(x)]).values[1].item())
        wraps = torch._neg_view(torch.tensor([-128, 5, 100], dtype=torch.int8))  # -(-128) is -128 in an int8, as PyTorch has it
        self.assertEqual((dlscope.stats(wraps)["min"], dlscope.stats(wraps)["max"]), (wraps.min().item(), wraps.max().item()))
        record = next(t for t in dlscope.report({"x": x})["tensors"])
        self.assertIsNone(record["stats"])  # not asked for

    def test_stats_of_conjugated_and_negated_complex_tensors_are_of_what_torch_means(self):
        try:
            import torch
        except ImportError:
            self.skipTest("PyTorch is not installed")
        inf, nan = float("inf"), float("nan")
        told = dlscope.stats(torch.tensor([complex(1, inf)]).conj())
        self.assertEqual((told["pos_inf"], told["neg_inf"], told["first_special"]), (0, 1, {"value": "-inf", "index": [0]}))
        parts = [0.0, 1.5, -2.5, inf, -inf, nan]
        pairs = [complex(re, im) for re in parts for im in parts]

        def expected(numbers):  # the class of the worse part: NaN, then an infinity, the real one first
            classes = []
            for z in numbers:
                infinite = [x for x in (z.real, z.imag) if abs(x) == inf]
                classes.append("nan" if z.real != z.real or z.imag != z.imag else str(infinite[0]) if infinite else "")
            special = [{"value": c, "index": [i]} for i, c in enumerate(classes) if c]
            return {"nan": classes.count("nan"), "pos_inf": classes.count("inf"), "neg_inf": classes.count("-inf"),
                    "zero": sum(z == 0 for z in numbers), "first_special": special[0] if special else None,
                    "last_special": special[-1] if special else None}

        for dtype in (torch.complex64, torch.complex128):
            for numbers in [pairs, pairs[::-1]] + [[z] for z in pairs]:
                plain = torch.tensor(numbers, dtype=dtype)
                views = {"plain": plain, "conj": plain.conj(), "neg": torch._neg_view(plain), "both": torch._neg_view(plain.conj())}
                for name, view in views.items():
                    self.assertEqual((view.is_conj(), view.is_neg()), (name in ("conj", "both"), name in ("neg", "both")))
                    wanted = expected(view.resolve_conj().resolve_neg().tolist())
                    told = dlscope.stats(view)
                    self.assertEqual({key: told[key] for key in wanted}, wanted, (dtype, name, numbers))

    def test_stats_of_fields_against_numpy(self):
        try:
            import numpy
        except ImportError:
            self.skipTest("NumPy is not installed")
        rng = numpy.random.default_rng(5)
        plain = [("x", "f4"), ("pos", [("lat", "f8"), ("lon", ">f8")]), ("rgb", "u1", (3,)), ("m", "i2", (2, 3)), ("when", "M8[D]")]
        types = {
            "packed": numpy.dtype(plain),
            "aligned": numpy.dtype(plain, align=True),
            "with titles": numpy.dtype([(("a title", "x"), "f4"), ("pos", [("lat", "f8"), ("lon", "f8")])]),
            "out of order": numpy.dtype({"names": ["x", "y"], "formats": ["f4", ">i2"], "offsets": [6, 0], "itemsize": 16}),
            "overlapping": numpy.dtype({"names": ["whole", "half"], "formats": ["u4", "u2"], "offsets": [0, 2]}),
        }

        def leaves(dtype, path=()):
            for name in dtype.names:
                inner = dtype.fields[name][0]
                yield from leaves(inner, (*path, name)) if inner.names else [(*path, name)]

        for kind, dtype in types.items():
            memory = rng.integers(0, 256, 24 * dtype.itemsize, dtype="u1").tobytes()
            base = numpy.frombuffer(memory, dtype)
            for view in (base, base.reshape(4, 6).T, base[::-2], base[3:4]):
                for path in leaves(dtype):
                    field = view
                    for name in path:
                        field = field[name]
                    if field.dtype.kind == "M":
                        with self.assertRaisesRegex(ValueError, r"values of dtype datetime64\[D\] cannot be decoded"):
                            dlscope.stats(view, field=".".join(path))
                        continue
                    with self.subTest(kind=kind, path=path, shape=view.shape):
                        told = dlscope.stats(view, field=".".join(path))
                        finite = field[numpy.isfinite(field)]
                        self.assertEqual((told["count"], told["nan"]), (field.size, int(numpy.isnan(field.astype("f8")).sum())))
                        ends = (finite.min().item(), finite.max().item()) if finite.size else (None, None)
                        self.assertEqual((told["min"], told["max"]), ends)
        rows = numpy.zeros(3, [("a", "f4"), ("o", "O")])
        with self.assertRaisesRegex(ValueError, "values of dtype object cannot be decoded"):
            dlscope.stats(rows, field="o")
        with self.assertRaisesRegex(ValueError, "it has no field b; its fields are a, o"):
            dlscope.stats(rows, field="b")
        with self.assertRaisesRegex(ValueError, "its elements have no fields"):
            dlscope.stats(numpy.zeros(3), field="a")
        rows["a"] = [numpy.nan, 1, 2]
        self.assertEqual(dlscope.stats(rows, field="a")["first_special"], {"value": "nan", "index": [0]})

    def test_stats_that_cannot_be(self):
        class Refusing:
            def __dlpack__(self, **keywords):
                raise BufferError("not today")

        with self.assertRaisesRegex(ValueError, "not today"):
            dlscope.stats(Refusing())
        for call in (lambda: dlscope.stats(), lambda: dlscope.stats(1), lambda: dlscope.stats(b"a", False)):
            with self.assertRaises(TypeError):
                call()

    def test_protocols(self):
        told = dlscope.protocols(array.array("d"))
        self.assertEqual(told["buffer"], {"offered": True, "accepted": True, "error": None})
        self.assertEqual(told["dlpack"]["offered"], False)
        self.assertFalse(any(answer["offered"] for answer in dlscope.protocols("abc").values()))

    def test_wrong_arguments(self):
        for call in (lambda: dlscope.describe(), lambda: dlscope.overlap(1), lambda: dlscope.report([1]), lambda: dlscope.describe(None),
                     lambda: dlscope.report(names={}), lambda: dlscope.overlap(b"a", object()), lambda: dlscope.shares_memory(1, 2)):
            with self.assertRaises(TypeError):
                call()

    def test_threads_and_forked_children(self):
        import threading

        memory, told = bytearray(8), []
        threads = [threading.Thread(target=lambda: told.append(dlscope.describe(memory)["address"])) for _ in range(8)]
        [t.start() for t in threads], [t.join() for t in threads]
        self.assertEqual(len(set(told)), 1)
        child = os.fork()
        if child == 0:
            os._exit(0 if dlscope.describe(memory)["readable"] and dlscope.describe(memory)["address"] == told[0] else 1)
        self.assertEqual(os.waitpid(child, 0)[1], 0)

    def test_a_producer_that_calls_us_without_end_is_told_so(self):
        calls, deepest = 0, []

        class Endless:
            def __dlpack__(self, **keywords):
                nonlocal calls
                calls += 1
                record = dlscope.describe(self)
                deepest.append(record)
                raise BufferError("no capsule here")

        for _ in range(2):
            calls = 0
            self.assertEqual(dlscope.describe(Endless())["refusals"][0]["type"], "BufferError")
            self.assertEqual(calls, 8)
            self.assertIn("again and again", deepest[0]["refusals"][0]["message"])

    def test_memory_that_runs_out(self):
        if "san.so" in os.environ.get("LD_PRELOAD", ""):
            self.skipTest("under a sanitizer the process ends instead")
        done = run(sys.executable, NO_MEMORY)
        self.assertEqual((done.stdout.strip(), done.returncode), ("fine", 0), done.stderr)

    def test_every_python_found(self):
        found = {sys.executable}
        for minor in range(9, 15):
            python = shutil.which(f"python3.{minor}")
            if python is None or run(python, "import sys; assert 't' not in sys.abiflags").returncode != 0:
                continue  # a shim of a version that is not there, or a free-threaded one
            found.add(python)
        # Those that the tests of the host use: what a version does at its end is its own.
        found.update(filter(None, os.environ.get("DLSCOPE_TEST_PYTHONS_TOOLS", "").split(":")))
        for python in sorted(found):
            for code in (EVERYWHERE, THREADS, SLEEPERS) + 4 * (DAEMONS,):
                with self.subTest(python, code=code):
                    done = run(python, code)
                    self.assertEqual((done.stdout.strip(), done.returncode), ("fine", 0), done.stderr)

    def test_an_old_numpy(self):
        python = os.environ.get("DLSCOPE_TEST_PYTHON_OLD")
        if not python:
            self.skipTest("DLSCOPE_TEST_PYTHON_OLD is not set")
        done = run(python, OLD_NUMPY)
        self.assertEqual(done.stdout.strip(), "fine", done.stderr)

    def test_the_tour(self):
        try:
            import numpy  # noqa: F401
        except ImportError:
            self.skipTest("the tour needs NumPy")
        tour = os.path.join(SOURCE, "assets", "samples", "tour.py")
        done = subprocess.run([sys.executable, tour], capture_output=True, text=True, timeout=300)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("transposed and temperatures: identical", done.stdout)
        self.assertIn("even and odd columns:        interleaved", done.stdout)
        if "jax is not installed" not in done.stdout:
            self.assertRegex(done.stdout, r"unaligned buffer: +copied")


if __name__ == "__main__":
    unittest.main(verbosity=2)
