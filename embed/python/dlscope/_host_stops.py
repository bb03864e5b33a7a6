"""Moments at which the user's code stands still: breakpoints, steps, pauses, exceptions, breakpoint() and dlscope.stop().

Where the viewer serves stops, the thread that came there serves the viewer until it is told to go on (_stand). Otherwise, and for
--at, the moment is looked at and the script ends there (_look). Costs nothing where no line is waited for (_host_events.py).
"""

import os
import sys
import time  # built in
import _signal
import _thread

from dlscope import _dlscope, _host_at, _host_breakpoints, _host_events, _host_frame, _host_interrupts, _host_private, _host_stop_stack

__builtins__ = _host_private.private_builtins()
_host_interrupts.own(globals())

_BREAKPOINT, _STEP, _PAUSE, _RAISED, _CALL, _RETURNS = range(6)                          # core/wire/debugging.h: StopReason
_GO, _STEP_OVER, _STEP_INTO, _STEP_OUT, _RUN_TO, END_SCRIPT = range(6)         # ResumeKind
_MAX_FRAMES = 200
_LINES = ("line", "step", "line and step")                                     # embed/host/line_events.h
_NOT_STOPPED_AT = (StopIteration, StopAsyncIteration, GeneratorExit, SystemExit, KeyboardInterrupt)

serve = None            # what answers the viewer at a stop and returns how to go on: _host.py
_looked_at = None       # the frame of that moment: its locals stay to be looked at, also when it was about to return
_looked_in = 0          # the thread that came there
_is_over = False        # that moment was looked at: the script ends
_running = False        # user code runs, and may be stopped
_interactive = False    # the viewer serves stops
_ending = False         # the script is to end: nothing stops any more
_pausing = False
_count = 0              # stops so far
stop_others = False    # at a stop no other thread runs Python code
_one_at_a_time = _thread.allocate_lock()
_stop = None            # the one that is on
_at = None              # --at
_run_to = None


class Reached(SystemExit):
    """Ends the script like sys.exit(): executors and event loops know what to do with that. (A thread ends without a traceback by
    SystemExit itself only.)"""


# ---- around a run ----


def prepare(stop_at, filename, source, interactive, is_new):
    """Before it runs. filename: of its code objects, source: its text, None where script_is() says them later; is_new: it is no
    console input."""
    global _running, _interactive, _ending, _at, _pausing, _is_over
    _host_at.reached = _ending = _pausing = _is_over = False
    release()
    _running, _interactive = True, interactive
    _host_breakpoints.begin_run(not is_new)
    if stop_at.partition("#")[0].endswith(":return"):
        _at = _host_breakpoints.at_return = _host_at.Return(stop_at)
    elif stop_at:
        _at = _host_at.Moment(stop_at, filename)
        _host_breakpoints.all_points.append(_at)
    if filename is not None:
        script_is(filename, source)
    if interactive and not os.environ.get("PYTHONBREAKPOINT"):
        sys.breakpointhook = _dlscope.host_breakpoint
    _arm()


def script_is(filename, source):
    """What runs as __main__ next: that of `python -m` is known when the packages above it have run."""
    _host_breakpoints.begin_script(filename, source)
    if _at is not None:
        _at.script_is(filename)


def release():
    global _looked_at
    _looked_at = None


def awaits_lines():
    """Whether there is a breakpoint, or a moment that has not been reached."""
    return not _host_at.reached and _running and _host_breakpoints.are_wanted()


def is_running():
    return _running and not _dlscope.host_is_child()


