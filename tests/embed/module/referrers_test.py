"""Who refers to the owner of a tensor's memory (_host_referrers): every kind of holder is named, nothing of the user's runs, nothing
stays referred to. The host's module is asked as the host asks it."""

import functools
import gc
import sys
import threading
import types
import unittest

from dlscope import _host_referrers, _host_run


class Trap:
    """Whatever a search could run by mistake ends the test."""

    def _never(self, *_):
        raise AssertionError("something of the user's ran")

    __repr__ = __str__ = __eq__ = __len__ = __iter__ = __bool__ = __getattr__ = _never
    __class__ = __dict__ = property(_never)
    __hash__ = None


class Slotted:
    __slots__ = ("kept", "never_set")


class Job:
    shared = None

    def __init__(self, cache):
        self.cache = cache


class OwnList(list):
    __len__ = Trap._never


class OwnDict(dict):
    items = __iter__ = __getitem__ = Trap._never


class Meta(type):
    __name__ = __mro__ = property(Trap._never)
    __eq__ = Trap._never
    __hash__ = type.__hash__


class Strange(metaclass=Meta):
    def __init__(self, kept):
        self.kept = kept


CACHE = []


def asked(owner, names=None):
    """What refers to the owner beside the test: {text: count}."""
    names = {"x": owner} if names is None else names
    _host_run.namespace = lambda: names
    answer = _host_referrers.referrers({"name": "x"}, names)
    _host_run.namespace = dict
    assert answer["found"] and answer["complete"], answer
    found = {each["what"]: each["count"] for each in answer["referrers"]}
    ours = ("local owner of asked()", "the name x of the script")
    return {what: count for what, count in found.items() if what not in ours and not what.startswith("local memory of")}


