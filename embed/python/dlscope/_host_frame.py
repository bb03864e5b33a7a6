"""Code that a person types at a stop, run in one of the frames that stand there; and expressions looked at in it.

A function's variables can be given new values. From 3.13 on the names in `f_locals` are the variables; before, what the code has
changed is written back when it has ended. A name that the function does not have lives until the stop is over, and is found like its
variables until then.
"""

from dlscope import _dlscope, _host_interrupts, _host_private, _host_scope

__builtins__ = _host_private.private_builtins()
_host_interrupts.register_host_module(globals())

_LONGEST = 4000
_repr = _host_private.reprlib.Repr()
_repr.maxlevel, _repr.maxtuple, _repr.maxlist, _repr.maxdict, _repr.maxset = 4, 40, 40, 40, 40
_repr.maxfrozenset, _repr.maxdeque, _repr.maxarray, _repr.maxstring, _repr.maxlong, _repr.maxother = 40, 40, 40, 1000, 200, _LONGEST


def is_function(code):
    """Whether its variables are no dict: CO_OPTIMIZED, which the code of a module or of the body of a class has not."""
    return bool(code.co_flags & 1)


def names_of(frame):
    """Everything that an expression in the frame sees but builtins, as a new dict."""
    return {**frame.f_globals, **_locals_of(frame)}


def _locals_of(frame):
    if is_function(frame.f_code):
        return _dlscope.host_locals(frame)
    return frame.f_locals


def evaluate(expression, frame):
    """The value of a _host_scope.Expression in the frame."""
    return expression.value(frame, _locals_of(frame))


def evaluate_at_line(expression, frame):
    """As evaluate(), in a frame to which console code has added no names. Asks for those variables only that the expression needs: this
    decides a condition at each iteration of a loop."""
    variables = expression.variables_in(frame.f_code) if is_function(frame.f_code) else None
    if variables is None:
        return evaluate(expression, frame)
    return expression.value(frame, _dlscope.host_variables(frame, variables))


class Additions:
    """What console code has put into a frame until the stop is over. names: those that the function does not have; cells: through which
    functions made by that code see names."""

    def __init__(self):
        self.names, self.cells = {}, {}


def forget_additions(stack):
    """The stack is no longer looked at."""
    for frame in stack.additions:
        _dlscope.host_forget_added_names(frame)
    stack.additions.clear()


def execute(codes, text, filename, frame, additions, runs_on=""):
    """Runs console code. codes: what it was compiled to, to be run one after the other. runs_on: the thread or task whose frame it is, where
    that may run on meanwhile: its variables can be looked at, and are never set under its feet."""
    if not is_function(frame.f_code):
        _execute_in_module(codes, frame)
        return
    before = _dlscope.host_locals(frame)
    names = _host_scope.Names({**additions.names, **before}, additions.cells, frame.f_globals, frame.f_builtins)
    try:
        _host_scope.execute(codes, text, filename, frame, names)
    finally:
        variables = frame.f_code.co_varnames + frame.f_code.co_cellvars + frame.f_code.co_freevars
        changed = {}
        for name, value in names.items():
            if name not in variables:
                additions.names[name] = value
            elif name not in before or before[name] is not value:
                changed[name] = value
        for name in additions.names.keys() - names.keys():
            del additions.names[name]
        _dlscope.host_add_names(frame, additions.names)
        kept = sorted(_host_scope.deleted_names(text) & set(variables) & before.keys() - names.keys())
        before = names = None
        _host_scope.forget_unused_cells(additions.cells)
        if changed and runs_on:
            raise RuntimeError("%s of %s() %s not changed: %s may run on while this one stands. Its variables can be looked at; stop in it to "
                               "change them" % (", ".join(sorted(changed)), frame.f_code.co_name, "was" if len(changed) == 1 else "were", runs_on))
        if changed and not _dlscope.host_set_locals(frame, changed):
            raise RuntimeError("%s of %s() %s not changed: this Python gives no access to the variables of a frame" % (
                ", ".join(sorted(changed)), frame.f_code.co_name, "was" if len(changed) == 1 else "were"))
    if kept:
        raise RuntimeError("%s of %s() cannot be deleted from here. Assign None to let go of what %s" % (
            ", ".join(kept), frame.f_code.co_name, "it holds" if len(kept) == 1 else "they hold"))


def _execute_in_module(codes, frame):
    """In the frame of a module or of the body of a class, whose variables are a dict."""
    names, module = frame.f_locals, frame.f_globals
    before = None
    # From 3.12 on f_locals is made anew at each look while a comprehension of the module runs: a copy, or a view with the comprehension's
    # variables. Otherwise it is the dict or mapping that the module's code was given.
    if names is not module and frame.f_code.co_name == "<module>" and frame.f_locals is not names:
        before = {**module, **names}
        names = dict(before)
    try:
        for code in codes:
            _dlscope.host_run_user_code(exec, code, module, names)
    finally:
        if before is not None:
            module.update({name: value for name, value in names.items() if name not in before or before[name] is not value})
            for name in before.keys() - names.keys():
                module.pop(name, None)


def answer(expressions, frame, names):
    """[{"text"} or {"error"}] for each: in the frame, or, where there is none, with these names. Stop ends the one that does not end; those
    behind it are not begun."""
    values = []
    for text in expressions[:200]:
        if values and "stopped" in values[-1]:
            values.append({"error": "not evaluated: the expression before it was stopped", "stopped": True})
            continue
        try:
            expression = _host_scope.Expression(str(text).strip(), "<expression>")
            values.append({"text": _shown(evaluate(expression, frame) if frame is not None else expression.value_in(names))})
        except KeyboardInterrupt:
            values.append({"error": "KeyboardInterrupt: stopped before it had a value", "stopped": True})
        except BaseException as error:
            values.append({"error": error_text(error)})
    return {"values": values}


def _shown(value):
    text = _repr.repr(value)
    return text if len(text) <= _LONGEST else text[:_LONGEST] + "..."


_PLAIN = (str, bytes, int, float, bool, type(None))
_mro_of, _dict_of = type.__dict__["__mro__"].__get__, type.__dict__["__dict__"].__get__


def stored_error_text(error):
    """As error_text(), of an exception that the program may still catch without anybody having asked for its text: runs no __str__ of the
    user's, and no __str__ of a value in it. Where there is one, the only text among its arguments stands for it."""
    name = type(error).__name__
    arguments = BaseException.__dict__["args"].__get__(error)
    if not all(type(each) in _PLAIN for each in arguments):
        return name
    for kind in _mro_of(type(error)):
        if "__str__" in _dict_of(kind):
            if type(_dict_of(kind)["__str__"]) is type(BaseException.__str__):  # of C code
                return error_text(error)
            break
    return "%s: %s" % (name, arguments[0][:1000]) if len(arguments) == 1 and type(arguments[0]) is str and arguments[0] else name


def error_text(error):
    """"NameError: name 'x' is not defined"."""
    try:
        text = str(error)
    except BaseException:
        text = ""
    name = type(error).__name__
    return "%s: %s" % (name, text[:1000]) if text else name
