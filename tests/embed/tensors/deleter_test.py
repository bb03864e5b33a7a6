"""Every deleter runs exactly once: on every path, on any thread, with an error pending, at the interpreter's end; never after it."""

import gc
import importlib.util
import os
import subprocess
import sys
import threading
import unittest

import dlscope
from ctypes_producer import Producer

VERSIONED = {"max_version": (1, 0)}


class Once(unittest.TestCase):
    def test_every_path(self):
        def take(producer):
            dlscope.from_dlpack(producer)

        def take_and_close(producer):
            tensor = dlscope.from_dlpack(producer)
            tensor.close()
            tensor.close()

        def hand_on_and_consume(producer):
            first = dlscope.from_dlpack(producer)
            second = dlscope.from_dlpack(first)
            first.close()
            self.assertEqual(producer.deleted, 0, "the second holds it")
            del second

        def hand_on_and_drop(producer):
            for keywords in ({}, VERSIONED):
                dlscope.from_dlpack(producer).__dlpack__(**keywords)
            return 2  # it was taken twice

        def buffer(producer):
            view = memoryview(dlscope.from_dlpack(producer))
            self.assertEqual(producer.deleted, 0, "the buffer holds it")
            view.release()

        def copy(producer):
            copied = dlscope.from_dlpack(producer, copy=True)
            self.assertEqual(producer.deleted, 1, "a copy holds nothing of the source")
            del copied

        def describe(producer):
            dlscope.describe(producer)

        def refused(producer):
            with self.assertRaises(ValueError):
                dlscope.from_dlpack(producer, device="cuda:1")

        def cycle(producer):
            class Holder:
                pass

            holder = Holder()
            holder.itself, holder.tensor = holder, dlscope.from_dlpack(producer)
            del holder
            gc.collect()

        for path in (take, take_and_close, hand_on_and_consume, hand_on_and_drop, buffer, copy, describe, refused, cycle):
            for versioned in (True, False):
                with self.subTest(path.__name__, versioned=versioned):
                    producer = Producer(versioned=versioned)
                    taken = path(producer) or 1
                    gc.collect()
                    self.assertEqual(producer.deleted, taken)

    def test_on_other_threads(self):
        producer = Producer()
        tensors = [dlscope.from_dlpack(producer) for _ in range(64)]

        def let_go():
            while tensors:
                try:
                    tensors.pop().close()
                except IndexError:
                    return

        threads = [threading.Thread(target=let_go) for _ in range(8)]
        [thread.start() for thread in threads], [thread.join() for thread in threads]
        self.assertEqual(producer.deleted, 64)

    def test_a_thread_python_does_not_know(self):
        # A C thread calls the deleter of our struct: its own end of the chain is a Python callback.
        import ctypes

        from ctypes_producer import Versioned, python

        libc = ctypes.CDLL(None)  # calls release the GIL
        producer = Producer()
        capsule = dlscope.from_dlpack(producer).__dlpack__(**VERSIONED)
        address = python.PyCapsule_GetPointer(id(capsule), b"dltensor_versioned")
        rename = ctypes.PyDLL(None).PyCapsule_SetName
        rename.argtypes = [ctypes.py_object, ctypes.c_char_p]
        used = b"used_dltensor_versioned"
        rename(capsule, used)
        thread = ctypes.c_ulong()
        deleter = ctypes.c_void_p(Versioned.from_address(address).deleter)
        self.assertEqual(libc.pthread_create(ctypes.byref(thread), None, deleter, ctypes.c_void_p(address)), 0)
        self.assertEqual(libc.pthread_join(thread, None), 0)
        self.assertEqual(producer.deleted, 1)
        del capsule
        self.assertEqual(producer.deleted, 1)

    def test_with_an_error_pending(self):
        class Wrong(Exception):
            pass

        def fail(producer):
            tensor = dlscope.from_dlpack(producer)
            capsule = tensor.__dlpack__()
            tensor.close()
            assert capsule
            raise Wrong  # capsule and tensor go while it is on its way

        producer = Producer()
        with self.assertRaises(Wrong):
            fail(producer)
        self.assertEqual(producer.deleted, 1)

    def test_a_deleter_that_raises(self):
        class Raising(Producer):
            def _delete(self, address):
                super()._delete(address)
                raise RuntimeError("in the deleter")

        hook, seen = sys.unraisablehook, []
        sys.unraisablehook = lambda caught: seen.append(str(caught.exc_value))
        try:
            producer = Raising()
            dlscope.from_dlpack(producer)
        finally:
            sys.unraisablehook = hook
        self.assertEqual((producer.deleted, seen), (1, ["in the deleter"]))


