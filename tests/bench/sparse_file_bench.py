"""A sparse .npy file of 6 GB: how long until its tensor is described, or its picture is drawn, and how much memory the program takes.

    python3 tests/bench/sparse_file_bench.py PROGRAM [GB] [ROUNDS]

PROGRAM is the dlscope to measure. The file is made sparse and taken away again. Nothing is timed before the description was checked. Prints a table for
docs/performance.md: time of the clock, best and median, and the largest resident set of the program. Goal: less than 300 MB.
"""

import json
import os
import statistics
import struct
import subprocess
import sys
import tempfile
import time

PROGRAM = sys.argv[1]
GB = float(sys.argv[2]) if len(sys.argv) > 2 else 6
ROUNDS = int(sys.argv[3]) if len(sys.argv) > 3 else 5
GOAL_MB = 300


def make(path, values):
    head = "{'descr': '<f4', 'fortran_order': False, 'shape': (%d,), }" % values
    head += " " * (-(len(head) + 11) % 64) + "\n"
    with open(path, "wb") as file:
        file.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(head)) + head.encode())
        file.truncate(file.tell() + 4 * values)


def measured(arguments):
    """Seconds, and the resident set in MB of this process alone (of each child by itself: os.wait4)."""
    began = time.perf_counter()
    process = subprocess.Popen([PROGRAM, *arguments], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    seconds = time.perf_counter() - began
    assert process.returncode == 0, (arguments, process.returncode)
    return seconds, usage.ru_maxrss / 1000


def main():
    with tempfile.TemporaryDirectory() as folder:
        path, report, picture = (os.path.join(folder, name) for name in ("sparse.npy", "report.json", "picture.png"))
        values = int(GB * 1e9) // 4
        make(path, values)
        allocated = os.stat(path).st_blocks * 512
        rows = [("described (--headless --report)", ["--headless", "--report", report, path]),
                ("drawn (--screenshot, software OpenGL)", ["--screenshot", picture, "--size", "1920x1080", path])]
        measured(rows[0][1])
        with open(report, encoding="utf-8") as text:
            tensor = json.load(text)["tensors"][0]
        assert tensor["shape"] == [values] and tensor["readable"] and tensor["protocol"] == "file", tensor
        print("%.1f GB of float32, %d bytes of it on the disk, %d rounds, load %.1f\n" % (GB, allocated, ROUNDS, os.getloadavg()[0]))
        print("| a sparse .npy | best | median | resident at most | goal: < %d MB |\n|---|---|---|---|---|" % GOAL_MB)
        for label, arguments in rows:
            times, resident = zip(*(measured(arguments) for _ in range(ROUNDS)))
            verdict = "met" if max(resident) < GOAL_MB else "**missed**"
            print("| %s | %.0f ms | %.0f ms | %.0f MB | %s |" % (label, 1e3 * min(times), 1e3 * statistics.median(times), max(resident), verdict))


main()
