"""A hand-over made step by step: what each step calls, what is held meanwhile, and that the deleter runs once, however it ends."""

import ctypes
import gc
import sys
import threading
import types
import unittest
import warnings

import dlscope
from ctypes_producer import Deleter, Legacy, Producer, Versioned, python
from dlscope import _host_hand_over
from dlscope._host_hand_over import HandOver

python.PyCapsule_SetName.argtypes = [ctypes.py_object, ctypes.c_char_p]
USED = {Legacy: ctypes.c_char_p(b"used_dltensor"), Versioned: ctypes.c_char_p(b"used_dltensor_versioned")}


class Taken:
    """What the library below makes: gives the memory back when it is let go."""

    def __init__(self, producer):
        self.producer = producer

    def __del__(self):
        Deleter(self.producer.struct.deleter)(self.producer.address)


class Library(types.ModuleType):
    """Stands in for array_api_strict. ask: what its from_dlpack asks with; refuses: at which point it raises."""

    def __init__(self, ask=None, refuses=""):
        super().__init__("array_api_strict")
        self.ask, self.refuses = ask or {}, refuses

    def from_dlpack(self, x):
        if self.refuses == "before":
            raise RuntimeError("not today")
        capsule = x.__dlpack__(**self.ask)
        if self.refuses == "after":
            raise BufferError("not this one")
        if self.refuses == "interrupt":
            raise KeyboardInterrupt
        producer = Library.producer
        python.PyCapsule_SetName(capsule, USED[type(producer.struct)])
        return Taken(producer)


