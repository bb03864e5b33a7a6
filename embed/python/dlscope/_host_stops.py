"""Stops: breakpoints, steps, pauses, exceptions, breakpoint() and dlscope.stop(); the end of a thread by an exception.

In a window (interactive), the thread that reaches a stop serves the viewer's requests until it is told how to continue (_stop_at).
Headless, and for --at, the frame is scanned and the script ends there (_host_scan_and_end). Costs nothing while there are no breakpoints
(_host_events.py).
"""

import os
import sys
import _thread

from dlscope import (_dlscope, _host_at, _host_breakpoints, _host_events, _host_frame, _host_interrupts, _host_missed, _host_private,
                     _host_scan_and_end, _host_steps, _host_stop_stack, _host_wanted_events)

__builtins__ = _host_private.private_builtins()
_host_interrupts.register_host_module(globals())

_BREAKPOINT, _STEP, _PAUSE, _RAISED, _CALL, _RETURNS, _UNCAUGHT = range(7)                         # core/wire/debugging.h: StopReason
_LINE_REASONS = ("line", "step", "line and step")                                     # embed/host/line_events.h
_NOT_STOPPED_AT = (StopIteration, StopAsyncIteration, GeneratorExit, SystemExit, KeyboardInterrupt)

_traceback_of = BaseException.__dict__["__traceback__"].__get__  # whatever the user's class says

serve = None  # _host._serve_stop: serves the viewer at a stop; returns the request that says how to continue
_running = False  # user code runs, and may be stopped
_interactive = False  # the viewer is a window, which can show a stop and continue it
_ending = False  # the viewer ended the script at a stop: nothing stops any more
_pause_requested = False
_stop_count = 0  # stops of this process so far; the number of a stop
stop_others = False  # a setting: at a stop the other threads are suspended, too
_stop_lock = _thread.allocate_lock()  # one stop at a time: another thread that reaches one waits
_current = None  # the _host_stop_stack.Stop that is served now
_moment = None  # what --at asks for: _host_at.Moment or Return
# ---- around a run ----


def prepare(stop_at, filename, source, interactive, is_new):
    """Before a run. filename: of its code objects, source: its text; both None where set_script() gives them later. is_new: it is no
    console input."""
    global _running, _interactive, _ending, _moment, _pause_requested
    _ending = _pause_requested = False
    _host_scan_and_end.begin_run()
    _running, _interactive = True, interactive
    _host_wanted_events.stops_on_raise = interactive
    _host_breakpoints.begin_run(not is_new)
    if stop_at.partition("#")[0].endswith(":return"):
        _moment = _host_breakpoints.awaited_return = _host_at.Return(stop_at, interactive)
    elif stop_at:
        _moment = _host_at.Moment(stop_at, filename, interactive)
        _host_breakpoints.all_points.append(_moment)
    if filename is not None:
        set_script(filename, source)
    if interactive and not os.environ.get("PYTHONBREAKPOINT"):
        sys.breakpointhook = _dlscope.host_breakpoint
    _host_wanted_events.update()


def set_script(filename, source):
    """The code that runs as __main__. For `python -m` it is known only when the packages above the module have been imported."""
    _host_breakpoints.begin_script(filename, source)
    if _moment is not None:
        _moment.set_script(filename)


def is_waiting_for_lines():
    """Whether a thread of the script may still come to a stop or to the moment of --at, or is scanned there now: the run is not over."""
    may_stop = _host_breakpoints.are_wanted() or stops_at_uncaught()
    return _running and (_host_scan_and_end.is_scanning or not _host_at.reached and may_stop)


def stops_at_uncaught():
    """Whether an exception that ends a thread is to stop."""
    return _running and _interactive and _host_breakpoints.on_uncaught


def is_running():
    return _running and not _dlscope.host_is_child()


def finish():
    """After a run: removes the events and reports what was not reached. Waits until a stop in another thread is over."""
    global _running, _moment
    if not _running:
        return
    _host_scan_and_end.end_run()
    _running = False
    if _dlscope.host_is_child():
        _host_events.end_events()
        return
    with _stop_lock:
        pass
    if sys.breakpointhook is _dlscope.host_breakpoint:
        sys.breakpointhook = sys.__breakpointhook__
    _host_missed.report(_moment, _interactive)
    _host_events.end_events()
    _host_breakpoints.awaited_return = None
    _host_breakpoints.forget(_moment)
    _moment = None
    _host_steps.forget_run_to()
    _host_breakpoints.report_states()


