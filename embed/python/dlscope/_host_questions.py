"""Answers what the window asks about the user's objects: a question's kind and JSON in, JSON or an error out.

Runs between statements, never inside them. Stop breaks a question off where it hangs in user code.

    capsules      {} -> {"capsules": [as dlscope.capsules() says them, with the names of the frame or the script that hold them],
                  "alive": how many keep memory, "waiting": how many of them no consumer has taken, "alive_bytes": of all of these together,
                  "alive_bytes_at_most": it may be fewer, "not_listed"}
    complete      {"text", "cursor": byte offset, "explicit": bool} -> {"from": byte offset, "matches": [{"text", "kind"}], "cut"}
    exchange_libraries  {} -> {"libraries": [{"name", "imported", "version", "function", "devices": [kinds that it can be given]}]}: whom
                  a tensor can be handed to
    exchange_plan {"library", "device", "copy", "stream", "device_type": of the tensor, "subject", "rehearse": bool} ->
                  {"line", "known": whether it was rehearsed, "why_not": why that cannot be, "calls": [{"what", "answer", "failed"}],
                   "refused": why the hand-over cannot be asked for, "stream_note": what the stream means there}
    exchange_step {"do": "begin", "name", "library", "device", "copy", "stream", "subject"} or {"do": "next" | "look" | "abandon", "number"} ->
                  {"number", "left": steps, "next", "capsule": the name of the one that is held, "calls", "failed", "ended": why it is over}
    is_complete   {"text"} -> {"state": "complete" | "incomplete" | "invalid", "message"}
    life          {"name", "others"} -> what keeps the tensor's memory alive (_host_life.py)
    referrers     {"name"} -> who refers to the object whose memory it is (_host_referrers.py)
    stream_trace  {} -> dlscope.stream_trace()
    struct        {"name", "anyway": bool} -> the raw struct of the tensor of that name path, as bytes (core/wire/struct_answer.h)
    protocols     {"name", "anyway": bool} -> how each protocol answers, as bytes (core/wire/struct_answer.h)
    look_from     {"frame"} -> {}: at a stop, has the names of that frame's thread or task looked at instead; a scan follows
    remember      {"tensors": [{"name", "hashed": bool}], "fetched"} -> what waits to be fetched, as bytes (core/wire/remembered_answer.h)
    evaluate      {"expressions": [...]} -> {"values": [{"text"} or {"error"}]}

At a stop, or where the frames of an uncaught exception are kept, each may carry "frame": the number of the frame (0: innermost) whose
names are meant.
"""

from dlscope import (_dlscope, _host_complete, _host_ended, _host_errors, _host_exchange, _host_frame, _host_interrupts, _host_life, _host_private,
                     _host_referrers, _host_run, _host_stops)
from dlscope._host_private import json

__builtins__ = _host_private.private_builtins()
_host_interrupts.register_host_module(globals())


def _struct(request, names):
    return _dlscope.host_struct(names, _name_in(request), request.get("anyway") is True, _host_run.frames())


def _protocols(request, names):
    return _dlscope.host_protocols(names, _name_in(request), request.get("anyway") is True, _host_run.frames())


def _name_in(request):
    name = request["name"]
    if type(name) is not str:
        raise TypeError("the name is not a text")
    return name


def _evaluate(request, names):
    expressions = request["expressions"]
    if type(expressions) is not list:
        raise TypeError("the expressions are not a list")
    return _host_frame.answer(expressions, _frame_of(request), names)


def _look_from(request, names):
    stop, number = _host_stops.current_stop(), request["frame"]
    if stop is None or type(number) is not int or stop.frame(number) is None:
        raise ValueError("there is no frame %s at this stop" % (number,))
    stop.look_from(number)
    return {}


