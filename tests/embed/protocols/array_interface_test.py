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
        self.assertIn("byte order", self.refusal(typestr=">f8"))
        self.assertIn("not a plain number", self.refusal(typestr="|V12"))
        self.assertIn("'shape' is not a tuple", self.refusal(shape=[2, 3]))
        self.assertIn("integers", self.refusal(shape=(2.5, 3)))
        self.assertIn("integers", self.refusal(shape=(1 << 70,)))
        self.assertIn("strides", self.refusal(strides=(8,)))
        self.assertIn("data", self.refusal(data=("nowhere", False)))
        self.assertIn("data", self.refusal(data=ABSENT))
        self.assertIn("65 dimensions", self.refusal(shape=(1,) * 65))

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
