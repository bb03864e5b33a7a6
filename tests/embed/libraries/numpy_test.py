"""NumPy: every address, stride, extent and flag as NumPy itself says; every pair as brute force says."""

import ctypes
from unittest import mock

from tensor_checks import TensorTest, by_name, main, require

np = require("numpy")
import dlscope  # noqa: E402

PACKED = ("float4_e2m1fn", "float6_e2m3fn", "float6_e3m2fn", "int1", "int2", "int4", "uint1", "uint2", "uint4")
DTYPES = "? i1 i2 i4 i8 u1 u2 u4 u8 f2 f4 f8 c8 c16".split()


def arrays():
    base = np.arange(2 * 3 * 4 * 5, dtype="f8").reshape(2, 3, 4, 5)
    return {
        "whole": base,
        "transposed": base.transpose(2, 0, 3, 1),
        "stepped": base[:, ::2, 1:, ::3],
        "reversed": base[::-1, :, ::-1],
        "column": base[0, 0, :, 2],
        "broadcast": np.broadcast_to(base[0, 0, 0], (3, 5)),
        "scalar": base[1, 2, 3, 4:5].reshape(()),
        "empty": base[:, :0],
        "window": np.lib.stride_tricks.as_strided(base[0, 0, 0], (3, 3), (8, 8)),
        "fortran": np.asfortranarray(base[0, 0]),
    }


def life_of(request, names):
    """The answer of a host whose program has these names."""
    from dlscope import _host_life, _host_run
    with mock.patch.object(_host_run, "namespace", lambda: names):
        return _host_life.life(request, names)


