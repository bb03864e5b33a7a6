"""The stack of the exception that ended the script, or one of its threads: kept after the run, so that its frames can be looked at as at
a stop.

What its frames hold stays in memory until a script runs from its beginning, or until the viewer lets go of it.
"""

import builtins
import gc

from dlscope import _dlscope, _host_errors, _host_frame, _host_interrupts, _host_private, _host_stop_stack, _host_stops

__builtins__ = _host_private.private_builtins()
_host_interrupts.register_host_module(globals())

_MAX_EXCEPTIONS = 20   # of a chain
_MAX_INNER, _MAX_OUTER = 150, 20  # frames of one exception that are shown
_ExceptionGroup = getattr(builtins, "BaseExceptionGroup", None)  # from 3.11 on

_ended = None
_in_thread = None  # (name, exception in words, exception or None): of the thread that ended with one last, in the run that is on
_failed_threads = 0


class Trace:
    """The frames of an exception. places: tracebacks, each one frame: of the exception innermost first, then of those in it or before it;
    headings: above each of them."""

    def __init__(self, error, trace, heading="", words=_host_frame.error_text):
        """words: of an exception."""
        self.message = words(error)
        self.places, self.headings = [], []
        self.all_places = []  # those too that are not shown
        self.add(heading, error, trace, words)

    def add(self, heading, error, trace, words=_host_frame.error_text):
        for heading, its_trace in _chain(heading, error, trace, words):
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


class _Ended(Trace):
    """A stack like that of a stop."""

    def __init__(self, error, trace, thread=""):
        Trace.__init__(self, error, trace, "In thread " + thread if thread else "")
        self.number = 0  # of the stop that the viewer knows; 0: not told
        self.thread = thread  # "": it ended the script
        self.additions = {}  # frame -> _host_frame.Additions

    def frame(self, number):
        return self.places[number].tb_frame if 0 <= number < len(self.places) else None

    def runs_on(self, number):
        return ""  # none of these frames runs any more

    def has_function(self):
        return any(_host_frame.is_function(place.tb_frame.f_code) for place in self.all_places)


def _chain(heading, error, trace, words):
    """(what it is to the one before, traceback) of each exception: of the one that ended the script, of those in it where it is a group,
    and back to the first."""
    yield heading, trace
    seen = {id(error)}
    waiting = _causes_of(error)
    while waiting and len(seen) < _MAX_EXCEPTIONS:
        what, error = waiting.pop(0)
        if id(error) in seen:
            continue
        seen.add(id(error))
        yield "%s %s" % (what, words(error)), _host_errors.without_our_frames(_stored(BaseException, "__traceback__", error))
        waiting[:0] = _causes_of(error)


def _causes_of(error):
    """(what it is to this exception, exception) of those in this group, and of its cause."""
    found = []
    if _ExceptionGroup is not None and issubclass(type(error), _ExceptionGroup):
        parts = _stored(_ExceptionGroup, "exceptions", error)
        found += [("One of %d:" % len(parts), part) for part in parts[:_MAX_EXCEPTIONS]]
    cause = _stored(BaseException, "__cause__", error)
    if cause is not None:
        found.append(("Caused by", cause))
    elif not _stored(BaseException, "__suppress_context__", error):
        found.append(("Raised while this was handled:", _stored(BaseException, "__context__", error)))
    return [(what, each) for what, each in found if each is not None]


def is_end_of_script(error):
    """Whether it is what ends a script that is to end, and no failure: also in groups (trio)."""
    if issubclass(type(error), (SystemExit, KeyboardInterrupt)):
        return True
    return _ExceptionGroup is not None and issubclass(type(error), _ExceptionGroup) and all(
        map(is_end_of_script, _stored(_ExceptionGroup, "exceptions", error)))


def _stored(kind, name, error):
    """The attribute as the interpreter stores it, whatever the user's class says."""
    return kind.__dict__[name].__get__(error)


def _places(trace):
    places = []
    while trace is not None:
        if not _host_interrupts.is_ours(trace.tb_frame):
            places.append(trace)
        trace = trace.tb_next
    places.reverse()
    return places


def trace_of(error):
    """The Trace of an exception that ends the calling thread. Nobody has asked for its text yet."""
    trace = _host_errors.without_our_frames(_stored(BaseException, "__traceback__", error))
    return Trace(error, trace, words=_host_frame.stored_error_text)


def keep(error, trace):
    """The script has ended with this."""
    global _ended
    _release_kept()
    _ended = _Ended(error, trace)


def keep_of_thread(name, error):
    """A thread of the run that is on has ended with this. Nothing is kept where memory ran out: the script goes on, and needs it."""
    global _in_thread, _failed_threads
    _failed_threads += 1
    _in_thread = name, _host_frame.error_text(error), None if issubclass(type(error), MemoryError) else error


def add_thread():
    """The run is over: says what ended its threads. The last one's frames come below those of what ended the script."""
    global _ended, _in_thread, _failed_threads
    if _in_thread is None or _dlscope.host_is_child():
        return
    (name, text, error), count = _in_thread, _failed_threads
    _in_thread, _failed_threads = None, 0
    said = "The thread %s ended with %s" % (name, text)
    if count > 1:
        said = "%d threads ended with an exception. The last one, %s: %s" % (count, name, text)
    _dlscope.host_event(said)
    _dlscope.host_notice(said)
    if error is None:
        return
    trace = _host_errors.without_our_frames(_stored(BaseException, "__traceback__", error))
    if _ended is None:
        _ended = _Ended(error, trace, name)
    elif not _ended.number:
        _ended.add("In thread %s: %s" % (name, text), error, trace)


def release():
    global _in_thread, _failed_threads
    _release_kept()
    _in_thread, _failed_threads = None, 0


def _release_kept():
    global _ended
    if _ended is not None:
        _host_frame.forget_additions(_ended)
    _ended = None


def free_frames():
    """The viewer has no more use for it. An exception and the frames it went through like to hold each other."""
    release()
    gc.collect()


def report_to_viewer(interactive, interrupted):
    """The viewer that serves stops hears of a stack that it does not know yet."""
    if _ended is None or _ended.number or not _ended.places or not interactive:
        return
    _ended.number = _host_stops.new_number()
    entries = [(place.tb_frame, place.tb_lineno or 0, heading) for place, heading in zip(_ended.places, _ended.headings)]
    _dlscope.host_report_kept_frames(_ended.number, _ended.thread, "" if interrupted else _ended.message, entries)


def kept():
    """What is kept, or None."""
    return _ended


def is_of_thread():
    return _ended is not None and _ended.thread != ""


def frames():
    """For embed/scan/scan_place.h: a list of tracebacks, or None."""
    return None if _ended is None else _host_stop_stack.each_frame_once(_ended.all_places)
