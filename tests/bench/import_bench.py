"""Taking in 100 000 tensors, against a bare C loop over __dlpack__ in the same run (interleaved, median of 9, time of the thread).

    PYTHONPATH=build/release/bench PYTHON tests/bench/import_bench.py [numpy|torch] [COUNT]

import: every tensor into a description. checked: the same with every struct read through process_vm_readv.
scan: with the walk, the names and the records.
publish: scan, then groups, pairs and the bytes a viewer receives.
"""

import statistics
import sys

import _import_bench as bench


def tensors(library, count):
    """Rows of one pool: each its own object, none sharing a byte with another."""
    if library == "numpy":
        import numpy

        return list(numpy.zeros((count, 4, 4), "f4"))
    import torch

    return list(torch.zeros((count, 4, 4)).unbind())


def main(library="numpy", count="100000", rounds=9):
    objects = tensors(library, int(count))
    names = {"objects": objects}
    runs = {"bare loop": [], "import": [], "checked": [], "scan": [], "publish": []}
    bench.scan(names, 0, 0)
    for _ in range(rounds):
        runs["bare loop"].append(bench.bare_loop(objects)[0])
        runs["import"].append(bench.import_all(objects, 0)[0])
        runs["checked"].append(bench.import_all(objects, 1)[0])
        runs["scan"].append(bench.scan(names, 0, 0)[0])
        _, all_of_it, found, size = bench.scan(names, 0, 1)
        runs["publish"].append(all_of_it)
    bare = statistics.median(runs["bare loop"])
    print(f"{library}: {found} tensors, {size / found:.0f} bytes each as published")
    for name, seconds in runs.items():
        middle = statistics.median(seconds)
        print(f"  {name:<10} {middle / len(objects) * 1e9:8.0f} ns each   {middle / bare:6.2f} x the bare loop"
              f"   (best {min(seconds) / len(objects) * 1e9:.0f})")


if __name__ == "__main__":
    main(*sys.argv[1:])
