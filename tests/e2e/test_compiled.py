"""Breakpoints in functions that a compiler has taken away from Python: that they did not stop has its reason."""

import unittest

from harness import Case, line_of


class Compiled(Case):
    def test_functions_that_numba_compiles_are_named(self):
        """With stand-ins for numba, which is not in the test environments: its 0.68.1 has these classes and attributes."""
        text = """\
import sys, types

def numba_class(module, name, attribute):
    def keep(self, function):
        setattr(self, attribute, function)
    base = type(name, (), {"__init__": keep, "__call__": lambda self, x: x + 1})
    sys.modules[module] = types.ModuleType(module)
    setattr(sys.modules[module], name, base)
    return type("Own" + name, (base,), {})  # numba has subclasses, such as CPUDispatcher

njit = numba_class("numba.core.dispatcher", "Dispatcher", "py_func")
vectorize = numba_class("numba.np.ufunc.ufuncbuilder", "UFuncDispatcher", "py_func")
cfunc = numba_class("numba.core.ccallback", "CFunc", "_pyfunc")

@njit
def first(x):
    return x + 1.0

@vectorize
def second(x):
    return x + 2.0

@cfunc
def third(x):
    return x + 3.0

def never_called(x):
    return x + 4.0

print(first(1), second(2), third(3))
"""
        for part in ("return x + 1.0", "return x + 2.0", "return x + 3.0"):
            never = self.run_script(text, "--at", "%d" % line_of(text, part))
            self.assert_exit(never, 4)
            self.assertIn("Numba runs this function as compiled code", never.err)
            self.assertTrue(any("Numba runs" in event["text"] for event in never.report["events"]), never.report["events"])
        never = self.run_script(text, "--at", "%d" % line_of(text, "return x + 4.0"))
        self.assert_exit(never, 4)
        self.assertNotIn("Numba", never.err)


if __name__ == "__main__":
    unittest.main()
