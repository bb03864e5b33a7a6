"""Who refers to an object that shows memory and to the one that owns it, in words by type. Asked for by a button, because it looks through every object
that Python's garbage collector knows; nothing of the user's runs for it: no __repr__, no __eq__, no property, no __getattr__.

    {"name"} -> {"found", "owner": type, "referrers": [{"what": "a list of 3", "count": 1}], "more": how many kinds were left out,
                 "complete": whether all objects were looked through,
                 "view": the type of the object of that name, "" where it owns its memory; "of_view", "more_of_view": the same of it}

The collector does not track containers that cannot be part of a cycle, such as a dict of arrays: those are searched for in whatever it
does track. What C code holds by itself is found by nobody.
"""

import gc
import sys
from _collections import deque  # built in, like the next
from _functools import partial

from dlscope import _dlscope, _host_frame, _host_interrupts, _host_life, _host_private, _host_run
from dlscope._host_private import types

__builtins__ = _host_private.private_builtins()
_host_interrupts.register_host_module(globals())

_MOST_TEXTS = 64
_MOST_OBJECTS = 5_000_000  # that are looked through
_MOST_CONTENTS = 50_000_000  # that these contain
_MOST_HOLDERS = 256        # whose own holders are looked for
_CHUNK = 4096              # objects whose contents are listed at once
_LONGEST = 80              # of a name
_get_objects, _get_referrers, _get_referents, _is_tracked = gc.get_objects, gc.get_referrers, gc.get_referents, gc.is_tracked
_current_frames, _modules = sys._current_frames, sys.modules
_Cell = type((lambda x: lambda: x)(0).__closure__[0])
_Slot, _Descriptor = types.MemberDescriptorType, types.GetSetDescriptorType
_Frame, _Module, _Function, _Method = types.FrameType, types.ModuleType, types.FunctionType, types.MethodType
_SEQUENCES = ((list, "list"), (tuple, "tuple"), (set, "set"), (frozenset, "frozenset"), (deque, "deque"))
_FRAMES_OF = ((types.GeneratorType, "gi_frame", "generator"), (types.CoroutineType, "cr_frame", "coroutine"),
              (types.AsyncGeneratorType, "ag_frame", "asynchronous generator"))
_mro_of = type.__dict__["__mro__"].__get__
_names_of_class = type.__dict__["__dict__"].__get__
_module_names = _Module.__dict__["__dict__"].__get__
_folder = __file__.rpartition("/")[0] + "/"


def referrers(request, names):
    name = request["name"]
    if type(name) is not str:
        raise TypeError("the name is not a text")
    tensor = _dlscope.host_object(names, name, _host_run.frames())
    if tensor is None:
        return {"found": False}
    owner = _host_life.owner_of(tensor)
    of_owner = _found(owner, names)
    is_view = tensor is not owner
    of_view = _found(tensor, names) if is_view else (True, 0, [])
    return {"found": True, "owner": _kind(owner), "complete": of_owner[0] and of_view[0], "more": of_owner[1], "referrers": of_owner[2],
            "view": _kind(tensor) if is_view else "", "more_of_view": of_view[1], "of_view": of_view[2]}


def _found(value, names):
    """(whether all objects were looked through, how many kinds are left out, the others)"""
    search = _Search(value, names)
    listed = list(search.texts().items())
    return search.complete, max(0, len(listed) - _MOST_TEXTS), [{"what": what, "count": count} for what, count in listed[:_MOST_TEXTS]]


