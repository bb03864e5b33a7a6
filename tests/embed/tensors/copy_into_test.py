"""dlscope.copy(out=): into the user's own memory by every protocol, and every reason why not, with nothing written."""

import array
import mmap
import signal
import subprocess
import sys
import tempfile
import threading
import unittest

import dlscope
from ctypes_producer import Producer

try:
    import numpy as np
except ImportError:
    np = None
try:
    import torch
except ImportError:
    torch = None
try:
    import jax.numpy as jnp
except ImportError:
    jnp = None


def ledger():
    return dlscope.report({})["copies"]


def floats_2_3():
    return memoryview(bytearray(24)).cast("f", (2, 3))


def refused(test, error, message, x, out, **keywords):
    """Refused in words, with no entry in the ledger."""
    before = len(ledger())
    with test.assertRaisesRegex(error, message):
        dlscope.copy(x, out=out, **keywords)
    test.assertEqual(len(ledger()), before)


class Builtins(unittest.TestCase):
    def test_a_buffer(self):
        source, out = array.array("f", [1, 2, 3]), array.array("f", [0, 0, 0])
        made = dlscope.copy(source, out=out)
        self.assertEqual(out, source)
        self.assertEqual((made.data_ptr(), made.owner, made.is_copied), (out.buffer_info()[0], out, False))
        memoryview(made)[0] = 7
        self.assertEqual((out[0], source[0]), (7, 1))

    def test_a_tensor_of_dlscope_is_returned_itself(self):
        out = dlscope.copy(bytearray(4))
        self.assertIs(dlscope.copy(b"abcd", out=out), out)
        self.assertEqual(bytes(memoryview(out)), b"abcd")
        out.close()
        with self.assertRaisesRegex(ValueError, "is closed"):
            dlscope.copy(b"abcd", out=out)

    def test_none_makes_a_new_tensor(self):
        self.assertTrue(dlscope.copy(b"abcd", out=None).is_copied)

    def test_reversed_memory_with_gaps(self):
        memory = bytearray(b".") * 8
        dlscope.copy(b"abcd", out=memoryview(memory)[::-2])
        self.assertEqual(memory, b".d.c.b.a")

    def test_a_capsule(self):
        producer = Producer()
        producer.memory[:24] = b"." * 24
        made = dlscope.copy(floats_2_3(), out=producer.__dlpack__(max_version=(1, 3)))
        self.assertEqual((made.shape, producer.memory[:24]), ((2, 3), bytes(24)))

    def test_the_ledger(self):
        before = len(ledger())
        dlscope.copy(b"abcd", out=bytearray(4))
        entries = ledger()
        self.assertEqual(len(entries), before + 1)
        self.assertEqual({name: entries[-1][name] for name in ("from", "to", "bytes", "why")},
                         {"from": "bytes on cpu", "to": "bytearray on cpu, given as out", "bytes": 4,
                          "why": "dlscope.copy() wrote 4 bytes into `out`"})

    def test_memory_that_may_not_be_written(self):
        refused(self, BufferError, "out is read-only: bytes", b"abcd", b"....")
        refused(self, BufferError, "out is read-only", b"abcd", memoryview(bytearray(4)).toreadonly())
        refused(self, BufferError, "out is read-only", b"abcd", dlscope.asdlpack(b"...."))
        refused(self, TypeError, "offers no tensor", b"abcd", [0, 0, 0, 0])
        with tempfile.TemporaryFile() as file:
            file.write(bytes(4))
            file.flush()
            with mmap.mmap(file.fileno(), 4, access=mmap.ACCESS_READ) as mapped:
                refused(self, BufferError, "out is read-only: mmap", b"abcd", mapped)

    def test_a_producer_that_lies_about_its_pages(self):
        with tempfile.TemporaryFile() as file:
            file.write(bytes(4096))
            file.flush()
            with mmap.mmap(file.fileno(), 4096, access=mmap.ACCESS_READ) as mapped:
                held = dlscope.asdlpack(mapped)
                lying = Producer(data=held.data_ptr(), shape=[4], strides=[1], dtype=(1, 8, 1))
                refused(self, BufferError, "out cannot be written: the page at 0x.* is not mapped for writing", b"abcd", lying)
                held.close()
        refused(self, BufferError, "no memory is mapped at 0x1000", b"abcd",
                Producer(data=0x1000, shape=[4], strides=[1], dtype=(1, 8, 1)))

    def test_a_file_that_has_become_shorter(self):
        """Its mapping remains, but touching a page beyond its end would end the process (SIGBUS)."""
        setup = ("import dlscope, mmap, os\n"
                 "def mapped(size, left):\n"
                 "    file = os.memfd_create('short')\n"
                 "    os.ftruncate(file, size)\n"
                 "    memory = mmap.mmap(file, size)\n"
                 "    os.ftruncate(file, left)\n"
                 "    return memory\n"
                 "def refused(words, *args, **keywords):\n"
                 "    try:\n"
                 "        dlscope.copy(*args, **keywords)\n"
                 "    except BufferError as error:\n"
                 "        assert words in str(error), error\n"
                 "    else:\n"
                 "        raise AssertionError('copied')\n"
                 "large = 4 << 20\n")
        for code in ("refused('cannot be read', mapped(large, 0))", "refused('cannot be read', mapped(large, large // 2))",
                     "refused('cannot be read', mapped(8192, 4096))",
                     "refused('has become shorter', bytes(4096), out=mapped(4096, 0))",
                     "refused('has become shorter', bytes(large), out=mapped(large, large // 2))",
                     "refused('cannot be read', mapped(large, 0), out=bytearray(large))",
                     "m = mapped(large, large - 1); m.madvise(mmap.MADV_RANDOM, 0, 4096)\n"
                     "assert dlscope.copy(m).nbytes == large and dlscope.copy(bytes(large), out=m).nbytes == large"):
            with self.subTest(code):
                ran = subprocess.run([sys.executable, "-c", setup + code], capture_output=True, text=True, timeout=120)
                self.assertEqual((ran.returncode, ran.stderr), (0, ""))

    def test_a_destination_that_gives_a_copy_of_itself(self):
        with self.assertRaisesRegex(BufferError, "a copy of its elements"):
            dlscope.copy(b"abcd", out=Producer(shape=[4], strides=[1], dtype=(1, 8, 1), flags=2))

    def test_a_destination_elsewhere(self):
        there = Producer(device=(10, 0), claims=(10, 0), shape=[4], strides=[1], dtype=(1, 8, 1))
        refused(self, BufferError, "out is on rocm:0, and dlscope writes into the host's memory only", b"abcd", there)

    def test_another_shape(self):
        out = bytearray(3)
        refused(self, ValueError, r"destination too small: x has shape \(4,\), 4 elements; out has shape \(3,\), 3 elements; nothing",
                b"abcd", out)
        self.assertEqual(out, bytes(3))
        refused(self, ValueError, r"out has another shape than x: .*\(5,\), 5 elements", b"abcd", bytearray(5))
        refused(self, ValueError, r"out has another shape than x: .*\(2, 2\)", b"abcd",
                memoryview(bytearray(4)).cast("B", (2, 2)))

    def test_elements_in_one_place(self):
        memory = Producer(shape=[2, 3], strides=[0, 1])
        refused(self, ValueError, r"two elements of out, which has shape \(2, 3\), share a byte", floats_2_3(), memory)
        windows = Producer(shape=[2, 3], strides=[1, 1])
        refused(self, ValueError, "share a byte", floats_2_3(), windows)

    def test_memory_in_common(self):
        memory = bytearray(range(8))
        refused(self, ValueError, r"have 4 bytes in common, the first at 0x", memoryview(memory)[:6], memoryview(memory)[2:])
        refused(self, ValueError, "8 bytes in common", memory, memoryview(memory)[::-1])
        self.assertEqual(memory, bytes(range(8)))
        dlscope.copy(memoryview(memory)[::2], out=memoryview(memory)[1::2])  # between each other: no byte in common
        self.assertEqual(memory, bytes([0, 0, 2, 2, 4, 4, 6, 6]))
        before = len(ledger())
        dlscope.copy(memory, out=memory)
        self.assertEqual(len(ledger()), before, "onto itself there is nothing to do")

    def test_the_same_pages_at_two_addresses(self):
        with tempfile.TemporaryFile() as file:
            file.write(bytes(8192))
            file.flush()
            with mmap.mmap(file.fileno(), 8192) as a, mmap.mmap(file.fileno(), 8192) as b:
                refused(self, ValueError, "same memory at two addresses", a, b)
                x, out = memoryview(a)[:4096], memoryview(b)[4096:]
                x[:] = b"x" * 4096
                dlscope.copy(x, out=out)
                self.assertEqual(a[4096:], b"x" * 4096)
                x.release(), out.release()

    def test_keywords_that_say_otherwise(self):
        out = memoryview(bytearray(8))[::2]
        refused(self, ValueError, "order is 'C', but out has another order", b"abcd", out, order="C")
        refused(self, ValueError, "order is 'K', but out has another order", b"abcd", out, order="K")
        refused(self, ValueError, "device is 'cuda:0', but out is on 'cpu'", b"abcd", out, device="cuda:0")
        refused(self, ValueError, "dtype is float32, but out is uint8", b"abcd", out, dtype="float32")
        refused(self, ValueError, "destination too small", floats_2_3(), array.array("f", [0]), order="C")  # of another rank
        dlscope.copy(b"abcd", out=bytearray(4), order="C", device="cpu", dtype="uint8")
        turned = floats_2_3()
        dlscope.copy(turned, out=Producer(), order="K")

    def test_conversion_to_the_dtype_of_out(self):
        out = array.array("b", bytes(4))
        dlscope.copy(array.array("d", [1.9, -300.0, float("nan"), 7]), out=out)
        self.assertEqual(out.tolist(), [1, -128, 0, 7])
        refused(self, TypeError, "complex", Producer(dtype=(5, 64, 1)), Producer())

    def test_nothing_to_copy(self):
        self.assertEqual(dlscope.copy(b"", out=bytearray()).shape, (0,))
        with self.assertRaisesRegex(ValueError, "destination too small"):
            dlscope.copy(b"a", out=bytearray())

    def test_packed_elements(self):
        source, out = (Producer(shape=[3, 3], strides=[3, 1], dtype=(0, 4, 1)) for _ in range(2))
        source.memory[:5] = bytes([0x21, 0x43, 0x65, 0x87, 0xf9])
        out.memory[:6] = b"\xa5" * 6
        dlscope.copy(source, out=out)
        self.assertEqual(out.memory[:6], bytes([0x21, 0x43, 0x65, 0x87, 0xa9, 0xa5]), "the rest of the last byte is no element's")

    def test_bad_arguments(self):
        with self.assertRaises(TypeError):
            dlscope.copy(b"a", bytearray(1))
        with self.assertRaisesRegex(ValueError, "order is 'C' or 'K'"):
            dlscope.copy(b"a", out=bytearray(1), order="F")
        with self.assertRaises(TypeError):
            dlscope.copy(object(), out=bytearray(1))


