"""Which lines of a file have code, and which code objects hold them."""

import _ast

from dlscope import _host_frame, _host_interrupts, _host_private

__builtins__ = _host_private.private_builtins()
_host_interrupts.register_host_module(globals())

_ONLY_AST = 0x400  # ast.PyCF_ONLY_AST
_Code = type((lambda: 0).__code__)


class FileLines:
    """Of one file. source: its text where it is not the one on disk; module: the file's own code object where it is known; code: one of
    its code objects, all there is to go by for what exec made of a text that nobody has."""

    def __init__(self, filename, source, module, code):
        self._source = _read(filename) if source is None else source
        self._tree = None
        self._levels = []  # (depth, code object, its lines)
        self.is_complete = False  # all of the file's code objects are known
        self.has_changed = False  # since the code that runs was made of it
        self._is_of_disk = module is None and source is None
        if module is None and self._source is not None:
            try:
                module = compile(self._source, filename, "exec", 0, True)
            except (SyntaxError, ValueError):
                pass
        self.is_complete = module is not None
        if module is not None or code is not None:
            _collect(code if module is None else module, 0, self._levels)

    def place(self, line):
        """(the line or the next one that has code, the code objects that hold it as (name, first line)); (0, ()) behind the last one."""
        lines = [own for _, _, lines in self._levels for own in lines if own >= line]
        if not lines:
            return 0, ()
        line = min(lines)
        holding = [(depth, code) for depth, code, own in self._levels if line in own]
        if len(holding) > 1:  # the def itself is executed on this line as well, and is no hit of its one-line body
            one_line = self._one_line_function(line)
            if one_line is not None:
                holding = [(depth, code) for depth, code in holding if code.co_name == one_line]
        # A line of a comprehension or a lambda is a line of the function around it.
        outermost = min((depth for depth, _ in holding), default=0)
        return line, {(code.co_name, code.co_firstlineno) for depth, code in holding if depth == outermost}

    def note_started(self, code):
        """A code object of that file name starts."""
        if self._is_of_disk and self.is_complete and not self.has_changed:
            start = code.co_name, code.co_firstlineno
            self.has_changed = all((own.co_name, own.co_firstlineno) != start for _, own, _ in self._levels)

    def _one_line_function(self, line):
        if self._tree is None:
            try:
                self._tree = compile(self._source or "", "<lines>", "exec", _ONLY_AST, True)
            except (SyntaxError, ValueError):
                return None
        todo = [self._tree]
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


def is_on_one_line(code):
    """Whether all of a function's body stands on its first line: such code need not have an event for a line."""
    return code.co_name != "<module>" and lines_of(code) <= {code.co_firstlineno}


def loops_on(code, lines):
    """Where the loops begin (offsets in the code) that stand on one of these lines with all of their body. Each iteration comes to the line
    once more: from 3.12 on that is no event for a line but a jump back. The loop of a comprehension does not."""
    line_at = _line_at(code)
    instructions = [each for each in _host_private.dis.get_instructions(code) if each.opname not in ("CACHE", "EXTENDED_ARG", "NOP")]
    pairs = list(zip(instructions, instructions[1:]))
    # A jump leads to the EXTENDED_ARGs before FOR_ITER, of which there are at most three.
    of_comprehensions = [range(loop.offset - 6, loop.argval) for before, loop in pairs
                         if loop.opname == "FOR_ITER" and before.opname != "GET_ITER"]
    async_comprehensions = {loop.offset for before, loop in pairs if loop.opname == "GET_ANEXT" and before.opname != "GET_AITER"}
    return tuple({jump.argval for jump in instructions
                  if _is_jump_back(jump) and line_at[jump.argval] in lines
                  and all(line_at[at] in (line_at[jump.argval], None) for at in range(jump.argval, jump.offset + 2, 2))
                  and jump.argval not in async_comprehensions and not any(jump.argval in loop for loop in of_comprehensions)})


def loops_at(frame):
    """[(code object, offset)] of the loops on the line where the frame stands, as loops_on() gives them."""
    code, line = frame.f_code, frame.f_lineno
    if line is None or _JUMPS_BACK.isdisjoint(code.co_code[::2]):
        return []
    return [(code, offset) for offset in loops_on(code, {line})]


def _line_at(code):
    """The line of each instruction, by its offset."""
    if hasattr(code, "co_lines"):  # from 3.10 on
        return {at: line for first, end, line in code.co_lines() for at in range(first, end, 2)}
    starts = dict(_host_private.dis.findlinestarts(code))
    line, lines = None, {}
    for at in range(0, len(code.co_code), 2):
        line = lines[at] = starts.get(at, line)
    return lines


def _is_jump_back(instruction):
    return instruction.opcode in _JUMPS_BACK and instruction.argval <= instruction.offset


def _may_jump_back(name):
    if "JUMP_BACKWARD" not in _host_private.dis.opmap:  # before 3.11 the same instructions jump in both directions
        return name == "JUMP_ABSOLUTE" or name.startswith("POP_JUMP_IF_")
    return name == "JUMP_BACKWARD" or name.startswith("POP_JUMP_BACKWARD_")  # that of "NO_INTERRUPT" waits for a coroutine


_JUMPS_BACK = frozenset(number for name, number in _host_private.dis.opmap.items() if _may_jump_back(name))


def lines_of(code):
    return {line for _, line in _host_private.dis.findlinestarts(code) if line}


def functions_in(code, prefix=""):
    """(name, code object) of the functions in it, also in each other and in classes; the name is that of __qualname__."""
    for inner in code.co_consts:
        if type(inner) is _Code:
            is_function = _host_frame.is_function(inner)
            name = getattr(inner, "co_qualname", None) or prefix + inner.co_name
            if is_function:
                yield name, inner
            yield from functions_in(inner, name + (".<locals>." if is_function else "."))


def _read(filename):
    try:
        with open(filename, "rb") as file:
            return file.read()
    except (OSError, ValueError):
        return None


def _collect(code, depth, out):
    out.append((depth, code, lines_of(code)))
    for constant in code.co_consts:
        if type(constant) is _Code:
            _collect(constant, depth + 1, out)
