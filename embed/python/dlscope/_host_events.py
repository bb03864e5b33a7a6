"""Has Python call embed/host/line_events.h before the lines that matter, and before no others.

From 3.12 on (sys.monitoring): the start of every code object once, which disables itself; each exception that is thrown into a
generator, which cannot be disabled; the lines of the code objects that hold a breakpoint; during a step the lines of the frames where
it may end, or of all code for a step into. Before: one trace function in C, on in the frames of those code objects only.
"""

import _thread
import sys
import time  # built in

from dlscope import _dlscope, _host_interrupts, _host_private, _host_superinstructions

__builtins__ = _host_private.private_builtins()
_host_interrupts.own(globals())

_monitoring = getattr(sys, "monitoring", None)
has_starts = _monitoring is not None  # events of their own for the start of a code object
_ARRIVE = 0.02  # seconds for the other threads to come to a line
_NO_THREAD, _THIS_THREAD, _ALL_THREADS = range(3)  # that runs already
_TOOLS = (4, 3, 1, 2, 5, 0)  # the numbers without a meaning of their own first

_tool = None       # ours while events are wanted
_watched = []      # code objects with events of their own
_base_events = 0   # without a step
_points = False    # are there breakpoints
_raises = False
_steps = False
_stepped = []   # code objects of the frames where the step may end; empty: in any
_holds = False  # other threads are to stand where they come to an event


def who_has_trace():
    """Before 3.12: the trace function of another tool, which ours must not replace; None where there is none."""
    if _monitoring is not None:
        return None
    function = sys.gettrace()
    if _thread.get_ident() != _host_interrupts.main_thread:  # what is set there shows in its frames
        frame = sys._current_frames().get(_host_interrupts.main_thread)
        while frame is not None and function is None:
            function, frame = frame.f_trace, frame.f_back
    return None if function is _dlscope.events_adopt_thread else function


def want(points, raises, running):
    """Which events are needed from now on. points: the lines of the code objects that resolve() names. running: a function that is
    called with every code object that runs now. False: another tool has what is needed."""
    global _points, _raises, _base_events
    _points, _raises = points, raises
    _dlscope.events_forget_code()
    if _monitoring is None:
        return _trace_if_needed()
    if not (points or raises or _tool is not None):
        return True
    if not _has_tool():
        return False
    events = _monitoring.events
    _base_events = 0
    if points:
        _base_events |= events.PY_START | events.PY_RESUME | events.PY_THROW
    if raises:
        _base_events |= events.RAISE
    stepped = {id(code) for code in _stepped}  # whose lines the step still waits for
    for code in _watched:
        if id(code) not in stepped:
            _monitoring.set_local_events(_tool, code, 0)
    _watched[:] = [code for code in _watched if id(code) in stepped]
    _set_events()
    _monitoring.restart_events()
    if points:
        for frame in list(sys._current_frames().values()):
            while frame is not None:
                running(frame.f_code)
                frame = frame.f_back
    return True


def _set_events():
    """Those of all code, from 3.12 on, for what is wanted now."""
    events = _monitoring.events
    everywhere = _holds or _steps and not _stepped
    _monitoring.set_events(_tool, _base_events | (events.LINE | events.PY_START if everywhere else 0))


def is_displaced():
    """Before 3.12: another tool evaluates Python's frames itself, and no call is seen any more."""
    return _monitoring is None and not _dlscope.events_sees_calls(_nothing)


def _nothing():
    pass


def watch(code, returns, loops=False):
    """The code object holds a line that is waited for, or its return is. loops: such a line holds a loop."""
    if _tool is not None:
        events = _monitoring.events
        wanted = events.LINE | (events.PY_RETURN if returns else 0) | (events.JUMP if loops else 0)
        _monitoring.set_local_events(_tool, code, _monitoring.get_local_events(_tool, code) | wanted)
        _watched.append(code)


def step(thread, frames, start, line, returns):
    """Up to the next line in one of the frames; in any where there are none. returns: says of a code object whether its return is waited
    for. False: another tool has what is needed."""
    global _steps
    if _monitoring is None:
        _dlscope.events_set_step(thread, frames, start, line)
        _steps = True
        return _trace_if_needed()
    if not _has_tool():
        return False
    _dlscope.events_set_step(thread, frames, start, line)
    _steps = True
    _stepped[:] = [frame.f_code for frame in frames]
    for code in _stepped:
        watch(code, returns(code))
    _set_events()
    _monitoring.restart_events()
    return True


