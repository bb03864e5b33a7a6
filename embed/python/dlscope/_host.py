"""The host process's main thread: takes requests from the viewer and runs them, until it is told to leave.

Started by dlscope-host or, for an interpreter without libpython, by the interpreter itself; see core/wire/host_launch.h.
"""

import os
import sys

from dlscope import (_dlscope, _host_private, _host_interrupts, _host_breakpoints, _host_ended, _host_errors, _host_exchange,
                     _host_faults, _host_questions, _host_run, _host_scan_and_end, _host_steps, _host_stops, _host_threads, _host_windows)

__builtins__ = _host_private.private_builtins()
_host_interrupts.register_host_module(globals())

_CANNOT_SERVE = 3
_TOO_LATE = ("RuntimeError", "The code was not run: the stop it was meant for is over.", 0, "")
_OWN_FRAMES = '  File "%s%s_host' % (os.path.dirname(os.path.abspath(__file__)), os.sep)


def main(region_fd):
    """Serves the viewer at the other end of the region. Returns the exit code of the process: in the host when the viewer tells it to end,
    in a child of the user's os.fork() when the child has reached the end of the script."""
    _check_environment()
    version = "%d.%d.%d" % sys.version_info[:3]
    try:
        _dlscope.host_attach(region_fd, version, sys.executable or "", sys.prefix, sys.base_prefix)
    except Exception as error:
        _exit_cannot_serve(str(error))
    _host_faults.guard(_OWN_FRAMES.encode("ascii", "backslashreplace").decode("ascii"))  # as faulthandler writes names
    _host_interrupts.install_at_start()
    _host_threads.install()
    os.register_at_fork(before=_dlscope.host_before_fork, after_in_parent=_dlscope.host_after_fork,
                        after_in_child=_dlscope.host_after_fork_in_child)
    _host_run.remember_path()
    _host_stops.serve = _serve_stop
    _host_scan_and_end.script_names = _host_run.namespace
    _dlscope.events_begin(_host_breakpoints.resolve, _host_stops.on_reached)
    _dlscope.host_on_changes(_host_stops.take_changes)
    _dlscope.host_set_last_function_lookup(_host_run.last_called)
    exit_code = None
    while exit_code is None:
        try:
            exit_code = _serve(_next_request())
        except BaseException as error:  # an audit hook's, or a failure of ours
            _host_interrupts.enabled = False
            try:
                _host_errors.show(error, _host_errors.without_our_frames(error.__traceback__), False)
            except BaseException:  # the hook's again
                pass
    if not _dlscope.host_is_child():
        _do_host_work(_host_exchange.end_steps, "Python has ended.")
        _dlscope.host_release_leases()
    _host_run.release()
    _dlscope.host_set_interrupt_rule(None)  # nothing of ours is left to protect, and the modules that it uses are about to go
    return exit_code


def is_installed_by_pip(folder):
    """Whether the folder contains the package as pip installs it, with the viewer."""
    return os.path.isdir(os.path.join(folder, "dlscope", "_app"))


def _next_request():
    while True:
        request = _dlscope.host_next(_host_windows.PERIOD_MS if _host_windows.any_open() else None)
        if request is not None:
            return request
        _host_windows.handle_events()


def _serve(request):
    """Carries out a request between two runs. Returns None, or the exit code of a process that is to end."""
    kind = request["kind"]
    if kind == "run" and _is_for_existing_frame(request):
        _run_in_frame(request)
        if request["scan_after"]:
            _scan("raise", 0)
    elif kind == "run" and request["stop"]:
        _dlscope.host_run_finished(request["run"], "raised", "<input>", _TOO_LATE, None)
    elif kind == "run":
        _before_user_code()
        try:
            ending = _host_run.run(request)
        except BaseException as error:  # a failure of the host's: the viewer still needs the end of the run
            ending = _host_run.Ending("raised", _host_errors.describe(error, error.__traceback__, ""))
        if _dlscope.host_is_child():
            return ending.of_process()
        _finish_run(request, ending)
        if not _host_stops.was_ended_at_stop() and (ending.outcome != "finished" or _host_ended.is_of_thread()):
            _host_ended.report_to_viewer(request["interactive_stops"], ending.outcome == "interrupted")
        if request["scan_after"]:  # after the message, so that the end of the run is known even if the scan fails
            moment = ending.moment()
            if moment is not None:
                _scan(moment, 0)
            else:
                _dlscope.host_report_end_of_scan_in_run()
    elif kind == "scan":
        _scan("request", request["request"])
    elif kind == "shutdown":
        return 0
    elif kind == "resume":
        if _host_ended.kept() is not None and _host_ended.kept().number == request["stop"]:
            _do_host_work(_host_ended.free_frames)
    else:
        _serve_other(request)
    return None


