"""Producers whose __dlpack__ hands over a new copy at each call and does not say so: NumPy tells where the bytes are, and freed memory is
handed out again, so without care two of them come to lie at one address."""

import sys

from ctypes_producer import Producer
from tensor_checks import TensorTest, by_name, main, require

np = require("numpy")
import dlscope  # noqa: E402


class Copying:
    def __init__(self, number):
        self.number = number

    def __dlpack__(self, **keywords):
        return np.full(200, self.number).__dlpack__(**keywords)

    def __dlpack_device__(self):
        return 1, 0


class Sharing(Copying):
    def __init__(self, number):
        self.kept = np.full(200, number)

    def __dlpack__(self, **keywords):
        return self.kept.__dlpack__(**keywords)


class CopiesEachTime(TensorTest):
    def test_two_of_them_share_nothing(self):
        report = dlscope.report({"a": Copying(1), "b": Copying(2)})
        self.assertEqual(report["sharing"], [])
        records = by_name(report)
        self.assertEqual(records["a"]["address"], records["b"]["address"], "else the second was not asked twice")
        self.assertEqual(self.codes(records["a"]), [])
        self.assertEqual((records["b"]["flags"]["is_copied"], records["b"]["readable"]), (True, False))
        self.assertEqual(self.codes(records["b"]), ["copied_for_export"])

    def test_exports_that_are_held_are_told_apart_by_their_places(self):
        a, b = Copying(1), Copying(2)
        for one, other in ((a, b), (a, a)):
            self.assertEqual(dlscope.overlap(one, other)["relation"], "disjoint")
            self.assertEqual(dlscope.prove(one, other)["verdict"], "COPIED")

    def test_one_producer_is_asked_once(self):
        for look in (dlscope.describe, lambda it: dlscope.report({"it": it}), lambda it: dlscope.overlap(it, bytearray(4))):
            x = Producer()
            look(x)
            self.assertEqual((len(x.asked), x.deleted), (1, 1))

    def test_one_that_shares_its_memory_is_believed(self):
        x = Sharing(1)
        report = dlscope.report({"x": x, "kept": x.kept})
        records = by_name(report)
        self.assertEqual(int(records["x"]["address"], 16), x.kept.ctypes.data)
        self.assertEqual(self.codes(records["x"]), [])
        self.assertEqual(report["sharing"][0]["relation"], "identical")
        self.assertEqual(dlscope.overlap(x, x.kept)["relation"], "identical")

    def test_one_that_is_taken_is_asked_once(self):
        self.assertEqual(np.from_dlpack(dlscope.from_dlpack(Copying(3))).tolist(), [3] * 200)
        for copy in (None, False):
            x = Producer()
            dlscope.from_dlpack(x, copy=copy)
            self.assertEqual((len(x.asked), x.deleted), (1, 1))

    def test_what_is_handed_over_is_given_back(self):
        x = Producer()
        for look in (dlscope.describe, lambda it: dlscope.report({"it": it}), lambda it: dlscope.overlap(it, it), dlscope.from_dlpack,
                     lambda it: dlscope.from_dlpack(it, copy=False)):
            look(x)
            self.assertEqual(x.deleted, len(x.asked))

    def test_one_that_answers_only_once_is_described(self):
        class Once(Producer):
            def __dlpack__(self, **keywords):
                if self.asked:
                    raise BufferError("handed over before")
                return super().__dlpack__(**keywords)

        first = Once()
        second = Once()
        second.struct.tensor.data = first.struct.tensor.data
        records = by_name(dlscope.report({"first": first, "second": second}))
        for record in (records["first"], records["second"]):
            self.assertEqual((record["shape"], record["protocol"], record["refusals"]), ([2, 3], "dlpack", []))

    def test_an_interrupt_while_it_is_asked_again(self):
        class Interrupted(Producer):
            def __dlpack__(self, **keywords):
                if self.asked:
                    raise KeyboardInterrupt
                return super().__dlpack__(**keywords)

        first, second = Interrupted(), Interrupted()
        second.struct.tensor.data = first.struct.tensor.data
        with self.assertRaises(KeyboardInterrupt):
            dlscope.report({"first": first, "second": second})
        self.assertEqual((first.deleted, second.deleted), (1, 1))

    def test_nothing_is_kept(self):
        a = Copying(1)
        dlscope.describe(a)
        before = sys.getrefcount(a)
        for _ in range(100):
            dlscope.describe(a), dlscope.overlap(a, a), dlscope.report({"a": a})
        self.assertEqual(sys.getrefcount(a), before)


if __name__ == "__main__":
    main()
