"""What the CSV of big-endian numbers, int4, dates, texts and records says, read back by NumPy and Python's csv.

    DLSCOPE_CSV_OF_BYTES=.../core_csv_of_bytes csv_numpy_test.py     with a Python that has NumPy; without it: skipped (77)
"""

import csv
import io
import os
import subprocess
import sys

try:
    import numpy as np
except ImportError:
    sys.exit(77)


def text_of(kind, values):
    rows, columns = values.shape
    command = [os.environ["DLSCOPE_CSV_OF_BYTES"], kind, str(rows), str(columns)]
    made = subprocess.run(command, input=values.tobytes(), stdout=subprocess.PIPE, check=True)
    return made.stdout.decode()


def cells_of(text):
    return [row for row in csv.reader(line for line in text.splitlines() if not line.startswith("# "))]


def check(what, read, wanted):
    assert read.shape == wanted.shape and np.array_equal(read, wanted, equal_nan=wanted.dtype.kind in "fcMm"), (what, read, wanted)


rng = np.random.default_rng(6)
for kind in (">f2", ">f4", ">f8", ">i2", ">u4", ">i8", ">u8"):
    size = np.dtype(kind).itemsize
    values = np.frombuffer(rng.bytes(60 * 20 * size), kind).reshape(60, 20)  # every bit pattern: NaN and subnormal too
    text = text_of(kind, values)
    assert "big-endian" in text.splitlines()[0], text[:80]
    check(kind, np.loadtxt(io.StringIO(text), delimiter=",", dtype=np.dtype(kind).newbyteorder("=")), values)

for kind, part in ((">c8", np.float32), (">c16", np.float64)):
    values = np.array([[1 + 2j, complex(-0.1, 1e-30)], [complex(np.inf, -1), complex(3, np.nan)]], kind)
    cells = [[complex(cell) for cell in row] for row in cells_of(text_of(kind, values))]
    check(kind, np.array(cells).astype(np.dtype(kind).newbyteorder("=")), values)

try:
    import ml_dtypes
except ImportError:
    ml_dtypes = None
if ml_dtypes is not None:
    small = np.arange(-8, 8).reshape(2, 8)
    check("int4", np.loadtxt(io.StringIO(text_of("int4", small.astype(ml_dtypes.int4))), delimiter=",", dtype=int), small)

dates = np.array([["2024-02-29", "NaT"], ["1969-12-31", "0001-01-01"]], "M8[D]")
for unit in ("D", "s", "ms", "ns"):
    some = dates[:, :1] if unit == "ns" else dates
    for order in "<>":
        values = some.astype("M8[%s]" % unit).astype("%sM8[%s]" % (order, unit))
        check(values.dtype, np.array(cells_of(text_of(values.dtype.str, values)), "M8[%s]" % unit), values)

names = np.array([["a,b", 'say "yes"', "x" * 80], ["#", "it's\n", "\u00e9\U0001f600"]])
for values in (names, names.astype(names.dtype.newbyteorder(">"))):
    cells = [[eval(cell) for cell in row] for row in cells_of(text_of(values.dtype.str, values))]
    assert cells == names.tolist(), cells

rows = np.array([[(1, 2.5, (3, 4)), (-1, np.nan, (5, 6))]], [("a", ">i4"), ("b", "<f8"), ("c", "u1", (2,))])
cells = [[eval(cell, {"nan": None}) for cell in row] for row in cells_of(text_of("record", rows))]
assert cells == [[(1, 2.5, [3, 4]), (-1, None, [5, 6])]], cells

