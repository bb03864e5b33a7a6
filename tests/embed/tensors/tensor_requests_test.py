"""What from_dlpack asks of a producer, and what it makes of the answer: devices, copies, capsules, bad structs."""

import ctypes
import gc
import struct
import unittest

import dlscope
from ctypes_producer import Producer, python


def name_of(capsule):
    return python.PyCapsule_GetName(id(capsule))


class Requests(unittest.TestCase):
    def test_what_a_producer_is_asked(self):
        producer = Producer()
        tensor = dlscope.from_dlpack(producer)
        self.assertEqual(producer.asked, [{"max_version": (1, 3)}])
        self.assertEqual(tensor.asked, {"max_version": (1, 3)})
        self.assertEqual((tensor.version, tensor.capsule_name, tensor.owner), ((1, 3), "dltensor_versioned", producer))
        self.assertEqual((tensor.shape, tensor.strides, tensor.dtype), ((2, 3), (3, 1), "float32"))
        dlscope.from_dlpack(producer, copy=False)
        self.assertEqual(producer.asked[-1], {"max_version": (1, 3), "copy": False})
        dlscope.from_dlpack(producer, copy=True)
        self.assertEqual(producer.asked[-1], {"max_version": (1, 3)}, "a copy in host memory is dlscope's own")

    def test_streams_are_for_devices(self):
        producer = Producer(device=(2, 0), claims=(2, 0))
        dlscope.from_dlpack(producer)
        self.assertEqual(producer.asked, [{"max_version": (1, 3)}], "an unknown library: None is its default stream")

    def test_a_producer_of_before_versions(self):
        asked = []

        class Old(Producer):
            def __dlpack__(self, stream=None):
                asked.append(stream)
                return self.capsule()

        tensor = dlscope.from_dlpack(Old(versioned=False))
        self.assertEqual((asked, tensor.asked, tensor.capsule_name, tensor.version), ([None], {}, "dltensor", None))
        self.assertEqual((tensor.read_only, tensor.writability), (None, "unknown"))
        self.assertFalse(memoryview(tensor).readonly)
        dlscope.from_dlpack(Old(versioned=False), copy=False)
        self.assertTrue(dlscope.from_dlpack(Old(versioned=False), copy=True).is_copied)
        with self.assertRaisesRegex(ValueError, "cuda:0.*unexpected keyword"):
            dlscope.from_dlpack(Old(versioned=False), device="cuda")

    def test_a_legacy_producer_that_says_so_itself(self):
        producer = Producer(versioned=False)
        Producer.__array_interface__ = property(lambda self: {"version": 3, "typestr": "<f4", "shape": (2, 3), "data": (self.struct.tensor.data, True)})
        try:
            self.assertEqual(dlscope.from_dlpack(producer).writability, "no")
        finally:
            del Producer.__array_interface__

    def test_its_own_error_is_passed_on(self):
        class Refusing(Producer):
            def __dlpack__(self, **keywords):
                raise RuntimeError("not today")

        with self.assertRaisesRegex(RuntimeError, "not today"):
            dlscope.from_dlpack(Refusing())

    def test_a_copy_where_none_may_be(self):
        copied = Producer(flags=2)
        self.assertTrue(dlscope.from_dlpack(copied).is_copied)
        with self.assertRaisesRegex(BufferError, "IS_COPIED.*copy=False"):
            dlscope.from_dlpack(copied, copy=False)
        with self.assertRaisesRegex(BufferError, "needs a copy"):
            dlscope.from_dlpack(Producer(device=(2, 0), claims=(2, 0)), device="cpu", copy=False)

    def test_a_capsule_on_another_device_than_was_asked_for(self):
        lying = Producer(device=(2, 0), claims=(1, 0))
        for wanted in ({"device": "cpu"}, {"device": "cpu", "copy": True}, {"device": "cpu", "copy": False}):
            with self.assertRaisesRegex(ValueError, r"is on cpu \(__dlpack_device__\) and gave memory on cuda:0"):
                dlscope.from_dlpack(lying, **wanted)
        self.assertEqual(lying.deleted, 3)
        self.assertEqual(dlscope.from_dlpack(lying).device, (2, 0), "without device= it is where the capsule says")
        told = dlscope.describe(lying)
        self.assertEqual({problem["code"] for problem in told["problems"]}, {"device_mismatch"})
        self.assertEqual((told["device"]["name"], told["device_claimed"]["type"]), ("cuda:0", 1))
        pinned = Producer(device=(1, 0), claims=(3, 0))  # PyTorch's pinned tensors: both are host memory
        self.assertEqual(dlscope.from_dlpack(pinned, device="cuda_host").data_ptr(), pinned.struct.tensor.data)

    def test_a_producer_without_a_device_method(self):
        class Bare:
            def __init__(self, producer):
                self.producer = producer

            def __dlpack__(self, **keywords):
                return self.producer.__dlpack__(**keywords)

        here = Producer()
        self.assertEqual(dlscope.from_dlpack(Bare(here), device="cpu").data_ptr(), here.struct.tensor.data)
        with self.assertRaisesRegex(BufferError, "from cuda:0 to cpu needs a copy, and copy=False"):
            dlscope.from_dlpack(Bare(Producer(device=(2, 0))), device="cpu", copy=False)
        with self.assertRaisesRegex(ValueError, "metal:0.*its memory is on cpu"):
            dlscope.from_dlpack(Bare(here), device="metal:0")
        with self.assertRaises(BufferError):  # there is no driver to bring it here
            dlscope.from_dlpack(Bare(Producer(device=(2, 0))), device="cpu")

        class Interrupted(Bare):
            def __getattr__(self, name):
                raise KeyboardInterrupt if name == "__dlpack_device__" else AttributeError(name)

        with self.assertRaises(KeyboardInterrupt):  # Ctrl+C while it looks for the method
            dlscope.from_dlpack(Interrupted(here), device="cpu")

    def test_a_move_is_a_copy_whatever_the_flag_says(self):
        class Moving(Producer):
            moved = Producer(device=(10, 0), claims=(10, 0))

            def __dlpack__(self, dl_device=None, **keywords):
                return super().__dlpack__(**keywords) if dl_device is None else self.moved.capsule()

        before = len(dlscope.report({})["copies"])
        producer = Moving()
        tensor = dlscope.from_dlpack(producer, device="rocm:0")
        self.assertEqual((tensor.device, tensor.is_copied), ((10, 0), True))
        tensor.close()
        ledger = dlscope.report({})["copies"]
        self.assertEqual(len(ledger), before + 1)
        self.assertIn("on cpu", ledger[-1]["from"])
        self.assertIn("by the library", ledger[-1]["why"])

        class Relabelling(Producer):  # pinned memory, given as what it is besides
            def __dlpack__(self, dl_device=None, **keywords):
                self.struct.tensor.device_type = 1 if dl_device == (1, 0) else 3
                return super().__dlpack__(**keywords)

        source = Relabelling(device=(3, 0), claims=(3, 0))
        same = dlscope.from_dlpack(source, device="cpu")
        self.assertEqual((same.device, same.is_copied), ((1, 0), False))
        self.assertEqual(len(dlscope.report({})["copies"]), before + 1)
        same.close()
        copied = dlscope.from_dlpack(source, device="cpu", copy=True)
        self.assertEqual((copied.device, copied.is_copied), ((1, 0), True))
        self.assertNotEqual(copied.data_ptr(), source.struct.tensor.data)

    def test_a_copy_on_a_device_is_looked_for(self):
        class Copying(Producer):
            copied = Producer(device=(10, 0), claims=(10, 0))

            def __dlpack__(self, copy=None, **keywords):
                return self.copied.capsule() if copy else super().__dlpack__(**keywords)

        producer = Copying(device=(10, 0), claims=(10, 0))
        tensor = dlscope.from_dlpack(producer, copy=True)
        self.assertEqual((tensor.is_copied, tensor.data_ptr()), (True, Copying.copied.struct.tensor.data))
        tensor.close()
        ignoring = Producer(device=(10, 0), claims=(10, 0))
        with self.assertRaisesRegex(BufferError, "ignored copy=True"):
            dlscope.from_dlpack(ignoring, copy=True)
        self.assertEqual(ignoring.deleted, len(ignoring.asked))

    def test_a_capsule(self):
        for versioned in (True, False):
            producer = Producer(versioned=versioned)
            capsule = producer.capsule()
            tensor = dlscope.from_dlpack(capsule)
            used = b"used_dltensor_versioned" if versioned else b"used_dltensor"
            self.assertEqual(name_of(capsule), used)
            self.assertEqual(tensor.data_ptr(), producer.struct.tensor.data)
            with self.assertRaisesRegex(ValueError, "consumed before"):
                dlscope.from_dlpack(capsule)
            del capsule
            self.assertEqual((producer.deleted, producer.destroyed), (0, 0))
            del tensor
            self.assertEqual((producer.deleted, producer.destroyed), (1, 0))
        producer = Producer(name="something")
        capsule = producer.capsule()
        with self.assertRaisesRegex(ValueError, "not a DLPack tensor"):
            dlscope.from_dlpack(capsule)

    def test_a_capsule_that_cannot_be_had_as_wanted_is_not_consumed(self):
        large = {"shape": (1 << 20, 1 << 25), "strides": (0, 0)}
        for facts, wanted, error in (({}, {"device": "metal:0"}, ValueError), (large, {"copy": True}, MemoryError)):
            producer = Producer(**facts)
            capsule = producer.capsule()
            with self.assertRaises(error):
                dlscope.from_dlpack(capsule, **wanted)
            self.assertEqual(name_of(capsule), b"dltensor_versioned")
            self.assertEqual(dlscope.from_dlpack(capsule).data_ptr(), producer.struct.tensor.data)

    def test_bad_structs_are_left_to_their_capsule(self):
        for case, words in (({"major": 2}, "DLPack 2.3"), ({"ndim": -1}, "ndim -1"), ({"shape": (-2, 3)}, "negative"),
                            ({"shape": 16, "ndim": 2}, "cannot be read"), ({"data": None}, "NULL"), ({"dtype": (2, 0, 1)}, "0 bits"),
                            ({"shape": (1 << 40, 1 << 40)}, "such tensor"), ({"ndim": 65, "shape": 16}, "ndim 65")):
            with self.subTest(case):
                producer = Producer(**case)
                with self.assertRaisesRegex(BufferError, words):
                    dlscope.from_dlpack(producer)
                self.assertEqual((producer.deleted, producer.destroyed), (1, 1))
        not_code = Producer(deleter=0x1234)
        not_code._deleter = None
        with self.assertRaisesRegex(BufferError, "executable"):
            capsule = python.PyCapsule_New(not_code.address, ctypes.addressof(not_code._name), None)
            dlscope.from_dlpack(capsule)

    def test_no_deleter_is_legal(self):
        tensor = dlscope.from_dlpack(Producer(deleter=None, destructor=False))
        self.assertEqual(tensor.shape, (2, 3))
        tensor.close()

    def test_memory_that_is_not_there(self):
        tensor = dlscope.from_dlpack(Producer(data=0x1000))  # the struct is good, the address a lie
        with self.assertRaisesRegex(BufferError, "cannot be read"):
            dlscope.copy(tensor)
        with self.assertRaisesRegex(BufferError, "rocm:0, where dlscope cannot read it"):
            dlscope.contiguous(Producer(device=(10, 0), claims=(10, 0), strides=(1, 2)))

    def test_a_call_inside_a_call_ends(self):
        class Endless(Producer):
            def __dlpack__(self, **keywords):
                return dlscope.from_dlpack(self).__dlpack__(max_version=(1, 0))

        with self.assertRaises(RecursionError):
            dlscope.from_dlpack(Endless())


if __name__ == "__main__":
    gc.collect()
    unittest.main(verbosity=2)
