"""Array interfaces and buffers made by hand: what is accepted, and what is refused with the reason."""

import ctypes
import unittest

import dlscope

MEMORY = (ctypes.c_double * 16)()
ADDRESS = ctypes.addressof(MEMORY)
ABSENT = object()


class Exporter:
    def __init__(self, **changes):
        interface = {"version": 3, "shape": (2, 3), "typestr": "<f8", "data": (ADDRESS, False), "strides": None}
        interface.update(changes)
        self.interface = {key: value for key, value in interface.items() if value is not ABSENT}

    @property
    def __array_interface__(self):
        return self.interface


class Anew:
    """Its 'data' is what `make` gives, each time it is asked."""

    def __init__(self, make, **changes):
        self.make, self.changes = make, {"version": 3, "shape": (4096,), "typestr": "|u1", **changes}

    __array_interface__ = property(lambda self: {**self.changes, "data": self.make()})


def overwrite_what_was_freed():
    """Takes the memory that an object of 4096 bytes would have left."""
    return [bytes([99]) * 4096 for _ in range(10)] + [bytearray([99]) * 4096 for _ in range(10)]


class DataGivenAsAnObject(unittest.TestCase):
    """The memory belongs to the object under 'data', so that object is what has to be held."""

    SEVENS = bytes([7]) * 4096

    def test_a_tensor_holds_the_data(self):
        for make in (lambda: bytes([7]) * 4096, lambda: bytearray([7]) * 4096, lambda: memoryview(bytes([7]) * 4096)):
            tensor = dlscope.asdlpack(Anew(make))
            others = overwrite_what_was_freed()
            self.assertEqual(bytes(memoryview(tensor)), self.SEVENS)
            self.assertTrue(tensor.is_copied)
            self.assertEqual(len(others), 20)
            for made in (dlscope.copy(Anew(make)), dlscope.contiguous(Anew(make))):
                self.assertEqual(bytes(memoryview(made)), self.SEVENS)

    def test_a_tensor_keeps_the_data_from_moving(self):
        memory = bytearray(self.SEVENS)
        tensor = dlscope.asdlpack(Anew(lambda: memory))
        self.assertFalse(tensor.is_copied)
        with self.assertRaises(BufferError):
            memory.append(1)
        tensor.close()
        memory.append(1)

    def test_the_copy_is_in_the_ledger(self):
        before = len(dlscope.report({})["copies"])
        dlscope.asdlpack(Anew(lambda: bytes([7]) * 4096))
        entry, = dlscope.report({})["copies"][before:]
        self.assertEqual((entry["bytes"], entry["why"]), (4096, "dlscope.asdlpack(), by the library"))
        with self.assertRaisesRegex(BufferError, "a copy of its elements"):
            dlscope.copy(bytes(4096), out=Anew(lambda: bytearray(4096)))

    def test_values_are_read_while_the_data_is_held(self):
        exporter = Anew(lambda: bytes([7]) * 4096)
        self.assertEqual((dlscope.stats(exporter)["min"], dlscope.stats(exporter)["max"]), (7, 7))
        self.assertTrue(dlscope.compare(exporter, self.SEVENS)["bit_equal"])

    def test_two_copies_are_not_the_same_memory(self):
        for make in (lambda: bytes([7]) * 4096, lambda: bytearray(4096), lambda: memoryview(bytes([7]) * 4096)):
            pair = dlscope.overlap(Anew(make), Anew(make))
            self.assertEqual((pair["relation"], pair["reason"]), ("unknown", "copied_for_export"))
            self.assertIn("the first argument hands over a copy of its bytes", pair["why"])

    def test_a_scan_says_so_and_reads_nothing(self):
        first, second = Anew(lambda: bytes([7]) * 4096), Anew(lambda: bytes([7]) * 4096)
        report = dlscope.report({"first": first, "second": second})
        for record in report["tensors"]:
            self.assertEqual((record["flags"]["is_copied"], record["readable"], record["group"]), (True, False, None))
            self.assertIn("copied_for_export", [note["code"] for note in record["notes"]])
        self.assertEqual((len(report["tensors"]), report["sharing"]), (2, []))

    def test_a_view_of_memory_that_lives_longer_is_no_copy(self):
        memory = bytearray(self.SEVENS)
        kept = {"version": 3, "shape": (4096,), "typestr": "|u1", "data": bytes([7]) * 4096}

        class Kept:
            __array_interface__ = property(lambda self: kept)

        views = [Anew(lambda: memoryview(memory)), Anew(lambda: (ctypes.c_char * 4096).from_buffer(memory))]
        for exporter in (*views, Anew(lambda: memory), Kept()):
            record = dlscope.describe(exporter)
            self.assertEqual((record["flags"]["is_copied"], record["readable"]), (False, True))
            self.assertNotIn("copied_for_export", [note["code"] for note in record["notes"]])
        self.assertTrue(dlscope.shares_memory(views[0], views[1]))
        self.assertTrue(dlscope.shares_memory(memory, views[0]))

    def test_data_that_is_no_buffer_the_second_time(self):
        for second in (3, None):
            answers = [memoryview(bytes(4096)), second]
            record = dlscope.describe(Anew(lambda: answers.pop(0)))
            self.assertEqual((record["protocol"], record["flags"]["is_copied"]), ("array_interface", True))


