"""As much of pytest as the DLPack tests of NumPy and pydlpack use: the libraries under test are installed without it. install() puts it
where `import pytest` finds it; run() runs a module's tests and says of each what became of it."""

import contextlib
import importlib
import inspect
import itertools
import re
import sys
import types


class Skipped(Exception):
    pass


class _Mark:
    @staticmethod
    def parametrize(names, values):
        names, values = [name.strip() for name in names.split(",")], list(values)

        def mark(function):
            rows = getattr(function, "parameters", [])
            function.parameters = [*rows, [dict(zip(names, value if len(names) > 1 else (value,))) for value in values]]
            return function

        return mark

    @staticmethod
    def skipif(condition, reason=""):
        def mark(function):
            if condition:
                function.skipped = reason
            return function

        return mark


@contextlib.contextmanager
def raises(kind, match=None):
    try:
        yield
    except kind as error:
        if match is not None and not re.search(match, str(error)):
            raise AssertionError(f"{error!r} does not say {match!r}") from error
        return
    raise AssertionError(f"{kind} was not raised")


def skip(reason):
    raise Skipped(reason)


def install(replace_module=lambda module: module, leave_out=()):
    """replace_module: what importorskip() gives in a module's place. leave_out: what it says is not there."""
    def importorskip(name):
        if name in leave_out:
            raise Skipped(f"{name} is left out")
        try:
            return replace_module(importlib.import_module(name))
        except ImportError as error:
            raise Skipped(str(error)) from error

    pytest = types.ModuleType("pytest")
    pytest.mark, pytest.raises, pytest.skip, pytest.importorskip = _Mark, raises, skip, importorskip
    sys.modules["pytest"] = pytest


def _tests_of(module):
    for name, thing in list(vars(module).items()):
        if name.startswith("test") and inspect.isfunction(thing):
            yield name, thing
        if name.startswith("Test") and inspect.isclass(thing):
            for method in vars(thing):
                if method.startswith("test"):
                    yield f"{name}.{method}", getattr(thing(), method)


def run(module):
    """{test with its parameters: "passed", "skipped" or the words of its failure}"""
    outcomes = {}
    for name, test in _tests_of(module):
        for row in itertools.product(*getattr(test, "parameters", [])):
            arguments = {key: value for each in row for key, value in each.items()}
            outcomes[f"{name}[{', '.join(_shown(value) for value in arguments.values())}]"] = _outcome(test, arguments)
    return outcomes


def _shown(value):
    return getattr(value, "__name__", None) or (type(value).__name__ if hasattr(value, "shape") else str(value))


def _outcome(test, arguments):
    if hasattr(test, "skipped"):
        return "skipped"
    try:
        test(**arguments)
    except Skipped:
        return "skipped"
    except Exception as error:  # noqa: BLE001 whatever it is, it is the outcome
        return f"{type(error).__name__}: {error}"
    return "passed"
