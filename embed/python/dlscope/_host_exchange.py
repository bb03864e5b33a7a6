"""What the exchange view asks of Python: whom a tensor can be handed to, which calls that takes, and the hand-over itself, at once or
step by step.

Between two steps the tensor and its capsule are held here. They are let go before code of the user's runs, as leases are, so that it
behaves as without dlscope.
"""

import sys
from _frozen_importlib_external import PathFinder

from dlscope import _dlscope, _host_consumers, _host_hand_over, _host_interrupts, _host_private, _host_run, _host_stops
from dlscope._host_private import keyword, re

__builtins__ = _host_private.private_builtins()
_host_interrupts.register_host_module(globals())

_steps = None   # the hand-over whose steps are made one by one, and the number that the window knows it by
_number = 0
_why_ended = ""  # of the one with that number


def libraries(_request, _names):
    """What can be handed to: imported here, or found where an import would look, without importing it."""
    found = []
    for name, (function, _) in sorted(_host_consumers.CONSUMERS.items(), key=lambda each: (each[0] not in sys.modules, each[0])):
        module = sys.modules.get(name)
        if module is None and PathFinder.find_spec(name) is None:
            continue
        version = getattr(module, "__version__", "") if module is not None else ""
        found.append({"name": name, "imported": module is not None, "version": str.__str__(version) if isinstance(version, str) else "",
                      "function": "%s.%s" % (name, function), "devices": list(_host_consumers.KINDS.get(name, ()))})
    return {"libraries": found}


def plan(request, _names):
    """The line for handing something over. With "rehearse", the calls that it will make, too: found out by handing over eight bytes of
    our own in the same way, which the library is called for. Where that could change what the script finds, it is not done. "refused": why
    the hand-over cannot be asked for; "stream_note": what the chosen stream means on the tensor's device."""
    library, device, policy, subject, stream = (_text(request, key) for key in ("library", "device", "copy", "subject", "stream"))
    try:
        line = _host_consumers.line_for(library, subject, device, policy, stream)
        refused, note = _host_hand_over.of_stream(library, stream, request.get("device_type"))
    except ValueError as error:
        line, refused, note = "", str(error), ""
    answer = {"line": line, "known": False, "why_not": "", "refused": refused, "stream_note": note, "calls": []}
    if refused:
        return answer
    if library not in sys.modules:
        answer["calls"].append({"what": "import " + library, "answer": "", "failed": False})
    if stream:
        asked = "%s.__dlpack__(%s)" % (subject, _host_consumers.written(_host_consumers.asked_of_producer(library, device, policy, stream)))
        answer["calls"] += [{"what": what, "answer": "", "failed": False} for what in (subject + ".__dlpack_device__()", asked, line)]
        why_not = "dlscope makes these calls. %s gets the capsule, and asks the producer nothing." % library
        if library not in sys.modules:
            why_not += " Whether it takes a versioned capsule is known once it is imported."
        return dict(answer, why_not=why_not)
    answer["why_not"] = _why_not_rehearsed(library, device)
    if answer["why_not"] or request.get("rehearse") is not True:
        return answer
    _, calls, error = _rehearsed((library, device, policy, ""), subject)
    calls = [call for call in calls if not call[0].startswith(_host_hand_over.GIVEN_BY)]  # the eight bytes have a way that other objects may not have
    if error is not None and calls and not calls[-1][2]:
        calls.append(("%s: %s" % error, "", True))
    return dict(answer, known=True, calls=[{"what": what, "answer": "" if what.startswith("import") else told, "failed": failed}
                                           for what, told, failed in calls])


def _why_not_rehearsed(library, device):
    """"": nothing speaks against it."""
    if library not in sys.modules:
        return "Which calls follow is not known before %s is imported." % library
    if _host_stops.current_stop() is not None:
        return "The calls are not rehearsed while the script is at a stop."
    if device not in ("", "cpu"):
        return "The calls are not rehearsed for %s: that would set up the device." % device
    if library in _host_consumers.ON_DEVICES:
        return "The calls are not rehearsed for %s: that would set up a device." % library
    if not _host_consumers.is_set_up(library):
        return "The calls are not rehearsed before the script has used %s: that would set up its devices." % library
    return ""


