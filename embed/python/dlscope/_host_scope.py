"""Runs code as if it stood in a function of the user's, with the variables that the function has.

exec() with a dict of local names is not enough: functions, lambdas and comprehensions in the code do not see those names. A copy of the
globals with the names added is not, either: what the code declares global would be assigned in the copy. So the code is compiled as the
body of a class in a function:

    def <frame>():
        n = last = None     # the variables and what the code assigns: for functions in the code these are variables of a function around
        class ___:
            CODE

The body of a class looks a name up in a mapping, then in the globals, then in builtins, like code at the console. That mapping is Names,
which also fills the cells through which functions in the code see the names. The globals are the module's own. Only the body is run: no
class is made.
"""

import _ast
import _weakref
import builtins
import sys

from dlscope import _dlscope, _host_calls, _host_interrupts, _host_private

__builtins__ = _host_private.private_builtins()
_host_interrupts.register_host_module(globals())

_ONLY_AST = 0x400  # ast.PyCF_ONLY_AST
_FRAME, _CLASS = "<frame>", "_" * 30  # a class of that name, which no code uses, leaves names like __x as they are
_QUALIFIED = "%s.<locals>.%s." % (_FRAME, _CLASS)
_TEMPLATE = "def frame():\n  names = None\n  class _:\n    if 0: bound = None"
_BIND, _DISPLAY, _VALUE = "<bind>", "<display>", "<value>"
# What means something else in the body of a class, and is looked up like any name.
_RENAMED = {"__class__": "<class>", "super": "<super>"}
_ORIGINAL = {new: old for old, new in _RENAMED.items()}
# An expression with one of these may look at variables that it does not name.
_SEES_ALL_NAMES = {"locals", "vars", "dir", "eval", "exec", "_getframe", "currentframe"}
_COMPREHENSIONS = (_ast.ListComp, _ast.SetComp, _ast.DictComp, _ast.GeneratorExp)
_TYPE_ALIAS = getattr(_ast, "TypeAlias", ())  # of Python 3.12
_INNER = (_ast.FunctionDef, _ast.AsyncFunctionDef, _ast.ClassDef, _ast.Lambda)
# What the body of a class assigns by itself.
_OF_A_CLASS = {"__module__", "__qualname__", "__doc__", "__firstlineno__", "__static_attributes__", "__classcell__", "__classdictcell__"}
_Code = type((lambda: 0).__code__)
_Function = type(lambda: 0)
_Cell = type((lambda x: lambda: x)(0).__closure__[0])
_build_class, _references = builtins.__build_class__, sys.getrefcount


class Names(dict):
    """The names that code assigns, and sees first. cells: name -> the cell through which functions in the code see it; behind: the dicts
    in which those functions look for a name that is not here."""

    __slots__ = ("cells", "behind", "__weakref__")

    def __init__(self, names, cells, *behind):
        super().__init__(names)
        self.cells, self.behind = cells, behind
        for name, cell in cells.items():
            _fill(cell, name, self, *behind)

    def __setitem__(self, name, value):
        if name not in _OF_A_CLASS:
            super().__setitem__(name, value)
            if name in self.cells:
                self.cells[name].cell_contents = value

    def __delitem__(self, name):
        super().__delitem__(name)
        if name in self.cells:
            _fill(self.cells[name], name, *self.behind)


def forget_unused_cells(cells):
    """Forgets those that no function has: they would keep alive what the frame holds."""
    for name in list(cells):
        if _references(cells[name]) <= 2:
            del cells[name]


def _fill(cell, name, *where):
    """With what the first of these dicts has by that name; else it is empty."""
    for names in where:
        if name in names:
            cell.cell_contents = names[name]
            return
    try:
        del cell.cell_contents
    except ValueError:  # it is empty
        pass


class _Bind:
    """What := in a comprehension does: it binds in the code around, as long as that runs. A generator that is kept has this in a cell: it
    must not keep all the names alive."""

    def __init__(self, names, module, global_names):
        self._names, self._module, self._global_names = _weakref.ref(names), module, global_names

    def __call__(self, name, value):
        names = self._module if name in self._global_names else self._names()
        if names is not None:
            names[name] = value
        return value


class _NoClass:
    """A metaclass that makes none."""

    def __init__(self, names):
        self._names = names

    def __prepare__(self, name, bases):
        return self._names

    def __call__(self, name, bases, names):
        return None