AT_EXIT = """
import atexit, gc, sys, os
import dlscope
from ctypes_producer import Producer
apart = {"write": os.write}  # a function of this module would keep the module's names, and what they hold, for ever
exec("def tell(self, address): write(1, b'deleted\\\\n')", apart)
Producer._delete = apart["tell"]
producer = Producer()
held = dlscope.from_dlpack(producer)
import ctypes
ctypes.PyDLL(None).Py_IncRef(ctypes.py_object(producer))  # as an honest producer: its code outlives what it gave
"""
ENDS = {
    "a global": "",
    "a global in a module": "import types; module = types.ModuleType('m'); module.held = held; sys.modules['m'] = module; del held",
    "a cycle": "ring = [held]; ring.append(ring); del held, ring",
    "a capsule": "held = held.__dlpack__()",
    "atexit": "atexit.register(held.close)",
    "sys.exit": "sys.exit(0)",
    "a buffer": "held = memoryview(held)",
    "a thread": "import threading, time; threading.Thread(target=lambda h: time.sleep(60), args=(held,), daemon=True).start(); del held; held = 1",
    "os._exit": "os.write(1, b'deleted\\n'); os._exit(0)",
}


class AtTheEnd(unittest.TestCase):
    """NumPy's arrays and ctypes' callbacks: the last owner is the interpreter itself."""

    def test_every_way_out(self):
        for name, code in ENDS.items():
            with self.subTest(name):
                done = subprocess.run([sys.executable, "-c", AT_EXIT + code], capture_output=True, text=True, timeout=120)
                self.assertEqual(done.returncode, 0, done.stderr)
                expected = "" if name == "a thread" else "deleted\n"  # its frame is never left: nothing lets go
                self.assertEqual(done.stdout, expected, done.stderr)

    def test_libraries_that_outlive_the_interpreter(self):
        for library, code in (("torch", "x = torch.from_dlpack(dlscope.asdlpack(bytearray(64)))"),
                              ("torch", "x = dlscope.from_dlpack(torch.zeros(4)); y = torch.from_dlpack(x)"),
                              ("numpy", "x = numpy.from_dlpack(dlscope.asdlpack(bytearray(64)))"),
                              ("pyarrow", "x = pyarrow.py_buffer(dlscope.asdlpack(bytearray(64)))"),
                              ("tvm_ffi", "x = tvm_ffi.from_dlpack(dlscope.asdlpack(bytearray(64)))")):
            with self.subTest(library, code=code):
                done = subprocess.run([sys.executable, "-c", f"import dlscope\ntry:\n  import {library}\nexcept ImportError:\n  "
                                       f"raise SystemExit(0)\n{code}\nprint('fine')"], capture_output=True, text=True, timeout=300)
                self.assertEqual((done.returncode, done.stderr), (0, ""))