class Numpy(TensorTest):
    def check(self, array, record):
        self.assert_record(record, address=array.ctypes.data, shape=array.shape, strides_bytes=array.strides,
                           itemsize=array.itemsize, dtype=array.dtype.name, device="cpu", library="numpy",
                           read_only=not array.flags.writeable, is_copied=False)

    def test_layouts(self):
        namespace = arrays()
        report = dlscope.report(namespace)
        records = by_name(report)
        self.assertEqual(set(records), set(namespace))
        for name, array in namespace.items():
            with self.subTest(name):
                self.check(array, records[name])
                self.check(array, dlscope.describe(array))
                self.assertEqual(records[name]["protocol"], "dlpack")
                self.assertEqual(records[name]["read_by"], "mapped")
                self.assertEqual(records[name]["device_claimed"], {"type": 1, "id": 0})
                self.assertIn("_multiarray_umath", records[name]["deleter"]["library"])
        self.assert_pairs_by_brute_force(report)

    def test_dtypes(self):
        for code in DTYPES:
            with self.subTest(code):
                array = np.zeros((3, 2), code)
                self.check(array, dlscope.describe(array))

    def test_a_stride_that_nobody_steps_along(self):
        for shape in ((1, 3), (0, 3), (3, 0)):
            with self.subTest(shape):
                array = np.lib.stride_tricks.as_strided(np.zeros(3), shape, (2**62, 8))
                record = dlscope.describe(array)
                self.assertEqual((record["shape"], record["problems"], record["strides"]), (list(shape), [], None))
                self.assertEqual((record["nbytes"], int(record["address"], 16)), (array.nbytes, array.ctypes.data))
                self.assertIn("stride_capped", [note["code"] for note in record["notes"]])

    def test_contiguity_words(self):
        said = {name: dlscope.describe(array)["contiguity"] for name, array in arrays().items()}
        self.assertEqual(said, {"whole": "c", "transposed": "strided", "stepped": "strided", "reversed": "strided",
                                "column": "strided", "broadcast": "broadcast", "scalar": "scalar", "empty": "empty",
                                "window": "overlapping", "fortran": "f"})

    def test_read_only_goes_through_versioned(self):
        array = np.zeros(3)
        array.flags.writeable = False
        record = dlscope.describe(array)
        self.check(array, record)
        versioned = tuple(int(part) for part in np.__version__.split(".")[:2]) >= (2, 1)
        self.assertEqual(record["capsule"], "dltensor_versioned" if versioned else None)
        self.assertEqual(record["protocol"], "dlpack" if versioned else "array_interface")

    def test_unaligned(self):
        array = np.frombuffer(bytearray(41), "f8", offset=1, count=5)
        record = dlscope.describe(array)
        self.check(array, record)
        self.assertEqual(record["alignment"], 1)
        self.assertIn("unaligned", self.codes(record))

    def test_what_dlpack_refuses_still_has_memory(self):
        for array, name in ((np.zeros(3, "M8[s]"), "datetime64[s]"), (np.zeros(3, "m8[25ns]"), "timedelta64[25ns]"),
                            (np.zeros(3, ">i4"), "int32 big-endian"), (np.zeros(3, ">M8[D]"), "datetime64[D] big-endian"),
                            (np.zeros(3, "i4,f8"), "struct{f0:int32,f1:float64}"), (np.array(["abc"]), "U3"),
                            (np.array(["abc"], ">U3"), "U3 big-endian"), (np.zeros(2, "S5"), "S5"), (np.zeros(2, "V7"), "V7"),
                            (np.zeros(2, np.clongdouble), "complex256"), (np.array([None]), "object"),
                            (np.zeros(2, np.dtype([("a", "i1"), ("b", "f8")], align=True)), "struct{a:int8,b:float64}"),
                            (np.zeros(2, [("p", [("x", "<f4"), ("y", ">f4")], (2, 2)), ("n", "U1")]),
                             "struct{p:struct{x:float32,y:float32 big-endian}[2,2],n:U1}")):
            with self.subTest(name):
                record = dlscope.describe(array)
                self.assertEqual(record["dtype"], {"code": None, "bits": 8 * array.itemsize, "lanes": 1, "name": name})
                self.assertEqual((record["protocol"], record["shape"], record["nbytes"]), ("array_interface", list(array.shape), array.nbytes))
                self.assertEqual(int(record["address"], 16), array.ctypes.data)
                self.assertTrue(record["readable"])
                note = {n["code"]: n["message"] for n in record["notes"]}["not_dlpack"]
                self.assertIn(record["refusals"][0]["message"], note)

    def test_fields_that_overlap_or_are_out_of_order_have_names(self):
        as_bits = np.dtype({"names": ["number", "bits"], "formats": ["<f4", "<u4"], "offsets": [0, 0], "itemsize": 4})
        swapped = np.dtype({"names": ["b", "a"], "formats": [">i2", "<M8[D]"], "offsets": [8, 0], "itemsize": 12})
        nested = np.dtype({"names": ["whole", "half"], "formats": [as_bits, ("<u2", (2,))], "offsets": [4, 4], "itemsize": 8})
        for dtype, name in ((as_bits, "struct{number:float32,bits:uint32}"),
                            (swapped, "struct{b:int16 big-endian,a:datetime64[D]}"),
                            (nested, "struct{whole:struct{number:float32,bits:uint32},half:uint16[2]}"),
                            (np.dtype("V4"), "V4")):
            with self.subTest(name):
                record = dlscope.describe(np.zeros(3, dtype))
                self.assertEqual(record["dtype"], {"code": None, "bits": 8 * dtype.itemsize, "lanes": 1, "name": name})
                self.assertEqual(record["nbytes"], 3 * dtype.itemsize)

    def test_a_field_shares_its_bytes_with_the_record(self):
        array = np.zeros(4, [("a", "<i4"), ("b", "<f8"), ("t", "M8[D]")])
        report = dlscope.report({"array": array, "a": array["a"], "t": array["t"], "both": array[["a", "t"]]})
        names = [t["name"] for t in report["tensors"]]
        pairs = {(names[p["a"]], names[p["b"]]): (p["relation"], p["shared_bytes"]) for p in report["sharing"]}
        self.assertEqual(pairs[("array", "a")], ("contains", 16))
        self.assertEqual(pairs[("array", "t")], ("contains", 32))
        self.assertEqual(pairs[("a", "t")], ("interleaved", 0))
        self.assertEqual(pairs[("array", "both")], ("identical", 80))  # an element is its whole item, gaps included

    def test_items_too_large_for_a_record_are_refused_with_the_reason(self):
        record = dlscope.describe(np.zeros(1, [("z", "f8", (100, 100))]))
        self.assertIsNone(record["protocol"])
        self.assertIn("80000 bytes", record["refusals"][1]["message"])

    def test_refused_by_every_protocol(self):
        if not hasattr(np.dtypes, "StringDType"):
            self.skipTest("this NumPy has no strings of variable length")
        for array in (np.array(["a"], np.dtypes.StringDType()),):
            with self.subTest(array.dtype):
                record = dlscope.describe(array)
                self.assertIsNone(record["protocol"])
                self.assertIsNone(record["address"])
                self.assertFalse(record["readable"])
                self.assertEqual([r["protocol"] for r in record["refusals"]], ["dlpack", "array_interface", "buffer"])
                self.assertEqual(record["refusals"][0]["type"], "BufferError")

    def test_longdouble_through_the_array_interface(self):
        array = np.zeros((2, 3), "g")
        record = dlscope.describe(array)
        self.assertEqual(record["protocol"], "array_interface")
        self.assertEqual(int(record["address"], 16), array.ctypes.data)
        self.assertEqual(record["dtype"], {"code": None, "bits": 8 * array.itemsize, "lanes": 1, "name": "float128"})
        self.assertIn("not_dlpack", self.codes(record))
        for make in (dlscope.asdlpack, dlscope.copy):
            with self.assertRaisesRegex(BufferError, "long double"):
                make(array)
        buffer = dlscope.describe(memoryview(array))
        self.assertEqual((buffer["protocol"], buffer["dtype"]), ("buffer", record["dtype"]))

    def test_ml_dtypes(self):
        ml_dtypes = require("ml_dtypes")
        array = np.zeros((4, 6), ml_dtypes.bfloat16)[::2]
        record = dlscope.describe(array)
        self.check(array, record)
        self.assertEqual(record["protocol"], "array_interface")
        self.assertEqual(record["dtype"]["code"], 4)

    def test_every_type_of_ml_dtypes_has_its_name(self):
        ml_dtypes = require("ml_dtypes")
        names = [n for n in dir(ml_dtypes) if n.startswith(("bfloat", "float", "int", "uint"))]
        self.assertIn("float8_e5m2", names)  # the one that calls itself a float of one byte
        for name in names:
            with self.subTest(name):
                array = np.zeros((4, 6), getattr(ml_dtypes, name))[::2]
                dtype = dlscope.describe(array)["dtype"]
                packed = name in PACKED  # DLPack packs these, an array of NumPy's does not
                self.assertEqual(dtype["name"], name + " in a byte" if packed else name)
                self.assertEqual((dtype["code"] is None, dtype["bits"]), (packed, 8 * array.itemsize))
                self.assertEqual(dlscope.stats(array)["zero"], 0 if name == "float8_e8m0fnu" else 12)  # which has no zero

    def test_numbers_in_the_other_byte_order_have_the_statistics_of_the_same_numbers(self):
        random = np.random.default_rng(3)
        for kind in "f2 f4 f8 i2 i4 i8 u2 u4 u8 c8 c16".split():
            plain = (random.normal(size=(1200, 900)) * 100).astype(np.float32).astype(kind) if kind[0] != "u" else \
                random.integers(0, 60000, (1200, 900)).astype(kind)
            other = plain.astype(">" + kind)
            for index in (np.s_[:], np.s_[::-2, 1::3], np.s_[5:6, 7:8]):
                for exact in (True, False):
                    with self.subTest(kind, index=index, exact=exact):
                        self.assertEqual(dlscope.stats(other[index], exact=exact), dlscope.stats(plain[index], exact=exact))
                if kind[0] != "c":
                    found = dlscope.stats(other[index].T)
                    self.assertEqual((found["min"], found["max"]), (plain[index].min(), plain[index].max()))
                found = dlscope.compare(other[index], plain[index])
                self.assertTrue(found["bit_equal"])
                self.assertEqual(found["count"], plain[index].size)
            other[3, 4] += 1
            found = dlscope.compare(other, plain)
            self.assertEqual((found["different"], found["first"]), (1, [3, 4]))

    def test_numbers_in_a_byte_of_their_own_have_statistics(self):
        ml_dtypes = require("ml_dtypes")
        for name in ("int4", "uint4", "int2", "uint2"):
            if not hasattr(ml_dtypes, name):
                continue
            with self.subTest(name):
                array = np.resize(np.arange(-8, 16), (50, 48)).astype(getattr(ml_dtypes, name))[:, ::3]
                found, numbers = dlscope.stats(array), array.astype(np.int64)
                self.assertEqual((found["min"], found["max"]), (numbers.min(), numbers.max()))
                self.assertEqual((found["zero"], found["negative"]), ((numbers == 0).sum(), (numbers < 0).sum()))
                self.assertAlmostEqual(found["mean"], numbers.mean())
                self.assertEqual(dlscope.compare(array, numbers)["different"], 0)

    def test_a_dtype_that_lies_about_its_size_is_not_believed(self):
        class Liar(np.ndarray):
            dtype = property(lambda self: np.dtype("float64"))

        record = dlscope.describe(np.zeros(4, "V2").view(Liar))
        self.assertEqual((record["dtype"]["name"], record["nbytes"]), ("V2", 8))

    def test_masked_arrays_say_so(self):
        record = dlscope.describe(np.ma.masked_array([1.0, 2.0], [False, True]))
        self.assertIn("masked", self.codes(record))

    def test_scalars_do_not_count(self):
        self.assertEqual(dlscope.report({"x": np.float32(1), "y": np.datetime64(0, "s")})["tensors"], [])

    def test_a_scalar_asked_for_by_name_is_its_own_bytes(self):
        # Its __array_interface__ points into an array that is gone when it has answered.
        for scalar in (np.float64(1), np.int8(3), np.complex64(2j), np.bool_(True), np.float16(5)):
            with self.subTest(type(scalar).__name__):
                own = np.frombuffer(memoryview(scalar), np.uint8).ctypes.data
                record = dlscope.describe(scalar)
                self.assertEqual((record["protocol"], int(record["address"], 16)), ("buffer", own))
                self.assertEqual((record["flags"]["read_only"], record["shape"]), (True, []))
        one, other = np.int8(3), np.int8(4)
        self.assertFalse(dlscope.shares_memory(one, other))
        self.assertTrue(dlscope.shares_memory(one, one))

    def test_arrays_of_no_numbers_are_not_what_came_before_them(self):
        before = bytearray(3)
        for after in (np.zeros(1, [("z", "f8", (100, 100))]), np.array(["a"], np.dtypes.StringDType())):
            with self.subTest(str(after.dtype)):
                report = dlscope.report({"before": before, "after": after})
                self.assertEqual([(t["name"], t["protocol"], t["group"] is None) for t in report["tensors"]],
                                 [("before", "buffer", False), ("after", None, True)])
                self.assertEqual(report["sharing"], [])

    def test_subclasses_are_numpys_memory(self):
        class Mine(np.ndarray):
            pass

        record = dlscope.describe(np.zeros(3).view(Mine))
        self.assertEqual(record["library"], "numpy")
        self.assertTrue(record["type"].endswith("Mine"))

    def test_the_owner_of_a_subclass_is_found_without_its_class(self):
        from dlscope import _host_life

        class Mine(np.ndarray):
            def __getattribute__(self, name):
                raise AssertionError(name)

        big = np.zeros(1000)
        chain = _host_life._chain(big.view(Mine))
        self.assertIs(chain[-1][0], big)
        self.assertTrue(_host_life._owns(big))
        self.assertEqual(_host_life._allocation(chain, chain[0][0], True)["bytes"], 8000)
        borrowed = np.frombuffer((ctypes.c_char * 8).from_buffer(bytearray(8)), "u1")
        self.assertFalse(_host_life._owns(_host_life._chain(borrowed)[-1][0]))
        self.assertIn("does not say whose memory", _host_life._how(chain[:1], False))

    def test_the_reference_of_a_capsule_is_explained_by_who_has_the_capsule(self):
        if not hasattr(np, "from_dlpack"):
            self.skipTest("this NumPy takes nothing over")

        def asked(name, *others):
            return life_of({"name": name, "others": list(others)}, names)

        names = {"x": np.arange(12.0)}
        self.assertEqual(asked("x")["unnamed"], 0)
        names["n"] = np.from_dlpack(names["x"])
        self.assertEqual([each["name"] for each in asked("x", "n")["holders"]], ["x", "n"])
        self.assertEqual(asked("x", "n")["unnamed"], 0)
        names["part"] = names["n"][2:]  # the same capsule by another way is one reference
        self.assertEqual(asked("x", "n", "part")["unnamed"], 0)
        self.assertEqual(asked("x")["unnamed"], 1)  # nobody was asked who has it
        names["capsule"] = names["x"].__dlpack__()
        self.assertEqual(asked("x", "n", "capsule")["unnamed"], 0)
        kept = [names["x"]]
        self.assertEqual(asked("x", "n", "capsule")["unnamed"], len(kept))
        of_capsule = asked("n", "x")
        self.assertEqual(of_capsule["unsaid"], [])
        self.assertEqual(of_capsule["holders"][1], {"name": "x", "how": "is the numpy.ndarray itself"})

    def test_the_chain_leads_through_a_capsule_to_the_array_that_gave_it(self):
        if not hasattr(np, "from_dlpack"):
            self.skipTest("this NumPy takes nothing over")

        def asked(name, *others):
            return life_of({"name": name, "others": list(others), "not_asked": 3}, names)

        names = {"x": np.arange(1000.0)}
        names["n"] = np.from_dlpack(names["x"])
        answer = asked("n", "x")
        self.assertEqual(answer["chain"], ["numpy.ndarray", ".base: PyCapsule", "of the producer's numpy.ndarray"])
        self.assertEqual((answer["allocation"]["bytes"], answer["allocation"]["by"]), (8000, "x"))
        self.assertEqual(answer["unnamed"], 0)
        self.assertEqual(answer["not_asked"], 3)
        kept = [names["x"]]
        self.assertEqual(asked("n", "x")["unnamed"], len(kept))
        del kept
        # The producer is a part: the chain goes on to the whole, which nothing but the part refers to.
        names = {"part": np.arange(1000.0)[5:]}
        names["n"] = np.from_dlpack(names["part"])
        answer = asked("n", "part")
        self.assertEqual(answer["chain"][1:], [".base: PyCapsule", "of the producer's numpy.ndarray", ".base: numpy.ndarray"])
        self.assertEqual((answer["allocation"]["bytes"], answer["unnamed"]), (8000, 0))
        # No name leads to the producer any more: only the capsule is known.
        del names["part"]
        answer = asked("n")
        self.assertEqual((answer["chain"], answer["allocation"]), (["numpy.ndarray", ".base: PyCapsule"], None))
        self.assertTrue(answer["owner_unknown"])  # whoever else has the producer's array keeps the memory, too

    def test_a_capsule_of_a_part_explains_no_reference_to_the_whole(self):
        if not hasattr(np.ndarray, "__dlpack__"):
            self.skipTest("this NumPy has no DLPack")
        names = {"x": np.arange(12.0)}
        names["capsule"] = names["x"][2:].__dlpack__()
        answer = life_of({"name": "x", "others": ["capsule"]}, names)
        self.assertEqual(answer["unnamed"], 1)  # of the part, which the capsule keeps and no name leads to

    def test_looking_leaves_the_array_resizable(self):
        array = np.zeros(4)
        dlscope.describe(array)
        dlscope.report({"array": array})
        array.resize(8)


if __name__ == "__main__":
    main()