def _serve_stop():
    """At a stop, in the stopped thread: serves the viewer until it says how to continue. Returns that request."""
    stop = _host_stops.current_stop()
    _do_host_work(_dlscope.host_after_user_code, _host_run.namespace(), _host_run.frames())
    _scan_stop(stop, 0)
    while True:
        try:
            request = _dlscope.host_next(None)
            kind = request["kind"]
            if kind == "shutdown":
                request = {"how": _host_steps.END_SCRIPT}
                break
            if kind == "resume" and request["stop"] == stop.number:
                break
            if kind == "run" and request["stop"] == stop.number and _is_for_existing_frame(request):
                _run_in_frame(request)
                if request["scan_after"]:
                    _scan_stop(stop, 0)
            elif kind == "run":
                _serve(request)
            elif kind == "scan":
                _scan_stop(stop, request["request"])
            else:
                looked_from = stop.looked_from
                _serve_other(request)
                if looked_from != stop.looked_from:
                    _scan_stop(stop, 0)
        except BaseException as error:  # an interrupt that arrived when what it was meant for had ended
            _host_interrupts.enabled = False
            if not isinstance(error, KeyboardInterrupt):
                _host_errors.show(error, _host_errors.without_our_frames(error.__traceback__), False)
    _before_user_code()
    return request


def _is_for_existing_frame(request):
    """Whether the run is console code for a frame that still exists."""
    stack = _host_run.stack_of(request["stop"]) if request["stop"] else None
    return stack is not None and stack.frame(request["frame"]) is not None


def _before_user_code():
    """Lets go of everything that only dlscope holds. Stop does not interrupt this: it is meant for the code that runs next."""
    _host_exchange.end_steps("Your code has run since: dlscope let the tensor and its capsule go before.")
    _dlscope.host_before_user_code(True)


def _run_in_frame(request):
    _before_user_code()
    ending = _host_run.run_in_frame(request)
    if _dlscope.host_is_child():  # the console code has forked: its child ends with it
        _dlscope.host_exit(ending.of_process())
    _finish_run(request, ending)


def _serve_other(request):
    """The requests that are served in the same way at a stop and between two runs."""
    kind = request["kind"]
    if kind == "ask":
        text, error = _host_questions.answer(request["question"], request["text"])
        _host_run.leave_in_child()
        _dlscope.host_answer(request["id"], request["question"], text, error)
    elif kind == "act":
        _do_host_work(_dlscope.host_act, _host_run.namespace(), _host_run.frames(), _host_exchange)
    elif kind == "changes":
        _host_stops.take_changes()


def _finish_run(request, ending):
    path = request["path"] or request["module"] or request["file"] or "<string>"
    _dlscope.host_run_finished(request["run"], ending.outcome, path, ending.error, ending.exit_code)
    _do_host_work(_dlscope.host_after_user_code, _host_run.namespace(), _host_run.frames())


def _scan(scanned, request):
    _do_host_work(_dlscope.host_scan, _host_run.namespace(), scanned, _host_run.frames(), request)


def _scan_stop(stop, request):
    frames, line, thread = stop.scanned()
    _do_host_work(_dlscope.host_scan, _host_run.namespace(), "stop", frames, request, line, stop.hits, thread)


def _do_host_work(function, *arguments):
    """The host's own work on the user's objects. Stop interrupts the user's code that it calls, and nothing afterwards."""
    _host_interrupts.begin_host_work()
    try:
        function(*arguments)
    except BaseException as error:
        _dlscope.host_notice("An exception reached dlscope's own code (%s): %s" % (function.__name__, ": ".join(_host_errors.describe(error, None, "")[:2])))
    finally:
        _host_interrupts.end_host_work()
        _host_run.leave_in_child()


def _check_environment():
    """Refuses a virtual environment of another Python version than the loaded libpython: it would start, but not work."""
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
                    _exit_cannot_serve("the virtual environment %s belongs to Python %s, but libpython is %d.%d: give --python the "
                            "environment's own interpreter" % (place, ".".join(made_by), *sys.version_info[:2]))


def _exit_cannot_serve(why):
    try:
        os.write(2, ("dlscope-host: %s\n" % why).encode("utf-8", "backslashreplace"))
    except OSError:
        pass
    os._exit(_CANNOT_SERVE)
