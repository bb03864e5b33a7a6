"""What ends a thread of the user's: Python prints it and goes on; the host keeps its frames to be looked at."""

import sys
import _thread

from dlscope import _dlscope, _host_ended, _host_interrupts, _host_private, _host_stops

__builtins__ = _host_private.private_builtins()
_host_interrupts.own(globals())

_python_hook = _thread._excepthook


def install():
    """`threading` takes its excepthook from `_thread` when it is imported. One that a script sets takes the place of ours."""
    _thread._excepthook = _excepthook
    threading = sys.modules.get("threading")
    for name in ("excepthook", "__excepthook__"):
        if getattr(threading, name, None) is _python_hook:
            setattr(threading, name, _excepthook)


def _excepthook(args):
    try:
        if _host_stops.is_running() and args.exc_value is not None and not issubclass(args.exc_type, SystemExit):
            name = getattr(args.thread, "_name", None)
            _host_ended.keep_of_thread(name if type(name) is str else "without a name", args.exc_value)
    finally:
        _python_hook(args)