class _Tree:
    """A syntax tree whose := in comprehensions, which the body of a class does not allow, has become a call of _BIND."""

    def __init__(self, tree):
        self.has_scopes = False    # functions, classes, comprehensions, type aliases
        self.used = set()          # names, those in functions and classes too
        self.by_expression = set()  # names that := binds in a comprehension that is in no function
        self.global_names = set()  # declared global, but not in a function or class
        todo = [(tree, False, False, False)]
        while todo:
            node, inside, in_comprehension, in_class = todo.pop()
            is_inner = isinstance(node, _INNER)
            in_comprehension = in_comprehension or isinstance(node, _COMPREHENSIONS)
            self.has_scopes = self.has_scopes or is_inner or in_comprehension or isinstance(node, _TYPE_ALIAS)
            if isinstance(node, _ast.Name):
                if not in_class and isinstance(node.ctx, _ast.Load):
                    node.id = _RENAMED.get(node.id, node.id)
                self.used.add(_ORIGINAL.get(node.id, node.id))
            elif isinstance(node, _ast.Global) and not inside:
                self.global_names.update(node.names)
            for field in node._fields:
                value = getattr(node, field, None)
                children = value if isinstance(value, list) else [value]
                goes_inside = is_inner and field == "body"
                for index, child in enumerate(children):
                    if in_comprehension and not inside and not goes_inside and isinstance(child, _ast.NamedExpr):
                        child = children[index] = self._call_of_bind(child)
                    if isinstance(child, _ast.AST):
                        todo.append((child, inside or goes_inside, in_comprehension and not goes_inside,
                                     in_class or goes_inside and isinstance(node, _ast.ClassDef)))
                if children is not value and children[0] is not value:
                    setattr(node, field, children[0])

    def _call_of_bind(self, node):
        name = node.target.id
        self.by_expression.add(name)
        return _at(node, _ast.Call(_at(node, _ast.Name(_BIND, _ast.Load())), [_at(node, _ast.Constant(name, None)), node.value], []))


class _Body:
    """Statements as the body of the class."""

    def __init__(self, statements, filename, tree, bound):
        """bound: what all of the code assigns that these statements belong to."""
        self._statements, self._filename, self._tree = statements, filename, tree
        self._bound = (bound | tree.by_expression) - tree.global_names
        self._future = []
        while statements and isinstance(statements[0], _ast.ImportFrom) and statements[0].module == "__future__":
            self._future.append(statements.pop(0))
        self._compiled_for = None  # (seen, code): one object, as threads share this

    def run(self, module, builtins_, names, is_console_code=False):
        """names: the Names that it runs with; module: the globals."""
        seen = (self._tree.used & (self._bound | names.keys())) - self._tree.global_names
        known = self._compiled_for
        if known is None or known[0] != seen:
            known = self._compiled_for = seen, self._compiled(seen)
        code, cells = known[1], []
        for name in code.co_freevars:
            if name == _BIND:
                cell = _Cell(_Bind(names, module, self._tree.global_names))
            elif name == _DISPLAY:
                cell = _Cell(sys.displayhook)
            elif name in _ORIGINAL:
                cell = _Cell()
                _fill(cell, _ORIGINAL[name], names, module, builtins_)
            else:
                cell = names.cells.get(name)
                if cell is None:
                    cell = names.cells[name] = _Cell()
                # What the code has not assigned yet is the module's.
                _fill(cell, name, names, module, builtins_)
            cells.append(cell)
        body, no_class = _Function(code, module, _CLASS, None, tuple(cells)), _NoClass(names)
        if is_console_code:
            _dlscope.host_run_user_code(_build_class, body, _CLASS, metaclass=no_class)
        else:
            _build_class(body, _CLASS, metaclass=no_class)

    def _compiled(self, seen):
        tree = compile(_TEMPLATE, self._filename, "exec", _ONLY_AST, True)
        function = tree.body[0]
        function.name = _FRAME
        assignment, body = function.body
        body.name = _CLASS
        assignment.targets = [_at(assignment, _ast.Name(name, _ast.Store())) for name in sorted(seen | {_BIND, _DISPLAY, *_ORIGINAL})]
        never = body.body[0]  # has the compiler know that the body binds these, too
        by_expression = sorted(self._tree.by_expression - self._tree.global_names)
        never.body[0].targets = [_at(never, _ast.Name(name, _ast.Store())) for name in by_expression]
        body.body = ([never] if by_expression else []) + self._statements
        tree.body[:0] = self._future
        code = compile(tree, self._filename, "exec", 0, True)
        return _renamed(_inner_code(_inner_code(code, _FRAME), _CLASS), True)


