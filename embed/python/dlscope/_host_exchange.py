"""Hands an object of the user's to another library, as its own from_dlpack would get it, and writes down every call on the way.

A stand-in passes on what the consumer asks the producer and remembers it: device query, capsule request with its arguments, what the
capsule was called before and after. Where a consumer looks at the producer's type and not at its methods (the exchange table), it gets
the object itself, and the list of calls says that it was not watched.

from_dlpack chooses the stream itself. Where the user has chosen one, the capsule is requested here with that stream, and the library gets
the capsule.
"""

import sys
from _frozen_importlib_external import PathFinder

from dlscope import _dlscope, _host_errors, _host_interrupts, _host_private, _host_stops, _host_streams
from dlscope._host_private import keyword, re

__builtins__ = _host_private.private_builtins()
_host_interrupts.own(globals())

# module: the function's path in it; what it takes: "object" (an object with __dlpack__) or "capsule".
_CONSUMERS = {
    "numpy": ("from_dlpack", "object"),
    "torch": ("from_dlpack", "object"),
    "jax": ("dlpack.from_dlpack", "object"),
    "tensorflow": ("experimental.dlpack.from_dlpack", "capsule"),
    "paddle": ("utils.dlpack.from_dlpack", "object"),
    "cupy": ("from_dlpack", "object"),
    "dpnp": ("from_dlpack", "object"),
    "tvm_ffi": ("from_dlpack", "object"),
    "array_api_strict": ("from_dlpack", "object"),
    "mlx": ("core.from_dlpack", "object"),
    "dlscope": ("from_dlpack", "object"),
}
_TAKE_CAPSULES = ("cupy", "dlscope", "mlx", "paddle", "tensorflow", "torch", "tvm_ffi")
_BY_TYPE = ("tvm_ffi", "dlscope")  # these look at the type: a stand-in would take another way than the object does
# library: a module of it, and the way from there to what is true only once its devices are set up.
_SET_UP = {
    "jax": ("jax._src.xla_bridge", ("_backends",)),
    "tensorflow": ("tensorflow.python.eager.context", ("_context", "_context_handle")),
}
# The kinds of devices that the library's from_dlpack can be given.
_KINDS = {
    "numpy": ("cpu",),
    "array_api_strict": ("cpu",),
    "torch": ("cpu", "cuda"),
    "jax": ("cpu", "cuda"),
    "tensorflow": ("cpu", "cuda"),
    "paddle": ("cpu", "cuda"),
    "dpnp": ("cpu", "oneapi"),
    "dlscope": ("cpu", "cuda", "cuda_host", "cuda_managed", "oneapi"),
}
_ON_DEVICES = ("cupy", "dpnp")  # these put host memory on a device of theirs
_BY_NUMBERS = ("dpnp",)         # wants DLPack's numbers of a device
_LONGEST = 4096                 # of one answer
_POLICIES = {"if needed": None, "always": True, "never": False}


def libraries(_request, _names):
    """What can be handed to: imported here, or found where an import would look, without importing it."""
    found = []
    for name, (function, _) in sorted(_CONSUMERS.items(), key=lambda each: (each[0] not in sys.modules, each[0])):
        module = sys.modules.get(name)
        if module is None and PathFinder.find_spec(name) is None:
            continue
        version = getattr(module, "__version__", "") if module is not None else ""
        found.append({"name": name, "imported": module is not None, "version": version if type(version) is str else "",
                      "function": "%s.%s" % (name, function), "devices": list(_KINDS.get(name, ()))})
    return {"libraries": found}


_GIVEN_BY = "it was given by"


def plan(request, _names):
    """The line for handing something over. With "rehearse", the calls that it will make, too: found out by handing over eight bytes of
    our own in the same way, which the library is called for. Where that could change what the script finds, it is not done. "refused": why
    the hand-over cannot be asked for; "stream_note": what the chosen stream means on the tensor's device."""
    library, device, policy, subject, stream = (_text(request, key) for key in ("library", "device", "copy", "subject", "stream"))
    try:
        line = line_for(library, subject, device, policy, stream)
        refused, note = _of_stream(library, stream, request.get("device_type"))
    except ValueError as error:
        line, refused, note = "", str(error), ""
    answer = {"line": line, "known": False, "why_not": "", "refused": refused, "stream_note": note, "calls": []}
    if refused:
        return answer
    if library not in sys.modules:
        answer["calls"].append({"what": "import " + library, "answer": "", "failed": False})
    if stream:
        asked = "%s.__dlpack__(%s)" % (subject, _written(_asked_of_producer(device, policy, stream)))
        answer["calls"] += [{"what": what, "answer": "", "failed": False} for what in (subject + ".__dlpack_device__()", asked, line)]
        return dict(answer, why_not="dlscope makes these calls. %s gets the capsule, and asks the producer nothing." % library)
    answer["why_not"] = _why_not_rehearsed(library, device)
    if answer["why_not"] or request.get("rehearse") is not True:
        return answer
    own = _dlscope.asdlpack(bytearray(8))
    _, calls, error = _dlscope.rehearse(lambda: hand_over(own, library, device, policy, "", subject))
    calls = [call for call in calls if not call[0].startswith(_GIVEN_BY)]  # the eight bytes have a way that other objects may not have
    if error is not None and calls and not calls[-1][2]:
        calls.append(("%s: %s" % error, "", True))
    return dict(answer, known=True, calls=[{"what": what, "answer": "" if what.startswith("import") else told, "failed": failed}
                                           for what, told, failed in calls])