class Interrupts(unittest.TestCase):
    SIZE = 256 << 20

    def stopped(self, exception):
        """Copies backwards, which takes long enough to be heard in, with signals on their way whose handler raises once."""
        source, out = memoryview(bytearray(b"\1") * self.SIZE)[::-1], bytearray(self.SIZE)
        main, armed, over = threading.get_ident(), [], threading.Event()

        def handler(number, frame):
            if armed:
                armed.clear()
                raise exception

        def send():
            while not over.wait(0.01):
                signal.pthread_kill(main, signal.SIGUSR1)
        previous = signal.signal(signal.SIGUSR1, handler)
        sender = threading.Thread(target=send)
        sender.start()
        try:
            # A signal may be handled before the copy begins or after its end: then again.
            for _ in range(50):
                before, caught = len(ledger()), None
                out[:] = bytes(self.SIZE)
                try:
                    armed.append(True)
                    dlscope.copy(source, out=out)
                    armed.clear()
                except (KeyboardInterrupt, LookupError) as error:
                    caught = error
                if caught is not None and len(ledger()) > before and ledger()[-1]["bytes"] < self.SIZE:
                    return caught, ledger()[-1], out
            self.skipTest("this machine copies 256 MiB between two looks for signals")
        finally:
            armed.clear()
            over.set()
            sender.join()
            signal.signal(signal.SIGUSR1, previous)

    def test_ctrl_c_says_how_much_was_written(self):
        caught, entry, out = self.stopped(KeyboardInterrupt())
        self.assertRegex(str(caught), r"stopped: the first \d+ of 268435456 elements of out \(in C order\) are written")
        count = int(str(caught).split("the first ")[1].split()[0])
        self.assertEqual(entry["bytes"], count)
        self.assertEqual((out.count(1), out[:count].count(1)), (count, count), "as many as it says, and those")
        events = [event["text"] for event in dlscope.report({})["events"] if event["kind"] == "write"]
        self.assertIn(str(caught), events)

    def test_another_exception_of_a_handler_stays(self):
        caught, _, _ = self.stopped(LookupError("mine"))
        self.assertEqual(caught.args, ("mine",))


