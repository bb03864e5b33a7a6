"""What the host's own Python needs from the standard library, taken at start and kept out of the user's way.

A script may bring a json.py or a traceback.py of its own, or replace builtins.open: the host must neither break nor
hide them. So everything is imported here, before the script's folder goes on sys.path; what a bare `python` would not
have imported leaves sys.modules again (our references stay); and the host's modules run on a private copy of builtins.
"""

import builtins
import sys

_before = set(sys.modules)

import codeop
import dis
import json
import keyword
import linecache
import re
import traceback
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


def _give_back():
    """Takes what only we imported out of sys.modules, where the user's own import is to find his own file first."""
    for name in set(sys.modules) - _before:
        module = sys.modules[name]
        pure_python = str(getattr(module, "__file__", None) or "").endswith((".py", ".pyc"))
        if pure_python and name != "threading" and name.partition(".")[0] != "dlscope":
            del sys.modules[name]


_warm_up()
_give_back()