def _of_stream(library, stream, device_type):
    """(why the stream cannot be chosen, what it means). device_type: the producer's, as DLPack numbers it."""
    if not stream:
        return "", ""
    if library not in _TAKE_CAPSULES:
        function = "%s.%s" % (library, _CONSUMERS.get(library, ("from_dlpack", ""))[0])
        return "%s takes no capsule: it requests its own, and chooses the stream itself." % function, ""
    value = _host_streams.stream_of(stream)
    refused = _host_streams.refusal(value, device_type)
    return refused, "" if refused else _host_streams.meaning(value, device_type)


def _why_not_rehearsed(library, device):
    """"": nothing speaks against it."""
    if library not in sys.modules:
        return "Which calls follow is not known before %s is imported." % library
    if _host_stops.current() is not None:
        return "The calls are not rehearsed while the script is at a stop."
    if device not in ("", "cpu"):
        return "The calls are not rehearsed for %s: that would set up the device." % device
    if library in _ON_DEVICES:
        return "The calls are not rehearsed for %s: that would set up a device." % library
    if not _is_set_up(library):
        return "The calls are not rehearsed before the script has used %s: that would set up its devices." % library
    return ""


def _is_set_up(library):
    """False for a library that would set up its devices when it is first called; the script could not configure them any more."""
    if library not in _SET_UP:
        return True
    module, path = _SET_UP[library]
    found = sys.modules.get(module)
    for name in path:
        found = getattr(found, name, None)
    return bool(found)


def hand_over(source, library, device, policy, stream, subject):
    """(what came out or None, [(call, answer, whether it failed)], None or (type, message)) of one hand-over. stream: "": the library
    chooses it. `subject` is what the source is called in the text."""
    calls = []
    try:
        if library not in _CONSUMERS:
            raise ValueError("dlscope knows no from_dlpack of %s" % library)
        if library not in sys.modules:
            __import__(library)
            calls.append(("import " + library, "", False))
        function, takes = _CONSUMERS[library]
        consume = sys.modules[library]
        for part in function.split("."):
            if not hasattr(consume, part) and type(consume) is type(sys):
                __import__("%s.%s" % (consume.__name__, part))
            consume = getattr(consume, part)
        written = line_for(library, subject, device, policy, stream)
        by_capsule = takes == "capsule" or stream != ""
        by_type = library in _BY_TYPE and not by_capsule
        watched = source if by_type else _Watched(source, subject, calls, "%s.%s" % (library, function))
        argument, keywords = watched, {}
        if by_capsule:
            argument = _capsule_for(library, watched, device, policy, stream)
        else:
            keywords = _keywords(library, device, policy)
        if by_type:
            calls.append(("%s takes the object itself" % library, "what it asks is not watched", False))
        try:
            result = consume(argument, **keywords)
        except BaseException as error:
            calls.append((written, "%s: %s" % _text_of(error), True))
            raise
        if not by_type:
            watched.note_consumed()
        elif getattr(result, "given_by", None):  # a dlscope.Tensor knows which way it came
            calls.append(("%s %s of %s" % (_GIVEN_BY, result.given_by, _kind(source)[2:]), "", False))
        calls.append((written, _kind(result), False))
        return result, calls, None
    except Exception as error:
        return None, calls, _text_of(error)


def _capsule_for(library, watched, device, policy, stream):
    """The capsule that the library is given. A stream means something only on a device, so the device is asked for first."""
    if stream:
        device_type = watched.__dlpack_device__()[0]
        refused = _of_stream(library, stream, getattr(device_type, "value", device_type))[0]
        if refused:
            raise ValueError(refused)
    return watched.__dlpack__(**_asked_of_producer(device, policy, stream))


def line_for(library, subject, device, policy, stream):
    """The Python line that does the same."""
    function, takes = _CONSUMERS.get(library, ("from_dlpack", "object"))
    if takes == "capsule" or stream:
        return "%s.%s(%s.__dlpack__(%s))" % (library, function, subject, _written(_asked_of_producer(device, policy, stream)))
    written = {}
    if device:
        written["device"] = _device_text_for(library, device)
    if _POLICIES.get(policy) is not None:
        written["copy"] = repr(_POLICIES[policy])
    return "%s.%s(%s%s)" % (library, function, subject, "".join(", %s=%s" % each for each in written.items()))