def _rehearsed(how, subject):
    """(how the library asks for the capsule: arguments and keywords, or None; the calls; None or (type, message)), with eight bytes of our
    own."""
    own = _host_hand_over.HandOver(_dlscope.asdlpack(bytearray(8)), how, subject, watch=False)
    _, calls, error = _dlscope.rehearse(own.finish)[:3]
    return own.asked_with, calls, error


def hand_over(source, library, device, policy, stream, subject):
    """As HandOver.finish() answers. One whose steps are under way is finished where it is the same; any other of them is over."""
    global _steps, _why_ended
    how = library, device, policy, stream
    wanted = None
    if _steps is not None and _steps.source is source and _steps.how == how:
        wanted, _steps, _why_ended = _steps, None, "It has been made."
    end_steps("Another hand-over was begun.")
    if wanted is None:
        wanted = _host_hand_over.HandOver(source, how, subject)
    return wanted.finish()


def step(request, names):
    """Step by step: "begin" (with what plan() takes, and "name") makes the first step of a hand-over, "next" another one, "abandon" gives it
    up, "look" only says how it stands. The last step is the act's, which takes over what hand_over() finds here: it compares the
    memory, too."""
    global _steps, _number, _why_ended
    do = request["do"]
    if do == "begin":
        end_steps("Another hand-over was begun.")
        how = tuple(_text(request, key) for key in ("library", "device", "copy", "stream"))
        source = _dlscope.host_object(names, _text(request, "name"), _host_run.frames())
        if source is None:
            raise ValueError("%s no longer exists" % _text(request, "name"))
        _steps, _number, _why_ended = _host_hand_over.HandOver(source, how, _text(request, "subject"), True), _number + 1, ""
    elif request["number"] != _number or _steps is None:
        ended = _why_ended if request["number"] == _number else "Another hand-over was begun."
        return {"number": request["number"], "ended": ended, "calls": []}
    if do == "abandon":
        end_steps("It was abandoned.")
        return {"number": _number, "ended": _why_ended, "calls": []}
    if do != "look" and _steps.steps_left() > 1:
        try:
            _advance()
        except BaseException:
            end_steps("It was stopped.")
            raise
    capsule = _steps.capsule()
    return {"number": _number, "ended": "", "left": _steps.steps_left(), "next": _steps.next_text(), "failed": _steps.error is not None,
            "capsule": "" if capsule is None else _host_hand_over.capsule_name(capsule),
            "calls": [{"what": what, "answer": told, "failed": failed} for what, told, failed in _steps.calls]}


def _advance():
    _steps.advance()
    library, device, policy, _ = _steps.how
    if _steps.may_be_rehearsed() and not _why_not_rehearsed(library, device):
        _steps.expected = _rehearsed((library, device, policy, ""), _steps.subject)[0]


def held():
    """The tensor and the capsule that are held between two steps, or None for each."""
    return (None, None) if _steps is None else (_steps.source, _steps.capsule())


def end_steps(why):
    """Lets the tensor and its capsule go. The destructor of a capsule that nobody took calls the deleter."""
    global _steps, _why_ended
    steps, _steps = _steps, None
    if steps is not None:
        _why_ended = why
        steps.let_go()


def name_for(names, wanted, subject, suffix):
    """The name a result gets: the one that was asked for, or a free one made from the tensor's. ValueError with the reason."""
    if wanted:
        if not wanted.isidentifier() or keyword.iskeyword(wanted):
            raise ValueError("%r is not a valid name for a variable." % wanted)
        if wanted in names:
            raise ValueError("The name %s is taken: choose another one." % wanted)
        return wanted
    stem = re.sub(r"\W+", "_", subject).strip("_")[:60] or "tensor"
    if stem[0].isdigit():
        stem = "_" + stem
    name, number = "%s_%s" % (stem, suffix), 2
    while name in names:
        name, number = "%s_%s%d" % (stem, suffix, number), number + 1
    return name


def _text(request, key):
    value = request.get(key, "")
    if type(value) is not str:
        raise TypeError("%s is not a text" % key)
    return value
