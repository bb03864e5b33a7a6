"""How a script goes on from a stop: step over, into, out, or run to a line."""

import _thread

from dlscope import _host_breakpoints, _host_events, _host_interrupts, _host_lines, _host_private, _host_wanted_events

__builtins__ = _host_private.private_builtins()
_host_interrupts.register_host_module(globals())

CONTINUE, _OVER, _INTO, _OUT, RUN_TO, END_SCRIPT = range(6)  # core/wire/debugging.h: ResumeKind
_MAX_FRAMES = 200

run_to = None  # the breakpoint of "run to the cursor"


def begin(frame, request):
    """Before the script goes on from a stop in the frame. request["how"]: neither CONTINUE nor END_SCRIPT."""
    global run_to
    how = request["how"]
    if how == RUN_TO:
        run_to = _host_breakpoints.Breakpoint(0, request["path"], request["line"], "", 1, "", True)
        _host_breakpoints.all_points.append(run_to)
        _host_wanted_events.update()
        return
    if how == _INTO:
        frames = []
    else:
        frames = frames_from(frame if how == _OVER else frame.f_back)
        if not frames:
            return
    loops = [loop for each in frames_from(frame) for loop in _host_lines.loops_at(each)]
    _host_events.begin_step(_thread.get_ident(), frames, frame, frame.f_lineno, _host_wanted_events.is_return_awaited, loops)


def end():
    """At the next stop, whatever has caused it."""
    _host_events.end_step()
    if forget_run_to():
        _host_wanted_events.update()


def forget_run_to():
    """Whether there was one."""
    global run_to
    point, run_to = run_to, None
    _host_breakpoints.forget(point)
    return point is not None


def frames_from(frame):
    """The frame and its callers, innermost first, without the host's frames that run the script."""
    frames = []
    while frame is not None and len(frames) < _MAX_FRAMES and not _host_interrupts.is_ours(frame):
        frames.append(frame)
        frame = frame.f_back
    return frames
