"""A script that is ended in the middle of an asyncio loop: what its tasks end by is no error, and need not be printed as one."""

import sys

from dlscope import _host_interrupts, _host_private

__builtins__ = _host_private.private_builtins()
_host_interrupts.register_host_module(globals())


class _Handler:
    """An exception handler of a loop."""

    def __init__(self, expected, other):
        self.expected, self.other = expected, other

    def __call__(self, loop, context):
        if isinstance(context.get("exception"), self.expected):
            return
        if self.other is None:
            loop.default_exception_handler(context)
        else:
            self.other(loop, context)


def expect_end_by(exception_class):
    """Before an exception of that class is raised in this thread. If a loop runs here, the tasks that end by it hold an exception that
    nobody asks for, which asyncio would report with a traceback. Everything else goes to the handler that the loop has."""
    events = sys.modules.get("asyncio.events")
    if events is None:
        return
    try:  # the loop may be the script's own, or of another library (uvloop)
        loop = events._get_running_loop()
        if loop is not None and type(loop.get_exception_handler()) is not _Handler:
            loop.set_exception_handler(_Handler(exception_class, loop.get_exception_handler()))
    except Exception:
        pass  # it is printed, then
