"""Statistics of host memory in one call of dlscope.stats() beside the separate passes of NumPy and PyTorch over the same bytes.

    PYTHONPATH=build/release/python python3 tests/bench/statistics_bench.py [MIB] [ROUNDS]

with a Python that has NumPy; PyTorch is measured where it is installed. Every number is checked against NumPy's before anything is timed, with
NaN and infinities among the values. Best of the rounds, in milliseconds, as a table: of the clock, and of all threads of the process together,
which says more where other programs want the machine too. The calibration is NumPy's sum of the same memory as 64-bit words.
"""

import math
import os
import sys
import time

import numpy as np

import dlscope

try:
    import torch
except ImportError:
    torch = None

MIB = int(sys.argv[1]) if len(sys.argv) > 1 else 256
ROUNDS = int(sys.argv[2]) if len(sys.argv) > 2 else 5
BINS = 256


def measured(work):
    wall, cpu = [], []
    for _ in range(ROUNDS):
        began, used = time.perf_counter(), time.process_time()
        work()
        wall.append(time.perf_counter() - began)
        cpu.append(time.process_time() - used)
    return min(wall), min(cpu)


def values_of(dtype, count, specials):
    random = np.random.default_rng(1)
    dtype = np.dtype(dtype)
    if dtype.kind == "i":
        pattern = random.integers(-128, 128, 1 << 20).astype(dtype)
    else:
        pattern = random.normal(0.5, 2, 1 << 20).astype(dtype)
    values = np.resize(pattern, count)
    if specials and dtype.kind == "f":
        values[7::1001] = np.nan
        values[11::5003] = np.inf
        values[13::7001] = -np.inf
    return values


def check(values):
    found = dlscope.stats(values)
    wide = values.astype(np.float64)
    finite = wide[np.isfinite(wide)]
    assert found["count"] == values.size and found["nan"] == int(np.isnan(wide).sum())
    assert found["pos_inf"] == int((wide == np.inf).sum()) and found["neg_inf"] == int((wide == -np.inf).sum())
    assert (found["min"], found["max"]) == (finite.min(), finite.max()), (found["min"], found["max"])
    assert abs(found["mean"] - math.fsum(finite) / finite.size) <= found["mean_error"] + 1e-12
    assert math.isclose(found["std"], finite.std(), rel_tol=1e-9), (found["std"], finite.std())


def numpy_passes(x):
    passes = [("min, max", lambda: (x.min(), x.max())),
              ("mean, as float64", lambda: x.mean(dtype=np.float64)),
              ("std, as float64", lambda: x.std(dtype=np.float64))]
    if x.dtype.kind == "f":
        passes += [("isnan, isinf, counted", lambda: (np.isnan(x).sum(), np.isinf(x).sum()))]
    return passes, ("histogram of %d" % BINS, lambda: np.histogram(x, BINS))


def torch_passes(x):
    tensor = torch.from_numpy(x)
    passes = [("aminmax", lambda: torch.aminmax(tensor))]
    if tensor.is_floating_point():
        passes += [("std_mean", lambda: torch.std_mean(tensor)),
                   ("isnan, isinf, counted", lambda: (tensor.isnan().sum(), tensor.isinf().sum()))]
    return passes, ("histc of %d" % BINS, lambda: torch.histc(tensor, BINS))


class Column:
    """The times of one dtype, by the label of their row."""

    def __init__(self, dtype, values):
        self.dtype, self.times = dtype, {}
        words = values.view(np.uint64)
        self.times["reading: NumPy's sum of the 64-bit words"] = measured(lambda: words.sum())

    def library(self, name, passes, histogram):
        total, whole = [0.0, 0.0], True
        for label, work in passes + [histogram]:
            try:
                times = measured(work)
            except RuntimeError:  # PyTorch has no such kernel
                whole = False
                continue
            total = [total[0] + times[0], total[1] + times[1]]
            self.times[name + ": " + label] = times
        if whole:
            self.times[name + ": these together"] = total


def print_table(columns):
    """One table for docs/performance.md: time of the clock / CPU time, in milliseconds."""
    labels = list(dict.fromkeys(label for column in columns for label in column.times))
    for name in ("NumPy", "PyTorch"):  # a pass that the first dtypes lack stands with those of its library
        mine = [label for label in labels if label.startswith(name + ": ") and not label.endswith("together")]
        last = [label for label in labels if label == name + ": these together"]
        at = [i for i, label in enumerate(labels) if label in mine + last]
        for i, label in zip(at, mine + last):
            labels[i] = label
    print("| ms of the clock / of the CPU | %s |" % " | ".join(column.dtype for column in columns))
    print("|---" * (len(columns) + 1) + "|")
    for label in labels:
        cells = ["%.1f / %.1f" % tuple(1e3 * t for t in column.times[label]) if label in column.times else "-" for column in columns]
        print("| %s | %s |" % (label, " | ".join(cells)))


def main():
    print("dlscope %s, NumPy %s, PyTorch %s (%s threads), Python %s, %d MiB, best of %d, load %.1f\n" %
          (dlscope.__version__, np.__version__, torch.__version__ if torch else "not installed", torch.get_num_threads() if torch else "no",
           sys.version.split()[0], MIB, ROUNDS, os.getloadavg()[0]))
    columns = []
    for dtype in ("float32", "float16", "float64", "int8"):
        check(values_of(dtype, 100_003, True))
        values = values_of(dtype, (MIB << 20) // np.dtype(dtype).itemsize, False)
        column = Column(dtype, values)
        column.times["dlscope.stats: everything in one call, exact"] = measured(lambda: dlscope.stats(values))
        column.library("NumPy", *numpy_passes(values))
        if torch:
            column.library("PyTorch", *torch_passes(values))
        columns.append(column)
        del values
    print_table(columns)


main()
