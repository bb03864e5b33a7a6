"""Producers that change the world while they are looked at. Each in a process of its own, because each might kill it."""

import os
import subprocess
import sys
import unittest

CASES = {}


def case(function):
    CASES[function.__name__] = function
    return function


def scan(namespace):
    import dlscope

    return dlscope.report(namespace)


@case
def empties_its_list():
    from ctypes_producer import Producer

    box = []

    class Clearing(Producer):
        def __dlpack__(self, **keywords):
            box.clear()
            return super().__dlpack__(**keywords)

    box.extend(Clearing() for _ in range(10))
    return len(scan({"box": box})["tensors"]), len(box)


@case
def deletes_globals():
    from ctypes_producer import Producer

    namespace = {}

    class Deleting(Producer):
        def __dlpack__(self, **keywords):
            namespace.clear()
            import gc

            gc.collect()
            return super().__dlpack__(**keywords)

    namespace.update({f"x{i}": Deleting() for i in range(10)})
    return len(scan(namespace)["tensors"]), len(namespace)


@case
def grows_its_dict():
    from ctypes_producer import Producer

    namespace = {}

    class Growing(Producer):
        def __dlpack__(self, **keywords):
            for i in range(1000):
                namespace[f"more{i}"] = bytearray(1)
            return super().__dlpack__(**keywords)

    namespace.update({f"x{i}": Growing() for i in range(5)})
    return len(scan(namespace)["tensors"]), len(namespace)


@case
def changes_its_own_class():
    from ctypes_producer import Producer

    class Shifting(Producer):
        def __dlpack__(self, **keywords):
            self.__class__ = Producer
            del Shifting.__dlpack__
            return Producer.__dlpack__(self, **keywords)

    return len(scan({"x": Shifting(), "y": Shifting()})["tensors"]), 0


@case
def scans_inside_a_scan():
    from ctypes_producer import Producer

    class Nested(Producer):
        def __dlpack__(self, **keywords):
            scan({"inner": bytearray(3)})
            return super().__dlpack__(**keywords)

    report = scan({"x": Nested()})
    return report["tensors"][0]["refusals"][0]["type"], 0


@case
def interrupts():
    from ctypes_producer import Producer

    class Interrupting(Producer):
        def __dlpack__(self, **keywords):
            raise KeyboardInterrupt

    try:
        scan({"a": bytearray(3), "x": Interrupting()})
    except KeyboardInterrupt:
        return "KeyboardInterrupt", len(scan({"a": bytearray(3)})["tensors"])
    return "nothing", 0


@case
def unmaps_its_data():
    from ctypes_producer import Producer
    import mmap

    class Unmapping(Producer):
        def __init__(self):
            super().__init__()
            self.page = mmap.mmap(-1, mmap.PAGESIZE)
            self.struct.tensor.data = 0
            import ctypes

            self.struct.tensor.data = ctypes.addressof(ctypes.c_char.from_buffer(self.page))

        def __dlpack__(self, **keywords):
            import gc

            gc.collect()
            self.page.close()  # the memory is gone when the struct is read
            return super().__dlpack__(**keywords)

    record = scan({"x": Unmapping()})["tensors"][0]
    return record["readable"], 0


@case
def descriptor_runs_on_class_access():
    class Trap:
        def __get__(self, instance, owner):
            raise RuntimeError("descriptor")

    class Odd:
        __dlpack__ = Trap()

    return len(scan({"x": Odd()})["tensors"]), 0


EXPECTED = {
    "empties_its_list": (10, 0), "deletes_globals": (10, 0), "grows_its_dict": (5, 1005), "changes_its_own_class": (2, 0),
    "scans_inside_a_scan": ("RuntimeError", 0), "interrupts": ("KeyboardInterrupt", 1), "unmaps_its_data": (False, 0),
    "descriptor_runs_on_class_access": (0, 0),
}


class OddProducers(unittest.TestCase):
    def test_each(self):
        for name, expected in EXPECTED.items():
            with self.subTest(name):
                done = subprocess.run([sys.executable, os.path.abspath(__file__), name], capture_output=True, text=True, timeout=60)
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertEqual(done.stdout.strip(), repr(expected))


if __name__ == "__main__":
    if len(sys.argv) > 1:
        print(repr(CASES[sys.argv[1]]()))
    else:
        unittest.main(verbosity=2)
