"""Malformed DLPack structs and capsules: each in a process of its own, each survived, each deleter called exactly once."""

import ctypes
import json
import os
import subprocess
import sys
import unittest

from ctypes_producer import DLTensor, Legacy, Producer, Versioned, python  # noqa: F401

BAD = 0x10          # never mapped
NON_CANONICAL = 0x8000_0000_0000_0000

# name: (what the producer says, problem or note expected or None, whether the layout is usable)
STRUCTS = {
    "honest": (dict(), None, True),
    "honest legacy": (dict(versioned=False), None, True),
    "major 0": (dict(major=0), "wrong_major_version", False),
    "major 2": (dict(major=2), "wrong_major_version", False),
    "minor 99": (dict(minor=99), "unknown_minor_version", True),
    "unknown flags": (dict(flags=1 << 40), "unknown_flags", True),
    "shape NULL": (dict(shape=None, ndim=2), "shape_null", False),
    "shape unmapped": (dict(shape=BAD, ndim=2), "shape_unreadable", False),
    "strides unmapped": (dict(strides=BAD), "strides_unreadable", False),
    "strides non-canonical": (dict(strides=NON_CANONICAL), "strides_unreadable", False),
    "ndim negative": (dict(ndim=-1), "ndim_out_of_range", False),
    "ndim 65": (dict(ndim=65), "ndim_out_of_range", False),
    "ndim 2^30": (dict(ndim=1 << 30), "ndim_out_of_range", False),
    "negative dimension": (dict(shape=(2, -3)), "negative_dimension", False),
    "strides NULL": (dict(strides=None), "strides_implied", True),
    "negative stride": (dict(strides=(-3, 1)), "negative_stride", True),
    "broadcast": (dict(strides=(0, 1)), None, True),
    "stride 2^62": (dict(strides=(1 << 62, 1)), "size_overflow", False),
    "product overflow": (dict(shape=(1 << 40, 1 << 40)), "size_overflow", False),
    "bits 0": (dict(dtype=(2, 0, 1)), "bits_zero", False),
    "bits 7": (dict(dtype=(2, 7, 1)), "dtype_unknown", True),
    "code 99": (dict(dtype=(99, 32, 1)), "dtype_unknown", True),
    "lanes 0": (dict(dtype=(2, 32, 0)), "lanes_zero", False),
    "lanes 4": (dict(dtype=(1, 8, 4)), None, True),
    "byte_offset": (dict(byte_offset=8), "byte_offset_used", True),
    "byte_offset wraps": (dict(byte_offset=(1 << 64) - 8), "address_overflow", False),
    "data NULL": (dict(data=None), "data_null", True),
    "data NULL, empty": (dict(data=None, shape=(0, 3)), None, True),
    "data unmapped": (dict(data=BAD << 20), "extent_unreadable", True),
    "data misaligned": (dict(byte_offset=1), "unaligned", True),
    "device 0": (dict(device=(0, 0), claims=(0, 0)), "device_unknown", True),
    "device 99": (dict(device=(99, 3), claims=(99, 3)), "device_unknown", True),
    "device id 7": (dict(device=(1, 7), claims=(1, 7)), "device_id_nonzero", True),
    "pinned": (dict(device=(3, 0), claims=(3, 0)), None, True),
    "claims another device": (dict(claims=(2, 1)), "device_mismatch", True),
}


def show_struct(name, by):
    """In the child: describe (or scan) one producer, drop it, tell what happened."""
    import dlscope

    producer = Producer(**STRUCTS[name][0])
    if by == "scan":
        record = dlscope.report({"x": producer})["tensors"][0]
    else:
        record = dlscope.describe(producer)
    return {"record": record, "deleted": producer.deleted, "destroyed": producer.destroyed, "asked": len(producer.asked)}


