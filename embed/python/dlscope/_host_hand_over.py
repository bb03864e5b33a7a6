"""Hands an object of the user's to another library, as its own from_dlpack would get it, and writes down every call on the way.

A stand-in passes on what the consumer asks the producer and remembers it: device query, capsule request with its arguments, what the
capsule was called before and after. Where a consumer looks at the producer's type and not at its methods (the exchange table), it gets
the object itself, and the list of calls says that it was not watched.

from_dlpack chooses the stream itself. Where the user has chosen one, the capsule is requested here with that stream, and the library gets
the capsule. It is requested here, too, where the steps are made one by one; then the stand-in gives it to a consumer that asks for the
same.
"""

import sys
from time import monotonic_ns

from dlscope import _dlscope, _host_consumers, _host_errors, _host_interrupts, _host_private, _host_streams, _spellings

__builtins__ = _host_private.private_builtins()
_host_interrupts.register_host_module(globals())

GIVEN_BY = "it was given by"
_LONGEST = 4096  # of one answer
_MOST_WATCHED = 256  # capsules; as kMaxWatchedCapsules


class HandOver:
    """One hand-over in its steps: advance() makes the next one. apart: four steps, so that the device is asked for and the capsule
    requested before the library is called. Otherwise a library that does both itself is left to do so."""

    def __init__(self, source, how, subject, apart=False, watch=True):
        """how: (library, device, policy, stream), stream "": the library chooses it. subject: the source's name in the text.
        watch: each capsule that the producer gives, for the list of capsules; not in a rehearsal."""
        self.source, self.how, self.subject = source, how, subject
        self.calls, self.result, self.error = [], None, None  # [(call, answer, whether it failed)]; (type, message) of a refusal
        self.ns, self.made_copies = 0, False                  # what the steps took, and whether dlscope itself made a copy in them
        self.expected = None    # apart: the arguments and keywords that the library is known to ask the producer with
        self.asked_with = None  # those that it did ask with last
        library, _, _, stream = how
        self._function, self._watched, self._line = None, None, ""
        self._apart, self._watch = apart, watch
        self._by_capsule = library in _host_consumers.CONSUMERS and (
            _host_consumers.gets_capsule(library, stream) or (apart and library in _host_consumers.BY_TYPE))
        self._steps = [HandOver._ask_device] if apart or stream else []
        self._steps += [HandOver._request] if apart or self._by_capsule else []
        self._steps += [HandOver._consume, HandOver._look]

    def steps_left(self):
        return len(self._steps)

    def advance(self):
        """Makes one step. What the libraries raise ends it as a refusal; an interrupt ends it and goes on."""
        began, copies, arrived = monotonic_ns(), _dlscope.copies_made(), False
        try:
            if self._function is None:
                self._open()
            self._steps.pop(0)(self)
            arrived = True
        except Exception as error:
            self.error, arrived = text_of(error), True
            self._steps = []
            self._drop_unused()
        finally:
            self.ns += monotonic_ns() - began
            if self._watched is not None:  # what watching takes is not the libraries' time
                self.ns -= self._watched.take_watching_ns()
            self.made_copies = self.made_copies or _dlscope.copies_made() != copies
            if not arrived:
                self.let_go()

    def finish(self):
        """Makes the steps that are left. (what came out or None, the calls, None or (type, message), the Python line that did it,
        nanoseconds, whether dlscope made a copy itself)"""
        while self._steps:
            self.advance()
        answer = self.result, self.calls, self.error, self._line, self.ns, self.made_copies
        self.let_go()
        return answer

    def let_go(self):
        """Of everything. A capsule that nobody took is freed, and its destructor calls the deleter."""
        self._steps = []
        self.source = self.result = None
        watched, self._watched = self._watched, None
        if watched is not None:
            self.asked_with = watched.asked
            watched.capsule = None  # also where a library keeps the stand-in

    def may_be_rehearsed(self):
        """Whether what the library asks a producer in host memory with is what it will ask this one with."""
        return self._steps[:1] == [HandOver._request] and not self._by_capsule and self._watched.claimed[0] == 1

    def capsule(self):
        """The one that is held, or None."""
        return self._watched.capsule if self._watched is not None else None

    def next_text(self):
        """What the next step calls, or looks at; "" where there is none."""
        step = self._steps[0] if self._steps else None
        if step is HandOver._request:
            arguments, keywords = self._request_with()
            return "%s.__dlpack__(%s)" % (self.subject, _arguments_text(arguments, keywords))
        return {HandOver._ask_device: "%s.__dlpack_device__()" % self.subject, HandOver._consume: self._line,
                HandOver._look: "the name of the capsule"}.get(step, "")

    def _open(self):
        library, device, policy, stream = self.how
        if library not in _host_consumers.CONSUMERS:
            raise ValueError("dlscope knows no from_dlpack of %s" % library)
        if library not in sys.modules:
            __import__(library)
            self.calls.append(("import " + library, "", False))
        path = _host_consumers.CONSUMERS[library][0]
        function = sys.modules[library]
        for part in path.split("."):
            if not hasattr(function, part) and type(function) is type(sys):
                __import__("%s.%s" % (function.__name__, part))
            function = getattr(function, part)
        self._line = _host_consumers.line_for(library, self.subject, device, policy, stream)
        self._function = function
        self._watched = _Watched(self.source, self.subject, self.calls, "%s.%s" % (library, path), self._watch)

    def _ask_device(self):
        """A stream means something only on a device."""
        library, _, _, stream = self.how
        device_type = self._watched.__dlpack_device__()[0]
        refused = of_stream(library, stream, getattr(device_type, "value", device_type))[0]
        if refused:
            raise ValueError(refused)

    def _request_with(self):
        library, device, policy, stream = self.how
        return self.expected or ((), _host_consumers.asked_of_producer(library, device, policy, stream))

    def _request(self):
        arguments, keywords = self._request_with()
        try:
            self._watched.__dlpack__(*arguments, **keywords)
        except TypeError as error:
            # A producer that is older than versioned capsules does not know the keyword.
            if "max_version" not in keywords or type(error) is not TypeError:
                raise
            keywords = {key: value for key, value in keywords.items() if key != "max_version"}
            self._watched.__dlpack__(*arguments, **keywords)
        if self._by_capsule:
            self._line = _host_consumers.capsule_line(self.how[0], self.subject, keywords)
        if self._apart:
            self._watched.hold(arguments, keywords)

    def _consume(self):
        library, device, policy, _ = self.how
        by_type = library in _host_consumers.BY_TYPE and not self._by_capsule
        argument, keywords = self.source if by_type else self._watched, {}
        if self._by_capsule:
            argument = self._watched.capsule
        else:
            keywords = _host_consumers.keywords(library, device, policy)
        if by_type:
            self.calls.append(("%s takes the object itself" % library, "what it asks is not watched", False))
        try:
            self.result = self._function(argument, **keywords)
        except BaseException as error:
            self.calls.append((self._line, "%s: %s" % text_of(error), True))
            raise
        if by_type and getattr(self.result, "given_by", None):  # a dlscope.Tensor knows which way it came
            self.calls.append(("%s %s of %s" % (GIVEN_BY, self.result.given_by, kind_of(self.source)[2:]), "", False))
        self.calls.append((self._line, kind_of(self.result), False))

    def _look(self):
        capsule = self.capsule()
        if capsule is None:
            return
        name = capsule_name(capsule)
        became = "renamed" if name.startswith("used_") else "not taken: it is still named"
        self.calls.append(("the capsule afterwards", "%s '%s'" % (became, name), False))
        self._watched.capsule = None

    def _drop_unused(self):
        capsule = self.capsule()
        if self._apart and capsule is not None and not capsule_name(capsule).startswith("used_"):
            self.calls.append(("the capsule, which nobody took, is let go", "its destructor calls the deleter", False))
        if self._watched is not None:
            self._watched.capsule = None


