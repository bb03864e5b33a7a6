"""The breakpoints that the viewer has set: where they stand, whether they are reached, what they say."""

import sys
from itertools import count as _count  # built in
from os import path as _path

from dlscope import _dlscope, _host_compiled, _host_events, _host_frame, _host_interrupts, _host_lines, _host_private, _host_scope

__builtins__ = _host_private.private_builtins()
_host_interrupts.own(globals())

_OWN_FOLDER = _path.join(_path.dirname(_path.abspath(__file__)), "")
_abspath, _realpath, _basename = _path.abspath, _path.realpath, _path.basename
_print = print

at_return = None       # _host_at.Return: stops before a function returns
all_points = []        # of the viewer, and for a while one of --at and one of "run to this line"
on_raise = False
user_code_only = True
_files = {}            # file name of code objects -> FileLines, or None where no breakpoint is in it
_modules = {}          # file name -> the code object of the whole file, once it has been seen to start
_sources = {}          # file name -> what runs instead of the file on disk
_told = None
CHILDREN = "No stop in the script's own process. What its child processes (multiprocessing, os.fork) run does not stop"
CHANGED = "Not reached: the file has changed since Python read it. Restart Python to run what is on disk"
blocked = ""           # which other tool has what all of them need
_children_before = 0   # this run


class Breakpoint:
    def __init__(self, number, path, line, condition, hit, log_text, enabled):
        self.number, self.path, self.line, self.hit, self.enabled = number, path, line, max(hit, 1), enabled
        self.settings = (path, line, condition, hit, log_text)
        self.hits = 0
        self.place = 0    # the line where it stands
        self.message = ""   # why it cannot stop whatever runs
        self.is_met = False  # code that holds its place has started in this run
        self.no_code = ""  # why it cannot stop in what runs now
        self.remark = ""  # what went wrong when it was reached
        # In this run it was reached while a library recorded the function to compile it, and while the function ran as itself.
        self.is_traced = self.ran_itself = False
        self._condition = self._compiled(condition, condition.strip(), "condition")
        self._log = self._compiled(log_text, _as_f_string(log_text), "log text")

    def _compiled(self, text, source, what):
        if not text.strip():
            return None
        try:
            return _host_scope.Expression(source, "<%s>" % what)
        except (SyntaxError, ValueError) as error:
            self.message = "The %s is no expression: %s" % (what, getattr(error, "msg", None) or error)
            return None

    def is_in(self, filename):
        if filename == self.path:
            return True
        if _basename(filename) != _basename(self.path):
            return False
        return _abspath(filename) == self.path or _realpath(filename) == _realpath(self.path)

    def moved(self):
        """Its place is known now."""

    def stops(self, frame):
        """It is reached: whether to stop. Prints its text instead where it has one. A condition that raises stops, and says why."""
        self.remark = ""
        if _host_compiled.is_traced_now():
            self.is_traced = True
        else:
            self.ran_itself = True
        if self._condition is not None:
            try:
                if not _host_frame.evaluate_at_line(self._condition, frame):
                    return False
            except KeyboardInterrupt:
                raise
            except BaseException as error:
                self.remark = "The condition raised %s" % _host_frame.error_text(error)
        self.hits += 1
        if self.hits < self.hit:
            return False
        if self._log is None:
            return True
        try:
            _print(_host_frame.evaluate_at_line(self._log, frame), flush=True)
        except KeyboardInterrupt:
            raise
        except BaseException as error:
            _print("[%s:%d: the log text raised %s]" % (_basename(self.path), self.place, _host_frame.error_text(error)), flush=True)
        return False


def _as_f_string(text):
    quote = "'''" if '"""' in text or text.endswith('"') else '"""'
    return "rf" + quote + text + quote


def replace(change):
    """The viewer's new list. Whoever stays as it was keeps its hits."""
    global on_raise, user_code_only
    known = {point.number: point for point in all_points if point.number}
    points = []
    for number, path, line, condition, hit, log_text, enabled in change["all"]:
        point = Breakpoint(number, path, line, condition, hit, log_text, enabled)
        before = known.get(number)
        if before is not None and before.settings == point.settings:
            point.hits, point.place = before.hits, before.place
            point.is_traced, point.ran_itself = before.is_traced, before.ran_itself
        points.append(point)
    all_points[:] = points + [point for point in all_points if not point.number]  # at once: other threads read it
    on_raise, user_code_only = change["on_raise"], change["user_code_only"]
    _files.clear()


def begin_script(filename, source):
    """filename and source of what is about to run."""
    _sources[filename] = source
    _modules.pop(filename, None)
    _files.clear()


