"""Looking for tensors runs nothing of the user's, keeps nothing alive and leaves nothing in the objects looked at."""

import array
import asyncio
import collections
import functools
import gc
import sys
import types
import unittest
import weakref

import dlscope


def tensor(n=1):
    return array.array("d", [0.0] * n)


class NothingRuns(unittest.TestCase):
    """Every way in which a class can run code when it is looked at counts; none of them may."""

    def test_looking_runs_nothing(self):
        ran = []

        def count(name):
            def method(*arguments, **keywords):
                ran.append(name)
                raise RuntimeError(name)

            return method

        class Descriptor:
            def __get__(self, instance, owner):
                ran.append("descriptor")
                raise RuntimeError

            def __set__(self, instance, value):
                ran.append("descriptor set")

        loud = ("__getattr__", "__getattribute__", "__eq__", "__hash__", "__len__", "__iter__", "__next__", "__bool__", "__contains__",
                "__getitem__", "__repr__", "__str__", "__call__", "__dir__", "__index__", "__length_hint__", "__reversed__", "__sizeof__",
                "__instancecheck__", "__subclasscheck__", "__fspath__", "__enter__", "__missing__", "keys", "items", "values")
        body = {name: count(name) for name in loud}
        body.update(computed=property(count("property")), through=Descriptor(), __class__=property(count("__class__")),
                    __slots__=("slotted", "__dict__", "__weakref__"))
        Loud = type("Loud", (), dict(body))
        LoudMeta = type("LoudMeta", (type,), {k: v for k, v in body.items() if k not in ("__slots__", "__call__", "__class__", "__hash__", "__eq__", "__dir__",
                                                                                     "__instancecheck__", "__subclasscheck__")})
        OfMeta = LoudMeta("OfMeta", (), {"held": tensor()})
        LoudDict = type("LoudDict", (dict,), {k: v for k, v in body.items() if k != "__slots__"})
        LoudList = type("LoudList", (list,), {k: v for k, v in body.items() if k != "__slots__"})

        LoudDeque = type("LoudDeque", (collections.deque,), {k: v for k, v in body.items() if k != "__slots__"})
        LoudSet = type("LoudSet", (set,), {k: v for k, v in body.items() if k != "__slots__"})
        LoudPartial = type("LoudPartial", (functools.partial,), {k: v for k, v in body.items() if k != "__slots__"})
        LoudFuture = type("LoudFuture", (asyncio.Future,), {k: v for k, v in body.items() if k != "__slots__"})

        def full(kind, *arguments, **keywords):
            base = object if kind in (Loud, OfMeta) else kind.__base__
            made = base.__new__(kind, *arguments, **keywords)
            object.__setattr__(made, "stored", tensor())
            return made

        HiddenDict = type("HiddenDict", (), {"__dict__": property(count("__dict__")), "__getattr__": count("__getattr__")})
        hidden = HiddenDict()
        object.__setattr__(hidden, "inside", tensor())

        loud_one = full(Loud)
        Loud.slotted.__set__(loud_one, tensor())
        as_dict, as_list = full(LoudDict), full(LoudList)
        dict.__setitem__(as_dict, "k", tensor())
        list.append(as_list, tensor())
        as_deque, as_set, as_partial, as_future = full(LoudDeque), full(LoudSet), full(LoudPartial, print, tensor()), full(LoudFuture)
        collections.deque.append(as_deque, tensor())
        set.add(as_set, memoryview(b"abc"))
        loop = asyncio.new_event_loop()
        self.addCleanup(loop.close)
        asyncio.Future.__init__(as_future, loop=loop)
        asyncio.Future.set_result(as_future, tensor())
        of_meta = object.__new__(OfMeta)

        def hold(default=loud_one):
            return loud_one

        def generate():
            inside = loud_one
            yield inside

        generator = generate()
        next(generator)
        ran.clear()
        names = {"one": loud_one, "hidden": hidden, "d": as_dict, "l": as_list, "meta": OfMeta, "of_meta": of_meta, "f": hold, "g": generator,
                 "p": functools.partial(hold, loud_one), "n": types.SimpleNamespace(one=loud_one), "box": [loud_one, {1: loud_one}],
                 "m": types.MappingProxyType(as_dict), "q": collections.deque([loud_one]), "t": (loud_one,),
                 "ld": as_deque, "ls": as_set, "lp": as_partial, "lf": as_future}
        report = dlscope.report(names)
        self.assertEqual(ran, [])
        found = {name for t in report["tensors"] for name in t["names"]}
        found.update(name for t in dlscope.report({"f": hold})["tensors"] for name in t["names"])
        self.assertEqual(ran, [])
        self.assertLessEqual({"one.stored", "one.slotted", "d['k']", "d.stored", "l[0]", "l.stored", "meta.held", "hidden.inside", "m['k']",
                              "ld[0]", "ld.stored", "ls<0>", "ls.stored", "lp.args[0]", "lp.stored", "lf._result", "lf.stored",
                              "g.gi_frame.f_locals['inside'].stored", "f.__defaults__[0].stored"}, found)

    def test_looking_keeps_nothing_alive(self):
        class Job:
            def __init__(self):
                self.x = tensor()

        def generate():
            job = Job()
            seen.append(weakref.ref(job))
            yield 1
            del job
            yield 2

        seen = []
        generator = generate()
        next(generator)
        dlscope.report({"generator": generator})
        next(generator)
        gc.collect()
        self.assertIsNone(seen[0](), "the look left a snapshot of the locals in the frame")

    def test_what_locals_gave_away_is_left_alone(self):
        def generate():
            x = tensor()
            mine = locals()
            mine["note"] = "kept"
            yield mine
            yield locals()

        generator = generate()
        mine = next(generator)
        dlscope.report({"generator": generator})
        self.assertEqual(mine["note"], "kept")
        self.assertIn("x", mine)
        self.assertIn("x", next(generator))

    @unittest.skipIf(sys.version_info >= (3, 13), "exec() binds no names that stay from 3.13 on")
    def test_names_that_exec_gave_a_function_stay(self):
        def outer():
            held, freed = tensor(), tensor()

            def step(argument, given=3):
                exec("lr = 0.1")
                x = tensor()
                del given
                dlscope.report()

                class Body:
                    inside = tensor()
                    exec("made = 4")
                    dlscope.report()
                    sum_of_both = inside[0] + made  # noqa: F821

                def cell():
                    return x, held, Body.sum_of_both

                exec("later = 2")
                dlscope.report()
                with self.assertRaises(NameError):
                    eval("given")
                return eval("lr"), eval("later"), eval("x") is x, eval("argument"), cell()[2]

            exec("own = 5")
            del freed
            answers = step("told")
            return answers, eval("own"), eval("held") is held

        self.assertEqual(outer(), ((0.1, 2, True, "told", 4), 5, True))

    @unittest.skipIf(sys.version_info >= (3, 13), "exec() binds no names that stay from 3.13 on")
    def test_names_that_exec_gave_a_generator_stay(self):
        def generate():
            exec("lr = 0.1")
            x = tensor()
            dlscope.report()
            yield eval("lr")
            del x
            yield eval("lr")

        generator = generate()
        first = next(generator)
        dlscope.report({"generator": generator})
        self.assertEqual((first, next(generator)), (0.1, 0.1))

    def test_instances_without_tensors_get_no_dict_by_being_looked_at(self):
        if sys.version_info < (3, 11):
            self.skipTest("before 3.11 every instance has its dict from the start")

        class Small:
            def __init__(self, i):
                self.a, self.b = i, str(i)

        many = [Small(i) for i in range(20000)]
        gc.collect()
        before = sys.getallocatedblocks()
        dlscope.report({"many": many})
        gc.collect()
        self.assertLess(sys.getallocatedblocks() - before, 5000)


if __name__ == "__main__":
    unittest.main(verbosity=2)
