"""What a look at a million objects with attributes costs: DLSCOPE_PYTHON=build/release/python python3 tests/bench/attributes_bench.py [OBJECTS]

The result is checked first: every tensor that hangs at an object is found, under its name. Times are given as multiples of one
gc.collect() of the same objects, which visits them all once, too. Bytes: how far the process's peak rose.
"""

import array
import gc
import os
import resource
import sys
import time

sys.path.insert(0, os.environ.get("DLSCOPE_PYTHON", "build/release/python"))

import dlscope  # noqa: E402


class Node:
    def __init__(self, i):
        self.index = i
        self.name = "node"
        self.next = None
        self.payload = (i, i + 1)


def peak():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def best(turns, work):
    took = []
    for _ in range(turns):
        begun = time.perf_counter()
        work()
        took.append(time.perf_counter() - begun)
    return min(took)


def main():
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000
    nodes = [Node(i) for i in range(count)]
    step = max(1, count // 100)
    for i in range(0, count, step):
        nodes[i].tensor = array.array("d", [i])
    with_tensor = len(range(0, count, step))
    before = peak()
    report = dlscope.report()
    grown = peak() - before
    names = {tensor["name"] for tensor in report["tensors"]}
    missing = [i for i in range(0, count, step) if not any(name.endswith("nodes[%d].tensor" % i) for name in names)]
    if missing or len(names) != with_tensor:
        sys.exit("wrong: %d of %d tensors, the first missing one at %s" % (len(names), with_tensor, missing[:1]))
    collect = best(5, gc.collect)
    look = best(3, dlscope.report)
    print("%d objects, %d attributes, %d tensors: all found" % (count, count * 4 + with_tensor, with_tensor))
    print("gc.collect() %.0f ms; a look %.0f ms, %.1f times that, %.2f us an object" % (collect * 1e3, look * 1e3, look / collect, look / count * 1e6))
    print("the peak rose by %.1f MiB, %.1f bytes an object" % (grown / 2**20, grown / count))


main()