class Leaks(unittest.TestCase):
    @unittest.skipIf("ASAN_OPTIONS" in os.environ, "the address sanitizer keeps freed memory for a while, and memory grows by that")
    def test_a_hundred_thousand_hand_overs(self):
        memory = bytearray(64)

        def hand_over():
            tensor = dlscope.asdlpack(memory)
            again = dlscope.from_dlpack(tensor)
            view = memoryview(again)
            capsule = tensor.__dlpack__(**VERSIONED)
            return len(view) + (capsule is None)
        self.nothing_stays_of(hand_over, memory)
        memory.append(1)  # nobody holds it

    @unittest.skipIf("ASAN_OPTIONS" in os.environ, "the address sanitizer keeps freed memory for a while, and memory grows by that")
    def test_a_hundred_thousand_hand_overs_to_and_from_a_library(self):
        """Each in a process of its own: some of them cannot be in one together."""
        for name in HAND_OVERS:
            with self.subTest(name):
                if not importlib.util.find_spec(name):
                    self.skipTest(name + " is not installed")
                done = subprocess.run([sys.executable, __file__, "--hand-over", name], capture_output=True, text=True, timeout=300)
                self.assertEqual(done.returncode, 0, done.stderr)
                references, grown = map(int, done.stdout.split())
                self.assertEqual(references, 0)
                self.assertLess(grown, MOST_GROWN)

    def nothing_stays_of(self, hand_over, memory):
        references, grown = what_stays_of(hand_over, memory)
        self.assertEqual(references, 0)
        self.assertLess(grown, MOST_GROWN)


def to_and_from(from_dlpack, memory):
    def hand_over():
        tensor = dlscope.from_dlpack(memory)
        there = from_dlpack(tensor)
        return dlscope.asdlpack(there)
    return hand_over, memory


def jax_hand_over():
    import jax.numpy as jnp

    memory = jnp.arange(16.0)  # immutable: JAX takes copies only, because it asks for no version
    return (lambda: (dlscope.from_dlpack(memory), dlscope.asdlpack(jnp.from_dlpack(dlscope.from_dlpack(memory, copy=True))))), memory


def tensorflow_hand_over():
    import tensorflow

    memory, take = tensorflow.range(16.0), tensorflow.experimental.dlpack.from_dlpack
    return (lambda: dlscope.asdlpack(take(dlscope.from_dlpack(memory, copy=True).__dlpack__()))), memory


def pyarrow_hand_over():
    import pyarrow

    memory = pyarrow.array([1.0, 2.0])
    return (lambda: dlscope.asdlpack(dlscope.from_dlpack(memory))), memory  # it takes nothing


def library_hand_over(name):
    library = importlib.import_module(name)
    return to_and_from(library.from_dlpack, library.arange(16))


def tvm_ffi_hand_over():
    import array
    import tvm_ffi

    return to_and_from(tvm_ffi.from_dlpack, tvm_ffi.from_dlpack(dlscope.asdlpack(array.array("d", [1.0, 2.0]))))


def paddle_hand_over():
    import paddle

    memory = paddle.arange(16)  # its own from_dlpack() leaves 80 bytes behind, without dlscope as well
    return (lambda: dlscope.asdlpack(dlscope.from_dlpack(memory))), memory


HAND_OVERS = {
    "array_api_strict": lambda: library_hand_over("array_api_strict"),
    "jax": jax_hand_over,
    "numpy": lambda: library_hand_over("numpy"),
    "paddle": paddle_hand_over,
    "pyarrow": pyarrow_hand_over,
    "tensorflow": tensorflow_hand_over,
    "torch": lambda: library_hand_over("torch"),
    "tvm_ffi": tvm_ffi_hand_over,
}
ROUNDS = 100_000
MOST_GROWN = 2 << 20  # bytes: less than 21 for each


def what_stays_of(hand_over, memory):
    """(references to `memory`, bytes of the process) that ROUNDS hand-overs leave."""
    def resident():
        with open("/proc/self/statm") as file:
            return int(file.read().split()[1]) * 4096

    for _ in range(ROUNDS // 5):  # what libraries keep for later is there then
        hand_over()
    gc.collect()
    before, references = resident(), sys.getrefcount(memory)
    for _ in range(ROUNDS):
        hand_over()
    gc.collect()
    return sys.getrefcount(memory) - references, resident() - before


if __name__ == "__main__":
    if sys.argv[1:2] == ["--hand-over"]:
        print(*what_stays_of(*HAND_OVERS[sys.argv[2]]()))
        sys.stdout.flush()
        os._exit(0)  # a library's own end is not this test's
    unittest.main(verbosity=2)
