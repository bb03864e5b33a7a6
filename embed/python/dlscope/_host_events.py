"""Selects the events with which Python calls embed/host/line_events.h: those that breakpoints and steps need, and no others.

From 3.12 on (sys.monitoring): the start of every code object once, which disables itself; each exception that is thrown into a
generator, which cannot be disabled; the lines of the code objects that hold a breakpoint; during a step the lines of the frames where
it may end, or of all code for a step into. Before: one trace function in C, on in the frames of those code objects only.
"""

import _thread
import sys
import time  # built in

from dlscope import _dlscope, _host_interrupts, _host_lines, _host_private, _host_superinstructions

__builtins__ = _host_private.private_builtins()
_host_interrupts.register_host_module(globals())

_monitoring = getattr(sys, "monitoring", None)
has_start_events = _monitoring is not None  # whether the start of a code object is an event (3.12 on)
_SUSPEND_WAIT = 0.02  # seconds that suspended threads get to reach an event
_NO_THREAD, _THIS_THREAD, _ALL_THREADS = range(3)  # of those that already run: which start to trace
_TOOLS = (4, 3, 1, 2, 5, 0)  # tool numbers of sys.monitoring, those without a predefined meaning first

_tool = None  # our tool number while events are wanted
_code_with_events = []  # code objects for which local events are set
_base_events = 0  # events of all code that are needed without a step
_lines_wanted = False  # there are breakpoints
_exceptions_wanted = False
_has_step = False
_step_code = []  # code objects of the frames where the step may end; empty: in any
_others_suspended = False  # the other threads wait at their next event


def foreign_trace_function():
    """Before 3.12: the trace function that another tool has set, which ours must not replace; None: there is none."""
    if _monitoring is not None:
        return None
    function = sys.gettrace()
    if _thread.get_ident() != _host_interrupts.main_thread:  # its trace function can only be seen in its frames
        frame = sys._current_frames().get(_host_interrupts.main_thread)
        while frame is not None and function is None:
            function, frame = frame.f_trace, frame.f_back
    return None if function is _dlscope.events_trace_this_thread else function


def select_events(points, raises, running):
    """Which events are needed from now on. points: the lines of the code objects that resolve() names. running: a function that is
    called with every code object that runs now. False: another tool occupies what is needed."""
    global _lines_wanted, _exceptions_wanted, _base_events
    _lines_wanted, _exceptions_wanted = points, raises
    _dlscope.events_forget_code()
    if _monitoring is None:
        return _update_tracing()
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
    stepped = {id(code) for code in _step_code}  # these keep their events: the step needs them
    for code in _code_with_events:
        if id(code) not in stepped:
            _monitoring.set_local_events(_tool, code, 0)
    _code_with_events[:] = [code for code in _code_with_events if id(code) in stepped]
    _set_events()
    _monitoring.restart_events()
    if points:
        for frame in list(sys._current_frames().values()):
            while frame is not None:
                running(frame.f_code)
                frame = frame.f_back
    return True


def _set_events():
    """From 3.12 on: sets the events of all code that are needed now."""
    events = _monitoring.events
    everywhere = _others_suspended or _has_step and not _step_code
    _monitoring.set_events(_tool, _base_events | (events.LINE | events.PY_START if everywhere else 0))


def is_evaluation_displaced():
    """Before 3.12: whether another tool has replaced Python's frame evaluation function, so that calls are no longer seen."""
    return _monitoring is None and not _dlscope.events_sees_calls(_empty_function)


def _empty_function():
    pass


def enable_local_events(code, returns, loops=False):
    """Enables the events of a code object with a breakpoint. returns: its return is awaited; loops: a loop stands on such a line."""
    if _tool is not None:
        events = _monitoring.events
        wanted = events.LINE | (events.PY_RETURN if returns else 0) | (events.JUMP if loops else 0)
        _monitoring.set_local_events(_tool, code, _monitoring.get_local_events(_tool, code) | wanted)
        _code_with_events.append(code)


def begin_step(thread, frames, start, line, returns, loops=()):
    """A step: up to the next line in one of the frames; none given: in any frame. returns: tells of a code object whether its return is
    awaited. loops: [(code object, offset)] of those on the lines where the frames stand, whose next iteration is such a line, too. False:
    another tool occupies what is needed."""
    global _has_step
    if _monitoring is None:
        _dlscope.events_set_step(thread, frames, start, line, list(loops))
        _has_step = True
        return _update_tracing()
    if not _has_tool():
        return False
    _dlscope.events_set_step(thread, frames, start, line, list(loops))
    _has_step = True
    _step_code[:] = [frame.f_code for frame in frames]
    for code in _step_code:
        enable_local_events(code, returns(code))
    for code, _ in loops:
        enable_local_events(code, returns(code), True)
    _set_events()
    _monitoring.restart_events()
    return True


