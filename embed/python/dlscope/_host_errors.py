"""How a script's end is shown and told: the traceback as Python prints it, the error as the report has it."""

import sys
from os import write

from dlscope import _host_interrupts, _host_private
from dlscope._host_private import traceback

__builtins__ = _host_private.private_builtins()
_host_interrupts.register_host_module(globals())

_MAX_MESSAGE = 64 * 1024
_MAX_TRACEBACK = 512 * 1024
_MAX_CONTEXTS = 100  # of an exception


def without_our_frames(trace):
    """The traceback from the first frame on that is the user's; as it is where an audit hook of the script's forbids to look."""
    try:
        while trace is not None and _host_interrupts.is_ours(trace.tb_frame):
            trace = trace.tb_next
    except BaseException:
        pass
    return trace


def forget_context(error, handled):
    """Of code that a person runs where the script is handling an exception: what it raises has not come of that."""
    context = BaseException.__dict__["__context__"]
    for _ in range(_MAX_CONTEXTS if handled is not None else 0):
        before = context.__get__(error)
        if before is handled:
            context.__set__(error, None)
        if before is None or before is handled:
            return
        error = before


def exit_code_of(error):
    """What the process's exit status would be, as a shell has it; prints a message where sys.exit got one. As CPython does it."""
    try:
        code = error.code
    except BaseException:
        code = error
    if code is None:
        return 0
    if issubclass(type(code), int):
        number = int.__index__(code)  # whatever the user's class says
        return (number if -(1 << 63) <= number < 1 << 63 else -1) & 0xFF  # PyLong_AsLong() fails with -1
    try:
        text = str(code)
    except BaseException:
        text = ""
    write_error(text + "\n")
    return 1


def show(error, trace, edited):
    """Prints an uncaught exception to sys.stderr. edited: the file on disk is not what ran, so Python's own printer,
    which reads the file, would show other lines than linecache."""
    hook = getattr(sys, "excepthook", None)
    if hook is sys.__excepthook__ and edited:
        write_error(_formatted(error, trace))
        return
    try:
        (hook or sys.__excepthook__)(type(error), error, trace)
    except BaseException as problem:
        write_error("Error in sys.excepthook:\n")
        _show_plainly(problem, problem.__traceback__ and problem.__traceback__.tb_next)
        write_error("\nOriginal exception was:\n")
        _show_plainly(error, trace)


def describe(error, trace, filename):
    """(type, message, line, traceback) of the report's script.error."""
    message = _text_of(error)
    text = _formatted(error, trace)
    if len(text) > _MAX_TRACEBACK:
        half = _MAX_TRACEBACK // 2
        text = text[:half] + "\n[... shortened ...]\n" + text[-half:]
    return _type_name(type(error)), message[:_MAX_MESSAGE], _line_in(filename, error, trace), text


def _line_in(filename, error, trace):
    line = 0
    try:
        while trace is not None:
            if trace.tb_frame.f_code.co_filename == filename:
                line = trace.tb_lineno or 0
            trace = trace.tb_next
    except BaseException:  # an audit hook's
        pass
    if line == 0 and isinstance(error, SyntaxError) and error.filename == filename:
        line = error.lineno or 0
    return line if isinstance(line, int) else 0


def _type_name(error_type):
    try:
        name = type.__dict__["__qualname__"].__get__(error_type)
        module = type.__dict__["__module__"].__get__(error_type)
    except BaseException:
        return "?"
    return name if module in ("builtins", "__main__") else "%s.%s" % (module, name)


def _text_of(value):
    try:
        return str(value)
    except BaseException:
        return "<%s str() failed>" % _type_name(type(value))


def _formatted(error, trace):
    try:
        return "".join(traceback.format_exception(type(error), error, trace))
    except BaseException:  # an exception whose own methods raise
        return "%s: %s\n" % (_type_name(type(error)), _text_of(error))


def _show_plainly(error, trace):
    try:
        sys.__excepthook__(type(error), error, trace)
    except BaseException:
        write_error(_formatted(error, trace))


def write_error(text):
    try:
        sys.stderr.write(text)
        sys.stderr.flush()
    except BaseException:  # closed or replaced by something that does not write
        try:
            write(2, text.encode("utf-8", "backslashreplace"))
        except OSError:
            pass
