"""Which function of the user's a script's own lines call last: where to look, when all that it had was local there."""

import _ast

from dlscope import _dlscope, _host_interrupts, _host_private

__builtins__ = _host_private.private_builtins()
_host_interrupts.register_host_module(globals())

_ONLY_AST = 0x400  # ast.PyCF_ONLY_AST
_LONGEST = 1 << 18  # characters: a text beyond that is not read once more
_Function, _Module = type(lambda: 0), type(_ast)
_INNER = (_ast.FunctionDef, _ast.AsyncFunctionDef, _ast.ClassDef, _ast.Lambda)


def last_called(text, names):
    """"main", "Trainer.fit", as its code names it; "" where none is known. names: those that the script left."""
    if not text or len(text) > _LONGEST:
        return ""
    try:
        statements = compile(text, "<calls>", "exec", _ONLY_AST, True).body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return ""
    return _last_in(statements, names)


def _last_in(statements, names):
    for statement in reversed(statements):
        if isinstance(statement, _INNER):
            continue
        parts = [getattr(statement, part, None) or [] for part in ("orelse", "body")]
        if isinstance(statement, _ast.If):
            parts.reverse()
        for part in parts:
            found = _last_in(part, names)
            if found:
                return found
        if not any(parts):
            found = _outermost_call(statement, names)
            if found:
                return found
    return ""


def _outermost_call(statement, names):
    todo = [statement]
    while todo:
        node = todo.pop(0)
        if isinstance(node, _INNER):
            continue
        if isinstance(node, _ast.Call):
            found = _name_of(_called(node.func, names))
            if found:
                return found
        todo.extend(children_of(node))
    return ""


def children_of(node):
    """The nodes right below one of a syntax tree."""
    found = []
    for field in node._fields:
        value = getattr(node, field, None)
        found.extend(child for child in (value if isinstance(value, list) else (value,)) if isinstance(child, _ast.AST))
    return found


def _called(node, names):
    """The function, without running anything of the user's; None where that does not tell."""
    if isinstance(node, _ast.Name):
        return names.get(node.id)
    if not isinstance(node, _ast.Attribute):
        return None
    owner = node.value
    if isinstance(owner, _ast.Call) and isinstance(owner.func, _ast.Name):
        kind = names.get(owner.func.id)
    elif isinstance(owner, _ast.Name):
        value = names.get(owner.id)
        if type(value) is _Module:
            return vars(value).get(node.attr)
        kind = value if issubclass(type(value), type) else type(value)  # isinstance() asks __class__
    else:
        return None
    if type(kind) is not type:
        return None
    for each in type.__dict__["__mro__"].__get__(kind):
        function = type.__dict__["__dict__"].__get__(each).get(node.attr)
        if function is not None:
            return function
    return None


def _name_of(function):
    """Of what a decorator has wrapped, the innermost."""
    name = ""
    for _ in range(20):
        if type(function) is not _Function:
            break
        code = function.__code__
        if _dlscope.host_is_user_file(code.co_filename):
            name = getattr(code, "co_qualname", None) or function.__qualname__
        function = function.__dict__.get("__wrapped__")
    return name