@unittest.skipIf(np is None, "no NumPy")
class NumPy(unittest.TestCase):
    def test_any_layout_into_any_other(self):
        rng = np.random.default_rng(1)
        for _ in range(200):
            rank = int(rng.integers(0, 5))
            shape = tuple(int(n) for n in rng.integers(1, 6, rank))

            def view(dtype):
                """A larger array, and the index of every so manieth of its elements along each axis, forwards or backwards."""
                whole = rng.integers(-100, 100, tuple(n * 3 + 1 for n in shape)).astype(dtype)
                steps = (int(s) for s in rng.integers(1, 4, rank))
                forwards = rng.integers(2, size=rank)
                return whole, (..., *(slice(0, n * s, s) if f else slice(n * s, 0, -s) for n, s, f in zip(shape, steps, forwards)))
            dtypes = ("i1", "i2", "f4", "f8", "c16")
            from_dtype = dtypes[rng.integers(5)]
            to_dtype = from_dtype if rng.integers(2) or from_dtype == "c16" else dtypes[rng.integers(4)]
            memory, part = view(from_dtype)
            source = memory[part]
            if rng.integers(2):
                source = source.copy(order="F")
            whole, part = view(to_dtype)
            out = whole[part]
            expected, before = whole.copy(), source.copy()
            expected[part] = np.asarray(dlscope.copy(source, dtype=out.dtype))
            made = dlscope.copy(source, out=out)
            np.testing.assert_array_equal(whole, expected, "its elements, and those between as they were")
            np.testing.assert_array_equal(source, before)
            self.assertEqual(made.data_ptr(), out.__array_interface__["data"][0])

    def test_read_only_and_broadcast(self):
        out = np.zeros(4, "u1")
        out.setflags(write=False)
        refused(self, BufferError, "out is read-only: numpy.ndarray", b"abcd", out)
        self.assertEqual(out.tolist(), [0, 0, 0, 0])
        refused(self, (BufferError, ValueError), "read-only|share a byte", np.ones((3, 4)), np.broadcast_to(np.zeros(4), (3, 4)))
        strided = np.lib.stride_tricks.as_strided(np.zeros(8), (3, 4), (8, 8), writeable=True)
        refused(self, ValueError, "share a byte", np.ones((3, 4)), strided)

    def test_what_dlpack_does_not_know(self):
        refused(self, (BufferError, TypeError), "dtype|struct|datetime|gives no tensor", b"abcd", np.zeros(4, "M8[D]"))

    def test_a_large_copy_in_threads_and_parts(self):
        source = np.arange(5000 * 4001, dtype="f4").reshape(5000, 4001)
        whole = np.full((4001, 5003), -1, "f4")
        dlscope.copy(source.T, out=whole[:, :5000])
        np.testing.assert_array_equal(whole[:, :5000], source.T)
        self.assertTrue((whole[:, 5000:] == -1).all())
        half = np.zeros((5000, 8002), "f2")
        dlscope.copy(source, out=half[:, ::2])
        with np.errstate(over="ignore"):
            np.testing.assert_array_equal(half[:, ::2], source.astype("f2"))
        self.assertFalse(half[:, 1::2].any())