def finish():
    """The script has ended: the events are given back. A stop in another thread comes to its end first."""
    global _running, _at, _run_to
    if not _running:
        return
    if _is_over and not _dlscope.host_is_child():
        _wait_for_thread()
    _running = False
    if _dlscope.host_is_child():
        _host_events.finish()
        return
    with _one_at_a_time:
        pass
    if sys.breakpointhook is _dlscope.host_breakpoint:
        sys.breakpointhook = sys.__breakpointhook__
    missed = _host_breakpoints.why_missed(_at) if _at is not None else ""
    if _at is not None and not _host_at.reached and missed:
        _dlscope.host_event("--at %s: %s" % (_at.text, missed))
        _dlscope.host_notice("--at %s: %s" % (_at.text, missed))
    if _at is not None and not _host_at.reached and _host_events.who_has_trace() is not None:
        _dlscope.host_event("--at %s: something in the script set a trace function of its own (coverage, a debugger): lines "
                            "after that were not seen" % _at.text)
    _say_missed_return(missed)
    _host_breakpoints.say_missed()
    if _host_events.is_displaced():
        message = "Breakpoints may have been missed: a tool in the script evaluates Python's frames itself (pydevd, debugpy)"
        _dlscope.host_event(message)
        _dlscope.host_notice(message)
    _host_events.finish()
    _host_breakpoints.at_return = None
    for point in (_at, _run_to):
        _host_breakpoints.forget(point)
    _at = _run_to = None
    _host_breakpoints.tell()


def _say_missed_return(missed):
    """Of a function whose return was waited for, where every call was seen."""
    awaited = _host_breakpoints.at_return
    unseen = missed or _host_breakpoints.blocked or _host_events.who_has_trace() is not None or _host_events.is_displaced()
    if awaited is not None and not _host_at.reached and not unseen:
        message = "--at %s: %s" % (awaited.text, awaited.why_missed())
        _dlscope.host_event(message)
        _dlscope.host_notice(message)


def _arm():
    """Has the events that are needed now."""
    wanted = _host_breakpoints.are_wanted()
    raises = _interactive and _host_breakpoints.on_raise
    _say_blocked("" if _host_events.want(wanted, raises, _host_breakpoints.resolve) else _who_is_in_the_way())


def _say_blocked(message):
    if message and message != _host_breakpoints.blocked:
        _dlscope.host_notice(message)
    _host_breakpoints.blocked = message


def _who_is_in_the_way():
    function = _host_events.who_has_trace()
    if function is None:
        return "No breakpoint can stop: all of sys.monitoring's tools are taken (coverage, profilers)"
    return "No breakpoint can stop: another tool has set a trace function (%s.%s)" % (
        getattr(function, "__module__", None) or type(function).__module__, getattr(function, "__qualname__", None) or type(function).__name__)


def take_changes():
    """What the viewer wants while user code runs, or between two requests."""
    # A trace function of the user's runs in our frames, too: a Stop that ended it would end this instead of the script.
    here, before = _is_main_thread(), _host_interrupts.takes_changes
    if here:
        _host_interrupts.takes_changes = True
    try:
        _take_changes()
    except BaseException as problem:
        _dlscope.host_notice("The change of breakpoints failed: %s" % _host_frame.error_text(problem))
    finally:
        if here:
            _host_interrupts.takes_changes = before


def _take_changes():
    global _pausing
    for change in _dlscope.host_take_changes():
        if change["kind"] == "breakpoints":
            _host_breakpoints.replace(change)
            _let_stop_others(change["stop_others"])
            if _running and not _ending:
                _arm()
            _host_breakpoints.tell_all()
        elif _running and _interactive and _stop is None and not _ending:
            _pausing = True
            if not _host_events.step(0, [], None, 0, _is_return_awaited):
                _pausing = False
                _dlscope.host_notice("Pause is not possible. " + _who_is_in_the_way())


def _let_stop_others(stand):
    """Whether the other threads stand at stops, from now on; at the one that is on, too."""
    global stop_others
    if stop_others == stand:
        return
    stop_others = stand
    if _stop is not None and not _host_events.hold_others(stand) and stand:
        _dlscope.host_notice("The other threads run on. " + _who_is_in_the_way())


# ---- what is reached ----