def odd(name):
    """In the child: capsules and answers that are wrong in themselves."""
    import dlscope

    def answer(value, **producer_options):
        class Odd(Producer):
            def __dlpack__(self, **keywords):
                return value(self) if callable(value) else value

        return Odd(**producer_options)

    class Raises(Producer):
        def __init__(self, error):
            super().__init__()
            self.error = error

        def __dlpack__(self, **keywords):
            raise self.error

    if name == "not a capsule":
        producer = answer(3)
    elif name == "wrong name":
        producer = Producer(name="tensor")
    elif name == "used":
        producer = Producer(name="used_dltensor_versioned")
    elif name == "no name":
        producer = answer(lambda self: python.PyCapsule_New(self.address, None, None))
    elif name == "unmapped name":
        producer = answer(lambda self: python.PyCapsule_New(self.address, BAD, None))
    elif name == "endless name":
        producer = Producer(name="d" * 5000)
    elif name == "unmapped struct":
        producer = answer(lambda self: python.PyCapsule_New(BAD, ctypes.addressof(self._name), None))
    elif name == "struct is a Python object":
        producer = answer(lambda self: python.PyCapsule_New(id(self), ctypes.addressof(self._name), None))
    elif name == "struct is code":
        producer = answer(lambda self: python.PyCapsule_New(ctypes.cast(python.PyCapsule_New, ctypes.c_void_p).value,
                                                            ctypes.addressof(self._name), None))
    elif name == "struct at the end of a page":
        import mmap

        page = mmap.mmap(-1, 2 * mmap.PAGESIZE)
        start = ctypes.addressof(ctypes.c_char.from_buffer(page))
        libc = ctypes.CDLL(None)
        libc.mprotect(ctypes.c_void_p(start + mmap.PAGESIZE), mmap.PAGESIZE, 0)
        producer = answer(lambda self: python.PyCapsule_New(start + mmap.PAGESIZE - 8, ctypes.addressof(self._name), None))
    elif name == "versioned struct under the legacy name":
        producer = Producer(name="dltensor")
    elif name == "legacy struct under the versioned name":
        producer = Producer(versioned=False, name="dltensor_versioned")
    elif name == "deleter NULL":
        producer = Producer(deleter=None)
    elif name == "deleter unmapped":
        producer = Producer(deleter=BAD)
    elif name == "deleter is data":
        producer = Producer(deleter=ctypes.addressof(ctypes.create_string_buffer(8)))
    elif name == "no destructor":
        producer = Producer(destructor=False)
    elif name == "raises":
        producer = Raises(ValueError("not today"))
    elif name == "exits":
        producer = Raises(SystemExit(3))
    elif name == "raises without words":
        class Mute(Exception):
            def __str__(self):
                raise RuntimeError

        producer = Raises(Mute())
    elif name == "recurses":
        class Recursive(Producer):
            def __dlpack__(self, **keywords):
                return self.__dlpack__(**keywords)

        producer = Recursive()
    elif name == "asks dlscope about itself":
        class Selfish(Producer):
            def __dlpack__(self, **keywords):
                dlscope.describe(self)
                return super().__dlpack__(**keywords)

        producer = Selfish()
    elif name == "keeps its capsule":
        producer = Producer()
        kept = producer.capsule()
        producer.__class__ = type("Keeps", (Producer,), {"__dlpack__": lambda self, **keywords: kept})
        record = dlscope.describe(producer)
        name_now = python.PyCapsule_GetName(id(kept)).decode()
        found = {"record": record, "deleted": producer.deleted, "name": name_now}
        kept = None  # while the producer lives, whose code its destructor is
        return found
    elif name == "takes no keywords":
        class Old(Producer):
            def __dlpack__(self, stream=None):
                self.asked.append({})
                return self.capsule()

        producer = Old(versioned=False)
    else:
        raise KeyError(name)
    record = dlscope.describe(producer)
    return {"record": record, "deleted": producer.deleted, "asked": len(producer.asked)}


def deleter_with_error_pending():
    """A deleter that runs Python and leaves an error: noted, never raised out of the look."""
    import dlscope
    from ctypes_producer import Deleter

    producer = Producer()
    calls = []

    @Deleter
    def bad(_address):
        calls.append(1)
        raise RuntimeError("from a deleter")  # ctypes prints it

    producer.struct.deleter = ctypes.cast(bad, ctypes.c_void_p).value
    record = dlscope.describe(producer)
    return {"calls": len(calls), "protocol": record["protocol"]}


def user_capsules():
    """Capsules among the user's names are shown with their state and never consumed."""
    import dlscope

    producer = Producer()
    fresh, used = producer.capsule(), Producer(name="used_dltensor").capsule()
    report = dlscope.report({"fresh": fresh, "used": used, "inside": [fresh]})
    again = dlscope.report({"fresh": fresh})
    return {"tensors": report["tensors"], "deleted": producer.deleted, "name": python.PyCapsule_GetName(id(fresh)).decode(),
            "again": again["tensors"][0]["protocol"]}


def child(*arguments):
    """Runs one case in a process of its own; its JSON, or a failure that says how it died."""
    done = subprocess.run([sys.executable, os.path.abspath(__file__), *arguments], capture_output=True, text=True, timeout=60)
    if done.returncode != 0:
        raise AssertionError(f"the process of {arguments} ended with {done.returncode}:\n{done.stdout}\n{done.stderr}")
    return json.loads(done.stdout)


