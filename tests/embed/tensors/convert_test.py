"""dlscope.copy(dtype=) against NumPy and ml_dtypes: every value of every type of 8 and 16 bits, and the edges of the wider ones."""

import itertools
import sys
import unittest
import warnings

try:
    import ml_dtypes
    import numpy as np
except ImportError as error:
    print(f"SKIP: {error}")
    sys.exit(77)
import dlscope
from ctypes_producer import Producer

FLOAT8 = ("float8_e3m4", "float8_e4m3", "float8_e4m3b11fnuz", "float8_e4m3fn", "float8_e4m3fnuz", "float8_e5m2", "float8_e5m2fnuz")
NARROW = FLOAT8 + ("bfloat16", "float16")
INTEGERS = ("int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64")
warnings.simplefilter("ignore")


def dtype(name):
    return np.dtype(getattr(ml_dtypes, name, name))


def every_value(name):
    item = dtype(name).itemsize
    return np.arange(256 ** item, dtype=f"u{item}").view(dtype(name))


def values_of(name):
    if name in NARROW or name in ("int8", "uint8", "int16", "uint16"):
        return every_value(name)
    if name in INTEGERS:
        info = np.iinfo(name)
        near = [v + d for v in (0, 127, 255, 32767, 65535, 2**24, 2**31, 2**53, 2**54, 2**63, info.max, info.min, -128, -2**31, -2**63)
                for d in range(-3, 4)]
        return np.array([v for v in near if info.min <= v <= info.max], dtype=name)
    rng = np.random.default_rng(5)
    special = [0.0, -0.0, np.inf, -np.inf, np.nan, 1e-45, 65504, 65520, 448, 464, 480, 57344, 61440, 0.5, 1.5, 2.5, -0.5, 3.4e38, 1e300]
    random = rng.integers(0, 2**32, 50000, dtype="u4").view("f4")
    return np.concatenate([np.array(special), random.astype("f8"), every_value("float16").astype("f8")]).astype(name)


def converted(source, name):
    """The copy as NumPy sees it; ml_dtypes' types (one of which calls itself 'f') as their bits, taken for what they are."""
    own = FLOAT8 + ("bfloat16",)
    copied = dlscope.copy(Raw(source) if source.dtype.name in own else source, dtype=name)
    return np.asarray(copied).view(dtype(name)) if name in own else np.asarray(memoryview(copied))


class Raw:
    """An ml_dtypes array under its own name: NumPy exports none of them."""

    def __init__(self, array):
        self.array = array
        self.bytes = dlscope.from_dlpack(array.view(f"u{array.itemsize}"))

    def __dlpack__(self, **keywords):
        import ctypes_producer
        numbers = {"bfloat16": (4, 16, 1), "float8_e3m4": (7, 8, 1), "float8_e4m3": (8, 8, 1), "float8_e4m3b11fnuz": (9, 8, 1),
                   "float8_e4m3fn": (10, 8, 1), "float8_e4m3fnuz": (11, 8, 1), "float8_e5m2": (12, 8, 1), "float8_e5m2fnuz": (13, 8, 1)}
        self.producer = ctypes_producer.Producer(data=self.bytes.data_ptr(), shape=self.array.shape, strides=(1,),
                                                 dtype=numbers[self.array.dtype.name])
        return self.producer.capsule()

    def __dlpack_device__(self):
        return (1, 0)


def same(a, b):
    a, b = a.astype("f8"), b.astype("f8")
    return bool(np.all(((a == b) & (np.signbit(a) == np.signbit(b))) | (np.isnan(a) & np.isnan(b))))