def execute(codes, text, filename, frame, names):
    """Runs console code. codes: what it was compiled to, to be run one after the other; names: its Names."""
    parsed = compile(text, filename, "exec", _ONLY_AST, True)
    tree = _Tree(parsed)
    if not tree.has_scopes:
        for code in codes:
            _dlscope.host_run_user_code(exec, code, frame.f_globals, names)
        return
    bound = {each.argval for code in codes for each in _host_private.dis.get_instructions(code)
             if each.opname in ("STORE_NAME", "DELETE_NAME")}
    if len(codes) > 1:  # the value of the last statement is printed
        last = parsed.body[-1]
        last.value = _at(last, _ast.Call(_at(last, _ast.Name(_DISPLAY, _ast.Load())), [last.value], []))
    for statements in _parts(parsed.body):
        if _imports_all(statements[0]):
            code = compile(_ast.Module(statements, []), filename, "exec", 0, True)
            _dlscope.host_run_user_code(exec, code, frame.f_globals, names)
        else:
            _Body(statements, filename, tree, bound).run(frame.f_globals, frame.f_builtins, names, True)


def deleted_names(text):
    """Those in del statements of the code."""
    names, todo = set(), [compile(text, "<console>", "exec", _ONLY_AST, True)]
    while todo:
        node = todo.pop()
        if isinstance(node, _ast.Delete):
            names.update(each.id for each in node.targets if isinstance(each, _ast.Name))
        todo.extend(_host_calls.children_of(node))
    return names


def _parts(statements):
    """Lists of statements. `from m import *`, which the body of a class does not allow, and which names it binds is known when it has run,
    is one by itself."""
    parts = []
    for statement in statements:
        if not parts or _imports_all(statement) or _imports_all(parts[-1][0]):
            parts.append([])
        parts[-1].append(statement)
    return parts


def _imports_all(statement):
    todo = [statement]
    while todo:
        node = todo.pop()
        if isinstance(node, _ast.ImportFrom) and node.names[0].name == "*":
            return True
        todo.extend(_host_calls.children_of(node))
    return False


class Expression:
    """An expression whose value is asked for in frames."""

    def __init__(self, text, filename):
        self._code = compile(text, filename, "eval", 0, True)
        parsed = compile(text, filename, "eval", _ONLY_AST, True)
        tree = _Tree(parsed)
        self._body = None
        self._names = None          # those that it looks up; None: it may look at any
        self._variables = None, ()  # of the last answer of variables_in()
        if not tree.has_scopes and _SEES_ALL_NAMES.isdisjoint(self._code.co_names):
            self._names = self._code.co_names
        if tree.has_scopes:
            value = _at(parsed.body, _ast.Assign([_at(parsed.body, _ast.Name(_VALUE, _ast.Store()))], parsed.body, None))
            self._body = _Body([value], filename, tree, set())

    def value(self, frame, local):
        """local: the names of the frame."""
        if self._body is None or local is frame.f_globals:
            return eval(self._code, frame.f_globals, local)
        names = Names(local, {})
        self._body.run(frame.f_globals, frame.f_builtins, names)
        return names[_VALUE]

    def variables_in(self, code):
        """The names of a function's variables that the value may depend on; None where these may be all."""
        if self._names is None:
            return None
        known, variables = self._variables
        if known is not code:
            own = {*code.co_varnames, *code.co_cellvars, *code.co_freevars}
            variables = tuple([name for name in self._names if name in own])
            self._variables = code, variables
        return variables

    def value_in(self, names):
        """Where no frame stands: in a module with these names."""
        return eval(self._code, names)


def _at(place, node):
    node.lineno, node.col_offset, node.end_lineno, node.end_col_offset = place.lineno, place.col_offset, place.end_lineno, place.end_col_offset
    return node


def _inner_code(code, name):
    for constant in code.co_consts:
        if type(constant) is _Code and constant.co_name == name:
            return constant
    raise AssertionError(name)


def _renamed(code, is_body=False):
    """With the names of functions and classes as they are outside of the class."""
    constants = tuple(_renamed(each) if type(each) is _Code else _without_prefix(each) for each in code.co_consts)
    changes = {"co_consts": constants}
    if is_body:
        changes["co_name"] = "<module>"
    if hasattr(code, "co_qualname"):
        changes["co_qualname"] = "<module>" if is_body else _without_prefix(code.co_qualname)
    return code.replace(**changes)


def _without_prefix(constant):
    return constant[len(_QUALIFIED):] if type(constant) is str and constant.startswith(_QUALIFIED) else constant
