"""Finds what a name path (x, d['w'][0], model.layer.weight, s<0>) leads to, without calling anything of the user's.

The rules are the scan's: names, items of dict, list and tuple, members of sets by position, attributes as they are stored. Properties
and __getattr__ are only asked when the caller says so.

embed/scan/name_lookup goes by the same rules from the other end: it spells the entries of each container as the scan does and compares,
so it finds what the scan has named, and nothing else. Here a person may type any path, also to what no scan reports: an attribute of a
class of C, a name of builtins, a key that the scan would shorten. So the path is parsed and followed step by step.
"""

from dlscope import _host_interrupts, _host_private
from dlscope._host_private import re

__builtins__ = _host_private.private_builtins()
_host_interrupts.register_host_module(globals())

_STRING = r"'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\""
_NUMBER = r"-?\d+"
_SIMPLE = r"(?:%s|%s|True|False|None)" % (_STRING, _NUMBER)
_STEP = re.compile(r"\.(?P<name>[^\W\d]\w*)|\[(?P<index>%s|\((?:%s,?\s*)*\))\]|<(?P<member>\d+)>" % (_SIMPLE, _SIMPLE))
_ROOT = re.compile(r"[^\W\d]\w*")
_TAIL = re.compile(r"(?:\.[^\W\d]\w*|\[(?:%s|\((?:%s,?\s*)*\))\]|<\d+>)\Z" % (_SIMPLE, _SIMPLE))
_LAST_NAME = re.compile(r"(?<![\w.\])}'\"])[^\W\d]\w*\Z")
_MAX_STEPS = 64
_TYPE_DICT = type.__dict__["__dict__"]
_NAME_OF = type.__dict__["__name__"].__get__
_MODULE_OF = type.__dict__["__module__"].__get__
_GETSET = type(type.__dict__["__dict__"])            # C attributes of a type
_MEMBER = type(type.__dict__["__basicsize__"])
_HELD_BY_MODULES = ("_parameters", "_buffers", "_modules")  # where torch.nn.Module keeps what its __getattr__ finds


def is_a(value, kinds):
    """By the type alone: isinstance() asks the object's __class__ as well, which may be a property of the user's."""
    return issubclass(type(value), kinds)


def type_name(value):
    """Without the __getattribute__ of a metaclass."""
    return _NAME_OF(type(value))


def parse(text):
    """The path as a list of ("name" | "attribute" | "item" | "member", value); None when it is not one."""
    if type(text) is not str or len(text) > 4096:
        return None
    root = _ROOT.match(text)
    if not root:
        return None
    path, at = [("name", root.group())], root.end()
    while at < len(text):
        step = _STEP.match(text, at)
        if not step or len(path) >= _MAX_STEPS:
            return None
        if step.group("name"):
            path.append(("attribute", step.group("name")))
        elif step.group("member"):
            path.append(("member", int(step.group("member"))))
        else:
            try:
                path.append(("item", _literal(step.group("index"))))
            except (SyntaxError, ValueError):
                return None
        at = step.end()
    return path


def _literal(text):
    """The value of a string, number or tuple that the pattern let through: no name and no call can be in it."""
    return eval(compile(text, "<key>", "eval"), {"__builtins__": {}})


def path_before(text):
    """The longest name path that ends where the text ends, parsed; None when there is none."""
    at = len(text)
    while True:
        step = _TAIL.search(text, 0, at)
        if not step:
            break
        at = step.start()
    name = _LAST_NAME.search(text, 0, at)
    return parse(text[name.start():]) if name else None


def resolve(names, path, explicit=False):
    """(True, the object) or (False, why not). explicit: read attributes as the program would."""
    value = names
    for kind, key in path:
        if kind == "name":
            if key in names:
                value = names[key]
            elif hasattr(_host_private.builtins, key):
                value = getattr(_host_private.builtins, key)
            else:
                return False, "there is no longer a name %s" % key
            continue
        found, value = _step(value, kind, key, explicit)
        if not found:
            return False, value
    return True, value


def _step(value, kind, key, explicit):
    if kind == "attribute":
        found, attribute = look_up(value, key)
        if found and type(attribute) is not property and not _is_foreign_descriptor(attribute, value, key):
            return True, attribute
        return (True, getattr(value, key)) if explicit else (False, "the attribute %s would have to be computed" % key)
    if kind == "member":
        if not is_a(value, (set, frozenset)):
            return False, "it is no longer a set"
        for position, member in enumerate(set.__iter__(value) if is_a(value, set) else frozenset.__iter__(value)):
            if position == key:
                return True, member
        return False, "the set no longer has member %d" % key
    return _item(value, key)


def _item(value, key):
    if is_a(value, dict):
        for own in dict.keys(value):  # found by type and value: a key's own __eq__ and __hash__ are user code
            if type(own) is type(key) and _is_plain(own) and own == key:
                return True, dict.__getitem__(value, own)
        return False, "there is no longer a key %r" % (key,)
    if is_a(value, (list, tuple)) and type(key) is int:
        kind = list if is_a(value, list) else tuple
        length = kind.__len__(value)
        return (True, kind.__getitem__(value, key)) if -length <= key < length else (False, "it no longer has item %d" % key)
    return False, "its items are not looked into"


def _is_plain(key):
    return type(key) is not tuple or all(type(part) in (str, int, bool, type(None)) for part in key)


def look_up(value, name):
    """(True, what is stored under the attribute) without calling a property, __getattr__ or __getattribute__."""
    kind = type(value)
    inherited = _in_type(kind, name)
    if type(inherited[1]) in (_GETSET, _MEMBER):  # code of the interpreter or of an extension: a pointer to look at
        try:
            return True, inherited[1].__get__(value, kind)
        except Exception:
            return inherited
    own = _own_dict(value)
    if own is not None:
        if dict.__contains__(own, name):
            return True, dict.__getitem__(own, name)
        for holder in _HELD_BY_MODULES:
            held = dict.get(own, holder)
            if is_a(held, dict) and dict.__contains__(held, name):
                return True, dict.__getitem__(held, name)
    if is_a(value, type):
        found = _in_type(value, name)
        if found[0]:
            return found
    return inherited


def _in_type(kind, name):
    for base in type.__dict__["__mro__"].__get__(kind):
        members = _TYPE_DICT.__get__(base)
        if name in members:
            return True, members[name]
    return False, None


def _own_dict(value):
    """The instance's own dictionary, without __getattribute__; None where it has none. It may be of a subclass of dict with methods of the
    user's: read it by those of dict."""
    found, holder = _in_type(type(value), "__dict__")
    if is_a(value, type) or not found or type(holder) is not _GETSET:
        return None
    try:
        own = holder.__get__(value)
    except Exception:
        return None
    return own if is_a(own, dict) else None


def _is_foreign_descriptor(attribute, owner, name):
    """Whether reading it would run a __get__ written in Python."""
    own = _own_dict(owner)
    if own is not None and dict.__contains__(own, name):
        return False
    return _in_type(type(attribute), "__get__")[0] and _MODULE_OF(type(attribute)) != "builtins"