class ArrayInterface(unittest.TestCase):
    def refusal(self, **changes):
        record = dlscope.describe(Exporter(**changes))
        self.assertIsNone(record["protocol"], record)
        return record["refusals"][0]["message"]

    def test_accepted(self):
        record = dlscope.describe(Exporter())
        self.assertEqual((record["protocol"], record["shape"], record["strides_bytes"]), ("array_interface", [2, 3], [24, 8]))
        self.assertEqual((record["address"], record["strides_implied"]), (hex(ADDRESS), True))
        self.assertEqual(record["flags"], {"read_only": False, "is_copied": False, "subbyte_padded": False})
        record = dlscope.describe(Exporter(strides=(-24, 16), data=(ADDRESS + 24, True), shape=(2, 2)))
        self.assertEqual((record["strides"], record["flags"]["read_only"]), ([-3, 2], True))
        self.assertEqual(int(record["extent"]["begin"], 16), ADDRESS)

    def test_data_given_as_a_buffer_with_an_offset(self):
        record = dlscope.describe(Exporter(data=MEMORY, offset=16, shape=(3,)))
        self.assertEqual(int(record["address"], 16), ADDRESS + 16)

    def test_data_that_is_a_smaller_buffer_than_the_shape_needs(self):
        """The buffer is held and its size known: nothing beyond it is read (NumPy takes it, and does)."""
        buffer = bytearray(96)
        for words, changes in (("reach from byte 0 to 800", {"shape": (100,)}), ("from byte 90 to 98", {"shape": (1,), "offset": 90}),
                               ("from byte -8 to 88", {"shape": (12,), "offset": -8}),
                               ("from byte -88 to 8", {"shape": (12,), "strides": (-8,)}), ("to 104", {"shape": (2,), "strides": (96,)})):
            exporter = Exporter(data=buffer, **changes)
            with self.subTest(words):
                record = dlscope.describe(exporter)
                self.assertEqual((record["protocol"], record["extent"], record["readable"]), (None, None, False))
                self.assertIn("'data' has 96 bytes", record["refusals"][0]["message"])
                self.assertIn(words, record["refusals"][0]["message"])
                for call in (dlscope.copy, dlscope.asdlpack, dlscope.stats, lambda x: dlscope.copy(bytes(96), out=x)):
                    with self.assertRaisesRegex((BufferError, ValueError), "'data' has 96 bytes"):
                        call(exporter)
                self.assertEqual(dlscope.prove(exporter, buffer, probe=True)["verdict"], "UNKNOWN")
        for changes in ({"shape": (12,)}, {"shape": (1,), "offset": 88}, {"shape": (12,), "strides": (-8,), "offset": 88},
                        {"shape": (0, 1000)}, {"shape": (1000,), "strides": (0,)}):
            with self.subTest(changes):
                self.assertEqual(dlscope.describe(Exporter(data=buffer, **changes))["protocol"], "array_interface")

    def test_on_the_instance_when_asked_by_name(self):
        class Bare:
            pass

        bare = Bare()
        bare.__array_interface__ = Exporter().interface
        self.assertEqual(dlscope.describe(bare)["protocol"], "array_interface")
        self.assertEqual(dlscope.report({"bare": bare})["tensors"], [], "a scan looks at types")

    def test_refused_with_the_reason(self):
        self.assertIn("masked", self.refusal(mask=MEMORY))
        self.assertIn("version", self.refusal(version=2))
        self.assertIn("'shape' is not a tuple", self.refusal(shape=[2, 3]))
        self.assertIn("integers", self.refusal(shape=(2.5, 3)))
        self.assertIn("integers", self.refusal(shape=(1 << 70,)))
        self.assertIn("strides", self.refusal(strides=(8,)))
        self.assertIn("data", self.refusal(data=("nowhere", False)))
        self.assertIn("data", self.refusal(data=ABSENT))
        self.assertIn("65 dimensions", self.refusal(shape=(1,) * 65))

    def test_elements_dlpack_has_no_dtype_for(self):
        for changes, name, bits in (({"typestr": ">f8"}, "float64 big-endian", 64), ({"typestr": "|V12"}, "V12", 96),
                                    ({"typestr": "|V16", "descr": [("a", "<i4"), ("", "|V4"), (("title", "b"), "<f8")]},
                                     "struct{a:int32,b:float64}", 128),
                                    ({"typestr": "<M8[25s]"}, "datetime64[25s]", 64), ({"typestr": "<m8"}, "timedelta64", 64)):
            with self.subTest(name):
                record = dlscope.describe(Exporter(**changes))
                self.assertEqual((record["dtype"]["name"], record["dtype"]["bits"], record["dtype"]["code"]), (name, bits, None))

    def test_hostile_descriptions_of_records(self):
        class Loud(list):
            def __iter__(self):
                raise AssertionError("the description's own code ran")
            __len__ = __getitem__ = __iter__

        cycle = []
        cycle.append(("a", cycle))
        for descr in (cycle, [("a",)], [("a", "<i4", (1 << 70,))], [("a", "<i4", (-1,))], [("a", "|V99999")], [(1, 2)], "nothing",
                      [("a", "<f8")] * 1000, [("a", "<f8", (2,) * 1000)], Loud([("a", "<i4")]), [("x" * 100000, "<i4")]):
            with self.subTest(repr(descr)[:40]):
                record = dlscope.describe(Exporter(typestr="|V12", descr=descr))
                self.assertEqual((record["protocol"], record["dtype"]["bits"]), ("array_interface", 96))
                self.assertLess(len(record["dtype"]["name"]), 10000)
        for typestr in ("<M8[", "<M8[]", "<M8[0s]", "<M8[xs]", "<M4[s]", "|V", "|V0", "<U99999999", "<U-1", "|O\0", "<t1"):
            with self.subTest(typestr):
                self.assertIn(dlscope.describe(Exporter(typestr=typestr))["protocol"], (None, "array_interface"))

    def test_absurd_shapes_become_problems(self):
        for shape in ((-1, 3), (1 << 62, 4)):
            record = dlscope.describe(Exporter(shape=shape))
            self.assertTrue(record["problems"])
            self.assertIsNone(record["extent"])

    def test_protocols_tell_all_of_them(self):
        told = dlscope.protocols(Exporter(version=1))
        self.assertEqual(set(told), {"dlpack", "buffer", "array_interface", "cuda_array_interface"})
        self.assertEqual(told["dlpack"], {"offered": False, "accepted": False, "error": None})
        self.assertTrue(told["array_interface"]["offered"])
        self.assertEqual(told["array_interface"]["error"]["type"], "dlscope.Unsupported")


if __name__ == "__main__":
    unittest.main(verbosity=2)
