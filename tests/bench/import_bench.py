"""Taking in 100 000 tensors, against a bare C loop over __dlpack__ in the same run: rounds interleaved, time of the thread.

    PYTHONPATH=build/release/bench:build/release/python PYTHON tests/bench/import_bench.py [numpy|torch|dlscope] [COUNT] [ROUNDS]

bare loop: __dlpack__ of each, the struct read, its deleter called. bare table: the same through the type's exchange table, which skips
what the library checks in Python; where there is one, dlscope takes that way and makes up for the checks.

import: every tensor into a description. checked: the same with every struct read through process_vm_readv.
scan: with the walk, the names and the records.
publish: scan, then groups, pairs and the bytes a viewer receives.
take: dlscope.from_dlpack() of each, from Python and held until the next one: a Tensor that shares the memory. "take loop" is the same
Python loop over a call of nothing; its time is in that of take.
Each is compared with the loops twice: best against best, and the median of every round's own ratio. A result that is not the
one meant is not timed.
"""

import statistics
import sys
import time

import _import_bench as bench


def tensors(library, count):
    """Rows of one pool, each its own object, none sharing a byte with another; and where each lies, in the library's words."""
    if library == "numpy":
        import numpy

        rows = list(numpy.zeros((count, 4, 4), "f4"))
        return rows, [row.ctypes.data for row in rows]
    if library == "dlscope":
        import dlscope

        rows = [dlscope.copy(bytes(64), dtype="uint8") for _ in range(count)]
        return rows, [row.data_ptr() for row in rows]
    import torch

    rows = list(torch.zeros((count, 4, 4)).unbind())
    return rows, [row.data_ptr() for row in rows]


def check(objects, addresses):
    """Ends the run unless every tensor is described, where the library says it lies, and by the way of reading meant."""
    row_bytes = 4 * 4 * 4
    expected = sum(2 * address + row_bytes for address in addresses) % 2**64
    for checked_only in (0, 1):
        _, ends, as_meant, by_table = bench.import_all(objects, checked_only)
        assert ends == expected, "the extents are not the library's"
        assert as_meant == len(objects), f"{len(objects) - as_meant} tensors read in another way than the one timed"
        expected_by_table = len(objects) if hasattr(type(objects[0]), "__dlpack_c_exchange_api__") else 0
        assert by_table == expected_by_table, f"{by_table} tensors came through the exchange table"
    _, _, found, size = bench.scan({"objects": objects}, 0, 1)
    assert found == len(objects), f"the scan found {found} of {len(objects)} tensors"
    return size


def nothing(_object):
    pass


def take_all(objects, call):
    """Seconds of the thread for call() of each, whose result is held until the next call."""
    began = time.thread_time()
    for each in objects:
        held = call(each)  # noqa: F841
    return time.thread_time() - began


def check_taken(objects, addresses):
    import dlscope

    for each, address in list(zip(objects, addresses))[:: max(len(objects) // 1000, 1)]:
        taken = dlscope.from_dlpack(each)
        assert taken.data_ptr() == address and not taken.is_copied, "it was not shared"
    return dlscope.from_dlpack


def main(library="numpy", count="100000", rounds="9"):
    objects, addresses = tensors(library, int(count))
    size = check(objects, addresses)
    take = check_taken(objects, addresses)
    names = {"objects": objects}
    has_table = hasattr(type(objects[0]), "__dlpack_c_exchange_api__")
    runs = {"bare loop": [], **({"bare table": []} if has_table else {}), "import": [], "checked": [], "scan": [], "publish": [], "take loop": [], "take": []}
    for _ in range(int(rounds)):
        runs["bare loop"].append(bench.bare_loop(objects)[0])
        if has_table:
            runs["bare table"].append(bench.bare_table_loop(objects)[0])
        runs["import"].append(bench.import_all(objects, 0)[0])
        runs["checked"].append(bench.import_all(objects, 1)[0])
        runs["scan"].append(bench.scan(names, 0, 0)[0])
        runs["publish"].append(bench.scan(names, 0, 1)[1])
        runs["take loop"].append(take_all(objects, nothing))
        runs["take"].append(take_all(objects, take))
    print(f"{library}: {len(objects)} tensors, {size / len(objects):.0f} bytes each as published; {rounds} rounds")
    for name, seconds in runs.items():
        words = f"  {name:<10} best {min(seconds) / len(objects) * 1e9:7.0f} ns each"
        for loop in ("bare loop", "bare table"):
            if loop not in runs:
                continue
            own = statistics.median(mine / theirs for mine, theirs in zip(seconds, runs[loop]))
            words += f"; {min(seconds) / min(runs[loop]):6.2f} x the {loop}, median of the rounds {own:6.2f} x"
        print(words)


if __name__ == "__main__":
    main(*sys.argv[1:])