def running_loops():
    """From 3.12 on: [(code object, offset)] of the loops on the lines where the threads are now: code in one of them comes to no other line."""
    found = []
    for frame in list(sys._current_frames().values()) if _monitoring is not None else ():
        while frame is not None:
            found += _host_lines.loops_at(frame)
            frame = frame.f_back
    return found


def end_step():
    global _has_step
    if not _has_step:
        return
    _has_step = False
    del _step_code[:]
    _dlscope.events_clear_step()
    if _monitoring is None:
        _update_tracing()
    elif _tool is not None:
        _set_events()


def suspend_other_threads(hold):
    """At a stop: makes the other threads wait at their next line of Python code, or lets them continue. False: another tool occupies what
    is needed."""
    global _others_suspended
    if hold == _others_suspended:
        return True
    if hold and (_monitoring is not None and not _has_tool() or foreign_trace_function() is not None):
        return False
    _others_suspended = hold
    _dlscope.events_suspend_other_threads(hold)
    if _monitoring is None:
        _update_tracing()
    else:
        _set_events()
        if hold:
            for code, _ in running_loops():
                enable_local_events(code, False, True)
            _monitoring.restart_events()
    if hold:
        time.sleep(_SUSPEND_WAIT)
    return True


def end_events():
    """Removes all events and trace functions, and frees the tool number."""
    global _tool, _lines_wanted, _exceptions_wanted, _has_step, _base_events
    suspend_other_threads(False)
    _lines_wanted = _exceptions_wanted = _has_step = False
    del _step_code[:]
    _base_events = 0
    _dlscope.events_end()
    if _monitoring is None:
        threading = sys.modules.get("threading")
        if getattr(threading, "_trace_hook", None) is _dlscope.events_trace_this_thread:
            threading.settrace(None)
        if sys.gettrace() is _dlscope.events_trace_this_thread:
            sys.settrace(None)
    elif _tool is not None:
        tool, _tool = _tool, None
        try:
            _monitoring.set_events(tool, 0)  # before 3.14 free_tool_id does not do this
            for code in _code_with_events:
                _monitoring.set_local_events(tool, code, 0)
            for event in _callbacks():
                _monitoring.register_callback(tool, event, None)
            _monitoring.free_tool_id(tool)
        except ValueError:  # somebody else freed it
            pass
    del _code_with_events[:]


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


def _update_tracing():
    """Before 3.12: sets or removes the trace function: in all code for a step, otherwise only in code with breakpoints."""
    if not (_lines_wanted or _exceptions_wanted or _has_step or _others_suspended):
        _dlscope.events_stop_tracing()
        return True
    tracer = _dlscope.events_trace_this_thread
    if foreign_trace_function() is not None:  # once the other tool has ended, breakpoints are reached again
        _dlscope.events_start_tracing(tracer, True, _NO_THREAD, _exceptions_wanted, False)
        return False
    if not (_has_step or _others_suspended):
        hook = getattr(sys.modules.get("threading"), "_trace_hook", None)
        _dlscope.events_start_tracing(tracer, True, _ALL_THREADS if hook in (None, tracer) else _THIS_THREAD, _exceptions_wanted, _has_no_user_frame())
        return True
    threading = standard_threading()
    hook = getattr(threading, "_trace_hook", None)
    if hook is None and hasattr(threading, "settrace"):
        threading.settrace(tracer)
    _dlscope.events_start_tracing(tracer, False, _ALL_THREADS if hook in (None, tracer) else _THIS_THREAD, _exceptions_wanted, False)
    return True


def _has_no_user_frame():
    """Whether no frame of the user's code runs."""
    for frame in sys._current_frames().values():
        while frame is not None:
            if not _host_interrupts.is_ours(frame):
                return False
            frame = frame.f_back
    return True


def standard_threading():
    """The module `threading` of the standard library, even if a file of that name lies beside the script. Where another thread is
    importing it, the import waits for that; only inside this thread's own import of it the module is not complete yet. None: the script
    has not imported it, and this is not Python's main thread: before 3.13 the thread that imports it first is the main thread for it,
    and the script's asyncio, signals and own checks go by that."""
    if "threading" in sys.modules:
        import threading
        return threading
    if not _host_interrupts.is_main_thread():
        return None
    path = sys.path[:]
    sys.path[:] = path[1:]
    try:
        import threading
        return threading
    finally:
        sys.path[:] = path


def thread_name():
    thread = getattr(sys.modules.get("threading"), "_active", {}).get(_thread.get_ident())
    name = getattr(thread, "_name", None)
    if type(name) is str:
        return name
    return "MainThread" if _host_interrupts.is_main_thread() else "a thread that Python did not start"