def reach(frame, line, why, error):
    """Called by embed/host/line_events.h. The class of an exception that ends the script, or None."""
    if not _running or _ending:
        return None
    if _dlscope.host_is_child():
        _host_events.finish()
        return None
    if _is_over:
        return _end_again(frame)
    try:
        return _reach(frame, line, why, error)
    except KeyboardInterrupt:
        return KeyboardInterrupt
    except RecursionError:
        return None
    except BaseException as problem:
        _dlscope.host_notice("A stop at %s:%d failed: %s" % (frame.f_code.co_filename if frame else "?", line, _host_frame.error_text(problem)))
        return None


def _reach(frame, line, why, error):
    if why == "refused":
        _say_blocked(_who_is_in_the_way())
        _host_breakpoints.tell()
        return None
    _host_breakpoints.blocked = ""
    return _reach_line(frame, line, why) if why in _LINES else _reach_other(frame, line, why, error)


def _reach_other(frame, line, why, error):
    if why == "raise":
        value, trace = error[1:] if type(error) is tuple else (error, error.__traceback__)
        return _stand(frame, _RAISED, _host_frame.error_text(value), None) if _is_new(frame, value, trace) else None
    if why == "return":
        if _at is None or not _at.is_of(frame.f_code) or not _at.is_reached(frame):
            return None
        return _stand(frame, _RETURNS, "", None) if _interactive else _look(frame, line, _at.hits)
    return _stand(frame, _CALL, "", None)


def _reach_line(frame, line, why):
    stopping = None
    for point in _host_breakpoints.at(frame.f_code.co_filename, line) if why != "step" else ():
        if point.stops(frame) and (stopping is None or point is _at):
            stopping = point
    if stopping is _at and _at is not None:
        return _look(frame, line, _at.hits)
    if stopping is not None and stopping is not _run_to:
        return _stand(frame, _BREAKPOINT, stopping.remark, stopping)
    if why != "line" or stopping is _run_to is not None:
        return _stand(frame, _PAUSE if _pausing else _STEP, "", None)
    return None


def _is_new(frame, error, trace):
    """Whether the exception comes from this frame, or from code below it that is not the user's."""
    if error is None or isinstance(error, _NOT_STOPPED_AT) or not _host_breakpoints.on_raise:
        return False
    while trace is not None and trace.tb_frame is not frame:
        trace = trace.tb_next
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
        if _host_breakpoints.is_stepped_in(trace.tb_frame.f_code):
            return False
    return True


def stop_here(frame):
    """dlscope.stop(): in the frame that called it."""
    ends = None
    if _dlscope.host_is_child():
        return
    if _is_over:
        ends = _end_again(frame)
    elif not _interactive:
        ends = _look(frame, frame.f_lineno, 1)
    elif _running:
        ends = _stand(frame, _CALL, "", None)
    if ends is not None:
        raise ends


def _look(frame, line, hit):
    """Shows this moment, and ends the script. Something may catch what ends it, a bare except or a test runner: so from here on each line
    of the user's is waited for."""
    global _looked_at, _looked_in, _is_over
    _host_at.reached = True
    _looked_at, _looked_in = frame, _thread.get_ident()
    aside = _host_interrupts.set_aside() if _is_main_thread() else None
    try:
        _dlscope.host_stop_here(vars_of_script(), frame, line, hit, _host_events.thread_name())
    finally:
        if aside is not None:
            _host_interrupts.put_back(aside)
    _is_over = True
    _host_events.step(0, [], None, 0, _is_return_awaited)
    _end_main_thread()
    return _end_of_thread()


def _end_again(frame):
    """At a line after the moment: the class of an exception, or None: in another thread, or where the line has to run before the script can
    end, in the handling of an exception, in a finally, or in a __del__."""
    if _thread.get_ident() not in (_looked_in, _host_interrupts.main_thread) or sys.exc_info()[1] is not None:
        return None
    while frame is not None:
        if frame.f_code.co_name == "__del__":
            return None
        frame = frame.f_back
    return _end_of_thread()


def _wait_for_thread():
    """The main thread has ended: a moment, in which the thread that came there comes to a line and ends, too."""
    for _ in range(100):
        if _looked_in == _thread.get_ident() or _looked_in not in sys._current_frames():
            break
        time.sleep(0.01)


