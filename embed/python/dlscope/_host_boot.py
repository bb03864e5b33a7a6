"""The first Python that runs in a host process: _host_boot.py --package-dir DIR --region-fd N, see core/wire/host_launch.h.

Must parse in every Python 3, and import nothing before sys.path is right: Python has put this file's folder first on it.
DIR, the folder that holds the package, is first only while the package is imported and last afterwards, so that neither
side's modules hide the other's.
"""

import sys

if not getattr(sys.flags, "safe_path", False):
    del sys.path[0]


def refuse(why):
    sys.stderr.write("dlscope-host: " + why + "\n")
    sys.stderr.flush()
    import os

    os._exit(3)


if sys.version_info < (3, 9):
    refuse("Python %d.%d is too old: dlscope needs CPython 3.9 or newer" % sys.version_info[:2])
if "free-threading" in sys.version:
    refuse("free-threaded builds of Python are not supported yet: choose the ordinary build with --python")

sys.path.insert(0, sys.argv[2])
try:
    from dlscope import _dlscope, _host
except Exception as error:
    refuse("the package in %s cannot be loaded: %s: %s" % (sys.argv[2], type(error).__name__, error))
sys.path.append(sys.path.pop(0))
# As `python SCRIPT` ends, in every process that comes here: threads, atexit, __del__ and all. Not by falling off the end:
# with PYTHONINSPECT set Python would ask for more.
_dlscope.host_exit(_host.main(int(sys.argv[4])))
