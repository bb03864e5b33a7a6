"""What the window's struct card gets: the bytes ctypes reads from the same struct, the deleter called once, no name evaluated."""

import ctypes
import unittest

from ctypes_producer import Legacy, Producer, Versioned
from typed_answers import protocols_answer, struct_answer

from dlscope import _dlscope


def struct(name, names, anyway=False):
    return struct_answer(_dlscope.host_struct(names, name, anyway))


def protocols(name, names, anyway=False):
    return protocols_answer(_dlscope.host_protocols(names, name, anyway))


def raw(block):
    """The whole struct's bytes, put together from its fields; None where fields leave a gap or overlap."""
    out = bytearray(block["size"])
    seen = set()
    for field in block["fields"]:
        data = field["bytes"]
        span = range(field["offset"], field["offset"] + field["size"])
        assert len(data) == field["size"] and not seen & set(span), field
        seen |= set(span)
        out[field["offset"]:field["offset"] + field["size"]] = data
    return bytes(out) if seen == set(range(block["size"])) else None


class RawStruct(unittest.TestCase):
    def test_bytes_are_what_ctypes_reads(self):
        for versioned in (True, False):
            with self.subTest(versioned=versioned):
                producer = Producer(versioned=versioned, flags=0, byte_offset=8)
                answer = struct("p", {"p": producer})
                self.assertTrue(answer["found"])
                self.assertEqual(answer["protocol"], "dlpack")
                self.assertEqual(answer["capsule"], "dltensor_versioned" if versioned else "dltensor")
                self.assertTrue(answer["taken"])
                self.assertEqual((producer.deleted, producer.destroyed), (1, 0))
                head, shape, strides = answer["blocks"]
                size = ctypes.sizeof(Versioned if versioned else Legacy)
                self.assertEqual((head["address"], head["size"]), (producer.address, size))
                self.assertEqual(raw(head), ctypes.string_at(producer.address, size))
                self.assertEqual(shape["address"], producer.struct.tensor.shape)
                self.assertEqual(raw(shape), bytes(producer._shape))
                self.assertEqual(raw(strides), bytes(producer._strides))

    def test_a_held_capsule_is_never_taken(self):
        producer = Producer()
        capsule = producer.capsule()
        for _ in range(3):
            answer = struct("c", {"c": capsule})
            self.assertTrue(answer["held"])
            self.assertFalse(answer["taken"])
            self.assertEqual(answer["capsule"], "dltensor_versioned")
            self.assertEqual(raw(answer["blocks"][0]), ctypes.string_at(producer.address, ctypes.sizeof(Versioned)))
        self.assertEqual(producer.deleted, 0)
        self.assertEqual(protocols("c", {"c": capsule})["protocols"], [])
        del capsule
        self.assertEqual(producer.deleted, 1)

    def test_a_used_capsule_says_so_and_shows_nothing(self):
        producer = Producer(name="used_dltensor_versioned")
        answer = struct("c", {"c": producer.capsule()})
        self.assertEqual(answer["capsule"], "used_dltensor_versioned")
        self.assertEqual(answer["blocks"], [])

    def test_lying_structs_are_copied_as_far_as_they_go(self):
        for what in (dict(shape=0x10, ndim=2), dict(strides=0x8000_0000_0000_0000), dict(ndim=1 << 30), dict(ndim=-1),
                     dict(strides=None), dict(major=7), dict(data=None), dict(deleter=0x10), dict(deleter=None)):
            with self.subTest(what=what):
                producer = Producer(**what)
                answer = struct("p", {"p": producer})
                self.assertEqual(raw(answer["blocks"][0]), ctypes.string_at(producer.address, ctypes.sizeof(Versioned)))
                self.assertLessEqual(producer.deleted, 1)

    def test_names_are_looked_up_and_never_evaluated(self):
        producer = Producer()
        calls = []

        class Odd:
            def __getattr__(self, name):
                calls.append(name)
                return producer

        names = {"p": producer, "d": {"w": [producer], (1, 2): producer, 1.5: producer, "a.b": producer, "'": producer},
                 "odd": Odd(), "s": {0: {producer}}, "ab": 1}
        for name in ("p", "d['w'][0]", "d[(1, 2)]", "d[1.5]", "d['a.b']", "d[\"'\"]", "s[0]<0>", "p.memory"):
            self.assertTrue(struct(name, names)["found"], name)
        for name in ("", "q", "p.", "p[0]", "p()", "__import__('os')", "d['w'][1]", "d['w'][0", "odd.x", "a", "ab.c", "d[", "s[0]<1>",
                     "p\0", "d" * 100000, "[" * 1000, "p; p", "d['w'][0].nothing", "\u00e9", "_private"):
            self.assertEqual(any(struct(name, names).values()), False, name[:40])
        self.assertEqual(calls, [])

    def test_what_must_not_be_called_unasked_is_not(self):
        try:
            from PIL import Image
        except ImportError as error:
            self.skipTest(str(error))
        image = Image.new("L", (4, 3))
        answer = struct("image", {"image": image})
        self.assertIn("copies", answer["not_called"])
        self.assertEqual(answer["protocol"], "")
        self.assertIn("copies", protocols("image", {"image": image})["not_called"])
        answer = struct("image", {"image": image}, anyway=True)
        self.assertEqual(answer["not_called"], "")
        self.assertEqual(answer["protocol"], "array_interface")
        self.assertIn("shape", [entry["key"] for entry in answer["interface"]])

    def test_an_interface_is_shown_without_running_the_words_of_what_is_in_it(self):
        called, memory = [], (ctypes.c_double * 4)()

        class Loud:
            def __repr__(self):
                called.append("repr")
                exporter.interface["more"] = 1
                return "loud"

        class Exporter:
            interface = {"version": 3, "shape": (4,), "typestr": "<f8", "data": (ctypes.addressof(memory), False),
                         "descr": [("", "<f8")], "list": [Loud()], "tuple": (1, (Loud(),)), "loud": Loud()}
            __array_interface__ = property(lambda self: self.interface)

        exporter = Exporter()
        told = {entry["key"]: entry["value"] for entry in struct("x", {"x": exporter})["interface"]}
        self.assertEqual(called, [])
        self.assertEqual((told["shape"], told["descr"], told["version"]), ("(4,)", "[('', '<f8')]", "3"))
        self.assertEqual((told["list"], told["tuple"]), ("<list>", "<tuple>"))
        self.assertTrue(told["loud"].endswith("Loud>"), told["loud"])

    def test_buffers_show_the_py_buffer(self):
        data = bytearray(range(12))
        answer = struct("m", {"m": memoryview(data).cast("i")})
        self.assertEqual((answer["protocol"], answer["format"]), ("buffer", "i"))
        fields = {field["name"]: int.from_bytes(field["bytes"], "little") for field in answer["blocks"][0]["fields"]}
        self.assertEqual((fields["len"], fields["itemsize"], fields["ndim"], fields["readonly"]), (12, 4, 1, 0))
        self.assertEqual(fields["buf"], ctypes.addressof(ctypes.c_char.from_buffer(data)))
        data.append(1)  # released: otherwise "Existing exports of data"


