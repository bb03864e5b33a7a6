"""Windows that user code left open (matplotlib, Tk, Qt), and its handlers of signals, live on while the host waits for a request.

A toolkit handles the events of its windows only where its loop runs, on the main thread. plt.show() runs that loop until the
window is closed; after plt.show(block=False), in interactive mode and at the console nobody does, so the host handles what
has come up, fifty times a second and only while there is a window. (PyOS_InputHook, the prompt's way, is of no use here: Tk's
hook takes the thread state of whichever thread made the window, and both Tk's and Qt's end when descriptor 0 can be read.)
"""

import sys
from time import monotonic

from dlscope import _dlscope, _host_errors, _host_interrupts, _host_private, _host_run

__builtins__ = _host_private.private_builtins()
_host_interrupts.register_host_module(globals())

PERIOD_MS = 20
_AT_MOST_S = 0.1  # of events in a row, then a request has its turn
_QT_CORES = ("PyQt6.QtCore", "PySide6.QtCore", "PyQt5.QtCore", "PySide2.QtCore")
_TK_DONT_WAIT = 2  # _tkinter.DONT_WAIT


def any_open():
    """Whether a toolkit has windows on this thread. Reads what the user's modules hold; never imports one."""
    return bool(_handlers())


def handle_events():
    """Runs the callbacks of all events that wait, and the script's handlers of signals that have come; what they raise is shown as the
    interpreter's prompt would show it."""
    if not _dlscope.host_begin_window_callbacks():
        return
    ran = True
    _dlscope.host_before_user_code(False)
    _host_interrupts.enabled = True
    try:
        handlers = [_dlscope.host_run_handlers] if _dlscope.host_script_handler_waits() else []
        ran = any([_dlscope.host_run_user_code(handle) is not False for handle in handlers + _handlers()])
    except BaseException as error:
        _host_interrupts.enabled = False
        _host_errors.show(error, _host_errors.without_our_frames(error.__traceback__), False)
    finally:
        _host_interrupts.enabled = False
        _host_run.leave_in_child()
        _dlscope.host_end_window_callbacks(ran)
        _dlscope.host_after_user_code(_host_run.namespace(), _host_run.frames())


def _handlers():
    """One function per toolkit with windows: handles what waits, and returns False where nothing did; not every toolkit tells."""
    found = []
    for look in (_tk, _qt, _other_figures):
        try:
            handle = look()
        except Exception:  # a toolkit that is not what its name says
            continue
        if handle is not None:
            found.append(handle)
    return found


def _tk():
    """One Tk application is enough: Tcl has one queue of events per thread."""
    root = getattr(sys.modules.get("tkinter"), "_default_root", None)
    if root is None:
        return None

    def handle():
        end = monotonic() + _AT_MOST_S
        ran = False
        while root.tk.dooneevent(_TK_DONT_WAIT):
            ran = True
            if monotonic() >= end:
                break
        return ran

    return handle


def _qt():
    for name in _QT_CORES:
        core = sys.modules.get(name)
        application = core.QCoreApplication.instance() if core is not None else None
        if application is not None and application.thread() == core.QThread.currentThread():
            return application.processEvents
    return None


def _other_figures():
    """matplotlib on GTK or wx, which have no common way of saying that they have a window."""
    helpers = sys.modules.get("matplotlib._pylab_helpers")
    if helpers is None:
        return None
    canvases = [manager.canvas for manager in helpers.Gcf.get_all_fig_managers()]
    canvases = [canvas for canvas in canvases if canvas.required_interactive_framework in ("gtk3", "gtk4", "wx")]

    def handle():
        for canvas in canvases:
            canvas.flush_events()

    return handle if canvases else None
