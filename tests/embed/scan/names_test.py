"""What a scan finds, under which names."""

import array
import dataclasses
import datetime
import decimal
import enum
import fractions
import unittest
from collections import OrderedDict, defaultdict, namedtuple

import dlscope
from dlscope import _dlscope
from tensor_checks import by_name


def tensor(n=1):
    return array.array("d", [0.0] * n)


def names_of(namespace):
    return [t["names"] for t in dlscope.report(namespace)["tensors"]]


class Names(unittest.TestCase):
    def test_attributes_that_cannot_follow_a_dot(self):
        class Plain:
            pass

        def function():
            pass

        o = Plain()
        odd = ["a b", "class", "0", "it's", "a.b", "x\ny", "", "None"]
        for number, name in enumerate(odd + ["é", "fine", "match"], 1):
            o.__dict__[name] = tensor(number)
        setattr(function, "a b", tensor(20))
        setattr(Plain, "c d", tensor(21))
        names = {"o": o, "function": function, "Plain": Plain}
        found = {name: t for t in dlscope.report(names)["tensors"] for name in t["names"]}
        expected = {f"o.__dict__[{name!r}]" for name in odd if name} | {
            "o.é", "o.fine", "o.match", "function.__dict__['a b']", "Plain.__dict__['c d']"}
        self.assertEqual(set(found), expected)
        for name, record in found.items():
            self.assertEqual(dlscope.describe(eval(name, {}, names))["address"], record["address"], name)
            self.assertIs(_dlscope.host_object(names, name, None), eval(name, {}, names))

    def test_paths(self):
        Point = namedtuple("Point", "x y")

        class Key:
            def __repr__(self):
                raise AssertionError("a user's repr ran")

        namespace = {
            "d": {"w": tensor(), 3: tensor(), (1, 2): tensor(), None: tensor(), "it's": tensor(), Key(): tensor()},
            "l": [tensor(), [tensor()]], "t": (tensor(),), "p": Point(tensor(), 1), "s": {memoryview(b"abc")},
            "o": OrderedDict(a=tensor()), "dd": defaultdict(list, a=[tensor()]),
        }
        self.assertEqual(set(by_name(dlscope.report(namespace))), {
            "d['w']", "d[3]", "d[(1, 2)]", "d[None]", 'd["it\'s"]', "d[<Key 5>]", "l[0]", "l[1][0]", "t[0]", "p[0]", "s<0>",
            "o['a']", "dd['a'][0]"})

    def test_names_are_what_the_user_would_type(self):
        namespace = {"d": {"w": [tensor()]}, "l": [(tensor(), {"k": tensor()})]}
        for record in dlscope.report(namespace)["tensors"]:
            found = eval(record["name"], {}, namespace)
            self.assertEqual(dlscope.describe(found)["address"], record["address"])

    def test_a_key_that_nobody_can_type_is_marked_and_every_other_name_leads_to_its_tensor(self):
        class Colour(enum.Enum):
            RED = 1

        class Text(str):
            pass

        nan, inf = float("nan"), float("inf")
        keys = [
            nan, inf, -inf, -0.0, 1e308, 5e-324, 0.1, True, -1, 1 << 200, 10 ** 5000, None, Ellipsis, NotImplemented, 1j, complex(nan, 1),
            "", "w", "it's", '"', "\n", "\x00", "\udc80", "\u2713", "a" * 300, b"", b"\xff'", (), (1,), (1, "a"), (nan,), (1, (2, nan)), (inf,),
            (1, (-inf, "x")), (inf, nan), (0.5, None), frozenset(), frozenset({1}), decimal.Decimal("NaN"), decimal.Decimal("1.5"),
            fractions.Fraction(1, 3), datetime.datetime(2026, 1, 1), datetime.timedelta(1), range(3), Colour.RED, (Colour.RED, 1), Text("t"),
            object(), int, print, float("nan"),
        ]
        namespace = {"d": {key: tensor() for key in keys}}
        found = dlscope.report(namespace)["tensors"]
        self.assertEqual(len(found), len(keys))
        self.assertEqual(len({record["name"] for record in found}), len(keys))
        typed = [record for record in found if "<" not in record["name"]]
        for record in typed:
            value = eval(record["name"], {}, namespace)
            self.assertEqual(dlscope.describe(value)["address"], record["address"], record["name"])
        names = {record["name"] for record in found}
        for name in ("d[<nan 0>]", "d[float('inf')]", "d[float('-inf')]", "d[(float('inf'),)]", "d[(1, (float('-inf'), 'x'))]",
                     "d[<tuple %d>]" % keys.index((inf, nan)), "d[<nan %d>]" % (len(keys) - 1)):
            self.assertIn(name, names)

    def test_globals_come_before_containers(self):
        self.assertEqual(names_of({"box": [tensor()], "x": tensor(), "deep": [[tensor()]]}), [["x"], ["box[0]"], ["deep[0][0]"]])

    def test_one_object_one_entry(self):
        x = tensor()
        self.assertEqual(names_of({"x": x, "y": x, "box": [x, x]}), [["x", "y", "box[0]", "box[1]"]])

    def test_two_objects_over_the_same_bytes_are_two_entries(self):
        x = tensor(4)
        report = dlscope.report({"x": x, "v": memoryview(x)})
        self.assertEqual(len(report["tensors"]), 2)
        self.assertEqual(report["sharing"][0]["relation"], "identical")

    def test_shared_containers_give_all_names(self):
        inner = {"w": tensor()}
        self.assertEqual(names_of({"a": inner, "b": [inner]}), [["a['w']", "b[0]['w']"]])

    def test_cycles_end(self):
        loop = [tensor()]
        loop.append(loop)
        ring = {"x": tensor()}
        ring["other"] = {"back": ring}
        self.assertEqual(names_of({"loop": loop, "ring": ring}), [["loop[0]"], ["ring['x']"]])

    def test_dataclasses(self):
        @dataclasses.dataclass
        class Pair:
            left: object
            right: object
            _hidden: object = None

        @dataclasses.dataclass
        class Slotted:
            __slots__ = ("value",)
            value: object

        class Plain:
            def __init__(self):
                self.value = tensor()

        namespace = {"pair": Pair(tensor(), [tensor()], tensor()), "slotted": Slotted(tensor()), "plain": Plain()}
        self.assertEqual(set(by_name(dlscope.report(namespace))), {"pair.left", "pair.right[0]", "pair._hidden", "slotted.value", "plain.value"})

    def test_dunder_names_results_of_a_console_and_modules_are_not_entered(self):
        names = {"_x": tensor(), "__y": tensor(), "__z__": tensor(), "_": tensor(), "_1": tensor(), "_1x": tensor(),
                 "dlscope": dlscope, "array": array, 3: tensor()}
        self.assertEqual(names_of(names), [["_x"], ["_1x"]])

    def test_lazy_attributes_are_left_alone(self):
        touched = []

        class Lazy:
            def __getattr__(self, name):
                touched.append(name)
                raise AttributeError(name)

        class Proxy:
            def __getattribute__(self, name):
                touched.append(name)
                return object.__getattribute__(self, name)

        class Meta(type):
            def __getattr__(cls, name):
                touched.append(name)
                raise AttributeError(name)

        class WithMeta(metaclass=Meta):
            pass

        dlscope.report({"lazy": Lazy(), "proxy": Proxy(), "cls": WithMeta, "instance": WithMeta(), "box": [Lazy(), Proxy()]})
        self.assertEqual(touched, [])

    def test_limits_are_reported(self):
        limits = {limit["what"]: limit["reached"] for limit in dlscope.report({})["limits"]}
        self.assertLessEqual({"tensors", "container entries", "container depth", "names of one container"}, set(limits))
        self.assertFalse(any(limits.values()))
        deep = tensor()
        for _ in range(100):
            deep = [deep]
        report = dlscope.report({"deep": deep})
        self.assertIn("container depth", [limit["what"] for limit in report["limits"] if limit["reached"]])

    def test_many_tensors(self):
        report = dlscope.report({"many": [bytearray(8) for _ in range(2000)]})
        self.assertEqual(len(report["tensors"]), 2000)
        self.assertEqual(report["tensors"][1999]["name"], "many[1999]")

    def test_the_callers_globals_are_the_default(self):
        names = {}
        exec("import array, dlscope\nhere = array.array('d', [1])\nreport = dlscope.report()", names)
        self.assertEqual([t["name"] for t in names["report"]["tensors"]], ["here"])

    def test_hostile_names(self):
        report = dlscope.report({"\x1b[31mred\n": tensor(), "\udc80": tensor(), "": tensor(), "x" * 100000: tensor()})
        for record in report["tensors"]:
            self.assertLess(len(record["name"]), 10000)
            self.assertNotIn("\x1b", record["name"])


if __name__ == "__main__":
    unittest.main(verbosity=2)