class _Watched:
    """Stands in for a producer; passes every call on."""

    def __init__(self, source, subject, calls, consumer, watch):
        self._source, self._subject, self._calls, self._consumer, self._watch = source, subject, calls, consumer, watch
        self._watching_ns = 0
        self.capsule = None       # the last one that the producer gave
        self.asked = None         # for: arguments and keywords of the last request that was answered
        self._held_for = None     # the capsule was requested beforehand: with this text
        self.claimed = (-1, 0)   # until somebody asks for the device

    def hold(self, arguments, keywords):
        """The capsule is for a consumer that asks with the same."""
        self._held_for = _request_text(arguments, keywords)

    def take_watching_ns(self):
        taken, self._watching_ns = self._watching_ns, 0
        return taken

    def _watch_capsule(self):
        began = monotonic_ns()
        try:
            if _may_be_watched():
                _dlscope.watch_capsule(self.capsule)
            else:
                why = "%d live ones are watched already" % _MOST_WATCHED
                self._calls.append(("this capsule is not in the list of capsules", why, False))
        except (TypeError, ValueError):  # it is no capsule, or its struct may not be written
            pass
        self._watching_ns += monotonic_ns() - began

    def __dlpack_device__(self):
        what = "%s.__dlpack_device__()" % self._subject
        try:
            answer = self._source.__dlpack_device__()
        except BaseException as error:
            self._calls.append((what, "%s: %s" % text_of(error), True))
            raise
        self._calls.append((what, _device_text(answer), False))
        if type(answer) is tuple and len(answer) == 2 and all(isinstance(part, int) and abs(part) < 1 << 31 for part in answer):
            self.claimed = (int(answer[0]), int(answer[1]))
        return answer

    def __dlpack__(self, *arguments, **keywords):
        what = "%s.__dlpack__(%s)" % (self._subject, _arguments_text(arguments, keywords))
        held_for, self._held_for = self._held_for, None
        if held_for is not None and held_for == _request_text(arguments, keywords):
            self._calls.append((what, "the capsule that dlscope held", False))
            return self.capsule
        if held_for is not None:
            self.capsule = None
            self._calls.append(("%s asks for something else than was requested" % self._consumer,
                                "the capsule that dlscope held is let go, and another one is requested", False))
        try:
            self.capsule = _dlscope.noted_dlpack(self._source, arguments, keywords, self._consumer, self.claimed)
        except BaseException as error:
            self._calls.append((what, "%s: %s" % text_of(error), True))
            raise
        self.asked = arguments, keywords
        self._calls.append((what, capsule_text(self.capsule), False))
        if self._watch:
            self._watch_capsule()
        return self.capsule