class Convert(unittest.TestCase):
    def test_floats(self):
        for source, target in itertools.product(NARROW + ("float32", "float64"), NARROW + ("float32", "float64")):
            with self.subTest(source=source, target=target):
                values = values_of(source)
                expected = values.astype("f8").astype(dtype(target)) if source != "float64" else values.astype(dtype(target))
                self.assertTrue(same(converted(values, target), expected))

    def test_to_integers(self):
        for source, target in itertools.product(NARROW + ("float32", "float64") + INTEGERS, INTEGERS):
            with self.subTest(source=source, target=target):
                values, info = values_of(source), np.iinfo(target)
                expected = [clamp(value, info) for value in values.tolist()] if source in INTEGERS + ("float32", "float64", "float16") \
                    else [clamp(value, info) for value in values.astype("f8").tolist()]
                self.assertEqual(converted(values, target).tolist(), expected)

    def test_integers_to_floats(self):
        for source, target in itertools.product(INTEGERS, ("float16", "float32", "float64")):
            with self.subTest(source=source, target=target):
                values = values_of(source)
                self.assertTrue(same(converted(values, target), values.astype(target)))

    def test_bool_and_complex(self):
        values = np.array([0.0, -0.0, 1.0, np.nan, 1e-45], "f4")
        self.assertEqual(converted(values, "bool").tolist(), values.astype(bool).tolist())
        self.assertEqual(converted(np.array([True, False]), "float32").tolist(), [1, 0])
        self.assertEqual(converted(np.array([0, 2, -1], "i2"), "bool").tolist(), [False, True, True])
        z = np.array([1 + 2j, -3.5 + 0j], "c16")
        self.assertEqual(np.asarray(dlscope.copy(z, dtype="complex64")).tolist(), z.astype("c8").tolist())
        many = np.arange(3000.0)
        np.testing.assert_array_equal(np.asarray(dlscope.copy(many, dtype="complex128")), many.astype("c16"))
        np.testing.assert_array_equal(np.asarray(dlscope.copy(many.astype("i8"), dtype="complex64")), many.astype("c8"))
        with self.assertRaisesRegex(TypeError, "imaginary"):
            dlscope.copy(z, dtype="float64")
        for target in ("uint8x4", "float8_e8m0fnu", "float128"):
            with self.assertRaisesRegex(TypeError, "no conversion for .*; ask for another dtype"):
                dlscope.copy(many, dtype=target)
        exponents = dlscope.from_dlpack(Producer(dtype=(14, 8, 1)))
        with self.assertRaisesRegex(TypeError, "no conversion for .*e8m0fnu; ask for another dtype"):
            dlscope.copy(exponents, dtype="float32")

    def test_layouts(self):
        base = np.arange(4 * 5 * 6, dtype="i2").reshape(4, 5, 6)
        for view in (base, base.T, base[::-1, ::2], base[1, 2, 3, ...], base[:0], np.broadcast_to(base[0, 0], (7, 6))):
            for order in "CK":
                np.testing.assert_array_equal(np.asarray(dlscope.copy(view, dtype=np.float32, order=order)), view.astype("f4"))

    def test_packed(self):
        for name in ("int4", "uint4", "int2", "uint2", "float4_e2m1fn", "float6_e2m3fn", "float6_e3m2fn"):
            native = getattr(ml_dtypes, name, None)
            if native is None:
                continue
            bits = int(name[-1]) if "int" in name else {"float4_e2m1fn": 4}.get(name, 6)
            values = np.arange(2 ** bits, dtype="u1").view(native).astype("f4")
            values = np.concatenate([values, [100.0, -100.0, 0.3, -0.3]]).astype("f4")
            packed = dlscope.copy(values, dtype=name)
            self.assertEqual(packed.nbytes, (len(values) * bits + 7) // 8)
            back = np.asarray(dlscope.copy(packed, dtype="float32"))
            if "int" in name:
                info = ml_dtypes.iinfo(native)
                expected = np.clip(np.trunc(values), int(info.min), int(info.max))
            else:
                expected = np.clip(values, -float(ml_dtypes.finfo(native).max), float(ml_dtypes.finfo(native).max)).astype(native).astype("f4")
            np.testing.assert_array_equal(back, expected, name)


def clamp(value, info):
    if value != value:
        return 0
    if value in (float("inf"), float("-inf")):
        return info.max if value > 0 else info.min
    return max(info.min, min(info.max, int(value)))


if __name__ == "__main__":
    unittest.main(verbosity=2)
