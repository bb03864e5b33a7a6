"""Code that a person types at a stop, run in one of the frames that stand there; and expressions looked at in it.

A function's variables can be given new values. From 3.13 on the names in `f_locals` are the variables; before, what the code has
changed is written back when it has ended. A name that the function does not have lives until the stop is over.
"""

import _ast
import sys

from dlscope import _dlscope, _host_calls, _host_interrupts, _host_private

__builtins__ = _host_private.private_builtins()
_host_interrupts.own(globals())

_ONLY_AST = 0x400  # ast.PyCF_ONLY_AST
_NOTHING = object()
_OPTIMISED = 1  # CO_OPTIMIZED: a function, whose variables are no dict
_LONGEST = 4000
_Code = type((lambda: 0).__code__)
_repr = _host_private.reprlib.Repr()
_repr.maxlevel, _repr.maxtuple, _repr.maxlist, _repr.maxdict, _repr.maxset = 4, 40, 40, 40, 40
_repr.maxfrozenset, _repr.maxdeque, _repr.maxarray, _repr.maxstring, _repr.maxlong, _repr.maxother = 40, 40, 40, 1000, 200, _LONGEST


def names_of(frame):
    """Everything that an expression in the frame sees but builtins, as a new dict."""
    return {**frame.f_globals, **_locals_of(frame)}


def _locals_of(frame):
    if frame.f_code.co_flags & _OPTIMISED:
        return _dlscope.host_locals(frame)
    return frame.f_locals


def evaluate(code, frame):
    """The value of compiled code in the frame."""
    local = _locals_of(frame)
    if _has_inner_code(code):  # a comprehension or a lambda sees globals only
        return eval(code, {**frame.f_globals, **local})
    return eval(code, frame.f_globals, local)


def _has_inner_code(code):
    for constant in code.co_consts:
        if type(constant) is _Code:
            return True
    return False


class _Names(dict):
    """The names that code in a function's frame assigns and sees first. `behind`: the _Globals that the code runs with, or None."""

    __slots__ = ("behind",)

    def __init__(self, names):
        super().__init__(names)
        self.behind = None

    def __missing__(self, name):
        if self.behind is None:
            raise KeyError(name)
        return self.behind.now(name)


class _Globals(dict):
    """The globals of code that has functions of its own (comprehensions and lambdas are some): there Python looks up the names of the
    code around them. They find the frame's variables here as they are by then, and else the module's.

    The dict holds a copy of both: class bodies look names up in it past __getitem__, and what is assigned as a global lands in it."""

    __slots__ = ("_module", "_names", "_copy")

    def __init__(self, module, names):
        super().__init__(module)
        self.update(names)
        self._module, self._names, self._copy = module, names, dict(self)

    def __getitem__(self, name):
        if name in self._names:
            return self._names[name]
        return self.now(name)

    def now(self, name):
        value = self.get(name, _NOTHING)
        if value is self._copy.get(name, _NOTHING):
            return self._module[name]
        if value is _NOTHING:  # deleted
            raise KeyError(name)
        return value

    def give_back(self, global_names):
        """What was assigned here: to the module where the code declares it global, else (a := in a comprehension) to the names."""
        for name, value in self.items():
            if self._copy.get(name, _NOTHING) is not value and name not in ("__builtins__", "__warningregistry__"):
                (self._module if name in global_names else self._names)[name] = value
        for name in global_names:
            if name in self._copy and name not in self:
                self._module.pop(name, None)


class _Bindings:
    """How a text assigns names, beside plainly."""

    def __init__(self, text):
        self.global_names = set()  # of its `global` statements
        # By :=, which in a comprehension that no function is around binds a global.
        self.in_expressions = False
        todo = [compile(text, "<names>", "exec", _ONLY_AST, True)]
        while todo:
            node = todo.pop()
            if isinstance(node, _ast.Global):
                self.global_names.update(node.names)
            self.in_expressions = self.in_expressions or isinstance(node, _ast.NamedExpr)
            todo.extend(_host_calls.children_of(node))


def execute(codes, text, frame, extra, runs_on=""):
    """Runs them one after the other: what the text was compiled to. extra: the dict of names that the function does not have. runs_on:
    the thread or task whose frame it is, where that may run on meanwhile: its variables can be looked at, and are never set under its
    feet."""
    if not frame.f_code.co_flags & _OPTIMISED:
        for code in codes:
            exec(code, frame.f_globals, frame.f_locals)
        return
    before = _dlscope.host_locals(frame)
    names = _Names({**extra, **before})
    bindings = _Bindings(text)
    try:
        for code in codes:
            _execute(code, frame, names, bindings)
    finally:
        variables = frame.f_code.co_varnames + frame.f_code.co_cellvars + frame.f_code.co_freevars
        changed = {}
        for name, value in names.items():
            if name not in variables:
                extra[name] = value
            elif name not in before or before[name] is not value:
                changed[name] = value
        before = names = None
        if changed and runs_on:
            raise RuntimeError("%s of %s() %s not changed: %s may run on while this one stands. Its variables can be looked at; stop in it to "
                               "change them" % (", ".join(sorted(changed)), frame.f_code.co_name, "was" if len(changed) == 1 else "were", runs_on))
        if changed and not _dlscope.host_set_locals(frame, changed):
            raise RuntimeError("%s of %s() %s not changed: this Python gives no access to the variables of a frame" % (
                ", ".join(sorted(changed)), frame.f_code.co_name, "was" if len(changed) == 1 else "were"))


def _execute(code, frame, names, bindings):
    if not _has_inner_code(code) and not bindings.in_expressions:
        exec(code, frame.f_globals, names)
        return
    names.behind = seen = _Globals(frame.f_globals, names)
    try:
        exec(code, seen, names)
    finally:
        seen.give_back(bindings.global_names)
        names.behind = None  # no cycle that keeps what the frame held alive


def answer(expressions, frame, names):
    """[{"text"} or {"error"}] for each: in the frame, or, where there is none, with these names."""
    values = []
    for text in expressions[:200]:
        try:
            code = compile(str(text).strip(), "<expression>", "eval", 0, True)
            values.append({"text": _shown(evaluate(code, frame) if frame is not None else eval(code, names))})
        except KeyboardInterrupt:
            raise
        except BaseException as error:
            values.append({"error": words_of(error)})
    return {"values": values}


def _shown(value):
    text = _repr.repr(value)
    return text if len(text) <= _LONGEST else text[:_LONGEST] + "..."


def words_of(error):
    """"NameError: name 'x' is not defined"."""
    try:
        text = str(error)
    except BaseException:
        text = ""
    name = type(error).__name__
    return "%s: %s" % (name, text[:1000]) if text else name
