"""What could stand at the cursor, and whether a console input is complete.

Nothing of the user's is called for it but __dir__: a property may compute, a __getattr__ may never return. With "explicit"
in the request (the person pressed the key for it) attributes are read as the program would read them.
"""

import sys
from os import listdir

from dlscope import _host_interrupts, _host_private, _host_static
from dlscope._host_private import codeop, keyword, re, warnings

__builtins__ = _host_private.private_builtins()
_host_interrupts.register_host_module(globals())

_MAX_MATCHES = 500
_MAX_NAMES = 200000  # looked at, of one object
_LOOK_BACK = 1024     # characters of an expression before the cursor
_MAX_COMPILED = 256 * 1024
_STRINGS_AND_COMMENTS = re.compile(
    r"(?P<comment>#[^\n]*)"
    r"|'''(?:[^\\']+|\\.?|'(?!''))*(?P<end1>''')?"
    r'|"""(?:[^\\"]+|\\.?|"(?!""))*(?P<end2>""")?'
    r"|'(?:[^\\'\n]+|\\.?)*(?P<end3>'|(?=\n))?"
    r'|"(?:[^\\"\n]+|\\.?)*(?P<end4>"|(?=\n))?', re.DOTALL)
_WORD_BEFORE = re.compile(r"[^\W\d]\w*\Z")
_IMPORT = re.compile(r"^\s*(?:import\s+(?:[\w.]+(?:\s+as\s+\w+)?\s*,\s*)*|from\s+)(?P<module>[\w.]*)\Z")
_FROM = re.compile(r"^\s*from\s+(?P<module>[\w.]+)\s+import\s+\(?(?:\s*\w+(?:\s+as\s+\w+)?\s*,)*\s*(?P<word>\w*)\Z")
_KINDS = {"builtin_function_or_method": "function", "method": "function", "method_descriptor": "function",
          "wrapper_descriptor": "function", "slot wrapper": "function", "classmethod_descriptor": "function"}


def complete(request, names):
    """{"from": byte offset, "matches": [{"text", "kind"}], "cut": bool}; from..cursor is what a match stands for."""
    raw = request["text"].encode("utf-8", "surrogatepass")
    cursor = min(max(int(request.get("cursor", len(raw))), 0), len(raw))
    before = raw[:cursor].decode("utf-8", "replace")
    after = raw[cursor:cursor + 8].decode("utf-8", "replace")
    start, found = _candidates(before, after, names, bool(request.get("explicit")))
    matches = [{"text": text, "kind": kind} for text, kind in found[:_MAX_MATCHES]]
    return {"from": len(before[:start].encode("utf-8", "replace")), "matches": matches, "cut": len(found) > _MAX_MATCHES}


def _candidates(before, after, names, explicit):
    """(index in `before` where the matches begin, [(text, kind)])."""
    inside = _open_string(before)
    if inside is not None:
        return _keys(before, inside, after, names, explicit)
    line = before[before.rfind("\n") + 1:]
    listed = _FROM.match(line)
    if listed:
        module = sys.modules.get(listed.group("module"))
        return len(before) - len(listed.group("word")), _attributes(module, listed.group("word")) if module else []
    imported = _IMPORT.match(line)
    if imported:
        return _modules(before, imported.group("module"))
    word = _WORD_BEFORE.search(before)
    word = word.group() if word else ""
    start = len(before) - len(word)
    lead = before[max(0, start - _LOOK_BACK):start]
    if lead.endswith("."):
        path = _host_static.path_before(lead[:-1])
        if path is None:
            return start, []
        found, value = _host_static.resolve(names, path, explicit)
        return start, _attributes(value, word) if found else []
    if not word:
        if lead.endswith("["):
            return start, _key_matches(lead[:-1], "", "'", "", names, explicit)
        return start, []
    return start, _names(names, word)


def _open_string(text):
    """Where the string that the cursor is in begins (its quote); -1 in a comment; None in code."""
    last = None
    for last in _STRINGS_AND_COMMENTS.finditer(text):
        pass
    if last is None or last.end() != len(text):
        return None
    if last.group("comment"):
        return -1
    closed = any(last.group(end) is not None for end in ("end1", "end2", "end3", "end4"))
    return None if closed else last.start()