def end_step():
    global _steps
    if not _steps:
        return
    _steps = False
    del _stepped[:]
    _dlscope.events_clear_step()
    if _monitoring is None:
        _trace_if_needed()
    elif _tool is not None:
        _set_events()


def hold_others(hold):
    """While a thread stands: the others stand, too, at their next line of Python code. False: another tool has what is needed."""
    global _holds
    if hold == _holds:
        return True
    if hold and (_monitoring is not None and not _has_tool() or who_has_trace() is not None):
        return False
    _holds = hold
    _dlscope.events_hold_others(hold)
    if _monitoring is None:
        _trace_if_needed()
    else:
        _set_events()
        if hold:
            _monitoring.restart_events()
    if hold:
        time.sleep(_ARRIVE)
    return True


def finish():
    """Everything is given back."""
    global _tool, _points, _raises, _steps, _base_events
    hold_others(False)
    _points = _raises = _steps = False
    del _stepped[:]
    _base_events = 0
    _dlscope.events_end()
    if _monitoring is None:
        threading = sys.modules.get("threading")
        if getattr(threading, "_trace_hook", None) is _dlscope.events_adopt_thread:
            threading.settrace(None)
        if sys.gettrace() is _dlscope.events_adopt_thread:
            sys.settrace(None)
    elif _tool is not None:
        tool, _tool = _tool, None
        try:
            _monitoring.set_events(tool, 0)  # not free_tool_id's work before 3.14
            for code in _watched:
                _monitoring.set_local_events(tool, code, 0)
            for event in _callbacks():
                _monitoring.register_callback(tool, event, None)
            _monitoring.free_tool_id(tool)
        except ValueError:  # somebody else freed it
            pass
    del _watched[:]


def _callbacks():
    events = _monitoring.events
    return {events.PY_START: _dlscope.events_on_start, events.PY_RESUME: _dlscope.events_on_start,
            events.PY_THROW: _dlscope.events_on_throw, events.LINE: _dlscope.events_on_line, events.RAISE: _dlscope.events_on_raise,
            events.PY_RETURN: _dlscope.events_on_return, events.JUMP: _dlscope.events_on_jump}


def _has_tool():
    global _tool
    if _tool is not None and _monitoring.get_tool(_tool) == "dlscope":
        return True
    for tool in _TOOLS:
        try:
            _monitoring.use_tool_id(tool, "dlscope")
        except ValueError:
            continue
        _tool = tool
        _host_superinstructions.begin(_monitoring, tool)
        for event, callback in _callbacks().items():
            _monitoring.register_callback(tool, event, callback)
        return True
    return False


def _trace_if_needed():
    """Before 3.12: a step needs the trace function in all code; else it is on in the code objects concerned only."""
    if not (_points or _raises or _steps or _holds):
        _dlscope.events_stop_tracing()
        return True
    tracer = _dlscope.events_adopt_thread
    if who_has_trace() is not None:  # once the other tool has ended, breakpoints are reached again
        _dlscope.events_start_tracing(tracer, True, _NO_THREAD, _raises, False)
        return False
    if not (_steps or _holds):
        hook = getattr(sys.modules.get("threading"), "_trace_hook", None)
        _dlscope.events_start_tracing(tracer, True, _ALL_THREADS if hook in (None, tracer) else _THIS_THREAD, _raises, _is_all_ours())
        return True
    threading = _threading()
    hook = getattr(threading, "_trace_hook", None)
    if hook is None and hasattr(threading, "settrace"):
        threading.settrace(tracer)
    _dlscope.events_start_tracing(tracer, False, _ALL_THREADS if hook in (None, tracer) else _THIS_THREAD, _raises, False)
    return True


def _is_all_ours():
    """Whether nothing of the user's has begun."""
    for frame in sys._current_frames().values():
        while frame is not None:
            if not _host_interrupts.is_ours(frame):
                return False
            frame = frame.f_back
    return True


def _threading():
    """Python's own, also where a file of that name lies beside the script. Where another thread imports it right now, the import waits
    for that; only inside this thread's own import of it the module is not complete yet."""
    if "threading" in sys.modules:
        import threading
        return threading
    path = sys.path[:]
    sys.path[:] = path[1:]
    try:
        import threading
        return threading
    finally:
        sys.path[:] = path


def thread_name():
    threading = sys.modules.get("threading")
    if threading is None:
        return "MainThread"
    thread = threading._active.get(_thread.get_ident())
    name = getattr(thread, "_name", None)
    return name if type(name) is str else "a thread that Python did not start"