@unittest.skipIf(torch is None, "no PyTorch")
class Torch(unittest.TestCase):
    def test_into_and_out_of_a_tensor(self):
        out = torch.zeros(3, 2)
        made = dlscope.copy(memoryview(array.array("f", range(6))).cast("B").cast("f", (2, 3)), out=out.T)
        self.assertEqual((out.tolist(), made.data_ptr()), ([[0, 3], [1, 4], [2, 5]], out.data_ptr()))
        weight = torch.nn.Parameter(torch.ones(4))
        back = array.array("f", bytes(16))
        dlscope.copy(weight, out=back)
        self.assertEqual(back.tolist(), [1, 1, 1, 1])

    def test_refusals(self):
        refused(self, BufferError, "require gradient|requires_grad|require grad", array.array("f", bytes(16)),
                torch.nn.Parameter(torch.ones(4)))
        refused(self, ValueError, "share a byte", array.array("f", bytes(16)), torch.zeros(1).expand(4))
        refused(self, (BufferError, TypeError), "sparse|layout|storage", array.array("f", bytes(16)), torch.zeros(4).to_sparse())

    def test_bfloat16(self):
        out = torch.zeros(3, dtype=torch.bfloat16)
        dlscope.copy(array.array("d", [1.0, 1.00390625, -2.5]), out=out)
        self.assertEqual(out.tolist(), [1.0, 1.0, -2.5])


@unittest.skipIf(jnp is None, "no JAX")
class Jax(unittest.TestCase):
    def test_as_source_and_never_as_destination(self):
        x = jnp.arange(4, dtype="float32")
        out = array.array("f", bytes(16))
        dlscope.copy(x, out=out)
        self.assertEqual(out.tolist(), [0, 1, 2, 3])
        refused(self, BufferError, "out is immutable by contract", out, x)
        refused(self, BufferError, "out is immutable by contract", out, dlscope.from_dlpack(x))
        self.assertEqual(x.tolist(), [0, 1, 2, 3])


if __name__ == "__main__":
    unittest.main()
