"""The breakpoints of the viewer: which line each one is on, whether it stops there, and what is reported about it."""

import sys
from itertools import count as _count  # built in
from os import path as _path

from dlscope import _dlscope, _host_compiled, _host_events, _host_frame, _host_interrupts, _host_lines, _host_private, _host_scope

__builtins__ = _host_private.private_builtins()
_host_interrupts.register_host_module(globals())

_OWN_FOLDER = _path.join(_path.dirname(_path.abspath(__file__)), "")
_abspath, _realpath, _basename = _path.abspath, _path.realpath, _path.basename
_print = print

awaited_return = None  # _host_at.Return: stop before that function returns
all_points = []  # the viewer's, and at times one of --at and one of "run to the cursor" (number 0)
on_raise = on_uncaught = False
user_code_only = True
_files = {}            # file name of code objects -> FileLines or _FileWithParts, or None where no breakpoint is in it
_modules = {}  # file name -> the code object of the module, once that has started
_sources = {}  # file name -> the text that runs instead of the file on disk
_parts = {}  # file name -> the _Parts of it that were run alone since, oldest first
_MOST_PARTS = 200  # of a file; functions that an older one defined need not stop any more
_reported = None
CHILDREN = "No stop in the script's own process. What its child processes (multiprocessing, os.fork) run does not stop"
CHANGED = "Not reached: the file has changed since Python read it. Restart Python to run what is on disk"
blocked_by = ""  # why none of them can stop: another tool occupies the events; "": they can
_children_before = 0  # child processes made before this run


class Breakpoint:
    def __init__(self, number, path, line, condition, hit, log_text, enabled):
        self.number, self.path, self.line, self.hit, self.enabled = number, path, line, max(hit, 1), enabled
        self.settings = (path, line, condition, hit, log_text)
        self.hits = 0
        self.place = 0  # the line on which it stops: `line`, or the next one that has code; 0: not known yet
        self.message = ""  # why it can never stop: its condition or log text is invalid
        self.has_started = False  # in this run code that contains its place has started
        self.no_code = ""  # why it cannot stop in the code of this run
        self.remark = ""  # "The condition raised ...", when it was last reached (app/models/debug/raised_condition.h)
        # In this run it was reached: while this library traced the function to compile it; while the function ran as Python code.
        self.traced_by, self.ran_itself = "", False
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

    def on_place_found(self):
        """Called when `place` has become known or has changed."""

    def stops(self, frame):
        """Called when it is reached; whether to stop. With a log text: prints that, and does not stop. A condition that raises stops."""
        self.remark = ""
        tracer = _host_compiled.traced_by()
        if tracer:
            self.traced_by = tracer
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


class _Part:
    """Lines of a file that were run alone, in the names of an earlier run: their text, with empty lines in front, and its code objects."""

    def __init__(self, text, codes):
        self.codes = codes
        self.first = text[:len(text) - len(text.lstrip())].count("\n") + 1
        self.last = text.rstrip().count("\n") + 1
        self._text, self._lines = text, None

    def covers(self, other):
        return self.first <= other.first and other.last <= self.last

    def lines(self, filename):
        if self._lines is None:
            self._lines = [_host_lines.FileLines(filename, self._text, code, None) for code in self.codes]
        return self._lines


class _FileWithParts:
    """What FileLines is, of a file of which parts were run alone. The functions that the file and older parts defined may still be called, so
    their lines count, too; within a newer part only those lines on which that has code."""

    is_complete, has_changed = True, False

    def __init__(self, filename, whole, parts):
        newest_first = parts[::-1]
        self._all = [(lines, newest_first[:i]) for i, part in enumerate(newest_first) for lines in part.lines(filename)]
        self._all.append((whole, newest_first))
        self._places = {}

    def note_started(self, code):
        pass

    def place(self, line):
        if line not in self._places:
            place = min(filter(None, (_place_outside(lines, line, newer) for lines, newer in self._all)), default=0)
            found = [lines.place(place) for lines, _ in self._all] if place else []
            self._places[line] = place, {each for at, holding in found if at == place for each in holding}
        return self._places[line]


def _place_outside(lines, line, parts):
    """The line or the next one that has code and is in none of the parts; 0: there is none."""
    place = lines.place(line)[0]
    while place:
        part = next((part for part in parts if part.first <= place <= part.last), None)
        if part is None:
            break
        place = lines.place(part.last + 1)[0]
    return place


def _as_f_string(text):
    quote = "'''" if '"""' in text else '"""'
    return "rf" + quote + text + "\n" + quote + "[:-1]"  # the text may end in a quote or a backslash


def replace(change):
    """Takes over the viewer's new list. A breakpoint whose settings have not changed keeps its hits."""
    global on_raise, on_uncaught, user_code_only
    known = {point.number: point for point in all_points if point.number}
    points = []
    for number, path, line, condition, hit, log_text, enabled in change["all"]:
        point = Breakpoint(number, path, line, condition, hit, log_text, enabled)
        before = known.get(number)
        if before is not None and before.settings == point.settings:
            point.hits, point.place = before.hits, before.place
            point.traced_by, point.ran_itself = before.traced_by, before.ran_itself
        points.append(point)
    all_points[:] = points + [point for point in all_points if not point.number]  # in one assignment, because other threads read it
    on_raise, on_uncaught, user_code_only = change["on_raise"], change["on_uncaught"], change["user_code_only"]
    _files.clear()


def begin_script(filename, source):
    """filename and source of what is about to run."""
    _sources[filename] = source
    _modules.pop(filename, None)
    _parts.pop(filename, None)
    _files.clear()


