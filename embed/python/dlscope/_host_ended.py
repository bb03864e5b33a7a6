"""The stack of the exception that ended the script: kept after the run, so that its frames can be looked at as at a stop.

What its frames hold stays in memory until the next run, or until the viewer lets go of it.
"""

import gc

from dlscope import _dlscope, _host_errors, _host_frame, _host_interrupts, _host_private, _host_stops

__builtins__ = _host_private.private_builtins()
_host_interrupts.own(globals())

_MAX_EXCEPTIONS = 20   # of a chain
_MAX_INNER, _MAX_OUTER = 150, 20  # frames of one exception that are shown
_OPTIMISED = 1  # CO_OPTIMIZED: a function

_ended = None


class _Ended:
    """A stack like that of a stop. places: tracebacks, each one frame: of the exception innermost first, then of those it came from."""

    def __init__(self, error, trace):
        self.number = 0  # of the stop that the viewer knows; 0: not told
        self.additions = {}  # frame -> _host_frame.Additions
        self.message = _host_frame.error_text(error)
        self.places, self.headings = [], []
        self.all_places = []  # those too that are not shown
        for heading, its_trace in _chain(error, trace):
            places = _places(its_trace)
            self.all_places += places
            outer = max(_MAX_INNER, len(places) - _MAX_OUTER)
            for index, place in enumerate(places):
                if index == outer > _MAX_INNER:
                    heading = "%d frames between, not shown" % (outer - _MAX_INNER)
                if index < _MAX_INNER or index >= outer:
                    self.places.append(place)
                    self.headings.append(heading)
                    heading = ""

    def frame(self, number):
        return self.places[number].tb_frame if 0 <= number < len(self.places) else None

    def runs_on(self, number):
        return ""  # none of these frames runs any more

    def has_function(self):
        return any(place.tb_frame.f_code.co_flags & _OPTIMISED for place in self.all_places)

    def frames_once(self):
        """The places without those whose frame was met before: an exception and the one it came from share the frame that caught it."""
        seen, out = set(), []
        for place in self.all_places:
            if id(place.tb_frame) not in seen:
                seen.add(id(place.tb_frame))
                out.append(place)
        return out


def _chain(error, trace):
    """(how it led to the one before, traceback) of each exception, from the exception that ended the script back to the first."""
    heading, seen = "", set()
    while error is not None and id(error) not in seen and len(seen) < _MAX_EXCEPTIONS:
        seen.add(id(error))
        yield heading, trace
        cause = BaseException.__dict__["__cause__"].__get__(error)
        context = BaseException.__dict__["__context__"].__get__(error)
        if cause is not None:
            error, how = cause, "Caused by"
        elif not BaseException.__dict__["__suppress_context__"].__get__(error):
            error, how = context, "Raised while this was handled:"
        else:
            return
        if error is not None:
            heading = "%s %s" % (how, _host_frame.error_text(error))
            trace = _host_errors.without_our_frames(BaseException.__dict__["__traceback__"].__get__(error))


def _places(trace):
    places = []
    while trace is not None:
        if not _host_interrupts.is_ours(trace.tb_frame):
            places.append(trace)
        trace = trace.tb_next
    places.reverse()
    return places


def keep(error, trace):
    """The script has ended with this."""
    global _ended
    release()
    _ended = _Ended(error, trace)


def release():
    global _ended
    if _ended is not None:
        _host_frame.forget_additions(_ended)
    _ended = None


def free():
    """The viewer has no more use for it. An exception and the frames it went through like to hold each other."""
    release()
    gc.collect()


def tell(interactive, interrupted):
    """The viewer that serves stops hears of a stack that it does not know yet."""
    if _ended is None or _ended.number or not _ended.places or not interactive:
        return
    _ended.number = _host_stops.new_number()
    entries = [(place.tb_frame, place.tb_lineno or 0, heading) for place, heading in zip(_ended.places, _ended.headings)]
    _dlscope.host_tell_ended(_ended.number, "" if interrupted else _ended.message, entries)


def current():
    """What is kept, or None."""
    return _ended


def frames():
    """For embed/scan/scan_place.h: a list of tracebacks, or None."""
    return None if _ended is None else _ended.frames_once()
