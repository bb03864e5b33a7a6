"""The threads that a script leaves behind: a run with breakpoints ends when they have. And what ends a thread: Python prints it and goes on;
the host keeps its frames to be looked at."""

import sys
import time  # built in
import _thread

from dlscope import _dlscope, _host_ended, _host_interrupts, _host_private, _host_stops

__builtins__ = _host_private.private_builtins()
_host_interrupts.register_host_module(globals())

_python_hook = _thread._excepthook
_SOON = 1.0  # seconds until it is said that somebody is waited for
_MAX_NAMED = 3


def install():
    """`threading` takes its excepthook from `_thread` when it is imported. One that a script sets takes the place of ours."""
    _thread._excepthook = _excepthook
    threading = sys.modules.get("threading")
    for name in ("excepthook", "__excepthook__"):
        if getattr(threading, name, None) is _python_hook:
            setattr(threading, name, _excepthook)


def wait(before):
    """Until the threads that the script has started have ended, as far as Python waits for them. before: all_threads() before it ran.
    KeyboardInterrupt when Stop comes."""
    until = time.monotonic() + _SOON
    said = False
    left = _waited_for(before)
    while left:
        _threading().Thread.join(left[0], None if said else max(until - time.monotonic(), 0))
        left = _waited_for(before)
        if left and not said and time.monotonic() >= until:
            said = True
            _dlscope.host_notice("The script's own code has ended. Its run waits for " + _named(left))


def all_threads():
    threading = _threading()
    return [] if threading is None else list(threading._active.values())


def _threading():
    """Python's own, where it was imported."""
    module = sys.modules.get("threading")
    return module if _host_private.is_standard(getattr(module, "__file__", None)) else None


def _waited_for(before):
    """Python tells the threads of executors to end before it waits; a debugger's (pydevd, debugpy) wait for the main thread."""
    left_out = before + [_threading()._main_thread] if _threading() is not None else before
    for module, name in (("concurrent.futures.thread", "_threads_queues"), ("concurrent.futures.process", "_threads_wakeups")):
        left_out = left_out + list(getattr(sys.modules.get(module), name, ()))
    return [thread for thread in all_threads()
            if not (getattr(thread, "_daemonic", True) or getattr(thread, "is_pydev_daemon_thread", False)
                    or any(thread is other for other in left_out))]


def _named(threads):
    names = ", ".join(str(thread._name) for thread in threads[:_MAX_NAMED])
    if len(threads) == 1:
        return "the thread " + names
    return "%d threads: %s%s" % (len(threads), names, ", ..." if len(threads) > _MAX_NAMED else "")


def _excepthook(args):
    try:
        if _host_stops.is_running() and args.exc_value is not None and not issubclass(args.exc_type, SystemExit):
            name = getattr(args.thread, "_name", None)
            _host_ended.keep_of_thread(name if type(name) is str else "without a name", args.exc_value)
    finally:
        _python_hook(args)
