"""What a scan reaches beside globals and containers, and that looking runs nothing of the user's."""

import array
import asyncio
import collections
import functools
import gc
import os
import subprocess
import sys
import tempfile
import textwrap
import types
import unittest
import weakref

import dlscope


def tensor(n=1):
    return array.array("d", [0.0] * n)


def names_of(namespace):
    return sorted(name for t in dlscope.report(namespace)["tensors"] for name in t["names"])


class Reach(unittest.TestCase):
    def check_typed(self, namespace, expected):
        """The names are as expected, and each is what the user would type to get the tensor."""
        report = dlscope.report(namespace)
        self.assertEqual(sorted(name for t in report["tensors"] for name in t["names"]), sorted(expected))
        for record in report["tensors"]:
            for name in record["names"]:
                self.assertEqual(dlscope.describe(eval(name, {}, namespace))["address"], record["address"], name)
        return report

    def test_small_plain_tuples_give_an_object_no_dict(self):
        class Node:
            def __init__(self, payload):
                self.index, self.payload = 1, payload

        first = Node((1, 2.5, "text", None))  # what holds nothing is learnt from it
        plain = [Node((7, 0.5, "more", None)), Node([3, 4]), Node(()), Node(tuple(range(16)))]
        full = [Node((1, tensor())), Node([tensor()]), Node((0,) * 20 + (tensor(),)), Node(((1, tensor()),))]
        before = [sorted(map(type, gc.get_referents(node)), key=repr) for node in plain]
        names = names_of({"first": first, "plain": plain, "full": full})
        self.assertEqual(names, ["full[0].payload[1]", "full[1].payload[0]", "full[2].payload[20]", "full[3].payload[0][1]"])
        self.assertEqual([sorted(map(type, gc.get_referents(node)), key=repr) for node in plain], before)

    def test_instances(self):
        class Base:
            __slots__ = ("slotted", "empty")

        class Job(Base):
            shared = tensor()

            def __init__(self):
                self.slotted, self.weights, self._hidden, self.__private = tensor(), tensor(), tensor(), [tensor()]
                self.count, self.__dunder__ = 3, tensor()

        self.check_typed({"job": Job()}, ["job.slotted", "job.weights", "job._hidden", "job._Job__private[0]", "job.shared"])

    def test_class_attributes_have_the_classs_name_where_it_has_one(self):
        class Job:
            shared = tensor()

        self.check_typed({"Job": Job, "one": Job(), "two": Job()}, ["Job.shared"])

    def test_subclasses_of_containers_have_items_and_attributes(self):
        class Config(dict):
            pass

        config = Config(rate=tensor())
        config.extra = tensor()
        self.check_typed({"config": config}, ["config['rate']", "config.extra"])

    def test_attributes_of_empty_containers(self):
        for kind in (dict, list, tuple, set, frozenset, collections.OrderedDict, collections.deque):
            Holder = type("Holder", (kind,), {})
            empty = Holder()
            empty.table = tensor(3)
            with self.subTest(kind.__name__):
                report = self.check_typed({"empty": empty, "view": memoryview(empty.table)[1:]}, ["empty.table", "view"])
                self.assertEqual(len(report["sharing"]), 1, "the view shares bytes with the attribute")

    def test_attributes_of_tensors_texts_and_numbers(self):
        class Samples(array.array):
            rate = tensor()

        class Blob(bytes):
            pass

        class Name(str):
            pass

        class Count(int):
            pass

        samples = Samples("d", [0.0])
        samples.scale = tensor()
        samples.itself = samples
        self.check_typed({"samples": samples}, ["samples", "samples.scale", "samples.rate"])
        self.assertEqual(names_of({"a": samples, "b": samples}), ["a", "a.rate", "a.scale", "b", "b.scale"])
        for kind, value in ((Blob, b"abc"), (Name, "abc"), (Count, 3)):
            held = kind(value)
            held.table = tensor()
            with self.subTest(kind.__name__):
                self.check_typed({"box": [held]}, ["box[0].table"])

    def test_attributes_of_what_offers_an_array_interface(self):
        class Picture:
            def __init__(self, pixels):
                self.pixels, self.mask = pixels, tensor(2)

            @property
            def __array_interface__(self):
                return {"shape": (4,), "typestr": "<f8", "data": (self.pixels.buffer_info()[0], False), "version": 3}

        class Refuses:
            def __init__(self):
                self.mask = tensor()

            def __dlpack__(self, **options):
                raise BufferError("no")

        names = {"picture": Picture(tensor(4)), "refuses": Refuses()}
        self.assertEqual(names_of(names), ["picture", "picture.mask", "picture.pixels", "refuses", "refuses.mask"])

    def test_subclasses_of_what_c_code_holds_items_in(self):
        class Replay(collections.deque):
            __slots__ = ("last",)

        class Plain(collections.deque):
            pass

        class Step(functools.partial):
            pass

        class Names(set):
            pass

        class Frozen(frozenset):
            pass

        class Queue(collections.UserList):
            pass

        replay, plain, names = Replay([1, tensor()], 8), Plain([tensor(), Plain]), Names([memoryview(b"abc")])
        replay.last, plain.kind, plain.best, names.extra = tensor(), Plain, tensor(), tensor()
        step = Step(print, tensor(), key=tensor())
        step.seen = tensor()
        queue = Queue([tensor()])
        queue.more = tensor()
        self.check_typed({"replay": replay}, ["replay[1]", "replay.last"])
        self.check_typed({"plain": plain}, ["plain[0]", "plain.best"])
        self.check_typed({"step": step}, ["step.args[0]", "step.keywords['key']", "step.seen"])
        self.check_typed({"queue": queue}, ["queue.data[0]", "queue.more"])
        self.assertEqual(names_of({"names": names, "frozen": Frozen([memoryview(b"x")])}), ["frozen<0>", "names.extra", "names<0>"])

    def test_functions(self):
        def make():
            hidden, not_yet = tensor(), None

            def inner(x=tensor(), *, y=tensor()):
                return hidden, later

            if not_yet:
                later = 1
            inner.memo = tensor()
            return inner

        class Job:
            def __init__(self):
                self.buffer = tensor()

            def step(self):
                pass

            @staticmethod
            def helper(default=tensor()):
                pass

        job = Job()
        self.check_typed({"f": make()}, ["f.__closure__[0].cell_contents", "f.__defaults__[0]", "f.__kwdefaults__['y']", "f.memo"])
        self.check_typed({"callback": job.step}, ["callback.__self__.buffer", "callback.__self__.helper.__defaults__[0]"])
        self.check_typed({"append": [tensor()].append}, ["append.__self__[0]"])
        self.check_typed({"p": functools.partial(print, tensor(), [tensor()], key=tensor())}, ["p.args[0]", "p.args[1][0]", "p.keywords['key']"])

    def test_suspended_generators_and_coroutines(self):
        def generate():
            local, unbound_later = tensor(), 1
            del unbound_later
            yield local
            late = tensor()
            yield late

        async def inner():
            deep = tensor()
            await forever()
            return deep

        @types.coroutine
        def forever():
            yield

        async def outer():
            held = tensor()
            await inner()
            return held

        async def stream():
            piece = tensor()
            yield piece

        generator, coroutine = generate(), outer()
        next(generator)
        coroutine.send(None)
        self.check_typed({"g": generator}, ["g.gi_frame.f_locals['local']"])
        self.check_typed({"c": coroutine}, ["c.cr_frame.f_locals['held']", "c.cr_await.cr_frame.f_locals['deep']"])
        started = stream()
        with self.assertRaises(StopIteration):
            started.asend(None).send(None)
        self.check_typed({"s": started}, ["s.ag_frame.f_locals['piece']"])
        coroutine.close()
        self.check_typed({"g": list(generator)}, ["g[0]"])

    def test_small_containers(self):
        self.check_typed({"n": types.SimpleNamespace(x=tensor(), y=[tensor()])}, ["n.x", "n.y[0]"])
        self.check_typed({"m": types.MappingProxyType({"k": tensor()})}, ["m['k']"])
        self.check_typed({"q": collections.deque([1, tensor(), [tensor()]])}, ["q[1]", "q[2][0]"])
        self.check_typed({"u": collections.UserDict(k=tensor())}, ["u.data['k']"])
        self.check_typed({"c": collections.ChainMap({"k": tensor()})}, ["c.maps[0]['k']"])

    def test_what_the_standard_library_wraps(self):
        import threading

        def make():
            hidden = tensor()

            @functools.lru_cache(maxsize=None)
            def cached(x=tensor()):
                return hidden

            return cached

        self.check_typed({"cached": make()}, ["cached.__wrapped__.__closure__[0].cell_contents", "cached.__wrapped__.__defaults__[0]"])
        local = threading.local()
        local.buffer, local.count = tensor(), 3
        self.check_typed({"local": local}, ["local.buffer"])
        made = []

        class Own(threading.local):
            def __init__(self):
                made.append(threading.get_ident())

        def in_thread(own):
            names_of({"own": own})

        own = Own()
        thread = threading.Thread(target=in_thread, args=(own,))
        thread.start()
        thread.join()
        self.assertEqual(len(made), 1, "the look ran its __init__ in another thread")

        async def serve():
            queue = asyncio.Queue()
            await queue.put(tensor())
            return names_of({"queue": queue})

        self.assertEqual(asyncio.run(serve()), ["queue._queue[0]"])

    def test_futures(self):
        from concurrent.futures import ThreadPoolExecutor

        with ThreadPoolExecutor(1) as pool:
            futures = [pool.submit(tensor) for _ in range(2)]
        self.check_typed({"futures": futures}, ["futures[0]._result", "futures[1]._result"])

        async def serve():
            async def work():
                batch = tensor()
                await asyncio.sleep(60)
                return batch

            task = asyncio.ensure_future(work())
            await asyncio.sleep(0)
            names = names_of({"task": task})
            task.cancel()
            return names

        self.assertEqual(asyncio.run(serve()), ["task._coro.cr_frame.f_locals['batch']"])

    def test_views_of_a_dict_that_has_no_other_name_are_told_as_not_entered(self):
        views = {"values": {"k": tensor()}.values(), "items": {"k": tensor()}.items(), "keys": {tensor: 1}.keys()}
        told = {entry["type"]: entry["count"] for entry in dlscope.report(views)["not_entered"]}
        self.assertEqual(told, {"dict_values": 1, "dict_items": 1, "dict_keys": 1})

    def test_weak_references_and_library_objects_are_not_entered(self):
        import logging
        import threading

        class Node:
            def __init__(self):
                self.x = tensor()

        node = Node()
        report = dlscope.report({"w": weakref.ref(node), "set": weakref.WeakSet([node]), "log": logging.getLogger(), "lock": threading.Event(),
                                 "more": [threading.Event(), iter([tensor()])], "text": "abc", "number": 3})
        self.assertEqual(report["tensors"], [])
        told = {entry["type"]: entry["count"] for entry in report["not_entered"]}
        self.assertEqual((told["threading.Event"], told["list_iterator"], told["logging.RootLogger"]), (2, 1, 1))
        self.assertNotIn("str", told)

    def test_limits_hold_for_objects_too(self):
        class Node:
            def __init__(self, inner):
                self.inner = inner

        deep = tensor()
        for _ in range(100):
            deep = Node(deep)
        report = dlscope.report({"deep": deep})
        self.assertIn("container depth", [limit["what"] for limit in report["limits"] if limit["reached"]])
        ring = Node(None)
        ring.inner = ring
        ring.x = tensor()
        self.assertEqual(names_of({"ring": ring}), ["ring.x"])

    def test_names_lead_back_to_the_object(self):
        from dlscope import _dlscope

        class Job:
            shared = tensor()

            def __init__(self):
                self.x = [tensor()]

        def generate():
            local = tensor()
            yield local

        g = generate()
        next(g)
        names = {"job": Job(), "g": g}
        for name in names_of(names):
            self.assertEqual(_dlscope.host_struct(names, name, False)[:1], b"\1", name)  # found (core/wire/struct_answer.h)


