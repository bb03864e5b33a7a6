"""The moment that a headless run or --at asks for: the frame is scanned there, and the script ends.

SystemExit is raised at the scanned line. A bare except or a test runner may catch it: so from there on every line of the user's code is an
event, at which it is raised again. thread: any of the script's; one scan at a time.
"""

import sys
import time  # built in
import _thread

from dlscope import (_dlscope, _host_at, _host_errors, _host_event_loop, _host_events, _host_interrupts, _host_private, _host_wanted_events)

__builtins__ = _host_private.private_builtins()
_host_interrupts.register_host_module(globals())

script_names = None  # _host_run.namespace: of the script
_AWAITED, _SCANNING, _SCANNED = range(3)  # of the moment
is_scanning = ends = False  # ends: the scan was made in this run, and the script is to end
_ROOM = 200  # calls that a scan may need more than the script's own limit of recursion leaves it
_LARGEST_LIMIT = (1 << 31) - 1
_may_scan = False  # user code runs
_frame = None  # the scanned one: kept, because its locals are the tensors of the report
_thread_id = 0  # of the thread that ran it
_scanning = _thread.RLock()  # held while it scans


class Reached(SystemExit):
    """Ends the script like sys.exit(): executors and event loops know what to do with that. (A thread ends without a traceback by
    SystemExit itself only.)"""


def begin_run():
    global _may_scan
    _host_at.why_not_scanned = ""
    _come_to(_AWAITED)
    release()
    _may_scan = True


def end_run():
    """The main thread has ended. After a scan: gives the scanned thread up to a second to reach a line, at which it ends, too."""
    global _may_scan
    if ends and not _dlscope.host_is_child():
        _wait_for_scanned_thread()
    _may_scan = False


def release():
    """Lets go of the scanned frame."""
    global _frame
    _frame = None


def wait():
    """Until a scan in another thread is over, one that nobody joins, too (a daemon, an executor's): its snapshot is what the viewer gets of
    this run. KeyboardInterrupt when Stop comes."""
    with _scanning:
        pass


def scan(frame, line, hit):
    """Scans the frame and returns the exception class that ends the script, or None. hit: how often the line was reached."""
    global _frame, _thread_id
    if _scanning._is_owned():  # dlscope.stop() in a method that the scan calls
        return None
    with _scanning:
        if not _may_scan or ends:  # another thread came first
            return None
        _come_to(_SCANNING)
        limit = sys.getrecursionlimit()
        try:
            sys.setrecursionlimit(min(limit + _ROOM, _LARGEST_LIMIT))
            _frame, _thread_id = frame, _thread.get_ident()
            _scan_frame(frame, line, hit)
            _come_to(_SCANNED)
        except BaseException as problem:
            _come_to(_AWAITED)
            _host_at.why_not_scanned = "%s: %s" % _host_errors.describe(problem, None, "")[:2]
            release()
            raise
        finally:
            _set_recursion_limit(limit)
    _host_events.begin_step(0, [], None, 0, _host_wanted_events.is_return_awaited)
    _host_interrupts.interrupt_main_thread()
    return _exception_to_end_thread()


def _come_to(state):
    """The only place where one of these is set."""
    global ends, is_scanning
    is_scanning, ends, _host_at.reached = state == _SCANNING, state == _SCANNED, state != _AWAITED


def _scan_frame(frame, line, hit):
    took = _host_interrupts.leave_user_code()
    try:
        _dlscope.host_scan_in_run(script_names(), frame, line, hit, _host_events.thread_name())
    finally:
        _host_interrupts.go_back_to_user_code(took)


def _set_recursion_limit(limit):
    try:
        sys.setrecursionlimit(limit)
    except RecursionError:  # refused so near to it: the script, which ends here, has the room
        pass


def exception_at_later_line(frame):
    """The exception class to raise at a line after the scan. None: in another thread, and in code that has to run for the script to end:
    handlers of exceptions, finally clauses, __del__."""
    if _thread.get_ident() not in (_thread_id, _host_interrupts.main_thread) or sys.exc_info()[1] is not None:
        return None
    while frame is not None:
        if frame.f_code.co_name == "__del__":
            return None
        frame = frame.f_back
    return _exception_to_end_thread()


def _wait_for_scanned_thread():
    for _ in range(100):
        if _thread_id == _thread.get_ident() or _thread_id not in sys._current_frames():
            break
        time.sleep(0.01)


def _exception_to_end_thread():
    if not _host_interrupts.is_main_thread():
        return SystemExit
    _host_event_loop.expect_end_by(Reached)
    return Reached