def take_changes():
    """Takes over changed breakpoints and pause requests, while user code runs or between two requests. thread: main, if possible."""
    # A trace function of the user's is called for our frames, too. A KeyboardInterrupt raised in it would end this function instead of
    # the script.
    here, before = _host_interrupts.is_main_thread(), _host_interrupts.taking_changes
    if here:
        _host_interrupts.taking_changes = True
    try:
        _take_changes()
    except BaseException as problem:
        _dlscope.host_notice("The change of breakpoints failed: %s" % _host_frame.error_text(problem))
    finally:
        if here:
            _host_interrupts.taking_changes = before


def _take_changes():
    global _pause_requested
    for change in _dlscope.host_take_changes():
        if change["kind"] == "breakpoints":
            _host_breakpoints.replace(change)
            _set_stop_others(change["stop_others"])
            if _running and not _ending:
                _host_wanted_events.update()
            _host_breakpoints.report_all_states()
        elif _running and _interactive and _current is None and not _ending:
            _pause_requested = True
            if not _host_events.begin_step(0, [], None, 0, _host_wanted_events.is_return_awaited, _host_events.running_loops()):
                _pause_requested = False
                _dlscope.host_notice("Pause is not possible. " + _host_wanted_events.why_none())


def _set_stop_others(stand):
    """Sets whether the other threads are suspended at a stop; takes effect at the current one, too."""
    global stop_others
    if stop_others == stand:
        return
    stop_others = stand
    if _current is not None and not _host_events.suspend_other_threads(stand) and stand:
        _dlscope.host_notice("The other threads run on. " + _host_wanted_events.why_none())


# ---- what is reached ----


def on_reached(frame, line, why, error):
    """Called by embed/host/line_events.h (there: `reached`). Returns the exception class to raise, which ends the script, or None."""
    if not _running or _ending:
        return None
    if _dlscope.host_is_child():
        _host_events.end_events()
        return None
    if _host_scan_and_end.ends:
        return _host_scan_and_end.exception_at_later_line(frame)
    try:
        return _handle_reached(frame, line, why, error)
    except KeyboardInterrupt:
        return KeyboardInterrupt
    except RecursionError:
        _host_missed.was_too_deep = True
        return None
    except BaseException as problem:
        _dlscope.host_notice("A stop at %s:%d failed: %s" % (frame.f_code.co_filename if frame else "?", line, _host_frame.error_text(problem)))
        return None


def _handle_reached(frame, line, why, error):
    if why == "refused":
        _host_wanted_events.note_blocked(_host_wanted_events.why_none())
        _host_breakpoints.report_states()
        return None
    _host_breakpoints.blocked_by = ""
    return _handle_line(frame, line, why) if why in _LINE_REASONS else _handle_call_raise_or_return(frame, line, why, error)


def _handle_call_raise_or_return(frame, line, why, error):
    if why == "raise":
        value, trace = error[1:] if type(error) is tuple else (error, _traceback_of(error))
        return _stop_at(frame, _RAISED, _host_frame.stored_error_text(value), None) if _is_new(frame, value, trace) else None
    if why == "return":
        if _moment is None or not _moment.is_of(frame.f_code) or not _moment.is_reached(frame):
            return None
        return _stop_at(frame, _RETURNS, "", None) if _interactive else _host_scan_and_end.scan(frame, line, _moment.hits)
    return _stop_at(frame, _CALL, "", None)


def _handle_line(frame, line, why):
    stopping = None
    for point in _host_breakpoints.at(frame.f_code.co_filename, line) if why != "step" else ():
        if point.stops(frame) and (stopping is None or point is _moment):
            stopping = point
    if stopping is _moment and _moment is not None:
        if not _interactive:
            return _host_scan_and_end.scan(frame, line, _moment.hits)
        _forget_moment()
        return _stop_at(frame, _STEP, "", None)
    if stopping is not None and stopping is not _host_steps.run_to:
        return _stop_at(frame, _BREAKPOINT, stopping.remark, stopping)
    if why != "line" or stopping is _host_steps.run_to is not None:
        return _stop_at(frame, _PAUSE if _pause_requested else _STEP, "", None)
    return None


def _forget_moment():
    """A window has run to it, once."""
    global _moment
    _host_breakpoints.forget(_moment)
    _moment = None
    _host_wanted_events.update()