class Frames(unittest.TestCase):
    def test_report_in_a_function_sees_its_locals_and_its_callers(self):
        def inner(data):
            own = tensor()
            return dlscope.report(), own

        def outer():
            mine = tensor()
            return inner(mine)

        report, _ = outer()
        first = {t["names"][0]: t for t in report["tensors"] if t["scope"] == "local"}
        prefix = outer.__qualname__ if sys.version_info >= (3, 11) else "outer"
        self.assertEqual(list(first)[:2], ["data", "own"])
        self.assertIn(prefix + "().mine", first["data"]["names"])
        self.assertEqual(first["own"]["frame"]["depth"], 0)
        self.assertEqual(first["own"]["frame"]["file"], __file__)

    def test_recursion_methods_and_hidden_globals(self):
        namespace = {"__name__": "somewhere", "dlscope": dlscope, "tensor": tensor}
        exec(compile(textwrap.dedent("""
            x, only = tensor(), tensor()
            class Job:
                def two(self, n):
                    x = tensor()
                    return self.two(n - 1) if n else dlscope.report()
            report = Job().two(2)
            """), "<string>", "exec"), namespace)
        names = [t["names"][0] for t in namespace["report"]["tensors"]]
        self.assertEqual(names[:5], ["x", "Job.two()#2.x", "Job.two()#3.x", "globals()['x']", "only"])
        self.assertEqual([t["scope"] for t in namespace["report"]["tensors"][:5]], ["local"] * 3 + ["module"] * 2)

    def test_a_local_number_hides_a_global_tensor(self):
        namespace = {"__name__": "somewhere", "dlscope": dlscope, "tensor": tensor}
        exec("x = tensor()\ndef f(x):\n    return dlscope.report()\nreport = f(3)", namespace)
        self.assertEqual(namespace["report"]["tensors"][0]["names"][0], "globals()['x']")


class UsersModules(unittest.TestCase):
    def test_modules_beside_the_script_are_namespaces(self):
        with tempfile.TemporaryDirectory() as folder:
            files = {"main.py": "from helper import make\nimport package.part\nimport dlscope, json\nprint(json.dumps(sorted("
                                "n for t in dlscope.report()['tensors'] for n in t['names'])))",
                     "helper.py": "import array\nCACHE = array.array('d', [1])\ndef make(): pass\n",
                     "package/__init__.py": "", "package/part.py": "import array\nclass Store:\n    kept = array.array('d', [1])\n",
                     "elsewhere/installed.py": "import array\nTABLE = array.array('d', [1])\n"}
            for name, text in files.items():
                path = os.path.join(folder, name)
                os.makedirs(os.path.dirname(path), exist_ok=True)
                with open(path, "w") as file:
                    file.write(text)
            done = subprocess.run([sys.executable, os.path.join(folder, "main.py")], capture_output=True, text=True, timeout=60)
            self.assertEqual(done.stdout.strip(), '["helper.CACHE", "package.part.Store.kept"]', done.stderr)


if __name__ == "__main__":
    unittest.main(verbosity=2)