def _keys(before, quote_at, after, names, explicit):
    if quote_at < 0 or before[quote_at:quote_at + 3] in ("'''", '"""'):
        return len(before), []
    lead = before[max(0, quote_at - _LOOK_BACK):quote_at]
    if not lead.endswith("["):
        return len(before), []
    return quote_at, _key_matches(lead[:-1], before[quote_at + 1:], before[quote_at], after, names, explicit)


def _key_matches(lead, typed, quote, after, names, explicit):
    path = _host_static.path_before(lead)
    found, value = _host_static.resolve(names, path, explicit) if path is not None else (False, None)
    if not found or not _host_static.is_a(value, dict):
        return []
    close = "" if after.startswith(quote) else quote
    matches = []
    for count, key in enumerate(dict.keys(value)):
        if count > _MAX_NAMES or len(matches) > _MAX_MATCHES:
            break
        if type(key) is str and key.startswith(typed) and key.isprintable() and "\\" not in key and quote not in key:
            matches.append((quote + key + close, "key"))
    return matches


def _modules(before, dotted):
    package, _, word = dotted.rpartition(".")
    start = len(before) - len(word)
    found = set()
    if not package:
        found.update(sys.builtin_module_names)
        found.update(name.partition(".")[0] for name in list(sys.modules) if type(name) is str)
    folders = sys.path if not package else getattr(sys.modules.get(package), "__path__", ())
    for folder in list(folders)[:64]:
        try:
            entries = listdir(folder or ".")
        except (OSError, TypeError, ValueError):
            continue
        found.update(entry.partition(".")[0] for entry in entries[:20000]
                     if entry.endswith((".py", ".so", ".pyc")) or "." not in entry)
    return start, _matching(((name, "module") for name in found if name.isidentifier()), word)


def _names(names, word):
    found = {}
    for name in keyword.kwlist:
        found[name] = "keyword"
    for scope in (vars(_host_private.builtins), names):
        for name, value in list(scope.items())[:_MAX_NAMES]:
            if type(name) is str:
                found[name] = _kind_of(value)
    return _matching(found.items(), word)


def _attributes(value, word):
    try:
        offered = dir(value)
    except Exception:
        offered = dir(type(value))
    pairs = []
    for name in offered[:_MAX_NAMES]:
        if type(name) is str and name.startswith(word[:1]) and name.isidentifier():
            found, attribute = _host_static.look_up(value, name)
            pairs.append((name, _kind_of(attribute) if found else "attribute"))
    return _matching(pairs or ((name, "attribute") for name in offered if type(name) is str), word)


def _matching(pairs, word):
    """Those that begin with the word; where there is none, whatever the case of its letters. Private ones come last."""
    pairs = [pair for pair in pairs if word.startswith("_") or not pair[0].startswith("_") or not word]
    exact = [pair for pair in pairs if pair[0].startswith(word)]
    if not exact:
        folded = word.lower()
        exact = [pair for pair in pairs if pair[0].lower().startswith(folded)]
    return sorted(exact, key=lambda pair: (pair[0].startswith("__"), pair[0].startswith("_"), pair[0]))


def _kind_of(value):
    if _host_static.is_a(value, type):
        return "class"
    kind = _host_static.type_name(value)
    return kind if kind in ("function", "module", "property") else _KINDS.get(kind, "name")


def _compile_command(text):
    """codeop wants to find `warnings` in sys.modules; the user's may be another one, or none."""
    users = sys.modules.get("warnings")
    sys.modules["warnings"] = warnings
    try:
        return codeop.compile_command(text, "<input>", "exec")
    finally:
        if users is not None:
            sys.modules["warnings"] = users
        else:
            del sys.modules["warnings"]


def is_complete(request, names):
    """{"state": "complete" | "incomplete" | "invalid", "message"}: whether Enter runs the text or opens another line."""
    text = request["text"]
    if len(text) > _MAX_COMPILED:
        return {"state": "complete", "message": ""}
    try:
        code = _compile_command(text)
    except (SyntaxError, ValueError, OverflowError, MemoryError, RecursionError) as error:
        line = getattr(error, "lineno", None)
        where = " (line %d)" % line if type(line) is int else ""
        return {"state": "invalid", "message": "%s%s" % (getattr(error, "msg", None) or error, where)}
    if code is None:
        return {"state": "incomplete", "message": ""}
    lines = text.split("\n")
    in_block = len(lines) > 1 and lines[-1][:1] in (" ", "\t") and lines[-1].strip() != ""
    return {"state": "incomplete" if in_block else "complete", "message": ""}
