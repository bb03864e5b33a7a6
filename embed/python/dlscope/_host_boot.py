"""The first Python that runs in a host process: _host_boot.py --package-dir DIR --region-fd N, see core/wire/host_launch.h.

Must parse in every Python 3, and import nothing before sys.path is right: Python has put this file's folder first on it.
The package is imported from DIR by its path, so that neither side's modules hide the other's. Then DIR goes last on sys.path, for
processes that the script starts, unless DIR is what pip installed into: the packages of another Python are not to be found here.
"""

import sys

if not getattr(sys.flags, "safe_path", False):
    del sys.path[0]


def refuse(why):
    sys.stderr.write("dlscope-host: " + why + "\n")
    sys.stderr.flush()
    import os

    os._exit(3)


def import_package(folder):
    """Puts the package `dlscope` of this folder into sys.modules. No other import of the package counts, whatever is on sys.path."""
    from os.path import realpath

    home = realpath(folder + "/dlscope")
    present = sys.modules.get("dlscope")
    if present is not None:  # a .pth file or a sitecustomize was first
        place = realpath(getattr(present, "__file__", None) or "an unknown place")
        if place != home + "/__init__.py":
            refuse("this Python imports another copy of the package dlscope when it starts, from %s, and two cannot be in one "
                   "process; this one is %s. Uninstall the other (python -m pip uninstall dlscope), or find out which .pth "
                   "file or sitecustomize imports it." % (place, home))
        return
    spec = sys.modules["_frozen_importlib_external"].PathFinder.find_spec("dlscope", [folder])
    if spec is None or spec.loader is None:
        refuse("the package in %s cannot be loaded: there is no %s/__init__.py" % (folder, home))
    sys.modules["dlscope"] = module = sys.modules["_frozen_importlib"].module_from_spec(spec)
    spec.loader.exec_module(module)


if sys.version_info < (3, 9):
    refuse("Python %d.%d is too old: dlscope needs CPython 3.9 or newer" % sys.version_info[:2])
if "free-threading" in sys.version:
    refuse("free-threaded builds of Python are not supported yet: choose the ordinary build with --python")

writes_bytecode, sys.dont_write_bytecode = not sys.dont_write_bytecode, True  # nothing is left behind in the package
try:
    import_package(sys.argv[2])
    from dlscope import _dlscope, _host
except Exception as error:
    refuse("the package in %s cannot be loaded: %s: %s" % (sys.argv[2], type(error).__name__, error))
sys.dont_write_bytecode = not writes_bytecode
if not _host.is_installed_by_pip(sys.argv[2]):
    sys.path.append(sys.argv[2])
# As `python SCRIPT` ends, in every process that comes here: threads, atexit, __del__ and all. Not by falling off the end:
# with PYTHONINSPECT set Python would ask for more.
_dlscope.host_exit(_host.main(int(sys.argv[4])))
