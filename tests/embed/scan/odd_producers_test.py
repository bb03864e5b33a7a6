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
def stops_in_a_list_of_millions():
    """No bytecode runs in the scan's own loops: a signal is heard all the same, after a bounded number of entries."""
    import ctypes
    import gc
    import itertools
    import signal

    gc.disable()  # it would look at the millions again and again while they are made
    signal.signal(signal.SIGINT, signal.default_int_handler)
    asked = itertools.count()

    class Signals:
        __dlpack__ = staticmethod(ctypes.pythonapi.PyErr_SetInterrupt)

    class Counted:
        __dlpack__ = staticmethod(asked.__next__)

    before, after, every = 5000, 3000000, 100
    entries = [Counted() if i % every == 0 else [] for i in range(before + after)]
    entries[before] = Signals()
    try:
        scan({"x": entries})
    except KeyboardInterrupt:
        return "KeyboardInterrupt", next(asked) - before // every <= 2000 // every
    return "nothing", next(asked)


@case
def interrupts_in_the_small_questions():
    """A Stop that arrives while a producer's own __index__, __bool__, __str__ or descriptor runs: never a 'malformed'."""
    import ctypes
    import dlscope
    from ctypes_producer import Producer

    memory = (ctypes.c_double * 4)()
    address = ctypes.addressof(memory)

    class Stop:
        def __index__(self):
            raise KeyboardInterrupt

        def __bool__(self):
            raise KeyboardInterrupt

    class Words(Exception):
        def __str__(self):
            raise KeyboardInterrupt

    class Descriptor:
        def __get__(self, instance, owner):
            raise KeyboardInterrupt

    class Exporter:
        def __init__(self, **changes):
            self.interface = {"version": 3, "shape": (2,), "typestr": "<f8", "data": (address, False), **changes}

        @property
        def __array_interface__(self):
            return self.interface

    class Refusing(Producer):
        def __dlpack__(self, **keywords):
            raise Words

    class Odd:
        __dlpack__ = Descriptor()

    class Lazy:
        def __getattr__(self, name):
            raise KeyboardInterrupt if name == "__array_interface__" else AttributeError(name)

    producers = {"version": Exporter(version=Stop()), "shape": Exporter(shape=(Stop(),)), "address": Exporter(data=(Stop(), False)),
                 "read_only": Exporter(data=(address, Stop())), "offset": Exporter(data=memory, offset=Stop()),
                 "claim": Producer(claims=(1, Stop())), "words": Refusing(), "descriptor": Odd()}
    calls = [(name, scan, {"first": x, "then": Producer()}) for name, x in producers.items()]
    calls += [(name, function, x) for name, x in {**producers, "attribute": Lazy()}.items()
              for function in (dlscope.describe, dlscope.protocols)]
    swallowed = []
    for name, function, argument in calls:
        try:
            function(argument)
            swallowed.append((name, function.__name__))
        except KeyboardInterrupt:
            pass
    return swallowed, len(scan({"a": bytearray(3)})["tensors"])


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
    # Each with the four arrays of ctypes among its attributes.
    "empties_its_list": (10 * 5, 0), "deletes_globals": (10 * 5, 0), "grows_its_dict": (5 * 5, 1005), "changes_its_own_class": (2 * 5, 0),
    "scans_inside_a_scan": ("RuntimeError", 0), "interrupts": ("KeyboardInterrupt", 1),
    "stops_in_a_list_of_millions": ("KeyboardInterrupt", True),
    "interrupts_in_the_small_questions": ([], 1), "unmaps_its_data": (False, 0),
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