class _Search:
    def __init__(self, owner, names):
        self.owner, self.names, self.complete = owner, names, True
        self.script = _host_run.namespace()  # at a stop `names` is a dict of ours, with the names that a frame sees
        self.holders = {}  # of a container, by its id: who refers to it
        self.kept = []     # so that no id is given to another object meanwhile

    def texts(self):
        """{text: how many}, in the order in which they were found."""
        found = self._first()
        self._find_holders(found)
        inner = [each for holders in self.holders.values() for each in holders if self._is_link(each)]
        self._find_holders(inner)
        counted = {}
        for each in found:
            for text in self._text(each):
                counted[text] = counted.get(text, 0) + 1
        for text in _locals_with(self.owner, {id(each) for each in found if type(each) is _Frame}):
            counted[text] = counted.get(text, 0) + 1
        self.holders, self.kept = {}, []
        return counted

    def _first(self):
        """What refers to the owner itself."""
        found = {id(each): each for each in _get_referrers(self.owner) if self._is_theirs(each)}
        for each in self._untracked():
            found.setdefault(id(each), each)
        self.kept.append(found)
        return list(found.values())

    def _untracked(self):
        """Dicts and tuples with the owner that the collector does not track."""
        tracked, seen, kept, hits = _get_objects(), set(), [], []  # kept: so that no id is given again meanwhile
        if len(tracked) > _MOST_OBJECTS:
            self.complete = False
            del tracked[_MOST_OBJECTS:]
        looked_at = 0
        for start in range(0, len(tracked), _CHUNK):
            contents = _get_referents(*tracked[start:start + _CHUNK])
            looked_at += len(contents)
            waiting = [each for each in contents if _is_plain(each)]
            del contents
            while waiting:
                each = waiting.pop()
                if id(each) in seen or _is_tracked(each):
                    continue
                seen.add(id(each))
                kept.append(each)
                looked_at += len(each)
                for inner in list(dict.values(each)) if type(each) is dict else each:
                    if inner is self.owner:
                        if self._is_theirs(each):
                            hits.append(each)
                    elif _is_plain(inner):
                        waiting.append(inner)
            if looked_at > _MOST_CONTENTS:
                self.complete = False
                break
        return hits

    def _is_theirs(self, value):
        """False for what is ours: frames, the objects of the host, this search."""
        if type(value) is _Frame:
            return not value.f_code.co_filename.startswith(_folder)
        if value is self.__dict__ or (value is self.names and value is not self.script):
            return False
        return not _module_of(type(value)).startswith("dlscope._host")

    def _is_link(self, value):
        """Whether a name for it is one step further: the dict of an instance, the closure of a function."""
        return type(value) is dict or type(value) is tuple

    def _find_holders(self, values):
        """Fills `holders` for those of the values that do not say themselves where they are."""
        wanted = {id(each): each for each in values if _needs_holder(each) and id(each) not in self.holders}
        wanted = dict(list(wanted.items())[:_MOST_HOLDERS])
        if not wanted:
            return
        for key in wanted:
            self.holders[key] = []
        ours = {id(wanted), id(self.holders), id(self.kept), id(values)} | {id(each) for each in self.kept}
        for each in _get_referrers(*wanted.values()):
            if id(each) in ours or type(each) is _Frame or not self._is_theirs(each):
                continue
            for key in {id(inner) for inner in _get_referents(each)} & wanted.keys():
                self.holders[key].append(each)

    def _held_by(self, value):
        return self.holders.get(id(value), ())

    # ---- in words ----

    def _text(self, value):
        """The texts for one that refers to the owner: often one, several where it does so in several places."""
        kind = type(value)
        if kind is _Frame:
            found = _keys_of(_frame_locals(value), self.owner)
            return [_local_text(each, value) for each in found] or ["a frame of %s()" % _code_name(value.f_code)]
        if kind is _Cell:
            return [self._closure_text(value)]
        if kind is _Method:
            return ["a bound method of it"]
        if _is_a(value, dict):
            return self._dict_texts(value)
        for sequence, word in _SEQUENCES:
            if _is_a(value, sequence):
                if sequence is tuple and any(_is_defaults(each, value) for each in self._held_by(value)):
                    return ["a default of %s()" % _function_name(each) for each in self._held_by(value) if _is_defaults(each, value)]
                own_kind = "" if kind is sequence else " (%s)" % _kind(value)
                return ["a %s of %d%s%s" % (word, sequence.__len__(value), own_kind, self._place(value))]
        for generator, attribute, word in _FRAMES_OF:
            if kind is generator:
                frame = generator.__dict__[attribute].__get__(value)
                found = _keys_of(_frame_locals(frame), self.owner) if frame is not None else []
                return ["local %s of the %s %s()" % (each, word, _code_name(frame.f_code)) for each in found] or ["a %s" % word]
        if _is_a(value, type):
            return ["attribute %s of class %s" % (each, _class_name(value)) for each in _keys_of(_names_of_class(value), self.owner)] or [
                "class %s" % _class_name(value)]
        if kind is partial:
            return ["a functools.partial"]
        return _attribute_texts(value, self.owner) or ["a %s" % _kind(value)]

    def _dict_texts(self, value):
        keys = _keys_of(value, self.owner)
        if value is self.script:
            return ["the name %s of the script" % each for each in keys]
        module = _module_with(value)
        if module:
            return ["the name %s of module %s" % (each, module) for each in keys]
        for each in self._held_by(value):
            if _is_a(each, type) and not _is_a(value, type):
                return ["attribute %s of class %s" % (key, _class_name(each)) for key in keys]
            if _dict_of(each) is value:
                return ["attribute %s of %s" % (key, _thing(each)) for key in keys]
            if type(each) is _Function and _Function.__dict__["__kwdefaults__"].__get__(each) is value:
                return ["a default of %s()" % _function_name(each)]
        own_kind = "" if type(value) is dict else " (%s)" % _kind(value)
        return ["a dict of %d%s, key %s%s" % (dict.__len__(value), own_kind, each, self._place(value)) for each in keys] or [
            "a dict of %d%s%s" % (dict.__len__(value), own_kind, self._place(value))]

    def _place(self, value):
        """Where a container is, as ", the name cache of the script"; "": not known."""
        for each in self._held_by(value):
            if _is_a(each, dict):
                texts = self._named_in(each, value)
                if texts:
                    return ", " + texts
            elif not any(_is_a(each, sequence) for sequence, _ in _SEQUENCES) and type(each) is not _Cell:
                texts = _attribute_texts(each, value)
                if texts:
                    return ", " + texts[0]
            elif type(each) is _Cell:
                return ", in the %s" % self._closure_text(each)
        return ""

    def _named_in(self, holder, value):
        keys = _keys_of(holder, value)
        if not keys:
            return ""
        if holder is self.script:
            return "the name %s of the script" % keys[0]
        module = _module_with(holder)
        if module:
            return "the name %s of module %s" % (keys[0], module)
        for each in self._held_by(holder):
            if _is_a(each, type):
                return "attribute %s of class %s" % (keys[0], _class_name(each))
            if _dict_of(each) is holder:
                return "attribute %s of %s" % (keys[0], _thing(each))
        return ""

    def _closure_text(self, cell):
        for closure in self._held_by(cell):
            for each in self._held_by(closure):
                if type(each) is _Function and _Function.__dict__["__closure__"].__get__(each) is closure:
                    return "closure of %s" % _function_name(each)
        return "a variable that functions share"


