"""dlscope.copy() and its release again and again, in multiples of memcpy into memory that is used again, beside NumPy's copy; CPU time,
medians of the rounds' ratios, and page faults a round.

    PYTHONPATH=build/release/python PYTHON tests/bench/freed_block_cache_bench.py [ROUNDS=25]
"""

import ctypes
import resource
import statistics
import sys
import time

import numpy as np

import dlscope


def faults():
    return resource.getrusage(resource.RUSAGE_SELF).ru_minflt


def cpu_ns(work):
    began = time.process_time_ns()
    work()
    return time.process_time_ns() - began


def main():
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 25
    for mib in (1, 2, 4, 8, 16, 32, 64):
        size = mib << 20
        source, target = np.ones(size, "u1"), np.ones(size, "u1")
        ways = {
            "memcpy": lambda: ctypes.memmove(target.ctypes.data, source.ctypes.data, size),
            "dlscope": lambda: dlscope.copy(source).close(),
            "NumPy": lambda: source.copy(),
        }
        assert bytes(dlscope.copy(source)) == source.tobytes()
        times, missed = {way: [] for way in ways}, dict.fromkeys(ways, 0)
        for _ in range(rounds):
            for way, work in ways.items():
                before = faults()
                times[way].append(cpu_ns(work))
                missed[way] += faults() - before
        line = ["%3d MiB: memcpy %.3f ms" % (mib, statistics.median(times["memcpy"]) / 1e6)]
        for way in ("dlscope", "NumPy"):
            ratio = statistics.median(own / plain for own, plain in zip(times[way], times["memcpy"]))
            line.append("%s %.2f (%.0f faults)" % (way, ratio, missed[way] / rounds))
        print(", ".join(line))


main()
