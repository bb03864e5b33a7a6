"""The report's events: what happens to watched capsules, refusals, copies, devices; of real libraries where they can be imported."""

import ctypes
import importlib
import os
import threading
import unittest

import dlscope
from ctypes_producer import Producer


def optional(name):
    try:
        return importlib.import_module(name)
    except ImportError:
        return None


np, torch = optional("numpy"), optional("torch")


def events(names=None):
    return dlscope.report(names if names is not None else {})["events"]


class Recorded:
    """The events since it was made."""

    def __init__(self):
        self.before = len(events())

    def now(self, names=None):
        return events(names)[self.before:]

    def kinds(self, names=None):
        return [event["kind"] for event in self.now(names)]


class Events(unittest.TestCase):
    def test_the_life_of_a_capsule(self):
        seen = Recorded()
        memory = bytearray(6)
        capsule = dlscope.watch_capsule(dlscope.asdlpack(memory).__dlpack__(max_version=(1, 3)))
        self.assertEqual(seen.kinds(), ["export"])
        tensor = dlscope.from_dlpack(capsule)
        self.assertEqual(seen.kinds(), ["export", "consume"])
        with self.assertRaises(ValueError):
            dlscope.from_dlpack(capsule)
        self.assertEqual(seen.kinds()[2], "refuse")
        self.assertIn("consumed before", seen.now()[2]["text"])
        del capsule
        self.assertEqual([k for k in seen.kinds() if k != "refuse"], ["export", "consume", "destructor"])
        del tensor
        told = seen.now()
        self.assertEqual([e["kind"] for e in told if e["kind"] != "refuse"], ["export", "consume", "destructor", "deleter"])
        times = [event["t_ns"] for event in told]
        self.assertEqual(times, sorted(times))
        self.assertTrue(all(event["tensor"] is None for event in told))
        self.assertIn("versioned capsule", told[0]["text"])
        self.assertIn("uint8 (6,)", told[0]["text"])

    def test_a_deleter_that_another_thread_calls_without_the_gil(self):
        seen = Recorded()
        producer = Producer()
        capsule = dlscope.watch_capsule(producer.capsule())
        ours = producer.struct.deleter  # in whose place dlscope's stands now
        call = ctypes.CFUNCTYPE(None, ctypes.c_void_p)(ours)  # CDLL convention: ctypes lets go of the GIL
        numbers = []

        def run():
            numbers.append(threading.get_native_id())
            call(ctypes.addressof(producer.struct))

        thread = threading.Thread(target=run)
        thread.start()
        thread.join()
        self.assertEqual(producer.deleted, 1)
        self.assertEqual(seen.kinds()[:3], ["export", "consume", "deleter"])
        self.assertIn("on thread %d" % numbers[0], seen.now()[2]["text"])
        self.assertNotEqual(numbers[0], os.getpid())
        from ctypes_producer import python
        python.PyCapsule_SetName.argtypes = [ctypes.py_object, ctypes.c_char_p]
        python.PyCapsule_SetName(capsule, b"used_dltensor_versioned")

    def test_refusals_have_the_words_of_whoever_refused(self):
        class Refusing:
            def __dlpack_device__(self):
                return 1, 0

            def __dlpack__(self, **_):
                raise BufferError("this one is not for export")

        class Unreadable(Exception):
            def __str__(self):
                raise AssertionError("nothing of the user's runs for an event")
            args = property(__str__)

        class Worse(Refusing):
            def __dlpack__(self, **_):
                raise Unreadable

        seen = Recorded()
        with self.assertRaisesRegex(BufferError, "^this one is not for export$"):
            dlscope.from_dlpack(Refusing())
        (event,) = seen.now()
        self.assertEqual(event["kind"], "refuse")
        self.assertIn("dlscope.from_dlpack() did not take a", event["text"])
        self.assertTrue(event["text"].endswith("BufferError: this one is not for export"), event["text"])
        with self.assertRaises(Unreadable):
            dlscope.from_dlpack(Worse())
        self.assertTrue(seen.now()[1]["text"].endswith("Unreadable"), seen.now()[1])
        with self.assertRaises(TypeError):
            dlscope.asdlpack(object())
        self.assertEqual(seen.kinds(), ["refuse"] * 3)

    def test_copies(self):
        seen = Recorded()
        dlscope.copy(bytearray(48))
        (event,) = seen.now()
        self.assertEqual(event["kind"], "copy")
        self.assertIn("48 bytes, ", event["text"])
        self.assertIn("dlscope.copy()", event["text"])

    def test_looking_is_no_event(self):
        seen = Recorded()
        memory = bytearray(8)
        dlscope.describe(memory)
        dlscope.overlap(memory, memoryview(memory))
        dlscope.prove(memory, memoryview(memory), probe=True)
        self.assertEqual(seen.kinds({"memory": memory}), [])

    def test_who_is_not_where_it_says(self):
        names = {"honest": Producer(), "liar": Producer(device=(2, 0), claims=(1, 0))}
        found = [event for event in dlscope.report(names)["events"] if event["kind"] == "device"]
        tensors = {tensor["name"]: tensor["id"] for tensor in dlscope.report(names)["tensors"]}
        self.assertEqual([event["tensor"] for event in found], [tensors["liar"]])
        self.assertIn("liar is not where its producer says: ", found[0]["text"])
        self.assertEqual([e for e in dlscope.report({"honest": names["honest"]})["events"] if e["kind"] == "device"], [])

    def test_numpy_to_torch(self):
        if np is None or torch is None:
            self.skipTest("needs NumPy and PyTorch, which cannot be imported here")
        seen = Recorded()
        x = np.arange(6, dtype=np.float32)
        capsule = dlscope.watch_capsule(x.__dlpack__())
        tensor = torch.from_dlpack(capsule)
        names = {"capsule": capsule}
        self.assertEqual(seen.kinds(names), ["export", "consume"])
        self.assertIn("noticed only now", seen.now(names)[1]["text"])
        names.clear()
        del capsule
        del tensor
        self.assertIn("deleter", seen.kinds())
        self.assertEqual(seen.kinds().count("consume"), 1)
        fresh = dlscope.watch_capsule(torch.zeros(3).__dlpack__())
        dropped = Recorded()
        del fresh
        self.assertEqual(dropped.kinds(), ["destructor", "deleter"])
        parameter = torch.nn.Parameter(torch.ones(3))
        with self.assertRaises(BufferError):
            dlscope.from_dlpack(parameter)
        self.assertRegex(dropped.now()[-1]["text"], "did not take a torch.nn.parameter.Parameter: .*require gradient")

    def test_zz_too_many_are_counted(self):
        """The last one: no later event is kept."""
        class Refusing:
            def __dlpack__(self, **_):
                raise BufferError("no")

            def __dlpack_device__(self):
                return 1, 0

        refusing = Refusing()
        for _ in range(10_050):
            try:
                dlscope.from_dlpack(refusing)
            except BufferError:
                pass
        told = events()
        self.assertEqual(len(told), 10_001)
        self.assertRegex(told[-1]["text"], "^[0-9]+ more events were not kept$")
        dropped = int(told[-1]["text"].split()[0])
        self.assertGreaterEqual(dropped, 50)


if __name__ == "__main__":
    unittest.main(verbosity=2)