class Libraries(unittest.TestCase):
    def test_numpy_and_torch_say_which_protocols_answer(self):
        try:
            import numpy, torch
        except ImportError as error:
            self.skipTest(str(error))
        names = {"x": numpy.arange(6.0), "w": torch.ones(3, requires_grad=True), "t": torch.ones(3)}
        told = {line["name"]: line for line in protocols("x", names)["protocols"]}
        self.assertTrue(all(told[name]["accepted"] for name in ("dlpack", "buffer", "array_interface")))
        self.assertFalse(told["cuda_array_interface"]["offered"])
        told = {line["name"]: line for line in protocols("w", names)["protocols"]}
        self.assertTrue(told["dlpack"]["offered"] and not told["dlpack"]["accepted"])
        self.assertEqual(told["dlpack"]["type"], "BufferError")
        self.assertIn("requires grad" if "requires grad" in told["dlpack"]["message"] else "require gradient", told["dlpack"]["message"])
        data = next(f for f in struct("x", names)["blocks"][0]["fields"] if f["name"] == "data")
        self.assertEqual(int.from_bytes(data["bytes"], "little"), names["x"].ctypes.data)
        answer = struct("t", names)
        head = answer["blocks"][0]
        data = next(f for f in head["fields"] if f["name"] == "data")
        self.assertEqual(int.from_bytes(data["bytes"], "little"), names["t"].data_ptr())


if __name__ == "__main__":
    unittest.main()