def _is_new(frame, error, trace):
    """Whether this is the innermost of the user's frames that the exception passes: it then has not caused a stop yet."""
    if error is None or issubclass(type(error), _NOT_STOPPED_AT) or not _host_breakpoints.on_raise:
        return False
    while trace is not None and trace.tb_frame is not frame:
        trace = trace.tb_next
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
        if _host_breakpoints.is_steppable(trace.tb_frame.f_code):
            return False
    return True


def stop_at_uncaught(trace):
    """Called in a thread that an exception is about to end, before Python tells its excepthook. trace: a _host_ended.Trace."""
    is_users = any(_host_breakpoints.is_steppable(place.tb_frame.f_code) for place in trace.places)
    if is_users and not _host_scan_and_end.ends and not _dlscope.host_is_child():
        _stop_at(None, _UNCAUGHT, trace.message, None, trace)


def stop_here(frame):
    """dlscope.stop(). frame: its caller's."""
    ends = None
    if _dlscope.host_is_child():
        return
    were_aside = _dlscope.host_handlers_are_aside()  # in a method that a scan calls
    try:
        if _host_scan_and_end.ends:
            ends = _host_scan_and_end.exception_at_later_line(frame)
        elif not _interactive:
            ends = _host_scan_and_end.scan(frame, frame.f_lineno, 1)
        elif _running:
            ends = _stop_at(frame, _CALL, "", None)
    finally:
        if not were_aside:
            _dlscope.host_put_handlers_back()
    if ends is not None:
        raise ends


# ---- a stop ----


def _stop_at(frame, reason, message, point, trace=None):
    """frame: whose thread stands. trace: of an exception, in place of a frame: the thread does not go back to any of its frames."""
    global _current, _ending, _pause_requested, _stop_count
    current = _current  # without the lock: another thread may end it meanwhile
    if current is not None and current.thread_id == _thread.get_ident():
        return None  # code that the viewer runs at a stop does not stop
    with _stop_lock:
        if _ending or not _running:
            return None
        _pause_requested = False
        _host_steps.end()
        _stop_count += 1
        _current = _new_stop(frame, point.hits if point is not None else 1, trace)
        armed, _host_interrupts.enabled = _host_interrupts.enabled, False
        took = None
        try:
            took = _host_interrupts.leave_user_code()
            _host_breakpoints.report_states()
            _dlscope.host_stop_begins(_stop_count, reason, _current.thread, message, point.number if point is not None else 0,
                                      _current.entries())
            try:
                request = serve()
            finally:
                _host_events.suspend_other_threads(False)
                _host_frame.forget_additions(_current)
                _current = None
                _dlscope.host_stop_ends()
        finally:
            _current = None
            _dlscope.events_set_thread_stopped(False)
            _host_interrupts.enabled = armed
            _host_interrupts.go_back_to_user_code(took)
        how = request["how"]
        if how == _host_steps.END_SCRIPT:
            _ending = True
            _host_events.select_events(False, False, None)
        elif how != _host_steps.CONTINUE and (trace is None or how == _host_steps.RUN_TO):  # it has no line to step to
            _host_steps.begin(frame, request)
    if how != _host_steps.END_SCRIPT:
        return None
    _host_interrupts.interrupt_main_thread()
    return KeyboardInterrupt if _host_interrupts.is_main_thread() else SystemExit


def _new_stop(frame, hits, trace):
    """The Stop of this thread. Suspends the other threads first, where that is set."""
    if not stop_others:
        return _host_stop_stack.Stop(_stop_count, _host_steps.frames_from(frame), hits, stop_others, trace)
    _dlscope.events_set_thread_stopped(True)
    try:
        if not _host_events.suspend_other_threads(True):
            _dlscope.host_notice("The other threads run on. " + _host_wanted_events.why_none())
        return _host_stop_stack.Stop(_stop_count, _host_steps.frames_from(frame), hits, stop_others, trace)
    except BaseException:
        _host_events.suspend_other_threads(False)
        _dlscope.events_set_thread_stopped(False)
        raise


# ---- for other modules ----


def current_stop():
    """The Stop that is served now, or None."""
    return _current


def new_number():
    """A number for the kept frames of a run, which the viewer addresses like a stop."""
    global _stop_count
    _stop_count += 1
    return _stop_count


def was_ended_at_stop():
    """Whether the viewer ended the last run at one of its stops."""
    return _ending
