"""The host process's main thread: takes requests from the viewer and runs them, until it is told to leave.

Started by dlscope-host or, for an interpreter without libpython, by the interpreter itself; see core/wire/host_launch.h.
"""

import os
import sys

from dlscope import (_dlscope, _host_private, _host_interrupts, _host_breakpoints, _host_ended, _host_errors, _host_exchange,
                     _host_faults, _host_questions, _host_run, _host_stops, _host_threads, _host_windows)

__builtins__ = _host_private.private_builtins()
_host_interrupts.own(globals())

_CANNOT_SERVE = 3
_TOO_LATE = ("RuntimeError", "The code was not run: the stop it was meant for is over.", 0, "")
_OWN_FRAMES = '  File "%s%s_host' % (os.path.dirname(os.path.abspath(__file__)), os.sep)


def main(region_fd):
    """Serves the viewer at the other end of the region. Returns the process's exit code when it is time to leave: in the
    host when it is told to, in a child of the user's os.fork() when that came to the end of the script."""
    _check_environment()
    version = "%d.%d.%d" % sys.version_info[:3]
    try:
        _dlscope.host_attach(region_fd, version, sys.executable or "", sys.prefix, sys.base_prefix)
    except Exception as error:
        _refuse(str(error))
    _host_faults.guard(_OWN_FRAMES.encode("ascii", "backslashreplace").decode("ascii"))  # as faulthandler writes names
    _host_interrupts.install_first()
    _host_threads.install()
    os.register_at_fork(before=_dlscope.host_before_fork, after_in_parent=_dlscope.host_after_fork)
    _host_run.remember_path()
    _host_stops.serve = _serve_stop
    _dlscope.events_begin(_host_breakpoints.resolve, _host_stops.reach)
    _dlscope.host_on_changes(_host_stops.take_changes)
    _dlscope.host_on_nothing_found(_host_run.last_called)
    exit_code = None
    while exit_code is None:
        try:
            exit_code = _serve(_next_request())
        except BaseException as error:  # a signal handler of the user's that raised while nothing ran
            _host_interrupts.armed = False
            _host_errors.show(error, _host_errors.without_our_frames(error.__traceback__), False)
    if not _dlscope.host_is_child():
        _do_own_work(_host_exchange.end_steps, "Python has ended.")
        _dlscope.host_release_leases()
    _host_run.release()
    _dlscope.host_interrupt_rule(None)  # nothing of ours is left to protect, and soon no module it could ask
    return exit_code


def is_installed_by_pip(folder):
    """Whether DIR holds what pip installs, viewer included, and not the package alone."""
    return os.path.isdir(os.path.join(folder, "dlscope", "_app"))


def _next_request():
    while True:
        request = _dlscope.host_next(_host_windows.PERIOD_MS if _host_windows.any_open() else None)
        if request is not None:
            return request
        _host_windows.handle_events()


def _serve(request):
    """None, or the exit code of a process that has nothing more to do."""
    kind = request["kind"]
    if kind == "run" and _is_in_frame(request):
        _run_in_frame(request)
        if request["scan_after"]:
            _scan("raise", 0)
    elif kind == "run" and request["stop"]:
        _dlscope.host_run_finished(request["run"], "raised", "<input>", _TOO_LATE, None)
    elif kind == "run":
        _before_user_code()
        try:
            ending = _host_run.run(request)
        except BaseException as error:  # ours, not the script's: say so instead of leaving the viewer waiting
            ending = _host_run.Ending("raised", _host_errors.describe(error, error.__traceback__, ""))
        if _dlscope.host_is_child():
            return ending.of_process()
        _finish_run(request, ending)
        if not _host_stops.ended_from_stop() and (ending.outcome != "finished" or _host_ended.is_of_thread()):
            _host_ended.tell(request["interactive_stops"], ending.outcome == "interrupted")
        if request["scan_after"]:  # after the message: how the script ended is known whatever the scan meets
            moment = ending.moment()
            if moment is not None:
                _scan(moment, 0)
            else:
                _dlscope.host_scan_left_out()
    elif kind == "scan":
        _scan("request", request["request"])
    elif kind == "shutdown":
        return 0
    elif kind == "resume":
        if _host_ended.current() is not None and _host_ended.current().number == request["stop"]:
            _do_own_work(_host_ended.free)
    else:
        _serve_anywhere(request)
    return None


