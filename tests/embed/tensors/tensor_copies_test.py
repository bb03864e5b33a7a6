"""dlscope.copy and contiguous without any library: orders, the ledger, sizes, and what a signal does to a large copy."""

import mmap
import os
import signal
import threading
import unittest

import dlscope
from array_interface import Interface, address_of


def memory_used(which):
    """Bytes of this process."""
    with open("/proc/self/statm") as numbers:
        return int(numbers.read().split()[("mapped", "resident").index(which)]) * mmap.PAGESIZE


class Copies(unittest.TestCase):
    def copies(self):
        return dlscope.report({})["copies"]

    def test_orders(self):
        view = memoryview(bytearray(range(24))).cast("B", (4, 6))
        for source in (view, view[::-2]):
            for order in "CK":
                copied = dlscope.copy(source, order=order)
                self.assertEqual(memoryview(copied).tolist(), source.tolist())
                self.assertEqual((copied.strides, copied.is_copied, copied.data_ptr() % 64), ((6, 1), True, 0))
        turned = Interface(bytearray(24), strides=(4, 8))
        self.assertEqual(dlscope.copy(turned, order="K").strides, (1, 2))
        self.assertEqual(dlscope.copy(turned).strides, (3, 1))

    def test_contiguous_copies_only_what_is_not(self):
        memory, before = bytearray(24), len(self.copies())
        same = dlscope.contiguous(memory)
        self.assertEqual((same.is_copied, same.data_ptr(), same.owner), (False, address_of(memory), memory))
        self.assertEqual(len(self.copies()), before)
        other = dlscope.contiguous(Interface(memory, strides=(4, 8)))
        self.assertEqual((other.is_copied, other.strides), (True, (3, 1)))
        self.assertEqual(len(self.copies()), before + 1)

    def test_the_ledger(self):
        before = len(self.copies())
        memory = bytearray(24)
        dlscope.describe(memory), dlscope.asdlpack(memory), dlscope.overlap(memory, memory)
        self.assertEqual(len(self.copies()), before, "looking and sharing copy nothing")
        dlscope.copy(memory)
        entry = self.copies()[-1]
        self.assertEqual({name: entry[name] for name in ("from", "to", "bytes", "why")},
                         {"from": "bytearray on cpu", "to": "dlscope.Tensor on cpu", "bytes": 24, "why": "dlscope.copy()"})
        self.assertGreater(entry["ns"], 0)
        self.assertEqual((entry["path"], entry["plain_ns"]), ("cpu -> cpu, memcpy", None))  # nobody measured a plain copy
        dlscope.copy(Interface(memory, strides=(4, 8)), dtype="float64")
        self.assertEqual(self.copies()[-1]["path"], "cpu -> cpu, converted in tiles")
        out = bytearray(24)
        dlscope.copy(memory, out=out)
        self.assertEqual(self.copies()[-1]["path"], "cpu -> cpu, memcpy")

    def test_a_copy_that_does_not_fit(self):
        huge = Interface(bytearray(24), shape=(1 << 45,), strides=(0,))
        with self.assertRaisesRegex(MemoryError, "does not fit"):
            dlscope.copy(huge)

    def test_empty_and_scalar(self):
        self.assertEqual(dlscope.copy(Interface(bytearray(24), shape=(0, 3))).shape, (0, 3))
        scalar = dlscope.copy(Interface(bytearray(b"\0\0\x80\x3f") + bytearray(20), shape=()))
        self.assertEqual((scalar.shape, memoryview(scalar).tolist()), ((), 1.0))

    def test_what_a_signal_handler_raises_ends_a_large_copy(self):
        memory = bytearray(b"\1") * (1 << 28)
        before = memory_used("resident")
        source = dlscope.asdlpack(memoryview(memory)[::-1])
        for name, make in (("copy", dlscope.copy), ("a conversion", lambda x: dlscope.copy(x, dtype="int8")),
                           ("contiguous", dlscope.contiguous), ("from_dlpack", lambda x: dlscope.from_dlpack(x, copy=True))):
            for exception in (KeyboardInterrupt(), LookupError("mine")):
                with self.subTest(name, exception=exception):
                    self.assertIs(self.stopped(make, source, exception), exception)
        with self.subTest("nothing is left of them"):
            self.assertLess(memory_used("resident") - before, 1 << 26)
            source.close()
            memory.append(0)  # BufferError while anything exports it

    def stopped(self, make, source, exception):
        """What came out of make(source), into which a signal came whose handler raises: not before it began, and not after its end."""
        main, over, inside = threading.get_ident(), threading.Event(), []
        copies = len(dlscope.report({})["copies"])
        before = memory_used("mapped")

        def handler(number, frame):
            if memory_used("mapped") - before > 1 << 27:  # the copy has its memory
                inside.append(True)
                raise exception

        def send():
            while not over.wait(0.005):
                signal.pthread_kill(main, signal.SIGUSR1)
        previous = signal.signal(signal.SIGUSR1, handler)
        sender = threading.Thread(target=send)
        sender.start()
        caught = None
        try:
            for _ in range(50):  # a machine may copy so much between two looks for signals
                try:
                    made = make(source)
                    signal.signal(signal.SIGUSR1, signal.SIG_IGN)
                except (KeyboardInterrupt, LookupError) as error:
                    caught = error
                signal.signal(signal.SIGUSR1, signal.SIG_IGN)
                made = None  # noqa: F841
                found = len(dlscope.report({})["copies"])
                if caught is not None and found == copies:
                    return caught
                copies, caught = found, None
                signal.signal(signal.SIGUSR1, handler)
            self.skipTest("this machine copied so fast that no signal came before the copy was made (%d came inside)" % len(inside))
        finally:
            signal.signal(signal.SIGUSR1, signal.SIG_IGN)
            over.set()
            sender.join()
            signal.signal(signal.SIGUSR1, previous)
            if caught is not None:
                caught.__traceback__ = None

    def test_large_copies_leave_the_gil(self):
        source = memoryview(bytearray(os.urandom(1 << 20)))[::-1]
        self.assertEqual(memoryview(dlscope.copy(source)).tobytes(), source.tobytes())


if __name__ == "__main__":
    unittest.main(verbosity=2)
