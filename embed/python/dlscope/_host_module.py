"""What `python -m NAME` runs: finds the module and its file, and tells whoever runs a file of a package as a script to do that instead."""

import os
import sys

from dlscope import _host_errors, _host_interrupts, _host_private

__builtins__ = _host_private.private_builtins()
_host_interrupts.register_host_module(globals())

_find_spec = sys.modules["_frozen_importlib"]._find_spec
_SourceFileLoader = sys.modules["_frozen_importlib_external"].SourceFileLoader


class _NotFound(Exception):
    """Told as an ImportError. Not one itself: what the packages above raise is the user's, and says what is missing there."""


def find(name):
    """Its spec. The packages above are imported, which runs them; a package stands for its __main__. ImportError with the message of
    `python -m` where there is none."""
    try:
        return _find(name)
    except _NotFound as error:
        message = str(error)
    raise ImportError(message)


def _find(name):
    if name.startswith("."):
        raise _NotFound("Relative module names not supported")
    parent = name.rpartition(".")[0]
    path = None
    if parent:
        __import__(parent)
        path = getattr(sys.modules[parent], "__path__", None)
        if path is None:
            raise _NotFound("No module named %s: %s is not a package" % (name, parent))
    spec = _find_spec(name, path)
    if spec is None:
        raise _NotFound("No module named %s" % name)
    if spec.submodule_search_locations is None:
        return spec
    if name.rpartition(".")[2] == "__main__":
        raise _NotFound("Cannot use package as __main__ module")
    try:
        return _find(name + ".__main__")
    except _NotFound as error:
        raise _NotFound("%s; %r is a package and cannot be directly executed" % (error, name)) from None


def file_of(spec):
    """The file of its lines; "" where it has none."""
    return spec.origin if type(spec.loader) is _SourceFileLoader else ""


def code_of(spec):
    """Its compiled code, of its loader."""
    code = spec.loader.get_code(spec.name) if hasattr(spec.loader, "get_code") else None
    if code is None:
        raise ImportError("No code object available for %s" % spec.name)
    return code


def is_same_file(a, b):
    try:
        return os.path.samefile(a, b)
    except OSError:
        return False


def advise(error, file):
    """After a script ended with `error`: where it is a file of a package and asked for its neighbours, how to run it."""
    if type(error) is not ImportError or str(error) != "attempted relative import with no known parent package":
        return
    try:
        module, folder = _name_in_package(file)
    except Exception:  # os.path is the user's to replace
        return
    _host_errors.write_error("dlscope: this file is a part of a package and runs as a module of it: dlscope -m %s in the folder %s; in the "
                             "window, behind Arguments: module %s, working folder %s\n" % (module, folder, module, folder))


def _name_in_package(file):
    """("pkg.train", the folder that pkg lies in)"""
    folder, name = os.path.split(os.path.splitext(file)[0])
    names = [name]
    while os.path.isfile(os.path.join(folder, "__init__.py")) and os.path.dirname(folder) != folder:
        folder, name = os.path.split(folder)
        names.insert(0, name)
    if len(names) == 1:  # a package without __init__.py: one level is likely
        folder, name = os.path.split(folder)
        names.insert(0, name)
    if names[-1] == "__main__":
        names.pop()  # the package's name stands for it
    return ".".join(names), folder