def _capsules(request, names):
    held = _host_exchange.held()[1]
    if held is not None or type(names) is not dict:
        names = dict(names)
    if held is not None:
        names[_host_life.STEP_BY_STEP] = held
    capsules = _dlscope.capsules(names)
    alive = [each for each in capsules if each["state"] in ("waiting", "consumed")]
    kept, at_most = _bytes_of(alive)
    return {"capsules": capsules, "waiting": sum(each["state"] == "waiting" for each in alive), "alive": len(alive), "alive_bytes": kept,
            "alive_bytes_at_most": at_most, "not_listed": _dlscope.host_exports_not_watched()}


def _bytes_of(capsules):
    """(how many bytes these capsules are of, each byte counted once; whether it may be fewer). It may where one of those that meet has gaps:
    which of their bytes are the same is not worked out then."""
    places = sorted((each["device"], each["extent"][0], -each["extent"][1], each["bytes"]) for each in capsules if each["bytes"])
    kept, at_most, runs = 0, False, []
    for device, begin, end, size in places:
        if runs and runs[-1][0] == device and begin < runs[-1][2]:
            runs[-1][2] = max(runs[-1][2], -end)
            runs[-1][3].append((begin, -end, size))
        else:
            runs.append([device, begin, -end, [(begin, -end, size)]])
    for _, begin, end, members in runs:
        dense = [member for member in members if member[2] >= member[1] - member[0]]
        kept += min(end - begin, sum(size for _, _, size in members))
        covered = len(dense) == len(members) or any(first <= begin and end <= last for first, last, _ in dense)
        at_most = at_most or (len(members) > 1 and not covered)
    return kept, at_most


def _remember(request, names):
    tensors = [(one["name"], one["hashed"] is True) for one in request["tensors"]]
    if any(type(name) is not str for name, _ in tensors) or type(request["fetched"]) is not int:
        raise TypeError("a name is not a text, or what was fetched is not a number")
    return _dlscope.host_remember(tensors, request["fetched"])


def _frame_of(request):
    """None where nothing stands, and no frame of a stack that is kept is named."""
    stack = _host_stops.current_stop()
    if stack is None and "frame" in request:
        stack = _host_ended.kept()
    if stack is None:
        return None
    number = request.get("frame", 0)
    frame = stack.frame(number) if type(number) is int else None
    if frame is None:
        raise ValueError("there is no frame %s at this stop" % (number,))
    return frame


def _names(request):
    frame = _frame_of(request)
    return _host_run.namespace() if frame is None else _host_frame.names_of(frame)


_KINDS = {
    "capsules": _capsules,
    "complete": _host_complete.complete,
    "evaluate": _evaluate,
    "exchange_libraries": _host_exchange.libraries,
    "exchange_plan": _host_exchange.plan,
    "exchange_step": _host_exchange.step,
    "life": _host_life.life,
    "look_from": _look_from,
    "is_complete": _host_complete.is_complete,
    "protocols": _protocols,
    "referrers": _host_referrers.referrers,
    "remember": _remember,
    "stream_trace": lambda request, names: _dlscope.stream_trace(),
    "struct": _struct,
}

_OF_THE_PROGRAM = ("struct", "protocols")  # these look for the frames themselves


def answer(kind, text):
    """(the answer, "") or ("", why there is none). What Python makes is JSON; what C++ makes is bytes of a typed value."""
    try:
        return _answer(kind, text)
    except KeyboardInterrupt:  # at a stop of another thread Stop may reach that thread in the few steps after the answer
        _dlscope.host_nothing_to_interrupt()
        return "", "stopped"


def _answer(kind, text):
    _host_interrupts.begin_host_work()
    try:
        if kind not in _KINDS:
            return "", "this host does not know questions of the kind %s" % kind[:64]
        request = json.loads(text)
        if type(request) is not dict:
            return "", "the question is not a JSON object"
        names = _host_run.namespace() if kind in _OF_THE_PROGRAM else _names(request)
        result = _KINDS[kind](request, names)
        return (result if type(result) in (str, bytes) else json.dumps(result)), ""
    except KeyboardInterrupt:
        return "", "stopped"
    except BaseException as error:
        return "", "%s: %s" % _host_errors.describe(error, None, "")[:2]
    finally:
        _host_interrupts.end_host_work()