def _needs_holder(value):
    return type(value) is _Cell or _is_a(value, dict) or any(_is_a(value, sequence) for sequence, _ in _SEQUENCES)


def _is_plain(value):
    return type(value) is dict or type(value) is tuple


def _is_a(value, kind):
    """By the type alone: isinstance() asks the object's __class__, too."""
    return any(each is kind for each in _mro_of(type(value)))


def _is_defaults(function, value):
    return type(function) is _Function and _Function.__dict__["__defaults__"].__get__(function) is value


def _keys_of(names, value):
    """The keys of a dict or of a class's names under which the value is, as texts."""
    items = dict.items(names) if _is_a(names, dict) else names.items()
    return [_key_text(key) for key, each in list(items) if each is value]


def _key_text(key):
    if type(key) is str:
        return _short(key) if key.isidentifier() else "%r" % _short(key)
    return "%d" % key if type(key) is int else "a %s" % _kind(key)


def _short(text):
    return text if len(text) <= _LONGEST else text[:_LONGEST] + "..."


def _module_of(kind):
    name = type.__dict__["__module__"].__get__(kind)
    return name if type(name) is str else ""


def _class_name(kind):
    module, name = _module_of(kind), _short(type.__dict__["__qualname__"].__get__(kind))
    return name if module in ("builtins", "__main__") else "%s.%s" % (_short(module), name)


def _kind(value):
    return _class_name(type(value))


def _thing(value):
    """An object that has attributes: "Job", "f()"."""
    return _function_name(value) + "()" if type(value) is _Function else _kind(value)


def _function_name(function):
    return _short(_Function.__dict__["__qualname__"].__get__(function))


def _code_name(code):
    return _short(getattr(code, "co_qualname", code.co_name))


def _module_with(names):
    """The name of the module whose names these are; "": no module's."""
    for name, module in list(dict.items(_modules)):
        if type(name) is str and _is_a(module, _Module) and _module_names(module) is names:
            return _short(name)
    return ""


def _dict_of(value):
    """The dict of an instance; None: it has none, or only a property of the user's would say."""
    for kind in _mro_of(type(value)):
        found = dict(_names_of_class(kind)).get("__dict__")
        if found is not None:
            return found.__get__(value) if type(found) is _Descriptor else None
    return None


def _attribute_texts(value, sought):
    """"attribute x of Job", for each attribute that the value is, kept in its dict or in a slot."""
    own = _dict_of(value)
    found = _keys_of(own, sought) if type(own) is dict else []
    for kind in _mro_of(type(value)):
        for name, slot in list(_names_of_class(kind).items()):
            if type(slot) is not _Slot or type(name) is not str:
                continue
            try:
                if slot.__get__(value) is sought:
                    found.append(_short(name))
            except AttributeError:  # never set
                pass
    return ["attribute %s of %s" % (each, _thing(value)) for each in found]


def _frame_locals(frame):
    return _dlscope.host_locals(frame) if _host_frame.is_function(frame.f_code) else {}


def _local_text(name, frame):
    return "local %s of %s()" % (name, _code_name(frame.f_code))


def _locals_with(owner, known):
    """Of the functions that stand in all threads: from 3.11 on the collector does not list their frames."""
    texts = []
    for frame in list(_current_frames().values()):
        while frame is not None:
            if id(frame) not in known and not frame.f_code.co_filename.startswith(_folder):
                texts += [_local_text(each, frame) for each in _keys_of(_frame_locals(frame), owner)]
            frame = frame.f_back
    return texts
