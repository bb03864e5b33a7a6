"""Watched capsules: every step of their life is noted once, the producer's destructor and deleter are called exactly as without watching."""

import ctypes
import sys
import threading
import unittest

import dlscope
from ctypes_producer import Deleter, Legacy, Producer, Versioned, python

python.PyCapsule_SetName.argtypes = [ctypes.py_object, ctypes.c_char_p]
python.PyCapsule_SetDestructor.argtypes = [ctypes.py_object, ctypes.c_void_p]

KINDS = ({"versioned": True}, {"versioned": False})


def told(capsule_id):
    (one,) = [each for each in dlscope.capsules(globals()) if each["id"] == capsule_id]
    return one


def steps(capsule_id):
    return [event["step"] for event in told(capsule_id)["events"]]


USED = {False: ctypes.c_char_p(b"used_dltensor"), True: ctypes.c_char_p(b"used_dltensor_versioned")}  # as long as a capsule may have them


def take(producer, capsule, clear_destructor):
    """As a consumer does that tells nobody. Its end: what it calls when it lets go."""
    versioned = type(producer.struct) is Versioned
    python.PyCapsule_SetName(capsule, USED[versioned])
    if clear_destructor:
        python.PyCapsule_SetDestructor(capsule, None)
    return lambda: Deleter((Versioned if versioned else Legacy).from_address(producer.address).deleter)(producer.address)


class Wrapper:
    """What hands this very capsule on, as a library's tensor would."""

    def __init__(self, capsule):
        self.capsule = capsule

    def __dlpack__(self, **keywords):
        return self.capsule

    def __dlpack_device__(self):
        return (1, 0)


