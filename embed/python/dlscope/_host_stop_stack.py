"""The frames that can be chosen at a stop: of the thread that stands, of the other threads, of the asyncio tasks that wait."""

import _thread

from dlscope import _host_events, _host_interrupts, _host_other_stacks, _host_private

__builtins__ = _host_private.private_builtins()
_host_interrupts.register_host_module(globals())


class Stop:
    """The stack of a stop.

    frames: of the thread that stands, innermost first, then of each other thread and waiting task; headings: of each frame, above the
    first one of each of the others."""

    def __init__(self, number, frames, hits, stop_others):
        others = _host_other_stacks.stacks(frames[:_host_other_stacks.MAX_OWN], stop_others)
        own = frames[:_host_other_stacks.MAX_OWN] if others else frames
        self.number, self.frames, self.hits = number, own, hits
        self.headings = [""] * len(own)
        self.stacks = {}  # first frame of another thread or task -> whose it is, and whether that may run on
        for name, heading, their_frames, runs_on in others:
            self.stacks[len(self.frames)] = name, runs_on
            self.frames = self.frames + their_frames
            self.headings += [heading] + [""] * (len(their_frames) - 1)
        self.thread = _host_events.thread_name()
        self.thread_id = _thread.get_ident()
        self.additions = {}  # frame -> _host_frame.Additions
        self.looked_from = 0  # the first frame of the stack whose names the table shows

    def frame(self, number):
        return self.frames[number] if 0 <= number < len(self.frames) else None

    def look_from(self, number):
        """The table is to show the names of the stack that this frame belongs to."""
        while number > 0 and not self.headings[number]:
            number -= 1
        changed = self.looked_from != number
        self.looked_from = number
        return changed

    def runs_on(self, number):
        """The name of the thread or task that this frame belongs to, where that may run on while this thread stands; else ""."""
        while number > 0 and not self.headings[number]:
            number -= 1
        name, may_run_on = self.stacks.get(number, ("", False))
        return name if may_run_on else ""

    def scanned(self):
        """For host_scan: the frame whose callers follow by themselves, or the places of a task; where it is; the thread."""
        first = self.looked_from
        if first == 0:
            return self.frames[0], self.frames[0].f_lineno, self.thread
        end = first + 1
        while end < len(self.frames) and not self.headings[end]:
            end += 1
        places = [_host_other_stacks.Place(frame) for frame in self.frames[first:end]]
        return places, self.frames[first].f_lineno, self.stacks[first][0]
