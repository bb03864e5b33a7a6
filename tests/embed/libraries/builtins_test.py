"""bytes, bytearray, array, mmap, memoryview and ctypes arrays: described by their buffers, and never held by a look."""

import array
import ctypes
import mmap

from tensor_checks import TensorTest, by_name, main

import dlscope


def buffer_address(view):
    return ctypes.addressof(ctypes.c_char.from_buffer(view))


class Builtins(TensorTest):
    def test_addresses(self):
        b, a, m = bytearray(b"12345"), array.array("d", [1.0, 2.0]), mmap.mmap(-1, 4096)
        c = ((ctypes.c_int * 3) * 2)()
        records = by_name(dlscope.report({"b": b, "a": a, "m": m, "c": c}))
        self.assert_record(records["b"], address=buffer_address(b), shape=(5,), strides_bytes=(1,), itemsize=1,
                           dtype="uint8", protocol="buffer", library="builtins", type="bytearray", read_only=False)
        self.assert_record(records["a"], address=a.buffer_info()[0], shape=(2,), strides_bytes=(8,), itemsize=8,
                           dtype="float64", library="array")
        self.assert_record(records["m"], address=buffer_address(m), shape=(4096,), strides_bytes=(1,), itemsize=1, library="mmap")
        self.assert_record(records["c"], address=ctypes.addressof(c), shape=(2, 3), strides_bytes=(12, 4), itemsize=4,
                           dtype="int32", library="ctypes", read_only=False)

    def test_bytes_are_read_only(self):
        text = b"constant"
        record = dlscope.describe(text)
        self.assertEqual((record["flags"]["read_only"], record["shape"], record["dtype"]["name"]), (True, [8], "uint8"))

    def test_memoryviews(self):
        memory = bytearray(48)
        view = memoryview(memory).cast("i", (3, 4))
        records = dlscope.report({"memory": memory, "view": view, "part": memoryview(memory)[4:40:3]})
        self.assertEqual(by_name(records)["view"]["strides_bytes"], [16, 4])
        self.assertEqual(by_name(records)["part"]["strides"], [3])
        self.assert_pairs_by_brute_force(records)

    def test_a_look_does_not_hold_the_buffer(self):
        memory, mapped = bytearray(8), mmap.mmap(-1, 4096)
        dlscope.describe(memory)
        dlscope.report({"memory": memory, "mapped": mapped})
        memory.append(1)
        mapped.close()
        self.assertIsNone(dlscope.describe(mapped)["protocol"])  # closed: refused in words, no crash

    def test_array_typecodes(self):
        names = {"b": "int8", "B": "uint8", "h": "int16", "H": "uint16", "i": "int32", "I": "uint32", "l": "int64",
                 "L": "uint64", "q": "int64", "Q": "uint64", "f": "float32", "d": "float64"}
        for code, name in names.items():
            self.assertEqual(dlscope.describe(array.array(code, [1]))["dtype"]["name"], name)

    def test_texts_and_records_are_memory_too(self):
        """What DLPack has no dtype for is described all the same: one element is its whole item."""
        record = type("Record", (ctypes.Structure,), {"_fields_": [("a", ctypes.c_byte), ("b", ctypes.c_double), ("c", ctypes.c_int * 3)]})
        big = type("Big", (ctypes.BigEndianStructure,), {"_fields_": [("n", ctypes.c_uint32)]})
        wide = {2: "U1", 4: "U1"}[array.array("u").itemsize]
        for value, name, bits in ((array.array("u", "abc"), wide, 32), ((ctypes.c_char * 64)(), "S1", 8),
                                  ((record * 2)(), "struct{a:int8,b:float64,c:int32[3]}", 8 * ctypes.sizeof(record)),
                                  ((big * 2)(), "struct{n:uint32 big-endian}", 32), (memoryview(b"abc").cast("c"), "S1", 8)):
            with self.subTest(name):
                told = dlscope.describe(value)
                self.assertEqual((told["protocol"], told["dtype"]), ("buffer", {"code": None, "bits": bits, "lanes": 1, "name": name}))
                self.assertEqual(told["shape"], [len(value)])
                self.assertIn("not_dlpack", [note["code"] for note in told["notes"]])
                self.assertEqual([t["dtype"]["name"] for t in dlscope.report({"x": value})["tensors"]], [name])

    def test_fields_that_a_format_does_not_place_are_raw_bytes(self):
        """The formats of ctypes leave out inherited fields, and the places of bit fields and of unions."""
        def structure(name, fields, base=ctypes.Structure):
            return type(name, (base,), {"_fields_": fields})

        short = structure("Short", [("a", ctypes.c_int32), ("b", ctypes.c_int32)])
        wide = structure("Wide", [("c", ctypes.c_int64)], short)
        bits = structure("Bits", [("a", ctypes.c_uint16, 4), ("b", ctypes.c_uint16, 12), ("c", ctypes.c_uint16)])
        either = structure("Either", [("u", ctypes.c_int32), ("v", ctypes.c_float)], ctypes.Union)
        with_union = structure("WithUnion", [("a", ctypes.c_double), ("u", either)])
        outer = structure("Outer", [("head", ctypes.c_int64), ("parts", wide * 2)])
        packed = type("Packed", (ctypes.Structure,), {"_pack_": 1, "_fields_": [("a", ctypes.c_byte), ("b", ctypes.c_double)]})
        kinds = (wide, bits, either, with_union, outer) + ((packed,) if memoryview(packed()).format == "B" else ())
        for kind in kinds:
            values = (kind * 3)()
            for value in (values, memoryview(values)):
                with self.subTest(kind.__name__, type=type(value).__name__):
                    told = dlscope.describe(value)
                    self.assertEqual(told["dtype"]["name"], f"V{ctypes.sizeof(kind)}", told["refusals"])
                    self.assertEqual(told["strides_bytes"], [ctypes.sizeof(kind)])
        same = type("Same", (short,), {})  # adds no fields
        self.assertEqual(dlscope.describe((same * 2)())["dtype"]["name"], "struct{a:int32,b:int32}")

    def test_what_has_no_memory_is_not_described_as_what_came_before_it(self):
        before = array.array("i", [1, 2])
        for after in ((ctypes.c_char_p * 2)(), (ctypes.CFUNCTYPE(None) * 2)()):
            with self.subTest(repr(after)):
                report = dlscope.report({"before": before, "after": after})
                self.assertEqual([(t["name"], t["protocol"]) for t in report["tensors"] if t["protocol"]], [("before", "buffer")])
                self.assertEqual(report["sharing"], [])
                dlscope.describe(before)
                described = dlscope.describe(after)
                self.assertEqual((described["protocol"], described["address"], described["dtype"]), (None, None, None))
                self.assertTrue(described["refusals"])
                self.assertNotEqual(dlscope.overlap(before, after)["relation"], "identical")

    def test_what_is_not_made_of_numbers(self):
        self.assertEqual(dlscope.report({"text": "abc", "number": 3, "value": ctypes.c_int(3)})["tensors"], [])
        with self.assertRaisesRegex(TypeError, "offers no tensor"):
            dlscope.describe("abc")

    def test_bytes_in_containers_are_text(self):
        names = by_name(dlscope.report({"lines": [b"one", b"two"], "parts": [bytearray(3)], "line": b"three"}))
        self.assertEqual(set(names), {"line", "parts[0]"})


if __name__ == "__main__":
    main()
