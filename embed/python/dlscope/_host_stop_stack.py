"""The frames that can be chosen at a stop: of the thread that stands, of the other threads, of the asyncio tasks that wait."""

import _thread

from dlscope import _host_events, _host_interrupts, _host_other_stacks, _host_private

__builtins__ = _host_private.private_builtins()
_host_interrupts.register_host_module(globals())


class Stop:
    """The stack of a stop.

    places: of the thread that stands, innermost first, then of each other thread and waiting task; headings: of each place, above the
    first one of each of the others."""

    def __init__(self, number, frames, hits, stop_others, trace=None):
        """trace: the _host_ended.Trace of the exception that ends the thread; its places are then those of the thread that stands."""
        own = [_host_other_stacks.Place(frame) for frame in frames] if trace is None else trace.places
        others = _host_other_stacks.stacks([place.tb_frame for place in own[:_host_other_stacks.MAX_OWN]], stop_others)
        own = own[:_host_other_stacks.MAX_OWN] if others else own
        self.number, self.places, self.hits, self.is_trace = number, list(own), hits, trace is not None
        self.headings = [""] * len(own) if trace is None else trace.headings[:len(own)]
        self.thread = _host_events.thread_name()
        self.thread_id = _thread.get_ident()
        # first place of another thread or task, or of another exception -> whose it is, and whether that may run on
        self.stacks = {index: (self.thread, False) for index, heading in enumerate(self.headings) if heading}
        for name, heading, their_frames, runs_on in others:
            self.stacks[len(self.places)] = name, runs_on
            self.places += [_host_other_stacks.Place(frame) for frame in their_frames]
            self.headings += [heading] + [""] * (len(their_frames) - 1)
        self.additions = {}  # frame -> _host_frame.Additions
        self.looked_from = 0  # the first place of the stack whose names the table shows

    def entries(self):
        """(frame, line, heading) of each place, for the viewer."""
        return [(place.tb_frame, place.tb_lineno or 0, heading) for place, heading in zip(self.places, self.headings)]

    def frame(self, number):
        return self.places[number].tb_frame if 0 <= number < len(self.places) else None

    def look_from(self, number):
        """The table is to show the names of the stack that this frame belongs to."""
        first = self._first_of_stack(number)
        changed = self.looked_from != first
        self.looked_from = first
        return changed

    def runs_on(self, number):
        """The name of the thread or task that this frame belongs to, where that may run on while this thread stands; else ""."""
        name, may_run_on = self.stacks.get(self._first_of_stack(number), ("", False))
        return name if may_run_on else ""

    def own_frames(self):
        """For host_scan: the frame that stands, whose callers follow by themselves, or the places of the exception."""
        return self._stack_from(0) if self.is_trace else self.places[0].tb_frame

    def scanned(self):
        """For host_scan: the frame that stands, or the places of a task or an exception; where it is; the thread."""
        first = self.looked_from
        line = self.places[first].tb_lineno or 0
        if first == 0:
            return self.own_frames(), line, self.thread
        return self._stack_from(first), line, self.stacks[first][0]

    def _first_of_stack(self, number):
        while number > 0 and not self.headings[number]:
            number -= 1
        return number

    def _stack_from(self, first):
        end = first + 1
        while end < len(self.places) and not self.headings[end]:
            end += 1
        return each_frame_once(self.places[first:end])


def each_frame_once(places):
    """Without those whose frame was met before: an exception and the one it came from share the frame that caught it, and one that a
    function has caught and raised again has passed its frame twice."""
    seen, out = set(), []
    for place in places:
        if id(place.tb_frame) not in seen:
            seen.add(id(place.tb_frame))
            out.append(place)
    return out
