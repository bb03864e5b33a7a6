"""The threads that a script leaves behind: a run with breakpoints ends when they have. And what ends a thread: Python prints it and goes on;
the host keeps its frames to be looked at, or stops there before."""

import sys
import time  # built in
import _thread

from dlscope import _dlscope, _host_ended, _host_events, _host_frame, _host_interrupts, _host_private, _host_stops, _host_wanted_events

__builtins__ = _host_private.private_builtins()
_host_interrupts.register_host_module(globals())

_python_hook = _thread._excepthook
_SOON = 1.0  # seconds until it is said that somebody is waited for
_MAX_NAMED = 3

_is_watched_late = False  # watch() found no complete `threading`: until it does, only our excepthook hears of the exceptions


def install():
    """`threading` takes its excepthook from `_thread` when it is imported. One that a script sets takes the place of ours."""
    _thread._excepthook = _excepthook
    threading = sys.modules.get("threading")
    for name in ("excepthook", "__excepthook__"):
        if getattr(threading, name, None) is _python_hook:
            setattr(threading, name, _excepthook)
    _host_wanted_events.watch_threads = watch


def watch():
    """From now on the host hears of an exception that ends a thread before the excepthook does, whosever that is, also of a thread that was
    made before this. Not where a script that has not imported `threading` yet sets an excepthook of its own, if this does not run on the
    main thread, which alone may import it."""
    global _is_watched_late
    threading = _host_events.standard_threading()
    make = getattr(threading, "_make_invoke_excepthook", None)
    _is_watched_late = make is None
    if make is None or getattr(make, "__globals__", None) is globals():
        return

    def make_invoke_excepthook():
        return _stopping_first(make())

    threading._make_invoke_excepthook = make_invoke_excepthook
    for thread in _made_threads(threading):
        invoke = getattr(thread, "_invoke_excepthook", None)
        if invoke is not None:
            thread._invoke_excepthook = _stopping_first(invoke)


def _made_threads(threading):
    """Those that run, and those that are not started yet, each once. Every thread is in `_dangling` from when it is made, which is a
    WeakSet: its own iteration would fail where another thread makes one meanwhile, a list of its references is made in one go."""
    made = [reference() for reference in list(getattr(getattr(threading, "_dangling", None), "data", ()))]
    made += [*threading._active.values(), *threading._limbo.values()]
    return {id(thread): thread for thread in made if thread is not None}.values()


def _stopping_first(invoke):
    def invoke_excepthook(thread):
        _stop_at_uncaught(sys.exc_info()[1])
        invoke(thread)
    return invoke_excepthook


def _stop_at_uncaught(error):
    """Raises nothing: Python is about to tell the excepthook of the exception that is being handled."""
    try:
        if error is not None and not issubclass(type(error), SystemExit) and _host_stops.stops_at_uncaught():
            _host_stops.stop_at_uncaught(_host_ended.trace_of(error))
    except BaseException as problem:
        _dlscope.host_notice("A stop at the end of a thread failed: %s" % _host_frame.error_text(problem))


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
        if _is_watched_late:
            _stop_at_uncaught(args.exc_value)
        if _host_stops.is_running() and args.exc_value is not None and not issubclass(args.exc_type, SystemExit):
            name = getattr(args.thread, "_name", None)
            _host_ended.keep_of_thread(name if type(name) is str else "without a name", args.exc_value)
    finally:
        _python_hook(args)
