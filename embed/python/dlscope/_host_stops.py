"""Looks at one moment inside the user's code: before a line runs for the n-th time (--at), or where dlscope.stop() stands.

The script ends there: what stands in the frames is what the report is about. Costs nothing where the line is not: from 3.12 on
only the code objects that hold the line have an event (sys.monitoring), before that a trace function is set that no other code
object gets.
"""

import _ast
import _thread
import sys

from dlscope import _dlscope, _host_interrupts, _host_private

__builtins__ = _host_private.private_builtins()
_host_interrupts.own(globals())

_ONLY_AST = 0x400  # ast.PyCF_ONLY_AST
_Code = type((lambda: 0).__code__)
_monitoring = getattr(sys, "monitoring", None)
_TOOLS = (4, 3, 1, 2, 5, 0)  # the numbers without a meaning of their own first

_point = None    # the moment that is waited for
reached = False  # in this run


class Reached(SystemExit):
    """Ends the script like sys.exit(): threads, executors and event loops know what to do with that."""


class _Point:
    def __init__(self, text, script):
        place, _, hit = text.partition("#")
        file, _, line = place.rpartition(":")
        self.file, self.line, self.hit = file, int(line), int(hit or 1)
        self.script = script
        self.seen = 0
        self.plans = {}  # file name -> code objects as (name, first line), and the line that has code
        self.tool = None

    def is_file(self, filename):
        if not self.file:
            return filename == self.script
        wanted = self.file[2:] if self.file.startswith("./") else self.file
        return filename == wanted or filename.endswith("/" + wanted.lstrip("/"))


def prepare(text, filename, source, codes):
    """Before the script runs. codes: what is about to be executed; source: its text; filename: its code objects' name."""
    global _point, reached
    finish()
    reached = False
    if not text:
        return
    _point = _Point(text, filename)
    if _monitoring is not None:
        _start_monitoring()
    else:
        sys.settrace(_trace)
        _threading().settrace(_trace)
    if _point.is_file(filename):
        _plan(filename, source)
        for code in codes:
            _watch_nested(code)


def finish():
    """The script has ended: the events are given back."""
    global _point
    point, _point = _point, None
    if point is None:
        return
    if point.tool is not None:
        try:
            for event in (_monitoring.events.LINE, _monitoring.events.PY_START):
                _monitoring.register_callback(point.tool, event, None)
            _monitoring.set_events(point.tool, 0)
            _monitoring.free_tool_id(point.tool)
        except ValueError:  # somebody else freed it
            pass
    elif _monitoring is None:
        if not reached and sys.gettrace() is not _trace:
            _dlscope.host_event("--at %s: something in the script set a trace function of its own (coverage, a debugger): lines "
                                "after that were not seen" % _text(point))
        _threading().settrace(None)


def _threading():
    """Python's own, also where a file of that name lies beside the script."""
    if "threading" not in sys.modules:
        path = sys.path[:]
        sys.path[:] = path[1:]
        try:
            import threading
        finally:
            sys.path[:] = path
    return sys.modules["threading"]


def stop_here(frame):
    """dlscope.stop(): in the frame that called it."""
    _look(frame, frame.f_lineno, 1)


def _text(point):
    return "%s%d%s" % (point.file + ":" if point.file else "", point.line, "#%d" % point.hit if point.hit > 1 else "")


# ---- which code objects hold the line ----


def _plan(filename, source):
    """Which code objects of a file hold the line; the next line that has code where the line has none."""
    point = _point
    if source is None:
        try:
            with open(filename, "rb") as file:
                source = file.read()
        except OSError:
            source = ""
    try:
        top = compile(source, filename, "exec", 0, True)
        tree = compile(source, filename, "exec", _ONLY_AST, True)
    except (SyntaxError, ValueError):
        point.plans[filename] = (point.line, ())
        return
    levels = []
    _collect(top, 0, levels)
    lines = [line for _, _, own in levels for line in own if line >= point.line]
    line = min(lines) if lines else point.line
    if line != point.line:
        words = "--at %s: line %d has no code; the next that has some is %d" % (_text(point), point.line, line)
        _dlscope.host_event(words)
        _dlscope.host_notice(words)
    holding = [(depth, code) for depth, code, own in levels if line in own]
    one_line = _one_line_function(tree, line)
    if one_line is not None:  # the def itself is executed on this line as well, and is no hit of its body
        holding = [(depth, code) for depth, code in holding if code.co_name == one_line]
    # A line of a comprehension or a lambda is a line of the function around it.
    outermost = min((depth for depth, _ in holding), default=0)
    point.plans[filename] = (line, {(code.co_name, code.co_firstlineno) for depth, code in holding if depth == outermost})