class Referrers(unittest.TestCase):
    def setUp(self):
        CACHE.clear()

    def test_nobody(self):
        memory = bytearray(8)
        self.assertEqual(asked(memory), {})

    def test_containers_and_where_they_are(self):
        memory = bytearray(8)
        CACHE.append(memory)
        self.assertEqual(asked(memory), {"a list of 1, the name CACHE of module %s" % __name__: 1})
        CACHE.clear()
        job = Job([1, memory, 3])
        self.assertEqual(asked(memory), {"a list of 3, attribute cache of Job": 1})
        job.cache = {"list": [], "w": memory}
        self.assertEqual(asked(memory), {"a dict of 2, key w, attribute cache of Job": 1})
        job.cache = {"w": memory}  # of arrays only: the collector does not track it
        self.assertEqual(asked(memory), {"a dict of 1, key w, attribute cache of Job": 1})
        job.cache = OwnDict(a=memory)
        self.assertEqual(asked(memory), {"a dict of 1 (OwnDict), key a, attribute cache of Job": 1})
        job.cache = {"outer": (memory, 2)}
        self.assertEqual(list(asked(memory)), ["a tuple of 2"])
        job.cache = OwnList([memory])
        self.assertEqual(asked(memory), {"a list of 1 (OwnList), attribute cache of Job": 1})
        names = {"x": memory, "batch": [memory, memory]}
        job.cache = None
        self.assertEqual(asked(memory, names), {"a list of 2, the name batch of the script": 1})
        names = {"x": memory, "y": memory}
        self.assertEqual(asked(memory, names), {"the name y of the script": 1})

    def test_several_of_one_kind_are_counted(self):
        memory = bytearray(8)
        for _ in range(5):
            CACHE.append([memory, 1])
        self.assertEqual(asked(memory), {"a list of 2": 5})
        CACHE.clear()
        for _ in range(3):
            CACHE.append(Job(memory))
        self.assertEqual(asked(memory), {"attribute cache of Job": 3})

    def test_objects_and_classes(self):
        memory = bytearray(8)
        job = Job(memory)
        self.assertEqual(asked(memory), {"attribute cache of Job": 1})
        job.cache = None
        slotted = Slotted()
        slotted.kept = memory
        self.assertEqual(asked(memory), {"attribute kept of Slotted": 1})
        slotted.kept = None
        Job.shared = memory
        try:
            self.assertEqual(asked(memory), {"attribute shared of class Job": 1})
        finally:
            Job.shared = None
        module = types.ModuleType("of_tests")
        sys.modules["of_tests"] = module
        try:
            module.kept = memory
            self.assertEqual(asked(memory), {"the name kept of module of_tests": 1})
        finally:
            del sys.modules["of_tests"]
            module.kept = None
        self.assertEqual(asked(memory), {})

    def test_functions(self):
        memory = bytearray(8)

        def outer(kept):
            def inner():
                return kept
            return inner

        function = outer(memory)
        self.assertEqual(asked(memory), {"closure of Referrers.test_functions.<locals>.outer.<locals>.inner": 1})
        function = None

        def defaulted(a=memory):
            return a

        self.assertEqual(asked(memory), {"a default of Referrers.test_functions.<locals>.defaulted()": 1})
        defaulted = None

        def named(*, a=memory):
            return a

        self.assertEqual(asked(memory), {"a default of Referrers.test_functions.<locals>.named()": 1})
        named = None
        partial = functools.partial(len, memory)
        self.assertEqual(asked(memory), {"a tuple of 1, attribute args of functools.partial": 1})
        partial = None
        self.assertEqual((function, defaulted, named, partial), (None,) * 4)

    def test_what_is_suspended(self):
        memory = bytearray(8)

        def generate(kept):
            yield kept

        generator = generate(memory)
        next(generator)
        (what,) = asked(memory)
        self.assertIn("local kept of", what)
        self.assertIn("generate()", what)
        del generator
        self.assertEqual(asked(memory), {})

    def test_a_function_that_stands_in_another_thread(self):
        memory = bytearray(8)
        stands, go_on = threading.Event(), threading.Event()

        def work(kept):
            stands.set()
            go_on.wait()
            return kept

        class Carrier(threading.Thread):
            def __init__(self, box):
                super().__init__()
                self.box = box

            def run(self):
                work(self.box.pop())

        thread = Carrier([memory])
        thread.start()
        stands.wait()
        try:
            found = asked(memory)
        finally:
            go_on.set()
            thread.join()
        self.assertEqual([what for what in found if "work()" in what and what.startswith("local kept of ")], list(found))
        self.assertEqual(len(found), 1)

    def test_nothing_of_the_users_runs(self):
        memory = bytearray(8)
        trap, strange = Trap(), Strange(memory)
        object.__setattr__(trap, "kept", memory)
        CACHE.extend([trap, strange])
        found = asked(memory)
        self.assertIn("attribute kept of Strange", found)
        # Only a property of its own would say by which attribute; before 3.11 its dict is an object of its own.
        self.assertTrue(found.keys() & {"a Trap", "a dict of 1, key kept"}, found)
        CACHE.clear()

    def test_nothing_stays_referred_to(self):
        memory = bytearray(8)
        holder = [memory]
        before = sys.getrefcount(memory), sys.getrefcount(holder)
        for _ in range(3):
            asked(memory)
        self.assertEqual((sys.getrefcount(memory), sys.getrefcount(holder)), before)

    def test_it_is_bounded(self):
        memory = bytearray(8)
        for n in range(100):
            CACHE.append([memory] * (n + 1))
        answer = _host_referrers.referrers({"name": "x"}, {"x": memory})
        self.assertEqual(len(answer["referrers"]), 64)
        self.assertGreaterEqual(answer["more"], 36)
        self.assertEqual(_host_referrers.referrers({"name": "gone"}, {}), {"found": False})
        with self.assertRaises(TypeError):
            _host_referrers.referrers({"name": 3}, {})

    def test_at_a_stop_the_names_are_a_dict_of_ours(self):
        memory = bytearray(8)
        answer = _host_referrers.referrers({"name": "x"}, {"x": memory})
        self.assertEqual([each["what"] for each in answer["referrers"]],
                         ["local memory of %s()" % (
                             "test_at_a_stop_the_names_are_a_dict_of_ours" if sys.version_info < (3, 11) else
                             "Referrers.test_at_a_stop_the_names_are_a_dict_of_ours")])

    def test_a_view_has_referrers_of_its_own(self):
        view = memoryview(bytearray(8))
        CACHE.append(view)
        names = {"x": view}
        _host_run.namespace = lambda: names
        answer = _host_referrers.referrers({"name": "x"}, names)
        _host_run.namespace = dict
        self.assertEqual((answer["view"], answer["owner"]), ("memoryview", "bytearray"))
        of_view = [each["what"] for each in answer["of_view"] if not each["what"].startswith("local view of")]
        self.assertEqual(sorted(of_view), ["a list of 1, the name CACHE of module %s" % __name__, "the name x of the script"])
        self.assertEqual(_host_referrers.referrers({"name": "x"}, {"x": bytearray(8)})["view"], "")

    def test_a_view_is_traced_to_its_owner(self):
        memory = bytearray(8)
        CACHE.append(memory)
        view = memoryview(memory)[2:4]
        found = asked(view, {"x": view})
        self.assertIn("a list of 1, the name CACHE of module %s" % __name__, found)


if __name__ == "__main__":
    gc.collect()
    unittest.main(verbosity=2)
