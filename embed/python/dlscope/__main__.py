"""`python -m dlscope`, and the command `dlscope` of an installed package: becomes the viewer, a program of its own.

The viewer is told which Python started it: the command's Python is embedded when nothing else is chosen, that of
`python -m dlscope` unless --python says otherwise (app/host/starting_python.h).
"""

import os
import sys

_PACKAGE = os.path.dirname(os.path.abspath(__file__))
# In an installed package beside our modules; in a build folder and below cmake --install two folders above them.
_PLACES = (os.path.join(_PACKAGE, "_app", "dlscope"), os.path.join(os.path.dirname(os.path.dirname(_PACKAGE)), "dlscope"))


def command():
    """The entry point of the command `dlscope`."""
    _become_viewer("DLSCOPE_INSTALLED_FOR")


def _become_viewer(variable):
    for program in _PLACES:
        if os.access(program, os.X_OK) and os.path.isfile(program):
            break
    else:
        sys.exit(_refuse("the viewer is missing in %s: install the package again" % " and ".join(map(os.path.dirname, _PLACES))))
    if sys.executable:
        os.environ[variable] = sys.executable
    for stream in (sys.stdout, sys.stderr):
        if stream is not None:
            stream.flush()
    try:
        os.execv(program, ["dlscope"] + sys.argv[1:])
    except OSError as error:
        sys.exit(_refuse("%s cannot be started: %s" % (program, error.strerror)))


def _refuse(why):
    sys.stderr.write("dlscope: %s\n" % why)
    return 3


if __name__ == "__main__":
    _become_viewer("DLSCOPE_RUN_BY")