def _serve_stop():
    """At a stop, in the thread that stands there: serves the viewer until it says how to go on; returns that request."""
    stop = _host_stops.current()
    _do_own_work(_dlscope.host_after_user_code, _host_run.namespace(), _host_run.frames())
    _scan_stop(stop, 0)
    while True:
        try:
            request = _dlscope.host_next(None)
            kind = request["kind"]
            if kind == "shutdown":
                request = {"how": _host_stops.END_SCRIPT}
                break
            if kind == "resume" and request["stop"] == stop.number:
                break
            if kind == "run" and request["stop"] == stop.number and _is_in_frame(request):
                _run_in_frame(request)
                if request["scan_after"]:
                    _scan_stop(stop, 0)
            elif kind == "run":
                _serve(request)
            elif kind == "scan":
                _scan_stop(stop, request["request"])
            else:
                looked_from = stop.looked_from
                _serve_anywhere(request)
                if looked_from != stop.looked_from:
                    _scan_stop(stop, 0)
        except BaseException as error:  # an interrupt that came too late for what it was meant for
            _host_interrupts.armed = False
            if not isinstance(error, KeyboardInterrupt):
                _host_errors.show(error, _host_errors.without_our_frames(error.__traceback__), False)
    _before_user_code()
    return request


def _is_in_frame(request):
    """Console code for a frame that is there."""
    stack = _host_run.stack_of(request["stop"]) if request["stop"] else None
    return stack is not None and stack.frame(request["frame"]) is not None


def _before_user_code():
    """Nothing that only we hold is held while it runs. This is no work that Stop may end: then a Stop would be too late for the code."""
    _host_exchange.end_steps("Your code has run since: dlscope let the tensor and its capsule go before.")
    _dlscope.host_before_user_code(True)


def _run_in_frame(request):
    _before_user_code()
    ending = _host_run.run_in_frame(request)
    if _dlscope.host_is_child():  # the console code has forked: its child ends with it
        _dlscope.host_exit(ending.of_process())
    _finish_run(request, ending)


def _serve_anywhere(request):
    """What is the same at a stop and between two runs."""
    kind = request["kind"]
    if kind == "ask":
        text, error = _host_questions.answer(request["question"], request["text"])
        _host_run.leave_in_child()
        _dlscope.host_answer(request["id"], request["question"], text, error)
    elif kind == "act":
        _do_own_work(_dlscope.host_act, _host_run.namespace(), _host_run.frames(), _host_exchange)
    elif kind == "changes":
        _host_stops.take_changes()


def _finish_run(request, ending):
    path = request["path"] or request["module"] or request["file"] or "<string>"
    _dlscope.host_run_finished(request["run"], ending.outcome, path, ending.error, ending.exit_code)
    _do_own_work(_dlscope.host_after_user_code, _host_run.namespace(), _host_run.frames())


def _scan(scanned, request):
    _do_own_work(_dlscope.host_scan, _host_run.namespace(), scanned, _host_run.frames(), request)


def _scan_stop(stop, request):
    frames, line, thread = stop.scanned()
    _do_own_work(_dlscope.host_scan, _host_run.namespace(), "stop", frames, request, line, stop.hits, thread)


def _do_own_work(function, *arguments):
    """Our own work on the user's objects: Stop reaches what it calls of the user's classes, and nothing after it."""
    aside = _host_interrupts.begin_own_work()
    try:
        function(*arguments)
    except BaseException as error:
        _dlscope.host_notice("%s failed: %s" % (function.__name__, "".join(_host_errors.describe(error, None, "")[:2])))
    finally:
        _host_interrupts.end_own_work(aside)
        _host_run.leave_in_child()


def _check_environment():
    """A venv made by another Python than the libpython that was loaded starts without an error, but broken."""
    folder = os.path.dirname(sys.executable or "")
    for place in (folder, os.path.dirname(folder)):
        try:
            with open(os.path.join(place, "pyvenv.cfg"), encoding="utf-8", errors="replace") as file:
                settings = dict(line.partition("=")[::2] for line in file)
        except OSError:
            continue
        for key, value in settings.items():
            if key.strip() in ("version", "version_info"):
                made_by = tuple(value.strip().split(".")[:2])
                if made_by != tuple(str(part) for part in sys.version_info[:2]):
                    _refuse("the virtual environment %s belongs to Python %s, but libpython is %d.%d: give --python the "
                            "environment's own interpreter" % (place, ".".join(made_by), *sys.version_info[:2]))


def _refuse(why):
    try:
        os.write(2, ("dlscope-host: %s\n" % why).encode("utf-8", "backslashreplace"))
    except OSError:
        pass
    os._exit(_CANNOT_SERVE)
