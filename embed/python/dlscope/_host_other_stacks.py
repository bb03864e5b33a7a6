"""What else the program is doing at a stop: the frames of its other threads, and where each asyncio task waits.

Nothing of the user's runs by looking. The frames of a thread that runs on are those it was in when the stop began.
"""

import _thread
import sys

from dlscope import _host_interrupts, _host_private

__builtins__ = _host_private.private_builtins()
_host_interrupts.register_host_module(globals())

MAX_OWN = 160      # frames of the thread that stands, where there are others to show
_MAX_FRAMES = 200  # in all: core/wire/debugging.h, kMaxStackFrames
_MAX_EACH = 24     # of one thread or task, innermost first
_MAX_TASKS = 10000  # looked at
_LONGEST_NAME = 100
_AWAITED = ("cr_await", "gi_yieldfrom", "ag_await")
_FRAME = ("cr_frame", "gi_frame", "ag_frame")
_SLOTS = ("getset_descriptor", "member_descriptor")  # of the interpreter's own objects: reading one runs no code of the user's


class Place:
    """A frame as embed/scan/scan_place.h takes them from tracebacks."""

    def __init__(self, frame):
        self.tb_frame, self.tb_lineno = frame, frame.f_lineno


def stacks(own_frames, stand):
    """[(name, heading, frames innermost first, may run on)]. own_frames: of the thread that calls this. stand: the other threads stand,
    too, as far as they run Python: one that is in C code may still leave it, up to its next line. May run on: its frames may be left, or
    change, while this thread stands."""
    found = []
    names = _thread_names()
    others = sys._current_frames()
    # A frame in a variable of its own lives until a garbage collection, and with it all that its callers hold.
    del others[_thread.get_ident()]
    for ident, frame in sorted(others.items()):
        frames = _frames_of(frame)
        if frames:
            name = "Thread " + _short(names.get(ident) or "%d, which Python did not start" % ident)
            found.append((name, name + (" was here, and stands at its next line" if stand else " was here, and runs on"), frames, True))
    in_threads = {id(frame) for _, _, frames, _ in found for frame in frames} | {id(frame) for frame in own_frames}
    alone = len(found) == 0
    for name, frames, awaited, is_here in _waiting_tasks():
        if not any(id(frame) in in_threads for frame in frames):
            name = "Task " + _short(name)
            found.append((name, name + " waits here" + (" for " + awaited if awaited else ""), frames, not (is_here or alone)))
    room = _MAX_FRAMES - len(own_frames)
    out = []
    for name, heading, frames, runs in found:
        if room < 1:
            break
        more = len(frames) - _MAX_EACH
        frames = frames[:min(_MAX_EACH, room)]
        out.append((name, heading if more <= 0 else "%s (%d outer frames are not shown)" % (heading, more), frames, runs))
        room -= len(frames)
    if len(out) < len(found) and out:
        name, heading, frames, runs = out[-1]
        out[-1] = (name, "%s (%d more threads and tasks are not shown)" % (heading, len(found) - len(out)), frames, runs)
    return out


def _frames_of(frame):
    """Up to ours, which run the script; none where only ours are there."""
    frames = []
    while frame is not None and not _host_interrupts.is_ours(frame):
        frames.append(frame)
        frame = frame.f_back
    return frames


def _thread_names():
    threading = sys.modules.get("threading")
    names = {}
    for ident, thread in list(getattr(threading, "_active", {}).items()):
        name = getattr(thread, "_name", None)  # no property: a class of the user's may have one of that name
        if type(name) is str:
            names[ident] = name
    names.setdefault(_host_interrupts.main_thread, "MainThread")
    return names


def _waiting_tasks():
    """(name, frames innermost first, what it waits for, whether its loop is the one that runs in this thread) of asyncio's tasks that are
    suspended."""
    tasks, events = sys.modules.get("asyncio.tasks"), sys.modules.get("_asyncio") or sys.modules.get("asyncio.events")
    if tasks is None or events is None:
        return
    loop_here = events._get_running_loop()
    for task in _all_tasks(tasks):
        try:
            if tasks.Task.done(task):
                continue
            name, coroutine = tasks.Task.get_name(task), tasks.Task.get_coro(task)
            is_here = loop_here is not None and tasks.Task.get_loop(task) is loop_here
        except (TypeError, AttributeError):  # another library's kind of task
            continue
        frames, awaited = _suspended(coroutine)
        if frames:
            yield name if type(name) is str else "?", frames, awaited, is_here


def _all_tasks(tasks):
    found = []
    for name in ("_scheduled_tasks", "_all_tasks", "_eager_tasks"):  # weak sets; the first since 3.12, the second before
        try:
            found += list(getattr(tasks, name, ()))[:_MAX_TASKS]
        except RuntimeError:  # another thread has changed it meanwhile
            pass
    once = {id(task): task for task in found}
    return sorted(once.values(), key=id)


def _suspended(coroutine):
    """The frames of a chain of coroutines that wait for one another, innermost first, and the type of what the last one waits for."""
    frames = []
    while coroutine is not None and len(frames) < 1000:
        kind = next((i for i, name in enumerate(_FRAME) if type(vars(type(coroutine)).get(name)).__name__ in _SLOTS), None)
        if kind is None:
            break
        frame = getattr(coroutine, _FRAME[kind])
        if frame is None:
            break
        frames.append(frame)
        coroutine = getattr(coroutine, _AWAITED[kind])
    frames.reverse()
    awaited = "" if coroutine is None else type(coroutine).__qualname__
    return frames, "" if awaited in ("FutureIter", "generator") else awaited


def _short(name):
    name = "".join(c if c.isprintable() else "?" for c in name[:_LONGEST_NAME])
    return name if name.isidentifier() else '"%s"' % name
