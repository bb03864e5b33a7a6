"""Which events the breakpoints need now, and what the viewer is told where another tool (a debugger, coverage) occupies them."""

from dlscope import _dlscope, _host_breakpoints, _host_events, _host_interrupts, _host_private

__builtins__ = _host_private.private_builtins()
_host_interrupts.register_host_module(globals())

stops_on_raise = False  # the viewer is a window, which can stop at an exception
watch_threads = None  # _host_threads.watch


def update():
    """Selects the events; call it when the breakpoints have changed."""
    raises = stops_on_raise and _host_breakpoints.on_raise
    selected = _host_events.select_events(_host_breakpoints.are_wanted(), raises, _host_breakpoints.resolve)
    note_blocked("" if selected else why_none())
    if stops_on_raise and _host_breakpoints.on_uncaught:
        watch_threads()


def note_blocked(message):
    """message: why no breakpoint can stop; "": they can. The viewer is told once."""
    if message and message != _host_breakpoints.blocked_by:
        _dlscope.host_notice(message)
    _host_breakpoints.blocked_by = message


def why_none():
    """In words, where another tool occupies the events."""
    function = _host_events.foreign_trace_function()
    if function is None:
        return "No breakpoint can stop: all of sys.monitoring's tools are taken (coverage, profilers)"
    return "No breakpoint can stop: another tool has set a trace function (%s.%s)" % (
        getattr(function, "__module__", None) or type(function).__module__, getattr(function, "__qualname__", None) or type(function).__name__)


def is_return_awaited(code):
    return _host_breakpoints.awaited_return is not None and _host_breakpoints.awaited_return.is_of(code)
