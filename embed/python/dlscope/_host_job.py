"""What a request asks to be run: where its text comes from, and what Python's own command line would make of it."""

import _ast
import sys

from dlscope import _dlscope, _host_interrupts, _host_module, _host_private

__builtins__ = _host_private.private_builtins()
_host_interrupts.register_host_module(globals())

_ONLY_AST = 0x400  # ast.PyCF_ONLY_AST
_find_spec = sys.modules["_frozen_importlib_external"].PathFinder.find_spec
_console_inputs = 0


class Job:
    def __init__(self, request):
        global _console_inputs
        self.path, self.source, self.arguments = request["path"], request["source"], request["arguments"]
        self.module, self.spec = request["module"], None
        self.echo, self.is_new = request["echo"], request["fresh_namespace"]
        self.stop_at, self.interactive = request["stop_at"], request["interactive_stops"]
        self.edited = False
        self.is_part = self.echo and not self.is_new and bool(request["file"]) and self.source is not None  # of a script, run alone
        self.folder, self.folder_error = request["folder"], request["folder_error"]
        if self.module:
            self.filename = request["file"] or self.module
            self.argv = ["-m", *self.arguments]
            self.command = [sys.executable, "-m", self.module, *self.arguments]
            self.path_entry = self.folder
        elif self.path:
            self.filename = request["file"]
            self.argv = [self.path, *self.arguments]
            self.command = [sys.executable, self.path, *self.arguments]
            self.path_entry = self.folder
        elif request["file"]:  # a script without a file of its own, or a part of it
            self.filename = request["file"]
            self.edited = self.interactive  # an unsaved script: nothing else has its lines
            self.argv = ["-c", *self.arguments]
            self.command = [sys.executable, "-c", self.source or "", *self.arguments]
            self.path_entry = ""
        else:
            _console_inputs += 1
            self.filename = "<input %d>" % _console_inputs
            self.argv, self.command, self.path_entry = [""], [sys.executable], ""
            self.edited = True

    def code(self, names):
        """The compiled code objects, to be run one after the other in these names."""
        if self.folder_error:
            raise OSError(self.folder_error)
        if self.module:
            self._find_module(names)
            if not self.path:
                self.text = ""  # its loader has code and no file of lines: an archive, a .pyc
                return [_host_module.code_of(self.spec)]
        text = self.source
        if self.path:
            on_disk = None
            try:
                with open(self.filename, "rb") as file:
                    on_disk = file.read()
            except OSError:
                if text is None:
                    raise
            if text is None:
                text = on_disk
            elif text.encode("utf-8", "surrogatepass") != on_disk:
                self.edited = True
        elif text is None:
            text = ""
        self.text = text
        if self.edited:
            _show_lines(self.filename, text, not self.is_new)
        if not self.echo:
            return [compile(text, self.filename, "exec", 0, True)]
        tree = compile(text, self.filename, "exec", _ONLY_AST, True)
        last = []
        if tree.body and isinstance(tree.body[-1], _ast.Expr):
            last = [compile(_ast.Interactive([tree.body.pop()]), self.filename, "single", 0, True)]
        return [compile(tree, self.filename, "exec", 0, True)] + last

    def _find_module(self, names):
        """Finds it as `python -m` does, which imports the packages it lies in, and gives __main__ and sys.argv what they have then."""
        _host_interrupts.enabled = True
        self.spec = _dlscope.host_run_user_code(_host_module.find, self.module)
        file = _host_module.file_of(self.spec)
        if self.path and not _host_module.is_same_file(file, self.filename):
            raise ImportError("%s is %s, not the script %s" % (self.module, file or self.spec.origin, self.filename))
        if not self.path:
            self.path, self.filename = file, file or self.spec.origin
        sys.argv[:1] = [self.filename]
        names.update(__file__=self.filename, __cached__=self.spec.cached, __loader__=self.spec.loader, __package__=self.spec.parent,
                     __spec__=self.spec)


def _show_lines(filename, text, is_part):
    """Tracebacks and inspect show what ran, not what is on disk. A part has empty lines in front: what is known of the lines around it
    stays, for the functions there that an earlier run defined."""
    lines = [line + "\n" for line in text.splitlines()]
    if is_part:
        known = _host_private.linecache.cache.get(filename, ())  # getlines() may import the user's tokenize
        around = known[2] if len(known) == 4 else []
        first = next((i for i, line in enumerate(lines) if line.strip()), len(lines))
        lines = around[:first] + lines[len(around[:first]):] + around[len(lines):]
    for cache in (_users_line_cache(), _host_private.linecache.cache):
        if cache is not None:
            cache[filename] = (len(text), None, lines, filename)


def _users_line_cache():
    """That of the linecache which the user's own traceback module has or will have; None when he brings another one."""
    if "linecache" not in sys.modules:
        spec = _find_spec("linecache")
        if spec is None or not _host_private.is_standard(spec.origin):
            return None
    import linecache

    cache = getattr(linecache, "cache", None)
    return cache if type(cache) is dict else None
