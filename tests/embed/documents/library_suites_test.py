"""NumPy's and pydlpack's own DLPack tests, as they are installed, with dlscope in the middle: what a test hands over passes through
dlscope first. A test that fails then and not without dlscope is a difference, and each is explained here and in docs/module.md."""

import importlib
import importlib.util
import os
import sys
import types
import unittest
import warnings

import pytest_stand_in
from tensor_checks import require

np = require("numpy")
import dlscope  # noqa: E402

# test, or the beginning of its name: why it cannot hold with dlscope in the middle.
NUMPY = {
    "TestDLPack.test_writeable": "a legacy capsule cannot say whether it may be written: NumPy takes it for read-only, dlscope leaves it "
                                 "unknown and exports it without READ_ONLY",
}
PYDLPACK_AFTER = {}
PYDLPACK_BEFORE = {
    "test_asdlpack_buffer": "the test closes a mapped file while the tensor over it is alive. pydlpack lets go of the buffer at once, so the "
                            "file goes away under its tensor; dlscope keeps it exported, and mmap.close() is refused",
    "test_asdlpack_impl[DLManagedTensor, cpu, dlpack, jax]": "JAX's arrays are immutable, and pydlpack asks for a legacy capsule, which cannot "
                                                             "say so: refused",
    "test_asdlpack_impl[DLManagedTensorVersioned, cpu, dlpack, jax]": "the same",
}


# pydlpack's test hands TensorFlow memory of any alignment, which ends the process now and then, with dlscope or without;
# tensors/tensorflow_hand_over_test.py has TensorFlow.
LEFT_OUT = ("tensorflow",)


class Through:
    """A module whose from_dlpack gets everything through dlscope."""

    def __init__(self, module, from_dlpack, **others):
        self._module, self.from_dlpack = module, from_dlpack
        vars(self).update(others)

    def __getattr__(self, name):
        return getattr(self._module, name)


def through(module):
    if module.__name__ == "jax":
        return Through(module, None, numpy=through(module.numpy))
    if hasattr(module, "from_dlpack"):
        return Through(module, lambda x, **keywords: module.from_dlpack(dlscope.from_dlpack(x), **keywords))
    return module


def load(name, path, **replaced):
    """A fresh copy of a library's test module."""
    spec = importlib.util.spec_from_file_location(name, path)
    module = importlib.util.module_from_spec(spec)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        spec.loader.exec_module(module)
    vars(module).update(replaced)
    return module


def run(module):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return pytest_stand_in.run(module)


class Suites(unittest.TestCase):
    maxDiff = None

    def compare(self, without, through_dlscope, explained, at_least):
        """Every test that holds without dlscope holds with it, but for those explained; each explanation is needed."""
        ran = [name for name, outcome in without.items() if outcome == "passed"]
        self.assertGreaterEqual(len(ran), at_least, without)
        different = {name: through_dlscope.get(name) for name in ran if through_dlscope.get(name) != "passed"}
        unexplained = {name: words for name, words in different.items() if not any(name.startswith(each) for each in explained)}
        self.assertEqual(unexplained, {})
        for each in explained:
            self.assertTrue(any(name.startswith(each) for name in different), f"{each} holds: no explanation is needed")
        print(f"{len(ran)} tests hold without dlscope, {len(ran) - len(different)} through it; {len(different)} differ as explained")

    def installed(self, package, file):
        module = require(package)
        path = os.path.join(os.path.dirname(module.__file__), *file.split("/"))
        if not os.path.exists(path):
            self.skipTest(f"{package} {module.__version__} is installed without its tests")
        return path

    def test_numpys_own(self):
        path = self.installed("numpy", "_core/tests/test_dlpack.py" if int(np.__version__[0]) > 1 else "core/tests/test_dlpack.py")
        pytest_stand_in.install()
        without = run(load("numpy_own", path))
        self.compare(without, run(load("numpy_through", path, np=through(np))), NUMPY, 60)

    def test_pydlpacks_own(self):
        path = self.installed("dlpack", "tests/test_dlpack.py")
        pytest_stand_in.install(leave_out=LEFT_OUT)
        without = run(load("pydlpack_own", path))
        with self.subTest("dlscope between pydlpack and the consumer"):
            pytest_stand_in.install(through, LEFT_OUT)
            self.compare(without, run(load("pydlpack_after", path)), PYDLPACK_AFTER, 10)
        with self.subTest("dlscope between the producer and pydlpack"):
            pytest_stand_in.install(leave_out=LEFT_OUT)
            own = sys.modules["dlpack"]
            middle = types.SimpleNamespace(**{name: getattr(own, name) for name in dir(own) if not name.startswith("__")})
            for name in ("asdlpack_dlpack", "asdlpack_array_interface_v3", "asdlpack_buffer"):
                setattr(middle, name, lambda x, _method=getattr(own, name), **keywords: _method(dlscope.asdlpack(x), **keywords))
            self.compare(without, run(load("pydlpack_before", path, dlpack=middle)), PYDLPACK_BEFORE, 10)


if __name__ == "__main__":
    unittest.main(verbosity=2)
