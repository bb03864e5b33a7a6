"""What the host's own Python needs from the standard library, taken at start and kept out of the user's way.

A script may bring a json.py or a traceback.py of its own, have them on PYTHONPATH, or replace builtins.open: the host
must neither break nor hide them. So everything is imported here, before the script's folder goes on sys.path and with
nothing but the standard library on it; what a bare `python` would not have imported leaves sys.modules again (our
references stay); and the host's modules run on a private copy of builtins.
"""

import builtins
import os  # as site has it: without this one no Python starts
import sys

_STANDARD_LIBRARY = getattr(sys, "_stdlib_dir", None) or os.path.dirname(os.__file__)


def is_standard(file):
    """Whether a module's file is the standard library's: in its folder, but not in the site-packages below it."""
    inside = _STANDARD_LIBRARY + os.sep
    return type(file) is str and file.startswith(inside) and "-packages" + os.sep not in file[len(inside):]


def _is_standard_entry(entry):
    if entry.endswith(".zip"):
        return os.path.dirname(entry) == os.path.dirname(_STANDARD_LIBRARY)
    return entry in (_STANDARD_LIBRARY, os.path.join(_STANDARD_LIBRARY, "lib-dynload"))


def _hide_other_modules():
    """Leaves only the standard library on sys.path and in sys.modules; returns what _show_other_modules() brings back."""
    path = list(sys.path)
    hidden = {}
    for name, module in list(sys.modules.items()):
        file = getattr(module, "__file__", None)
        if file is not None and not is_standard(file) and name.partition(".")[0] not in ("dlscope", "__main__"):
            hidden[name] = sys.modules.pop(name)
    sys.path[:] = [entry for entry in path if type(entry) is str and _is_standard_entry(entry)]
    return path, hidden


def _show_other_modules(path, hidden):
    sys.path[:] = path
    sys.modules.update(hidden)


_hidden = _hide_other_modules()
_before = set(sys.modules)

import codeop
import dis
import json
import keyword
import linecache
import re
import reprlib
import traceback
import types
import warnings


def private_builtins():
    """For `__builtins__` of a host module: later changes to builtins do not reach it."""
    return dict(vars(builtins))


def _warm_up():
    """Makes traceback import now what it imports lazily, on the kinds of error that need most."""
    for source in ("undefined_name", "import sys; sys.maxsizes", "from sys import maxsizes", "a b", "def f():\n\tx\n  y"):
        try:
            exec(compile(source, "<dlscope>", "exec"), {})
        except Exception as error:
            "".join(traceback.format_exception(type(error), error, error.__traceback__))
    json.loads(json.dumps({"a": [1, None]}))
    linecache.clearcache()


def _remove_own_imports():
    """Takes what only we imported out of sys.modules, where the user's own import is to find his own file first."""
    for name in set(sys.modules) - _before:
        module = sys.modules[name]
        pure_python = str(getattr(module, "__file__", None) or "").endswith((".py", ".pyc"))
        if pure_python and name != "threading" and name.partition(".")[0] != "dlscope":
            del sys.modules[name]


_warm_up()
_remove_own_imports()
_show_other_modules(*_hidden)