def begin_run(keep_hits):
    global _children_before
    _children_before = _children_started()
    _files.clear()
    if not keep_hits:
        _sources.clear()
    for point in all_points:
        if not keep_hits:
            point.hits, point.place, point.no_code = 0, 0, ""
            point.is_met = point.is_traced = point.ran_itself = False


def _children_started():
    """How many Python processes the program has made so far, through os.fork or multiprocessing; one may count twice."""
    counter = vars(sys.modules.get("multiprocessing.process", sys)).get("_process_counter")
    made = repr(counter)[len("count("):-1] if type(counter) is _count else "1"
    return _dlscope.host_forks() + int(made) - 1


def why_missed(point, compiled=None):
    """At the end of a run: why a line that has run may not have stopped, or "". compiled: as _host_compiled.why_missed()."""
    why = _host_compiled.why_missed(point, compiled)
    return why or (CHILDREN if _children_started() > _children_before else "")


def say_missed():
    """Of the breakpoints that did not stop, or only while their function was traced. A module that only a child has imported has
    no place here."""
    compiled = None  # looked for once for all of them: the objects of a program are many
    for point in all_points:
        only_traced = point.is_traced and not point.ran_itself
        if point.number and point.enabled and (only_traced or not point.hits) and not (point.message or point.no_code):
            compiled = _host_compiled.compiled_functions() if compiled is None else compiled
            why = why_missed(point, compiled)
            if point.place or why == CHILDREN:
                point.no_code = why


def forget(point):
    if point in all_points:
        all_points.remove(point)


def are_wanted():
    return at_return is not None or any(point.enabled and not point.message for point in all_points)


def resolve(code):
    """For embed/host/line_events.h: (lines, line of the start or 0, whether steps stop in it, whether it is on one line, whether its
    return is waited for, loops on one of the lines)."""
    filename = code.co_filename
    if code.co_name == "<module>" and _is_new_module(filename, code):
        _modules[filename] = code
        _files.pop(filename, None)
    lines = set()
    start = 0
    changed = False
    for point in _points_in(filename, code):
        file = _files[filename]
        file.meet(code)
        place, holding = file.place(point.line)
        no_code = "" if place else "No line from %d on has code" % point.line
        if place and (code.co_name, code.co_firstlineno) in holding:
            point.is_met = True
            lines.add(place)
        elif file.has_changed and not point.is_met:
            no_code = CHANGED
        if (place, no_code) != (point.place, point.no_code) and (place or file.is_complete):
            point.place, point.no_code = place, no_code
            point.moved()
            changed = True
    if changed:
        tell()
    if not (filename in _files and _files[filename].is_complete):
        _files.pop(filename, None)
    on_one_line = _host_lines.is_on_one_line(code)
    if _host_events.has_starts and code.co_firstlineno in lines and code.co_name != "<module>":
        start = code.co_firstlineno  # its line may have no event
        lines.discard(start)
    returns = at_return is not None and at_return.is_of(code)
    loops = _host_lines.loops_on(code, lines) if lines and _host_events.has_starts else ()
    if returns:
        at_return.has_begun = True
    if lines or returns:
        _host_events.watch(code, returns, bool(loops))
    return tuple(lines), start, is_stepped_in(code), on_one_line, returns, loops


def _is_new_module(filename, code):
    """A module that is reloaded has other lines. The script's text is known; what else calls itself by its name is made by exec."""
    known = _modules.get(filename)
    return known is None or known is not code and filename not in _sources


def functions_of(filename):
    """(name, code object) of the functions of a file whose own lines were seen to start."""
    module = _modules.get(filename)
    return [] if module is None else list(_host_lines.functions_in(module))


def files_seen():
    return list(_modules)


def is_stepped_in(code):
    """Whether steps, pauses and raises stop in this code."""
    if code.co_filename.startswith("<frozen "):
        return False
    return not user_code_only and not code.co_filename.startswith(_OWN_FOLDER) or _dlscope.host_owns_code(code)


def _points_in(filename, code):
    points = [point for point in all_points if point.enabled and not point.message and point.is_in(filename)]
    if points and _files.get(filename) is None:
        source = _sources.get(filename)
        _files[filename] = _host_lines.FileLines(filename, source, _modules.get(filename), code)
    return points


def at(filename, line):
    """Those that stand on a line. No comprehension: this is asked at each iteration of a loop."""
    points = []
    for point in all_points:
        if point.place == line and point.enabled and not point.message and point.is_in(filename):
            points.append(point)
    return points


def tell():
    """The viewer hears how they stand, where that has changed."""
    global _told
    states = [(point.number, point.place, point.hits, point.message or blocked or point.no_code) for point in all_points if point.number]
    if states != _told:
        _told = states
        _dlscope.host_breakpoint_states(states)


def tell_all():
    global _told
    _told = None
    tell()
