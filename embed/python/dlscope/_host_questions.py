"""Answers what the window asks about the user's objects: a question's kind and JSON in, JSON or an error out.

Runs between statements, never inside them. Stop breaks a question off where it hangs in user code.

    complete      {"text", "cursor": byte offset, "explicit": bool} -> {"from": byte offset, "matches": [{"text", "kind"}], "cut"}
    is_complete   {"text"} -> {"state": "complete" | "incomplete" | "invalid", "message"}
    struct        {"name", "anyway": bool} -> the raw struct of the tensor of that name path (embed/host/object_questions.h)
    protocols     {"name", "anyway": bool} -> how each protocol answers (embed/host/object_questions.h)
"""

from dlscope import _dlscope, _host_complete, _host_errors, _host_interrupts, _host_private, _host_run
from dlscope._host_private import json

__builtins__ = _host_private.private_builtins()
_host_interrupts.own(globals())


def _struct(request, names):
    return _dlscope.host_struct(names, _name_in(request), request.get("anyway") is True, _host_run.last_trace())


def _protocols(request, names):
    return _dlscope.host_protocols(names, _name_in(request), request.get("anyway") is True, _host_run.last_trace())


def _name_in(request):
    name = request["name"]
    if type(name) is not str:
        raise TypeError("the name is not a text")
    return name


_KINDS = {
    "complete": _host_complete.complete,
    "is_complete": _host_complete.is_complete,
    "protocols": _protocols,
    "struct": _struct,
}


def answer(kind, text):
    """(the answer as JSON, "") or ("", why there is none)."""
    _host_interrupts.armed = True
    try:
        if kind not in _KINDS:
            return "", "this host does not know questions of the kind %s" % kind[:64]
        request = json.loads(text)
        if type(request) is not dict:
            return "", "the question is not a JSON object"
        result = _KINDS[kind](request, _host_run.namespace())
        return (result if type(result) is str else json.dumps(result)), ""
    except KeyboardInterrupt:
        return "", "stopped"
    except BaseException as error:
        return "", "%s: %s" % _host_errors.describe(error, None, "")[:2]
    finally:
        _host_interrupts.armed = False
        _dlscope.host_nothing_to_interrupt()
