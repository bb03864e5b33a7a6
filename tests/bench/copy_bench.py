"""Copies of 40 fixed layouts into new memory in C order: dlscope.copy() beside NumPy's and PyTorch's, with memcpy of as many bytes into
new memory as calibration, all in one run.

    PYTHONPATH=build/release/python PYTHON tests/bench/copy_bench.py [MIB=32] [ROUNDS=7]

Every result is compared with NumPy's before anything is timed. Rounds are interleaved. Ratios are the median of each round's own, of the
wall clock and of the process's CPU time: dlscope and PyTorch use several threads, which wall clock shows and CPU time does not.
PyTorch has no negative strides; those layouts are left out of its mean.
"""

import ctypes
import os
import platform
import statistics
import sys
import time

import numpy as np

import dlscope

try:
    import torch
except ImportError:  # the column is left out
    torch = None

BITS = {8: "u1", 16: "u2", 32: "f4", 64: "f8", 128: "c16"}


def layouts(mib):
    """(name, array whose copy is of about that many MiB). Views of arrays that are filled with other numbers everywhere."""
    size = mib << 20

    def filled(shape, code):
        values = np.arange(int(np.prod(shape)) * np.dtype(code).itemsize, dtype="u4").astype("u1")
        return values.view(code).reshape(shape) if code[0] != "f" and code[0] != "c" else np.arange(int(np.prod(shape)), dtype="f4").astype(code).reshape(shape)

    def side(item):
        n = 1
        while n * n * 4 * item <= size:
            n *= 2
        return n

    yield "contiguous f32", filled((size // 4,), "f4")
    for bits in (8, 16, 32, 64, 128):
        n, code = side(bits // 8), BITS[bits]
        yield "transpose %d bits, power of two" % bits, filled((n, n), code).T
        yield "transpose %d bits, odd" % bits, filled((n + 5, n - 3), code).T
    for bits in (8, 16, 32, 64):
        n, code = side(bits // 8), BITS[bits]
        yield "reversed %d bits" % bits, filled((size * 8 // bits,), code)[::-1]
        yield "rows reversed %d bits" % bits, filled((n, n), code)[:, ::-1]
    n, m = side(4), side(1) // 4
    yield "rows upside down f32", filled((n, n), "f4")[::-1]
    yield "transpose of rows reversed f32", filled((n, n), "f4")[:, ::-1].T
    yield "HWC3 to CHW u8", filled((m * 4, m, 3), "u1").transpose(2, 0, 1)
    yield "CHW to HWC3 u8", filled((3, m * 4, m), "u1").transpose(1, 2, 0)
    yield "HWC4 to CHW u8", filled((m * 4, m, 4), "u1").transpose(2, 0, 1)
    images = max(size // 4 // (64 * 56 * 56), 1)
    yield "NCHW to NHWC f32, 64 channels", filled((images, 64, 56, 56), "f4").transpose(0, 2, 3, 1)
    yield "NHWC to NCHW f32, 64 channels", filled((images, 56, 56, 64), "f4").transpose(0, 3, 1, 2)
    yield "NCHW to NHWC f32, 3 channels", filled((max(size // 4 // (3 * 224 * 224), 1), 3, 224, 224), "f4").transpose(0, 2, 3, 1)
    yield "heads: (b, s, h, d) to (b, h, s, d) u16", filled((size // 2 // (16 * 512 * 64), 512, 16, 64), "u2").transpose(0, 2, 1, 3)
    yield "batch of 64 x 64 transposes f32", filled((size // 4 // 4096, 64, 64), "f4").transpose(0, 2, 1)
    yield "6-D reversal f32", filled((14,) * 6, "f4").transpose()
    yield "5-D permutation f64", filled((20, 18, 24, 16, 22), "f8").transpose(1, 0, 4, 3, 2)
    yield "3-D (2, 0, 1) f32", filled((180, 190, 200), "f4").transpose(2, 0, 1)
    yield "3-D (1, 2, 0) u16", filled((340, 200, 180), "u2").transpose(1, 2, 0)
    yield "every 2nd f32", filled((size // 2,), "f4")[::2]
    yield "every 2nd u8", filled((2 * size,), "u1")[::2]
    yield "every 3rd f32", filled((3 * size // 8,), "f4")[::3]
    yield "row crop, 64 of 512 f32", filled((size // 4 // 64, 512), "f4")[:, :64]
    yield "row crop, 5 of 8 f32", filled((size // 4 // 5, 8), "f4")[:, :5]
    yield "broadcast row f32", np.broadcast_to(filled((n,), "f4"), (n, n))
    yield "broadcast column f32", np.broadcast_to(filled((n, 1), "f4"), (n, n))


def as_torch(array):
    """The same view as a tensor; None: PyTorch has no such strides or dtype."""
    if torch is None or min(array.strides, default=0) < 0:
        return None
    code = {"uint16": "i2"}.get(str(array.dtype))  # as_strided() knows few unsigned types, and a copy moves bytes only
    base = array
    while base.base is not None and isinstance(base.base, np.ndarray):
        base = base.base
    flat = torch.from_numpy(base.reshape(-1).view(code or array.dtype))
    item = array.dtype.itemsize
    start = (array.__array_interface__["data"][0] - base.__array_interface__["data"][0]) // item
    return torch.as_strided(flat, array.shape, tuple(stride // item for stride in array.strides), start)


def ways(array):
    found = {"dlscope": lambda: dlscope.copy(array), "NumPy": lambda: np.array(array, order="C", copy=True)}
    tensor = as_torch(array)
    if tensor is not None:
        found["PyTorch"] = lambda: tensor.clone(memory_format=torch.contiguous_format)
    return found


def bits_of(copy):
    """Of what one of the ways made, as bytes in C order."""
    made = np.from_dlpack(copy) if not isinstance(copy, np.ndarray) else copy
    return made.reshape(-1).view("u1")


def timed(call):
    wall, cpu = time.perf_counter(), time.process_time()
    made = call()
    return time.perf_counter() - wall, time.process_time() - cpu, made


def plain(source, count):
    """memcpy of so many bytes into new memory. NumPy's allocation is malloc's, as PyTorch's."""
    target = np.empty(count, "u1")
    ctypes.memmove(target.ctypes.data, source.ctypes.data, count)
    return target


def measure(name, array, rounds):
    calls = ways(array)
    expected = bits_of(np.ascontiguousarray(array))
    for way, call in calls.items():
        assert np.array_equal(bits_of(call()), expected), "%s by %s is wrong" % (name, way)
    calls["memcpy"] = lambda: plain(expected, expected.size)
    seconds = {way: [] for way in calls}
    for _ in range(rounds):
        for way, call in calls.items():
            seconds[way].append(timed(call)[:2])
    def ratio(way, clock):
        return statistics.median(mine[clock] / theirs[clock] for mine, theirs in zip(seconds[way], seconds["memcpy"]) if theirs[clock] > 0)
    return {way: (ratio(way, 0), ratio(way, 1)) for way in calls if way != "memcpy"}, expected.size, min(wall for wall, _ in seconds["memcpy"])


def main(mib="32", rounds="7"):
    print("dlscope %s, NumPy %s, %s, Python %s; %d CPUs, load %.1f; %s MiB, %s rounds" % (
        dlscope.__version__, np.__version__, "no PyTorch" if torch is None else "PyTorch %s (%d threads)" % (torch.__version__, torch.get_num_threads()),
        platform.python_version(), len(os.sched_getaffinity(0)), os.getloadavg()[0], mib, rounds))
    print("times memcpy into new memory, wall clock / CPU time")
    means = {}
    for number, (name, array) in enumerate(layouts(int(mib)), 1):
        ratios, size, best = measure(name, array, int(rounds))
        print("%2d %-42s %s   memcpy %.1f GB/s" % (
            number, name, "  ".join("%s %5.2f / %5.2f" % (way, *each) for way, each in ratios.items()), size / best / 1e9))
        for way, each in ratios.items():
            means.setdefault(way, []).append(each)
    assert number == 40, number
    for way, each in means.items():
        print("%s: geometric mean %.2f / %.2f, worst %.2f / %.2f, of %d layouts" % (
            way, *(statistics.geometric_mean(clock) for clock in zip(*each)), *(max(clock) for clock in zip(*each)), len(each)))
    both = [number for number, (_, array) in enumerate(layouts(1)) if as_torch(array) is not None]
    for way in ("dlscope", "NumPy"):
        some = [means[way][number] for number in both]
        if some:
            print("%s, of the %d layouts that PyTorch has: geometric mean %.2f / %.2f" % (
                way, len(both), *(statistics.geometric_mean(clock) for clock in zip(*some))))


if __name__ == "__main__":
    main(*sys.argv[1:])