def begin_part(filename, text, codes):
    """Lines of a file are about to run in the names of an earlier run. codes: what they were compiled to, to be run one after the other."""
    new = _Part(text, codes)
    _parts[filename] = [part for part in _parts.get(filename, ()) if not new.covers(part)][1 - _MOST_PARTS:] + [new]
    _files.clear()


def begin_run(keep_hits):
    global _children_before
    _children_before = _children_started()
    _files.clear()
    if not keep_hits:
        _sources.clear()
        _parts.clear()
    for point in all_points:
        if not keep_hits:
            point.hits, point.place, point.no_code = 0, 0, ""
            point.has_started, point.traced_by, point.ran_itself = False, "", False


def _children_started():
    """How many child processes the program has made so far by os.fork or multiprocessing. One may be counted twice."""
    counter = vars(sys.modules.get("multiprocessing.process", sys)).get("_process_counter")
    made = repr(counter)[len("count("):-1] if type(counter) is _count else "1"
    return _dlscope.host_forks() + int(made) - 1


def why_missed(point, compiled=None):
    """At the end of a run: why code on the line may have run without a stop; "": no reason known. compiled: the argument `functions` of
    _host_compiled.why_missed()."""
    why = _host_compiled.why_missed(point, compiled)
    return why or (CHILDREN if _children_started() > _children_before else "")


def report_missed():
    """Says why breakpoints did not stop, or only while their function was traced. The place of one is not known here in a module that only a
    child process has imported, or an earlier run, if nothing of it ran as Python code."""
    compiled = None  # found once for all breakpoints, because it goes through all objects
    for point in all_points:
        only_traced = point.traced_by and not point.ran_itself
        if point.number and point.enabled and (only_traced or not point.hits) and not (point.message or point.no_code):
            compiled = _host_compiled.compiled_functions() if compiled is None else compiled
            why = why_missed(point, compiled)
            if point.place or why != _host_compiled.BY_TORCH:
                point.no_code = why


def forget(point):
    if point in all_points:
        all_points.remove(point)


def are_wanted():
    return awaited_return is not None or any(point.enabled and not point.message for point in all_points)


def resolve(code):
    """The `resolve` of embed/host/line_events.h: (lines, line of the start or 0, is it steppable, is it on one line, is its return awaited,
    loops on one of the lines)."""
    filename = code.co_filename
    if code.co_name == "<module>" and _is_new_module(filename, code):
        _modules[filename] = code
        _files.pop(filename, None)
    lines = set()
    start = 0
    changed = False
    for point in _points_in(filename, code):
        file = _files[filename]
        file.note_started(code)
        place, holding = file.place(point.line)
        no_code = "" if place else "No line from %d on has code" % point.line
        if place and (code.co_name, code.co_firstlineno) in holding:
            point.has_started = True
            lines.add(place)
        elif file.has_changed and not point.has_started:
            no_code = CHANGED
        if (place, no_code) != (point.place, point.no_code) and (place or file.is_complete):
            point.place, point.no_code = place, no_code
            point.on_place_found()
            changed = True
    if changed:
        report_states()
    if not (filename in _files and _files[filename].is_complete):
        _files.pop(filename, None)
    on_one_line = _host_lines.is_on_one_line(code)
    if _host_events.has_start_events and code.co_firstlineno in lines and code.co_name != "<module>":
        start = code.co_firstlineno  # the first line of a function may have no line event
        lines.discard(start)
    returns = awaited_return is not None and awaited_return.is_of(code)
    loops = _host_lines.loops_on(code, lines) if lines and _host_events.has_start_events else ()
    if returns:
        awaited_return.has_started = True
    if lines or returns:
        _host_events.enable_local_events(code, returns, bool(loops))
    return tuple(lines), start, is_steppable(code), on_one_line, returns, loops


def _is_new_module(filename, code):
    """Whether this is the code of a module not seen yet, or seen before it was reloaded. Code with the file name of the script that is not
    the script's was made by exec(), and does not count; neither does that of a part."""
    if any(each is code for part in _parts.get(filename, ()) for each in part.codes):
        return False
    known = _modules.get(filename)
    return known is None or known is not code and filename not in _sources


def functions_of(filename):
    """(name, code object) of the functions in a file whose module code has started."""
    module = _modules.get(filename)
    return [] if module is None else list(_host_lines.functions_in(module))


def files_seen():
    return list(_modules)


def is_steppable(code):
    """Whether steps, pauses and raises stop in this code."""
    if code.co_filename.startswith("<frozen "):
        return False
    return not user_code_only and not code.co_filename.startswith(_OWN_FOLDER) or _dlscope.host_is_user_code(code)


def _points_in(filename, code):
    points = [point for point in all_points if point.enabled and not point.message and point.is_in(filename)]
    if points and _files.get(filename) is None:
        parts = _parts.get(filename)
        whole = _host_lines.FileLines(filename, _sources.get(filename), _modules.get(filename), None if parts else code)
        _files[filename] = _FileWithParts(filename, whole, parts) if parts else whole
    return points


def at(filename, line):
    """The breakpoints on a line. A loop, not a comprehension, for speed: this is called at each iteration of the user's loop."""
    points = []
    for point in all_points:
        if point.place == line and point.enabled and not point.message and point.is_in(filename):
            points.append(point)
    return points


def report_states():
    """Sends the state of the breakpoints to the viewer, if it has changed."""
    global _reported
    states = [(point.number, point.place, point.hits, point.message or blocked_by or point.no_code or point.remark) for point in all_points if point.number]
    if states != _reported:
        _reported = states
        _dlscope.host_breakpoint_states(states)


def report_all_states():
    global _reported
    _reported = None
    report_states()