def _may_be_watched():
    """A watched capsule that lives cannot be forgotten, because its deleter is ours: so there is a limit to those that are
    watched unasked."""
    watched = _dlscope.capsules({})
    return len(watched) < _MOST_WATCHED or any(each["state"] in ("returned", "dropped") for each in watched)


def of_stream(library, stream, device_type):
    """(why the stream cannot be chosen, what it means). device_type: the producer's, as DLPack numbers it."""
    if not stream:
        return "", ""
    if library not in _host_consumers.TAKE_CAPSULES:
        function = "%s.%s" % (library, _host_consumers.CONSUMERS.get(library, ("from_dlpack", ""))[0])
        return "%s takes no capsule: it requests its own, and chooses the stream itself." % function, ""
    value = _host_streams.stream_of(stream)
    refused = _host_streams.refusal(value, device_type)
    return refused, "" if refused else _host_streams.meaning(value, device_type)


def capsule_name(capsule):
    quoted = repr(capsule).split('"')  # of a PyCapsule: <capsule object "dltensor" at 0x...>
    return quoted[1][:64] if len(quoted) > 2 else "?"


def capsule_text(capsule):
    """With its name and what that says of its struct."""
    name = capsule_name(capsule)
    kind = {"dltensor_versioned": "versioned ", "dltensor": "legacy "}.get(name, "")
    return "%scapsule '%s'" % (kind, name)


def kind_of(value):
    return "a %s.%s" % (type(value).__module__, type(value).__qualname__)


def text_of(error):
    kind, message = _host_errors.describe(error, None, "")[:2]
    return kind, message[:_LONGEST]


def _arguments_text(arguments, keywords):
    return ", ".join([repr(each)[:64] for each in arguments] + ([_host_consumers.written(keywords)] if keywords else []))


def _request_text(arguments, keywords):
    """The same for two requests that the same capsule answers: None is what a keyword has when it is left out, and a producer that has
    one version of a struct may be asked for any of the same major number."""
    asked = {key: value[:1] if key == "max_version" and type(value) is tuple else value
             for key, value in keywords.items() if value is not None}
    return _arguments_text(arguments, dict(sorted(asked.items())))


def _device_text(answer):
    """The numbers, and what dlscope calls the device."""
    if type(answer) is not tuple:
        return repr(answer)[:64]
    numbers = tuple(getattr(part, "value", part) for part in answer)
    name = _spellings.device_name(numbers)
    return repr(numbers)[:64] + (": " + name if name else "")
