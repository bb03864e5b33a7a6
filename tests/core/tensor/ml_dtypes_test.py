"""Every code of every small dtype, decoded by us and by the real ml_dtypes: same value, same class, and text that reads back.

    DLSCOPE_DECODE_LINES=.../core_decode_lines ml_dtypes_test.py     with a Python that has ml_dtypes; without it: skipped (77)
"""

import math
import os
import subprocess
import sys
import unittest

try:
    import ml_dtypes
    import numpy as np
except ImportError as missing:
    print("skipped: %s" % missing)
    sys.exit(77)

INTEGERS = {"int1": 1, "int2": 2, "int4": 4, "uint1": 1, "uint2": 2, "uint4": 4, "int8": 8, "uint8": 8}
FLOATS = {"float4_e2m1fn": 4, "float6_e2m3fn": 6, "float6_e3m2fn": 6, "float8_e3m4": 8, "float8_e4m3": 8,
          "float8_e4m3b11fnuz": 8, "float8_e4m3fn": 8, "float8_e4m3fnuz": 8, "float8_e5m2": 8, "float8_e5m2fnuz": 8,
          "float8_e8m0fnu": 8, "bfloat16": 16, "float16": 16}


def dtype_of(name):
    """None: this ml_dtypes is too old to know it."""
    return getattr(ml_dtypes, name, None) or (name if hasattr(np, name) else None)


def codes_of(bits):
    return np.arange(1 << bits, dtype="uint16" if bits > 8 else "uint8")


def decoded(name, bits, offset=0):
    """(value, class, text) for every code, as dlscope reads them."""
    lines = "".join("%s %d %x\n" % (name, offset, code) for code in range(1 << bits))
    ran = subprocess.run([os.environ["DLSCOPE_DECODE_LINES"]], input=lines, capture_output=True, text=True, check=True)
    answers = [line.split(" ", 2) for line in ran.stdout.splitlines()]
    assert len(answers) == 1 << bits, "%d answers for %s" % (len(answers), name)
    return answers


def class_of(value, smallest_normal):
    if math.isnan(value):
        return "nan"
    if math.isinf(value):
        return "inf" if value > 0 else "-inf"
    if value == 0:
        return "zero"
    return "subnormal" if abs(value) < smallest_normal else "normal"


def same(a, b):
    """As floats, with the sign of a zero."""
    return math.isnan(a) and math.isnan(b) or (a == b and math.copysign(1, a) == math.copysign(1, b))


class MlDtypes(unittest.TestCase):
    def test_the_newest_types_are_among_those_compared(self):
        self.assertGreater(sum(dtype_of(name) is not None for name in (*INTEGERS, *FLOATS)), len(FLOATS))

    def test_integers(self):
        for name, bits in INTEGERS.items():
            dtype = dtype_of(name)
            if dtype is None:
                continue
            expected = codes_of(bits).view(dtype).astype("int64").tolist()
            for offset in range(0, 8, bits):  # packed: from the lowest bit of a byte up
                with self.subTest(dtype=name, offset=offset):
                    answers = decoded(name, bits, offset)
                    self.assertEqual([int(value) for value, _, _ in answers], expected)
                    self.assertEqual([int(text) for _, _, text in answers], expected)

    def test_floats(self):
        for name, bits in FLOATS.items():
            dtype = dtype_of(name)
            if dtype is None:
                continue
            expected = codes_of(bits).view(dtype).astype("float64").tolist()
            smallest = float(ml_dtypes.finfo(dtype).smallest_normal)
            for offset in range(0, 8, bits) if bits < 8 else (0,):
                with self.subTest(dtype=name, offset=offset):
                    wrong = [(code, answer, value) for code, (answer, value) in enumerate(zip(decoded(name, bits, offset), expected))
                             if not same(float.fromhex(answer[0]), value) or answer[1] != class_of(value, smallest)]
                    self.assertEqual(wrong, [])

    def test_the_text_of_a_float_reads_back_as_the_same_code(self):
        for name, bits in FLOATS.items():
            dtype = dtype_of(name)
            if dtype is None:
                continue
            with self.subTest(dtype=name):
                texts = np.array([float(text) for _, _, text in decoded(name, bits)], "float64")
                back = texts.astype(dtype).view(codes_of(bits).dtype)
                numbers = ~np.isnan(texts)
                self.assertTrue(numbers.any())
                self.assertEqual(back[numbers].tolist(), codes_of(bits)[numbers].tolist())


if __name__ == "__main__":
    unittest.main()
