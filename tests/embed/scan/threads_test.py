"""report() from four threads at once: every one is whole, and nothing is left behind. DLSCOPE_ENDURANCE_REPORTS: how many, by hand."""

import array
import gc
import os
import resource
import sys
import threading
import time
import unittest

import dlscope
from ctypes_producer import Producer

THREADS = 4
REPORTS = int(os.environ.get("DLSCOPE_ENDURANCE_REPORTS", "1200"))


def facts():
    with open("/proc/self/statm") as statm:
        resident = int(statm.read().split()[1]) * resource.getpagesize() // 1024
    with open("/proc/self/maps") as maps:
        return {"KiB": resident, "descriptors": len(os.listdir("/proc/self/fd")), "threads": len(os.listdir("/proc/self/task")),
                "maps": len(maps.readlines())}


class Threads(unittest.TestCase):
    def test_reports_from_four_threads(self):
        names = {"a": array.array("d", [1.0, 2.0]), "b": bytearray(16), "p": Producer()}
        names["view"] = memoryview(names["a"])[1:]
        wrong = []

        def work(count):
            own = bytearray(32)  # a name of this thread's only
            for _ in range(count):
                try:
                    report = dlscope.report({**names, "own": own})
                    if [tensor["name"] for tensor in report["tensors"]] != ["a", "b", "p", "view", "own", "p.memory", "p._name", "p._shape", "p._strides"]:
                        wrong.append(report)
                except BaseException as error:
                    wrong.append(error)
                    raise

        def in_threads(count):
            threads = [threading.Thread(target=work, args=(count // THREADS,)) for _ in range(THREADS)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
            names["p"].asked.clear()
            gc.collect()
            while len(os.listdir("/proc/self/task")) > idle:  # a joined thread leaves the kernel's list a little later
                time.sleep(0.001)

        idle = len(os.listdir("/proc/self/task"))
        in_threads(400)
        before, deleted = facts(), names["p"].deleted
        references = {name: sys.getrefcount(names[name]) for name in names}
        step = max(THREADS, REPORTS // 10 // THREADS * THREADS)
        done = 0
        while done < REPORTS:
            in_threads(step)
            done += step
            if REPORTS >= 10_000:
                print(done, "reports:", facts(), flush=True)
        self.assertEqual(wrong[:1], [])
        self.assertEqual({name: sys.getrefcount(names[name]) for name in names}, references)
        self.assertEqual(names["p"].deleted - deleted, done, "deleter calls")
        after = facts()
        self.assertLessEqual(after["descriptors"], before["descriptors"])
        self.assertLessEqual(after["maps"], before["maps"] + 16)
        self.assertLess(after["KiB"] - before["KiB"], 8 * 1024)


if __name__ == "__main__":
    unittest.main(verbosity=2)