def name_for(names, wanted, subject, suffix):
    """The name a result gets: the one that was asked for, or a free one made from the tensor's. ValueError with the reason."""
    if wanted:
        if not wanted.isidentifier() or keyword.iskeyword(wanted):
            raise ValueError("%r is not a valid name for a variable" % wanted)
        if wanted in names:
            raise ValueError("there is a %s already: choose another name" % wanted)
        return wanted
    stem = re.sub(r"\W+", "_", subject).strip("_")[:60] or "tensor"
    if stem[0].isdigit():
        stem = "_" + stem
    name, number = "%s_%s" % (stem, suffix), 2
    while name in names:
        name, number = "%s_%s%d" % (stem, suffix, number), number + 1
    return name


class _Watched:
    """Stands in for a producer; passes every call on."""

    def __init__(self, source, subject, calls, consumer):
        self._source, self._subject, self._calls, self._consumer, self._capsule = source, subject, calls, consumer, None
        self._claimed = (-1, 0)  # until somebody asks for the device

    def __dlpack_device__(self):
        what = "%s.__dlpack_device__()" % self._subject
        try:
            answer = self._source.__dlpack_device__()
        except BaseException as error:
            self._calls.append((what, "%s: %s" % _text_of(error), True))
            raise
        self._calls.append((what, _device_text(answer), False))
        if type(answer) is tuple and len(answer) == 2 and all(isinstance(part, int) and abs(part) < 1 << 31 for part in answer):
            self._claimed = (int(answer[0]), int(answer[1]))
        return answer

    def __dlpack__(self, *arguments, **keywords):
        given = ", ".join([repr(each)[:64] for each in arguments] + ([_written(keywords)] if keywords else []))
        what = "%s.__dlpack__(%s)" % (self._subject, given)
        try:
            self._capsule = _dlscope.noted_dlpack(self._source, arguments, keywords, self._consumer, self._claimed)
        except BaseException as error:
            self._calls.append((what, "%s: %s" % _text_of(error), True))
            raise
        self._calls.append((what, "capsule '%s'" % _capsule_name(self._capsule), False))
        return self._capsule

    def note_consumed(self):
        if self._capsule is not None:
            self._calls.append(("the capsule is consumed", "renamed '%s'" % _capsule_name(self._capsule), False))
            self._capsule = None


def _keywords(library, device, policy):
    """What from_dlpack is called with; a keyword that nobody asked for is left out."""
    keywords = {}
    if device:
        keywords["device"] = _device_argument(library, device)
    if _POLICIES.get(policy) is not None:
        keywords["copy"] = _POLICIES[policy]
    return keywords


def _device_argument(library, device):
    """A device as the library wants it."""
    if library == "jax":
        kind, number = _device_of_jax(device)
        return sys.modules["jax"].devices(kind)[number]  # sets up its devices
    if _is_strict_cpu(library, device):
        return sys.modules["array_api_strict"].Device("CPU_DEVICE")
    return _device_as_numbers(device) if library in _BY_NUMBERS else device


def _device_text_for(library, device):
    """The same as Python writes it; nothing of the library is called for it."""
    if library == "jax":
        return "jax.devices(%r)[%d]" % _device_of_jax(device)
    if _is_strict_cpu(library, device):
        return "array_api_strict.Device('CPU_DEVICE')"
    return repr(_device_as_numbers(device) if library in _BY_NUMBERS else device)


def _is_strict_cpu(library, device):
    return library == "array_api_strict" and device.partition(":")[0] == "cpu"


def _device_of_jax(device):
    kind, _, number = device.partition(":")
    return {"cuda": "gpu"}.get(kind, kind), int(number or 0)


def _device_as_numbers(device):
    from dlscope import _spellings
    return _spellings.device(device)


def _asked_of_producer(device, policy, stream):
    """What __dlpack__ is called with where the capsule is requested here; a keyword that nobody asked for is left out."""
    asked = {}
    if stream:
        asked["stream"] = _host_streams.stream_of(stream)
    if _POLICIES.get(policy) is not None:
        asked["copy"] = _POLICIES[policy]
    if device:
        asked["dl_device"] = _device_as_numbers(device)
    return asked


def _written(keywords):
    return ", ".join("%s=%s" % (key, repr(value)[:64]) for key, value in keywords.items())


def _capsule_name(capsule):
    quoted = repr(capsule).split('"')  # of a PyCapsule: <capsule object "dltensor" at 0x...>
    return quoted[1][:64] if len(quoted) > 2 else "?"


def _device_text(answer):
    return repr(tuple(getattr(part, "value", part) for part in answer) if type(answer) is tuple else answer)[:64]


def _kind(value):
    return "a %s.%s" % (type(value).__module__, type(value).__qualname__)


def _text_of(error):
    kind, message = _host_errors.describe(error, None, "")[:2]
    return kind, message[:_LONGEST]


def _text(request, key):
    value = request.get(key, "")
    if type(value) is not str:
        raise TypeError("%s is not a text" % key)
    return value
