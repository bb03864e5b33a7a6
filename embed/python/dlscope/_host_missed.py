"""What is said after a run of the stops that it did not come to: the moment of --at, breakpoints, and why they may have been missed."""

from dlscope import _dlscope, _host_at, _host_breakpoints, _host_events, _host_interrupts, _host_private

__builtins__ = _host_private.private_builtins()
_host_interrupts.register_host_module(globals())

was_too_deep = False  # in this run: no call of ours had room where a line was reached


def report(moment, interactive):
    """moment: what --at asks for, or None. interactive: the viewer is a window. Before the events end."""
    global was_too_deep
    missed = _host_breakpoints.why_missed(moment) if moment is not None else ""
    if was_too_deep and not _host_at.reached:
        _tell("lines that ran within a few calls of the limit of recursion were not seen")
    was_too_deep = False
    if moment is not None and not missed and _were_all_calls_seen():
        missed = moment.why_never_there()
    if moment is not None and interactive and _host_breakpoints.awaited_return is None and not moment.hits and not missed:
        missed = "the script ended without coming to it"
    if moment is not None and _host_at.why_not_scanned:
        _tell("%s: it was reached, but the scan there failed: %s" % (moment.named, _host_at.why_not_scanned))
        moment = None
    if moment is not None and not _host_at.reached and missed:
        _tell("%s: %s" % (moment.named, missed))
    if moment is not None and not _host_at.reached and _host_events.foreign_trace_function() is not None:
        _dlscope.host_event("%s: something in the script set a trace function of its own (coverage, a debugger): lines "
                            "after that were not seen" % moment.named)
    if moment is not None and not _host_at.reached and _host_breakpoints.awaited_return is None and moment.hits:
        _tell("%s: that line was seen to run only %s" % (moment.named, "once" if moment.hits == 1 else "%d times" % moment.hits))
    _report_missed_return(missed)
    _host_breakpoints.report_missed()
    if _host_events.is_evaluation_displaced():
        _tell("Breakpoints may have been missed: a tool in the script evaluates Python's frames itself (pydevd, debugpy)")


def _report_missed_return(missed):
    """Says why --at FUNCTION:return was not reached; only where it is certain that no call was missed."""
    awaited, was_there = _host_breakpoints.awaited_return, _host_at.reached or _host_at.why_not_scanned
    if awaited is not None and not was_there and missed in ("", _host_breakpoints.CHILDREN) and _were_all_calls_seen():
        _tell("%s: %s" % (awaited.named, awaited.why_missed()))


def _were_all_calls_seen():
    return not _host_breakpoints.blocked_by and _host_events.foreign_trace_function() is None and not _host_events.is_evaluation_displaced()


def _tell(message):
    _dlscope.host_event(message)
    _dlscope.host_notice(message)
