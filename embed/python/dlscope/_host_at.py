"""The one moment of a run that was asked for beforehand (--at, Run.stop_at): a line, or the return of a function."""

from dlscope import _dlscope, _host_breakpoints, _host_events, _host_interrupts, _host_private

__builtins__ = _host_private.private_builtins()
_host_interrupts.own(globals())

_SUSPENDS = 0x20 | 0x80 | 0x200  # CO_GENERATOR, CO_COROUTINE, CO_ASYNC_GENERATOR
_RETURN_VALUE = _host_private.dis.opmap.get("RETURN_VALUE")

reached = False  # in this run: a moment was looked at, and the script ends there


class Moment(_host_breakpoints.Breakpoint):
    """--at [FILE:]LINE[#HIT]. FILE: a path or its last parts; without: the script."""

    def __init__(self, text, script):
        place, _, hit = text.partition("#")
        file, _, line = place.rpartition(":")
        self._is_in_script = not file
        super().__init__(0, file[2:] if file.startswith("./") else file or script, int(line), "", int(hit or 1), "", True)
        self.text = text

    def script_is(self, filename):
        if self._is_in_script:
            self.path = filename

    def is_in(self, filename):
        if self.path is None:
            return False  # the script is not known yet
        return filename == self.path or filename.endswith("/" + self.path.lstrip("/"))

    def stops(self, frame):
        return super().stops(frame) and self.hits == self.hit and not reached

    def moved(self):
        if self.place != self.line and self.place:
            message = "--at %s: line %d has no code; the next that has some is %d" % (self.text, self.line, self.place)
            _dlscope.host_event(message)
            _dlscope.host_notice(message)


class Return:
    """--at FUNCTION:return[#HIT]: before that function of the user's returns, its names still there."""

    def __init__(self, text):
        self.text = text
        function, _, hit = text.partition("#")
        self.function = function.rpartition(":")[0]
        self.hit, self.hits = int(hit or 1), 0

    def script_is(self, filename):
        """A function of any file is waited for."""

    def is_of(self, code):
        name = getattr(code, "co_qualname", None)
        if name is None:  # before 3.11: the class is not told
            named = code.co_name == self.function.rpartition(".")[2]
        else:
            named = name.rpartition("<locals>.")[2] == self.function.rpartition("<locals>.")[2]
        return named and _dlscope.host_owns_file(code.co_filename)

    def is_reached(self, frame):
        """Called at a return of the code. Before 3.12 a generator that yields and a coroutine that waits come here too."""
        if not _host_events.has_starts and frame.f_code.co_flags & _SUSPENDS and frame.f_code.co_code[frame.f_lasti] != _RETURN_VALUE:
            return False
        self.hits += 1
        return self.hits == self.hit and not reached