class HostileCapsules(unittest.TestCase):
    maxDiff = None

    def codes(self, record):
        return [remark["code"] for remark in record["problems"] + record["notes"]]

    def test_every_malformed_struct(self):
        for by in ("describe", "scan"):
            for name, (_, code, usable) in STRUCTS.items():
                with self.subTest(f"{name}, {by}"):
                    told = child("struct", name, by)
                    record = told["record"]
                    if code:
                        self.assertIn(code, self.codes(record))
                    self.assertEqual(record["elements"] is not None, usable, self.codes(record))
                    self.assertEqual(record["read_by"], "checked")
                    self.assertEqual(told["deleted"], 1, "deleter calls")
                    self.assertEqual(told["asked"], 1)

    def test_honest_struct_is_described_exactly(self):
        record = child("struct", "honest", "describe")["record"]
        self.assertEqual((record["shape"], record["strides"], record["dtype"]["name"]), ([2, 3], [3, 1], "float32"))
        self.assertEqual(record["capsule"], "dltensor_versioned")
        self.assertEqual(record["dlpack_version"], [1, 3])
        self.assertEqual(record["manager"], "0x1234")

    def assert_deleted_once(self, name, **expected):
        told = child("odd", name)
        self.assertEqual(told["deleted"], 1, "deleter calls")
        return told["record"]

    def test_answers_that_are_no_dlpack_capsule(self):
        for name, code in (("not a capsule", "not_a_capsule"), ("wrong name", "not_a_capsule"), ("no name", "not_a_capsule"),
                           ("unmapped name", "not_a_capsule"), ("endless name", "not_a_capsule"), ("used", "capsule_used")):
            with self.subTest(name):
                record = child("odd", name)["record"]
                self.assertIsNone(record["protocol"])
                self.assertIn(code, self.codes(record))
                self.assertEqual(record["refusals"][0]["type"], "dlscope.Malformed")

    def test_structs_that_are_not_there(self):
        for name in ("unmapped struct", "struct at the end of a page"):
            with self.subTest(name):
                told = child("odd", name)
                self.assertIn("struct_unreadable", self.codes(told["record"]))
                self.assertEqual(told["deleted"], 0, "a deleter nobody could read was called")
        for name in ("struct is a Python object", "struct is code"):
            with self.subTest(name):
                self.assertEqual(child("odd", name)["deleted"], 0)

    def test_structs_under_the_other_name(self):
        for name in ("versioned struct under the legacy name", "legacy struct under the versioned name"):
            with self.subTest(name):
                self.assertTrue(self.assert_deleted_once(name)["problems"])

    def test_deleters(self):
        self.assertIsNone(child("odd", "deleter NULL")["record"]["deleter"])
        for name in ("deleter unmapped", "deleter is data"):
            with self.subTest(name):  # not called; the capsule's own destructor did what it does
                record = self.assert_deleted_once(name)
                self.assertIn("deleter_not_code", self.codes(record))
        self.assertEqual(self.assert_deleted_once("no destructor")["shape"], [2, 3])
        self.assertEqual(child("deleter"), {"calls": 1, "protocol": "dlpack"})

    def test_producers_that_misbehave(self):
        for name, error in (("raises", "ValueError"), ("exits", "SystemExit"), ("recurses", "RecursionError")):
            with self.subTest(name):
                record = child("odd", name)["record"]
                self.assertEqual(record["refusals"][0]["type"], error)
        self.assertIn("Mute", child("odd", "raises without words")["record"]["refusals"][0]["type"])
        told = child("odd", "asks dlscope about itself")  # ends, and every capsule it made is gone
        self.assertEqual((told["record"]["protocol"], told["deleted"]), ("dlpack", told["asked"]))

    def test_a_capsule_somebody_keeps_is_not_taken(self):
        told = child("odd", "keeps its capsule")
        self.assertEqual((told["record"]["protocol"], told["deleted"], told["name"]), ("dlpack", 0, "dltensor_versioned"))

    def test_old_producers_are_asked_again_without_keywords(self):
        record = self.assert_deleted_once("takes no keywords")
        self.assertEqual((record["capsule"], record["flags"]["read_only"]), ("dltensor", None))

    def test_capsules_of_the_user(self):
        told = child("capsules")
        fresh, used = told["tensors"]
        self.assertEqual((fresh["names"], fresh["capsule"], fresh["shape"]), (["fresh", "inside[0]"], "dltensor_versioned", [2, 3]))
        self.assertIn("capsule_used", self.codes(used))
        self.assertEqual((told["deleted"], told["name"], told["again"]), (0, "dltensor_versioned", "dlpack"))


if __name__ == "__main__":
    if len(sys.argv) > 1:
        cases = {"struct": show_struct, "odd": odd, "deleter": deleter_with_error_pending, "capsules": user_capsules}
        told = cases[sys.argv[1]](*sys.argv[2:])
        print(json.dumps(told))
    else:
        unittest.main(verbosity=2)
