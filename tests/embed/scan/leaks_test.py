"""10 000 scans leave nothing behind: no reference, no capsule, no memory."""

import array
import dataclasses
import gc
import resource
import sys
import unittest

import dlscope
from ctypes_producer import Producer

try:
    import numpy
except ImportError:
    numpy = None

SCANS = 10_000


@dataclasses.dataclass
class Box:
    inside: object


class Refusing:
    def __dlpack__(self, **keywords):
        raise BufferError("no")


def resident_kib():
    with open("/proc/self/statm") as statm:
        return int(statm.read().split()[1]) * resource.getpagesize() // 1024


def namespace():
    names = {"a": array.array("d", [1.0, 2.0]), "b": bytearray(16), "p": Producer(), "q": Producer(destructor=False),
             "bad": Producer(shape=None, ndim=2), "no": Refusing()}
    if numpy is not None:
        names.update(n=numpy.arange(6.0).reshape(2, 3), t=numpy.zeros((3, 4)).T, words=numpy.array(["x"]))
    names["box"] = Box([names["a"], {"k": names["b"]}])
    names["s"] = {memoryview(b"constant")}
    return names


class Leaks(unittest.TestCase):
    def test_ten_thousand_scans(self):
        names = namespace()
        producers = [names["p"], names["q"], names["bad"]]
        p = None
        subjects = [*names.values(), *map(type, names.values()), names, None.__class__]
        for _ in range(200):  # caches of the interpreter fill up
            dlscope.report(names)
        gc.collect()
        for p in producers:
            p.asked.clear()
        p = None
        references = [sys.getrefcount(x) for x in subjects]
        deleted_before = [p.deleted for p in producers]
        objects, resident = len(gc.get_objects()), resident_kib()
        for _ in range(SCANS):
            dlscope.report(names)
            for p in producers:
                p.asked.clear()
        p = None
        gc.collect()
        self.assertEqual([sys.getrefcount(x) for x in subjects], references)
        self.assertLess(abs(len(gc.get_objects()) - objects), 50)
        self.assertLess(resident_kib() - resident, 8 * 1024, "KiB grown")
        self.assertEqual([p.deleted - before for p, before in zip(producers, deleted_before)], [SCANS] * 3, "deleter calls")

    def test_describe_overlap_and_protocols(self):
        names = namespace()
        x, y = names["a"], names["p"]
        kinds = [x, y, names["no"]]
        for _ in range(200):
            dlscope.describe(x), dlscope.overlap(x, y), dlscope.protocols(names["no"])
        references, resident = [sys.getrefcount(o) for o in kinds], resident_kib()
        for _ in range(2000):
            dlscope.describe(x), dlscope.overlap(x, y), dlscope.protocols(names["no"]), dlscope.shares_memory(x, y)
            y.asked.clear()
            try:
                dlscope.describe("text")
            except TypeError:
                pass
        self.assertEqual([sys.getrefcount(o) for o in kinds], references)
        self.assertLess(resident_kib() - resident, 8 * 1024)

    def test_objects_die_when_the_user_drops_them(self):
        import weakref

        producer = Producer()
        gone = weakref.ref(producer)
        dlscope.describe(producer)
        dlscope.report({"producer": producer, "box": [producer]})
        del producer
        gc.collect()  # the producer's callbacks refer to it
        self.assertIsNone(gone())


if __name__ == "__main__":
    unittest.main(verbosity=2)
