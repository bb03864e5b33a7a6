"""Runs a request as `python SCRIPT ARGS` or `python -c CODE` would, in a namespace of its own, and says how it ended."""

import builtins
import gc
import sys
from os import _exit

from dlscope import (_dlscope, _host_at, _host_breakpoints, _host_calls, _host_ended, _host_errors, _host_frame, _host_interrupts,
                     _host_job, _host_module, _host_private, _host_scan_and_end, _host_stops, _host_threads)

__builtins__ = _host_private.private_builtins()
_host_interrupts.register_host_module(globals())

_Module = type(sys)
_SourceFileLoader = sys.modules["_frozen_importlib_external"].SourceFileLoader
_BuiltinImporter = sys.modules["_frozen_importlib"].BuiltinImporter
_original_main = vars(sys.modules["__main__"])
_main = None  # the module user code runs in; sys.modules["__main__"] is the user's to change
_path_before_scripts = []
_text = ""  # of the script


def remember_path():
    """The module search path every fresh run starts from."""
    _path_before_scripts[:] = sys.path


class Ending:
    """How user code ended: outcome as the report names it, error as (type, message, line, traceback) or None."""

    def __init__(self, outcome, error=None, exit_code=None):
        self.outcome, self.error, self.exit_code = outcome, error, exit_code

    def moment(self):
        """What a scan after it shows; None where there is nothing new to see: the script ended at the stop that was looked at."""
        if _host_at.reached:
            return None
        if self.outcome == "interrupted":
            return "interrupt"
        kept = _host_ended.kept()
        return "raise" if self.outcome == "raised" or (kept is not None and kept.has_function()) else "end"

    def of_process(self):
        """The exit code of a process that ends because the script did."""
        failed = {"finished": 0, "raised": 1, "interrupted": 130}[self.outcome]
        return (failed if self.exit_code is None else self.exit_code) & 0xFF


def run(request):
    """Runs it to its end, prints what Python would print and returns an Ending. No reference to user objects is kept."""
    job = _host_job.Job(request)
    _host_interrupts.script_folder = job.folder
    if request["fresh_namespace"] or _main is None:
        _host_ended.release()
        _start_afresh(job)
    ending = _execute(job)
    request["path"] = job.path  # of a module it was not known before
    if _dlscope.host_is_child():
        return ending
    for forget in (sys.settrace, sys.setprofile):
        try:
            forget(None)
        except BaseException:  # an audit hook of the script's forbids it
            pass
    try:
        if sys.getrecursionlimit() < 1000:
            sys.setrecursionlimit(1000)
    except BaseException:
        pass
    flush()
    return ending


def stack_of(number):
    """The stop of that number that is on, or the kept stack of an uncaught exception that the viewer knows by it; or None."""
    for stack in (_host_stops.current_stop(), _host_ended.kept()):
        if stack is not None and stack.number == number:
            return stack
    return None


def run_in_frame(request):
    """Console code, in the chosen frame of a stop or of a kept stack; an Ending."""
    job, trace = _host_job.Job(request), None
    stack = stack_of(request["stop"])
    frame = stack.frame(request["frame"])
    handled = sys.exc_info()[1]  # by the code that stands there
    try:
        try:
            codes = job.code(namespace())
            _host_interrupts.enabled = True
            additions = stack.additions.setdefault(frame, _host_frame.Additions())
            _host_frame.execute(codes, job.text, job.filename, frame, additions, stack.runs_on(request["frame"]))
        finally:
            _dlscope.host_nothing_to_interrupt()
            _host_interrupts.enabled = False
    except SystemExit as error:
        return Ending("finished", None, _host_errors.exit_code_of(error))
    except BaseException as error:
        _dlscope.host_nothing_to_interrupt()
        trace = _host_errors.without_our_frames(error.__traceback__)
        _host_errors.forget_context(error, handled)
        _host_errors.show(error, trace, True)
        outcome = "interrupted" if isinstance(error, KeyboardInterrupt) else "raised"
        return Ending(outcome, _host_errors.describe(error, trace, job.filename))
    finally:
        trace = frame = handled = None  # it leads to this very frame: both would live until a garbage collection, with what the user's frames hold
        flush()
    return Ending("finished")


def frames():
    """Whose locals are looked at beside the script's names: the frame that stands at a stop, or the frames of the exception that
    ended the script, or None."""
    stop = _host_stops.current_stop()
    return _host_ended.frames() if stop is None else stop.own_frames()


def last_called(names):
    return _host_calls.last_called(_text, names)


def namespace():
    return {} if _main is None else vars(_main)


def leave_in_child():
    """What is no script (a question, a scan, a callback of a window) has called fork(): nobody serves the child. Python is not taken down:
    3.13.0 crashes where the child comes from another thread than the main one."""
    if _dlscope.host_is_child():
        flush()
        _exit(0)