class Watching(unittest.TestCase):
    def watch(self, **lies):
        """(producer, capsule, number) of a capsule that is watched."""
        producer = Producer(**lies)
        capsule = producer.__dlpack__()
        references = sys.getrefcount(capsule)
        self.assertIs(dlscope.watch_capsule(capsule), capsule)
        self.assertEqual(sys.getrefcount(capsule), references)  # nothing keeps it
        return producer, capsule, dlscope.capsules(globals())[-1]["id"]

    def test_a_capsule_that_is_dropped_unused(self):
        for kind in KINDS:
            producer, capsule, number = self.watch(**kind)
            self.assertEqual(told(number)["state"], "unseen")  # a local of this function
            self.assertEqual(told(number)["tensor"], "float32 (2, 3)")
            self.assertEqual(told(number)["kind"], "dltensor_versioned" if kind["versioned"] else "dltensor")
            del capsule
            self.assertEqual((producer.destroyed, producer.deleted), (1, 1))
            self.assertEqual((told(number)["state"], steps(number)), ("dropped", ["watched", "destroyed", "deleted"]))

    def test_a_capsule_that_dlscope_consumes(self):
        for kind in KINDS:
            producer, capsule, number = self.watch(**kind)
            tensor = dlscope.from_dlpack(capsule)
            self.assertEqual(told(number)["state"], "consumed")
            with self.assertRaisesRegex(ValueError, "consumed before"):
                dlscope.from_dlpack(capsule)
            del capsule
            self.assertEqual(producer.deleted, 0)  # the consumer keeps the memory
            other = threading.Thread(target=tensor.close)
            other.start()
            other.join()
            self.assertEqual(producer.deleted, 1)
            self.assertEqual((told(number)["state"], steps(number)),
                             ("returned", ["watched", "consumed", "refused", "destroyed", "deleted"]))
            events = told(number)["events"]
            self.assertTrue(events[0]["main_thread"])
            self.assertFalse(events[-1]["main_thread"])
            self.assertEqual([event["t_ns"] for event in events], sorted(event["t_ns"] for event in events))

    def test_a_consumer_that_says_nothing_is_seen_by_the_name(self):
        global held
        for clear_destructor in (False, True):
            producer, held, number = self.watch()
            self.assertEqual((told(number)["state"], told(number)["held_by"]), ("waiting", ["held"]))
            let_go = take(producer, held, clear_destructor)
            self.assertEqual((told(number)["state"], told(number)["name"]), ("consumed", "used_dltensor_versioned"))
            self.assertTrue(told(number)["events"][1]["noticed"])
            held = None
            self.assertEqual(producer.deleted, 0)
            let_go()
            self.assertEqual((producer.deleted, told(number)["state"]), (1, "returned"))

    def test_a_consumer_of_a_capsule_without_a_name_is_known_by_its_deleter(self):
        producer, capsule, number = self.watch()
        let_go = take(producer, capsule, True)
        del capsule
        self.assertEqual(told(number)["state"], "unseen")
        let_go()
        self.assertEqual((told(number)["state"], steps(number)), ("returned", ["watched", "consumed", "deleted"]))

    def test_a_capsule_whose_destructor_calls_no_deleter(self):
        producer, capsule, number = self.watch(destructor=False)
        del capsule
        self.assertEqual((producer.deleted, told(number)["state"]), (0, "undeleted"))

    def test_another_capsule_in_the_place_of_one_is_not_taken_for_it(self):
        global held
        for _ in range(200):
            producer, capsule, number = self.watch()
            take(producer, capsule, True)
            del capsule
            other = Producer()
            held = other.__dlpack__()  # as likely as not where the first one lay
            self.assertEqual((told(number)["state"], told(number)["held_by"]), ("unseen", []))
            held = None

    def test_another_capsule_in_its_place_that_dlscope_takes_is_not_taken_for_it(self):
        producer, capsule, number = self.watch()
        take(producer, capsule, True)
        place = id(capsule)
        del capsule
        others = [producer.capsule() for _ in range(64)]  # of the same struct: the memory of one that is gone is used again like this
        here = [other for other in others if id(other) == place]
        for other in others:
            if other not in here:
                take(producer, other, True)  # so that the struct has one end only
        if not here:
            self.skipTest("no later capsule came to lie where the first one was")
        taken = dlscope.from_dlpack(here[0])
        self.assertEqual(steps(number), ["watched"])
        with self.assertRaisesRegex(ValueError, "another consumer has taken it"):
            dlscope.watch_capsule(here[0])
        del taken
        self.assertEqual(producer.deleted, 1)

    def test_an_exception_that_frees_the_capsule_arrives(self):
        tensor = dlscope.asdlpack(bytearray(8))  # ctypes' own callbacks cannot run with an exception pending
        with self.assertRaises(ZeroDivisionError):
            [dlscope.watch_capsule(tensor.__dlpack__()), 1 / 0]  # the capsule goes meanwhile
        self.assertEqual(dlscope.capsules()[-1]["state"], "dropped")

    def test_what_cannot_be_watched(self):
        with self.assertRaisesRegex(TypeError, "not an object of type int"):
            dlscope.watch_capsule(3)
        producer = Producer()
        capsule = producer.__dlpack__()
        tensor = dlscope.from_dlpack(capsule)
        with self.assertRaisesRegex(ValueError, "another consumer has taken it"):
            dlscope.watch_capsule(capsule)
        tensor.close()
        for lie in ({"name": "odd"}, {"major": 2}, {"shape": 0x10, "ndim": 2}, {"ndim": 65}):
            producer = Producer(**lie)
            capsule = producer.__dlpack__()
            with self.assertRaisesRegex(ValueError, "cannot be watched"):
                dlscope.watch_capsule(capsule)
            del capsule
            self.assertEqual(producer.destroyed, 1)

    def test_many(self):
        for _ in range(300):
            producer, capsule, number = self.watch()
            self.assertIs(dlscope.watch_capsule(capsule), capsule)  # again: nothing changes
            del capsule
            self.assertEqual(producer.deleted, 1)
        self.assertLessEqual(len(dlscope.capsules()), 256)

    def test_numpy_and_pytorch_take_one(self):
        try:
            import numpy
        except ImportError:
            self.skipTest("NumPy is not installed in this Python")
        takers = {"numpy": lambda capsule: numpy.from_dlpack(Wrapper(capsule))}
        try:
            import torch
            takers["torch"] = torch.from_dlpack
        except ImportError:
            pass
        global held
        for take in takers.values():
            held = dlscope.watch_capsule(numpy.arange(6.0).__dlpack__())
            number = dlscope.capsules()[-1]["id"]
            taken = take(held)
            self.assertEqual(told(number)["state"], "consumed")
            held = None
            self.assertEqual(told(number)["state"], "consumed")
            del taken
            self.assertEqual(told(number)["state"], "returned")


if __name__ == "__main__":
    unittest.main()