def _collect(code, depth, out):
    out.append((depth, code, _lines_of(code)))
    for constant in code.co_consts:
        if type(constant) is _Code:
            _collect(constant, depth + 1, out)


def _lines_of(code):
    return {line for _, line in _host_private.dis.findlinestarts(code) if line}


def _one_line_function(tree, line):
    todo = [tree]
    while todo:
        node = todo.pop()
        if isinstance(node, (_ast.FunctionDef, _ast.AsyncFunctionDef)) and node.lineno == line == node.body[0].lineno:
            return node.name
        for field in node._fields:
            value = getattr(node, field, None)
            for child in value if isinstance(value, list) else (value,):
                if isinstance(child, _ast.AST):
                    todo.append(child)
    return None


def _holds_line(code):
    """The line to wait for in this code object; None when it is not in it."""
    point = _point
    if point is None or not point.is_file(code.co_filename):
        return None
    if code.co_filename not in point.plans:
        _plan(code.co_filename, None)
    line, codes = point.plans[code.co_filename]
    return line if (code.co_name, code.co_firstlineno) in codes else None


# ---- from 3.12 on ----


def _start_monitoring():
    for tool in _TOOLS:
        try:
            _monitoring.use_tool_id(tool, "dlscope")
        except ValueError:
            continue
        _point.tool = tool
        break
    else:
        _dlscope.host_notice("--at: all of sys.monitoring's tools are taken (coverage, profilers); no line can be waited for")
        return
    events = _monitoring.events
    _monitoring.register_callback(_point.tool, events.LINE, _on_line)
    _monitoring.register_callback(_point.tool, events.PY_START, _on_start)
    _monitoring.set_events(_point.tool, events.PY_START)


def _watch(code):
    """Events for a code object that holds the line. A function of one line has none for it: its start is the line."""
    line = _holds_line(code)
    point = _point
    if line is None or point is None or point.tool is None:
        return False
    if line == code.co_firstlineno and code.co_name != "<module>":
        return True
    _monitoring.set_local_events(point.tool, code, _monitoring.events.LINE)
    return False


def _watch_nested(code):
    if _monitoring is not None and not _watch(code):
        for constant in code.co_consts:
            if type(constant) is _Code:
                _watch_nested(constant)


def _on_start(code, offset):
    if _watch(code):
        _hit(sys._getframe(1), _holds_line(code))
        return None
    return _monitoring.DISABLE  # for this code object: whether it holds the line is known now


def _on_line(code, line):
    if line == _holds_line(code):
        _hit(sys._getframe(1), line)
        return None
    return _monitoring.DISABLE  # for this line


# ---- before 3.12 ----


def _trace(frame, event, argument):
    return _trace_lines if _holds_line(frame.f_code) is not None else None


def _trace_lines(frame, event, argument):
    if event == "line" and frame.f_lineno == _holds_line(frame.f_code):
        _hit(frame, frame.f_lineno)
    return _trace_lines


# ---- the moment ----


def _hit(frame, line):
    point = _point
    point.seen += 1
    if point.seen == point.hit and not reached:
        _look(frame, line, point.hit)


def _look(frame, line, hit):
    global reached
    if _dlscope.host_is_child():
        return
    reached = True
    _dlscope.host_stop_here(vars_of_script(), frame, line, hit, _thread_name())
    if _thread.get_ident() != _host_interrupts.main_thread:
        _thread.interrupt_main()
    raise Reached(0)


def _thread_name():
    threading = sys.modules.get("threading")
    if threading is None:
        return "MainThread"
    thread = threading._active.get(_thread.get_ident())
    name = getattr(thread, "_name", None)
    return name if type(name) is str else "a thread that Python did not start"


def vars_of_script():
    from dlscope import _host_run  # which imports this module

    return _host_run.namespace()