def flush():
    for stream in (getattr(sys, "stdout", None), getattr(sys, "stderr", None)):
        try:
            stream.flush()
        except BaseException:  # None, closed, a broken pipe, a class of the user's
            pass
    _dlscope.host_flush()


def _start_afresh(job):
    global _main
    _main = _Module("__main__")
    names = vars(_main)
    if "__annotations__" in _original_main:
        names["__annotations__"] = {}
    names["__builtins__"] = builtins
    names["__loader__"] = _SourceFileLoader("__main__", job.filename) if job.path else _BuiltinImporter
    if job.path and not job.module:
        names["__file__"] = job.filename
        names["__cached__"] = None
    sys.modules["__main__"] = _main
    sys.argv = list(job.argv)
    if hasattr(sys, "orig_argv"):
        sys.orig_argv = list(job.command)
    sys.path[:] = _path_before_scripts
    if not getattr(sys.flags, "safe_path", False):
        sys.path.insert(0, job.path_entry)
    _dlscope.host_install_interrupt_handler()
    gc.collect()  # the last run's cycles go now and not in the middle of this one


def _execute(job):
    before = _host_threads.all_threads()  # the frames of an exception that is kept lead to this one: nothing stays in it
    try:
        ending = _run_codes(job)
        if job.is_new and ending.outcome != "interrupted" and _host_stops.is_waiting_for_lines() and not _dlscope.host_is_child():
            flush()
            ending = _wait_for_threads(job, before, ending)
        return ending
    finally:
        before = None
        _host_interrupts.enabled = False
        _host_stops.finish()
        _host_ended.add_thread()
        _dlscope.host_nothing_to_interrupt()


def _wait_for_threads(job, before, ending):
    """As Python does at its end: a line that is awaited may be theirs. Stop ends the waiting, and a moment that one of them came to."""
    try:
        _host_scan_and_end.wait()
        _wait_for_ends(job, before)
        _host_scan_and_end.wait()
    except KeyboardInterrupt as error:
        if ending.outcome == "finished":
            return Ending("finished") if _host_at.reached else Ending("interrupted", _host_errors.describe(error, None, job.filename))
    return ending


def _wait_for_ends(job, before):
    try:
        _dlscope.host_run_user_code(_host_threads.wait, before)
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # of a handler of signals: Python prints it at this point, and waits no longer
        _host_errors.show(error, _host_errors.without_our_frames(error.__traceback__), job.edited)


def _run_codes(job):
    global _text
    trace = None
    try:
        try:
            if job.is_new:
                _text = ""
            if job.module:  # finding it runs the packages it lies in
                _host_stops.prepare(job.stop_at, None, None, job.interactive, not job.echo)
                codes = job.code(namespace())
                _host_stops.set_script(job.filename, job.text)
            else:
                codes = job.code(namespace())
                if job.is_part:
                    _host_breakpoints.begin_part(job.filename, job.source, codes)
                whole = (None, None) if job.is_part else (job.filename, job.text)
                _host_stops.prepare(job.stop_at, *whole, job.interactive, not job.echo)
            if job.is_new:
                _text = job.text
            names = namespace()
            _host_interrupts.enabled = True
            for code in codes:
                _dlscope.host_run_user_code(exec, code, names)
        except SystemExit as error:
            trace = _host_errors.without_our_frames(error.__traceback__)
            _keep(job, error, trace)
            return Ending("finished", None, None if _host_at.reached else _host_errors.exit_code_of(error))
        except BaseException as error:
            trace = _host_errors.without_our_frames(error.__traceback__)
            BaseException.__dict__["__traceback__"].__set__(error, trace)
            _keep(job, error, trace)
            if _host_at.reached and _host_ended.is_end_of_script(error):
                return Ending("finished")
            _host_errors.show(error, trace, job.edited)
            if job.path and not job.module:
                _host_module.advise(error, job.filename)
            outcome = "interrupted" if isinstance(error, KeyboardInterrupt) else "raised"
            return Ending(outcome, _host_errors.describe(error, trace, job.filename))
        return Ending("finished")
    finally:
        trace = None


def _keep(job, error, trace):
    """A line at the console that went wrong by itself takes nothing away from what is looked at. An audit hook of the script's may forbid
    to look into its frames: then nothing is kept of them, and the run has ended as it has."""
    try:
        if job.is_new or _has_function(trace):
            _host_ended.keep(error, trace)
    except BaseException:
        pass


def _has_function(trace):
    while trace is not None:
        if _host_frame.is_function(trace.tb_frame.f_code):
            return True
        trace = trace.tb_next
    return False


def release():
    """The process is about to leave: like any interpreter's, the script's module is now sys.modules' alone."""
    global _main
    _main = None
    _host_ended.release()
    _host_scan_and_end.release()