class StepByStep(unittest.TestCase):
    def setUp(self):
        self.before = sys.modules.get("array_api_strict")

    def tearDown(self):
        if self.before is None:
            sys.modules.pop("array_api_strict", None)
        else:
            sys.modules["array_api_strict"] = self.before

    def begun(self, library=None, **lies):
        """(producer, the hand-over to a library of ours, before its first step)"""
        Library.producer = Producer(**lies)
        sys.modules["array_api_strict"] = library or Library()
        return Library.producer, HandOver(Library.producer, ("array_api_strict", "", "if needed", ""), "x", True)

    def test_the_four_steps(self):
        producer, steps = self.begun()
        self.assertEqual((steps.steps_left(), steps.next_text()), (4, "x.__dlpack_device__()"))
        steps.advance()
        self.assertEqual(steps.calls, [("x.__dlpack_device__()", "(1, 0): cpu", False)])
        self.assertEqual((steps.next_text(), producer.asked, steps.capsule()), ("x.__dlpack__()", [], None))
        steps.advance()
        self.assertEqual(len(producer.asked), 1)
        self.assertEqual(_host_hand_over.capsule_name(steps.capsule()), "dltensor_versioned")
        self.assertEqual(producer.deleted, 0)
        steps.advance()
        self.assertEqual(len(producer.asked), 1)  # the library got the capsule that was held
        self.assertEqual(steps.calls[2:], [("x.__dlpack__()", "the capsule that dlscope held", False),
                                           ("array_api_strict.from_dlpack(x)", "a %s.Taken" % __name__, False)])
        self.assertEqual(_host_hand_over.capsule_name(steps.capsule()), "used_dltensor_versioned")
        result, calls, error, line, ns, copied = steps.finish()
        self.assertEqual(calls[4], ("the capsule afterwards", "renamed 'used_dltensor_versioned'", False))
        self.assertEqual((error, line, copied, producer.deleted), (None, "array_api_strict.from_dlpack(x)", False, 0))
        self.assertGreater(ns, 0)
        self.assertEqual(producer.destroyed, 1)  # nothing of it is left here
        del result
        self.assertEqual(producer.deleted, 1)

    def handed_at_once(self, **lies):
        Library.producer = Producer(**lies)
        sys.modules["array_api_strict"] = Library()
        return Library.producer, HandOver(Library.producer, ("array_api_strict", "", "if needed", ""), "x").finish()

    def test_the_capsule_of_a_hand_over_made_at_once_is_watched_until_its_deleter_is_called(self):
        for versioned in (True, False):
            producer, (result, calls, error, *_) = self.handed_at_once(versioned=versioned)
            self.assertEqual((error, producer.deleted), (None, 0))
            told = dlscope.capsules({})[-1]
            self.assertEqual((told["state"], told["tensor"]), ("consumed", "float32 (2, 3)"))
            held = [result]
            del result
            thread = threading.Thread(target=held.clear)  # the consumer lets go on a thread of its own
            thread.start()
            thread.join()
            again = [each for each in dlscope.capsules({}) if each["id"] == told["id"]][0]
            last = again["events"][-1]
            self.assertEqual((again["state"], last["step"], last["main_thread"], producer.deleted), ("returned", "deleted", False, 1))
            self.assertGreaterEqual(last["t_ns"], again["events"][0]["t_ns"])

    def test_after_a_thousand_hand_overs_as_many_capsules_live_as_before(self):
        def alive():
            return sum(each["state"] not in ("returned", "dropped") for each in dlscope.capsules({}))

        gc.collect()
        before = alive()
        for _ in range(1000):
            producer, answer = self.handed_at_once()
            del answer
            self.assertEqual((producer.deleted, producer.destroyed), (1, 1))
        self.assertEqual(alive(), before)
        self.assertLessEqual(len(dlscope.capsules({})), 256)

    def test_more_live_capsules_than_are_watched_are_said(self):
        kept = [self.handed_at_once() for _ in range(300)]
        self.assertLessEqual(len(dlscope.capsules({})), 256)
        said = [call for call in kept[-1][1][1] if call[0] == "this capsule is not in the list of capsules"]
        self.assertEqual(said, [("this capsule is not in the list of capsules", "256 live ones are watched already", False)])
        producers = [producer for producer, _ in kept]
        kept.clear()
        self.assertEqual([producer.deleted for producer in producers], [1] * 300)

    def test_a_rehearsal_is_not_in_the_list(self):
        count, newest = len(dlscope.capsules({})), [each["id"] for each in dlscope.capsules({})][-1:]
        Library.producer = Producer()
        sys.modules["array_api_strict"] = Library()
        HandOver(Library.producer, ("array_api_strict", "", "if needed", ""), "x", watch=False).finish()
        self.assertEqual((len(dlscope.capsules({})), [each["id"] for each in dlscope.capsules({})][-1:]), (count, newest))

    def test_given_up_after_each_step(self):
        for versioned in (True, False):
            for made in range(5):
                producer, steps = self.begun(versioned=versioned)
                for _ in range(made):
                    steps.advance()
                steps.let_go()
                with self.subTest(versioned=versioned, steps=made):
                    self.assertEqual((producer.deleted, producer.destroyed), (0, 0) if made < 2 else (1, 1))
                    self.assertEqual((steps.steps_left(), steps.capsule()), (0, None))

    def test_a_library_that_asks_for_something_else_gets_that(self):
        for asked, again in (({"max_version": (1, 0)}, True), ({"stream": None, "copy": None}, False), ({"copy": True}, True)):
            producer, steps = self.begun(Library(asked))
            while steps.steps_left():
                steps.advance()
            with self.subTest(asked):
                self.assertEqual(producer.asked, [{}, asked] if again else [{}])
                let_go = [call for call in steps.calls if call[0] == "array_api_strict.from_dlpack asks for something else than was requested"]
                self.assertEqual(len(let_go), again)
                self.assertEqual((producer.deleted, producer.destroyed), (1, 2) if again else (0, 1))
                steps.let_go()
                self.assertEqual(producer.deleted, 2 if again else 1)  # of each struct once: this producer has but one for both

    def test_what_is_expected_is_requested(self):
        producer, steps = self.begun(Library({"max_version": (1, 1), "copy": None}))
        steps.advance()
        steps.expected = (), {"max_version": (1, 0)}
        self.assertEqual(steps.next_text(), "x.__dlpack__(max_version=(1, 0))")
        steps.finish()
        self.assertEqual(producer.asked, [{"max_version": (1, 0)}])  # the same major number: what was held answers it

    def test_a_refusal_ends_it_and_gives_the_capsule_back(self):
        for refuses, error in (("before", ("RuntimeError", "not today")), ("after", ("BufferError", "not this one"))):
            producer, steps = self.begun(Library(refuses=refuses))
            for _ in range(3):
                steps.advance()
            with self.subTest(refuses):
                self.assertEqual((steps.error, steps.steps_left(), producer.deleted), (error, 0, 1))
                self.assertEqual(steps.calls[-1][:2], ("the capsule, which nobody took, is let go", "its destructor calls the deleter"))
                self.assertEqual((steps.finish()[0], producer.deleted, producer.destroyed), (None, 1, 1))

    def test_a_producer_that_raises(self):
        class Raises:
            def __dlpack_device__(self):
                return 1, 0

            def __dlpack__(self, **keywords):
                raise BufferError("no memory here")

        sys.modules["array_api_strict"] = Library()
        steps = HandOver(Raises(), ("array_api_strict", "", "if needed", ""), "x", True)
        steps.advance()
        steps.advance()
        self.assertEqual((steps.error, steps.steps_left()), (("BufferError", "no memory here"), 0))
        self.assertEqual(steps.calls[-1], ("x.__dlpack__()", "BufferError: no memory here", True))

    def test_an_interrupt_lets_everything_go(self):
        producer, steps = self.begun(Library(refuses="interrupt"))
        steps.advance()
        steps.advance()
        with self.assertRaises(KeyboardInterrupt):
            steps.advance()
        self.assertEqual((producer.deleted, producer.destroyed, steps.capsule(), steps.steps_left()), (1, 1, None, 0))

    def test_a_library_that_is_not_there(self):
        steps = HandOver(Producer(), ("nonesuch", "", "if needed", ""), "x", True)
        steps.advance()
        self.assertEqual(steps.error, ("ValueError", "dlscope knows no from_dlpack of nonesuch"))
        self.assertEqual(steps.finish()[:2], (None, []))

    def test_dlscope_takes_the_capsule(self):
        producer = Producer()
        steps = HandOver(producer, ("dlscope", "", "if needed", ""), "x", True)
        tensor, calls, error, line = steps.finish()[:4]
        self.assertIsNone(error)
        self.assertEqual(line, "dlscope.from_dlpack(x.__dlpack__(max_version=(1, 0)))")
        self.assertEqual(len(producer.asked), 1)
        self.assertEqual(calls[-1], ("the capsule afterwards", "renamed 'used_dltensor_versioned'", False))
        self.assertEqual(producer.deleted, 0)
        tensor.close()
        self.assertEqual((producer.deleted, producer.destroyed), (1, 0))  # dlscope takes the destructor away

    def test_real_libraries(self):
        for source, make in SOURCES.items():
            for library in LIBRARIES:
                with self.subTest(source=source, library=library):
                    self.check(make, library)

    def check(self, make, library):
        """Step by step as at once: the same result, the same capsule; and nothing is left of either."""
        value = make()
        how = library, "", "if needed", ""
        at_once = HandOver(value, how, "x")
        expected = at_once.finish()
        for made in (4, 3, 2, 1):  # the rest is given up
            steps = HandOver(value, how, "x", True)
            for _ in range(made):
                if steps.may_be_rehearsed():
                    steps.expected = at_once.asked_with
                if steps.steps_left():
                    steps.advance()
            if made == 4:
                self.assertEqual((steps.error, type(steps.result)), (expected[2], type(expected[0])))
                if library not in ("dlscope", "tvm_ffi"):  # these are given a capsule instead
                    self.assertFalse([call for call in steps.calls if "asks for something else" in call[0]], steps.calls)
                if expected[2] is None:
                    self.assertEqual(pointer(steps.result) == pointer(value), pointer(expected[0]) == pointer(value))
            steps.let_go()
        del steps, expected, at_once
        gc.collect()
        before = sys.getrefcount(value)
        for made in range(5):
            steps = HandOver(value, how, "x", True)
            for _ in range(made):
                if steps.steps_left():
                    steps.advance()
            steps.let_go()
        del steps
        gc.collect()
        self.assertEqual(sys.getrefcount(value), before)


def pointer(value):
    try:
        return dlscope.from_dlpack(value).data_ptr()
    except Exception:
        return None


SOURCES, LIBRARIES = {"dlscope": lambda: dlscope.asdlpack(bytearray(64))}, ["dlscope"]
for name, make in (("numpy", lambda m: m.arange(6.0)), ("torch", lambda m: m.arange(6.0)), ("jax", lambda m: m.numpy.arange(6)),
                   ("pyarrow", lambda m: m.array([1, 2, 3])), ("tvm_ffi", None), ("paddle", None)):
    try:
        module = __import__(name)
    except ImportError:
        continue
    if make is not None:
        SOURCES[name] = lambda make=make, module=module: make(module)
    if name != "pyarrow":
        LIBRARIES.append(name)

if __name__ == "__main__":
    warnings.simplefilter("ignore", DeprecationWarning)  # of capsules without a version
    unittest.main()