def _end_of_thread():
    return Reached if _is_main_thread() else SystemExit


# ---- standing still ----


def _stand(frame, reason, message, point):
    global _stop, _ending, _pausing, _count, _run_to
    if _stop is not None and _stop.thread_id == _thread.get_ident():
        return None  # code that is run at a stop does not stop
    with _one_at_a_time:
        if _ending or not _running:
            return None
        _pausing = False
        _host_events.end_step()
        if _run_to is not None:
            _host_breakpoints.forget(_run_to)
            _run_to = None
            _arm()
        _count += 1
        _stop = _new_stop(frame, point.hits if point is not None else 1)
        _stop.thread_id = _thread.get_ident()
        armed, _host_interrupts.armed = _host_interrupts.armed, False
        aside = None
        try:
            if _is_main_thread():
                aside = _host_interrupts.set_aside()
            _host_breakpoints.tell()
            _dlscope.host_stop_begins(_count, reason, _stop.thread, message, point.number if point is not None else 0,
                                      list(zip(_stop.frames, _stop.headings)))
            try:
                request = serve()
            finally:
                _host_events.hold_others(False)
                _host_frame.forget_additions(_stop)
                _stop = None
                _dlscope.host_stop_ends()
        finally:
            _stop = None
            _dlscope.events_set_standing(False)
            _host_interrupts.armed = armed
            if aside is not None:
                _host_interrupts.put_back(aside)
        how = request["how"]
        if how == END_SCRIPT:
            _ending = True
            _host_events.want(False, False, None)
        elif how != _GO:
            _go_on(frame, how, request)
    if how != END_SCRIPT:
        return None
    _end_main_thread()
    return KeyboardInterrupt if _is_main_thread() else SystemExit


def _new_stop(frame, hits):
    """Of this thread; the others are held first where they are to stand."""
    if not stop_others:
        return _host_stop_stack.Stop(_count, _frames_from(frame), hits, stop_others)
    _dlscope.events_set_standing(True)
    try:
        if not _host_events.hold_others(True):
            _dlscope.host_notice("The other threads run on. " + _who_is_in_the_way())
        return _host_stop_stack.Stop(_count, _frames_from(frame), hits, stop_others)
    except BaseException:
        _host_events.hold_others(False)
        _dlscope.events_set_standing(False)
        raise


def _go_on(frame, how, request):
    global _run_to
    if how == _RUN_TO:
        _run_to = _host_breakpoints.Breakpoint(0, request["path"], request["line"], "", 1, "", True)
        _host_breakpoints.all_points.append(_run_to)
        _arm()
        return
    if how == _STEP_INTO:
        frames = []
    else:
        frames = _frames_from(frame if how == _STEP_OVER else frame.f_back)
        if not frames:
            return
    _host_events.step(_thread.get_ident(), frames, frame, frame.f_lineno, _is_return_awaited)


def _is_return_awaited(code):
    return _host_breakpoints.at_return is not None and _host_breakpoints.at_return.is_of(code)


def _frames_from(frame):
    """The frame and its callers, up to ours, which run the script."""
    frames = []
    while frame is not None and len(frames) < _MAX_FRAMES and not _host_interrupts.is_ours(frame):
        frames.append(frame)
        frame = frame.f_back
    return frames


def _is_main_thread():
    return _thread.get_ident() == _host_interrupts.main_thread


def _end_main_thread():
    """Where it waits for the thread that was stopped, it is to end as well."""
    if not _is_main_thread():
        _signal.pthread_kill(_host_interrupts.main_thread, _signal.SIGINT)


# ---- for those who work at a stop ----


def current():
    """The stop that is on, or None."""
    return _stop


def new_number():
    """Of a stack that is kept after the run: numbered like a stop."""
    global _count
    _count += 1
    return _count


def ended_from_stop():
    """Whether the viewer ended the run that was the last at one of its stops."""
    return _ending


def vars_of_script():
    from dlscope import _host_run  # which imports this module

    return _host_run.namespace()
