"""The one moment of a run that was asked for beforehand (--at, Run.stop_at): a line, or the return of a function."""

from dlscope import _dlscope, _host_breakpoints, _host_events, _host_interrupts, _host_private

__builtins__ = _host_private.private_builtins()
_host_interrupts.register_host_module(globals())

_SUSPENDS = 0x20 | 0x80 | 0x200  # CO_GENERATOR, CO_COROUTINE, CO_ASYNC_GENERATOR
_MOST_NAMES = 3  # that are suggested
_RETURN_VALUE = _host_private.dis.opmap.get("RETURN_VALUE")

reached = False  # in this run: the moment is being scanned, or was, and the script ends there
why_not_scanned = ""  # the moment was there, and the scan failed; the script runs on

class Moment(_host_breakpoints.Breakpoint):
    """--at [FILE:]LINE[#HIT]. FILE: a path or its last parts; without: the script. interactive: a window runs to that line, and stops."""

    def __init__(self, text, script, interactive):
        file, _, place = text.rpartition(":")
        line, _, hit = place.partition("#")
        self._is_in_script = not file
        self._has_run = False  # code of the file has started
        super().__init__(0, file[2:] if file.startswith("./") else file or script, int(line), "", int(hit or 1), "", True)
        self.named = "Run to line %s" % line if interactive else "--at " + text

    def set_script(self, filename):
        if self._is_in_script:
            self.path = filename

    def is_in(self, filename):
        if self.path is None:
            return False  # the script is not known yet
        is_it = filename == self.path or not self.path.startswith("/") and filename.endswith("/" + self.path)
        self._has_run = self._has_run or is_it
        return is_it

    def stops(self, frame):
        return super().stops(frame) and self.hits == self.hit and not reached

    def why_never_there(self):
        """At the end of a run in which every call was seen: why no code on the line has run; "": it may have."""
        if self.no_code:
            return self.no_code[0].lower() + self.no_code[1:]
        return "" if self._has_run else "no file of that name has run"

    def on_place_found(self):
        if self.place != self.line and self.place:
            message = "%s: line %d has no code; the next that has some is %d" % (self.named, self.line, self.place)
            _dlscope.host_event(message)
            _dlscope.host_notice(message)


class Return:
    """--at FUNCTION:return[#HIT], and what a window offers where everything was local: before that function of the user's returns, its
    names still there."""

    traced_by, ran_itself, place, line = "", True, 0, 0  # what _host_breakpoints.why_missed() reads; it has no line

    def __init__(self, text, interactive):
        function, _, hit = text.partition("#")
        self.function = function.rpartition(":")[0]
        self.named = "Stop before %s() returns" % self.function if interactive else "--at " + text
        self.hit, self.hits = int(hit or 1), 0
        self.has_started = False
        self._script = None

    def set_script(self, filename):
        """Functions of all the user's files count. The script need not be a file."""
        self._script = filename

    def is_of(self, code):
        name = getattr(code, "co_qualname", None)
        if name is None:  # before 3.11 code objects do not know their class
            named = code.co_name == self.function.rpartition(".")[2]
        else:
            named = self._is_name(name)
        return named and self._is_users(code)

    def _is_name(self, name):
        return _innermost_name(name) == _innermost_name(self.function)

    def _is_users(self, code):
        if not code.co_filename.startswith("<"):
            return _dlscope.host_is_user_file(code.co_filename)
        # Libraries run text under the same name (namedtuple, dataclass): only functions of the script's own text count.
        return code.co_filename == self._script and any(each is code for _, each in _host_breakpoints.functions_of(self._script))

    def why_never_there(self):
        return ""  # why_missed() says it, where every call was seen

    def why_missed(self):
        """At the end of a run in which it was not reached, and in which every call was seen."""
        if self.hits:
            return "%s returned %s" % (self.function, "only once" if self.hits == 1 else "only %d times" % self.hits)
        if self.has_started:
            return "%s was called, but did not return: it was left by an exception, or the script ended before" % self.function
        names = {name for file in _host_breakpoints.files_seen() if file == self._script or _dlscope.host_is_user_file(file)
                 for name, _ in _host_breakpoints.functions_of(file)}
        if any(self._is_name(name) for name in names):
            return "%s was not called" % self.function
        alike = sorted(_innermost_name(name) for name in names if name.rpartition(".")[2] == self.function.rpartition(".")[2])
        if alike:
            return "no function has that name; did you mean %s?" % " or ".join(name + ":return" for name in alike[:_MOST_NAMES])
        return "no function of the script and of its modules has that name"

    def is_reached(self, frame):
        """Called at a return of the code. Before 3.12 a generator that yields and a coroutine that waits come here too."""
        if not _host_events.has_start_events and frame.f_code.co_flags & _SUSPENDS and frame.f_code.co_code[frame.f_lasti] != _RETURN_VALUE:
            return False
        self.hits += 1
        return self.hits == self.hit and not reached


def _innermost_name(name):
    """"f" of "main.<locals>.f": the name that a user writes for a nested function."""
    return name.rpartition("<locals>.")[2]
