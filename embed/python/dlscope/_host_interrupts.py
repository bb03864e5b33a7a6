"""When Stop (SIGINT) may become a KeyboardInterrupt: in the user's code, not in ours, not in the import of a library.

A library whose import is cut short often cannot be imported again in the same process, so the signal is sent again
until that import is over. The handler itself is `_dlscope.default_int_handler`, in C: it leaves no frame in tracebacks.
"""

import _signal
import _thread
import sys

from dlscope import _dlscope, _host_private

__builtins__ = _host_private.private_builtins()

_IMPORT_FILE = "<frozen importlib._bootstrap>"
_IMPORT_FILES = (_IMPORT_FILE, "<frozen importlib._bootstrap_external>")
_OWN_GLOBALS = []  # of the modules whose frames are ours

script_folder = ""  # modules from here are the user's: their import may be interrupted
armed = False       # user code may be running
takes_changes = False  # the main thread does, between two instructions of the user's: a trace function of the user's may run in our frames
main_thread = _thread.get_ident()


def own(module_globals):
    """Declares a module of the host: no KeyboardInterrupt is ever raised in its frames."""
    _OWN_GLOBALS.append(module_globals)


def is_ours(frame):
    for module_globals in _OWN_GLOBALS:
        if frame.f_globals is module_globals:
            return True
    return False


def _is_users_module(name):
    # While the packages above it are imported it is not there: `import pkg.deep` runs pkg's __init__ first.
    while type(name) is str and name not in sys.modules and "." in name:
        name = name.rpartition(".")[0]
    origin = getattr(getattr(sys.modules.get(name), "__spec__", None), "origin", None)
    folder = script_folder.rstrip("/") + "/"
    if type(origin) is not str or not script_folder or not origin.startswith(folder):
        return False
    return "-packages/" not in origin[len(folder) - 1:]


def may_interrupt(frame, insists):
    """Whether KeyboardInterrupt may be raised in this frame now: of the main thread, which calls this, or of the thread that stands at a stop.
    True: yes; False: later; the name of a module: when its import is over. insists: the user asked again, imports are no reason any
    more."""
    if not armed or takes_changes and _thread.get_ident() == main_thread:
        return False
    if frame is None:
        return True
    if is_ours(frame):
        return False
    if insists:
        return True
    importing = False if frame.f_code.co_filename in _IMPORT_FILES else None
    while frame is not None and not is_ours(frame):
        code = frame.f_code
        if code.co_filename == _IMPORT_FILE and code.co_name == "_find_and_load":
            name = frame.f_locals.get("name")
            if not _is_users_module(name):
                importing = name  # the outermost one is what the user knows
        frame = frame.f_back
    return True if importing is None else importing


def install():
    """SIGINT as a fresh interpreter has it, with our rules; also undoes what an earlier script installed."""
    _signal.signal(_signal.SIGINT, _dlscope.default_int_handler)


def set_aside():
    """The main thread begins to stand at a stop, or our own work: Stop is meant for what runs there, not for how the script handles
    SIGINT (asyncio cancels its main task). Returns what put_back() needs."""
    global takes_changes
    took, takes_changes = takes_changes, False
    handler = _signal.getsignal(_signal.SIGINT)
    if handler is None or handler is _dlscope.default_int_handler:  # None: installed in C
        return took, None, -1
    descriptor = _signal.set_wakeup_fd(-1)
    install()
    return took, handler, descriptor


def put_back(aside):
    """The stop, or the work, is over. A handler that was installed meanwhile stays."""
    global takes_changes
    takes_changes, handler, descriptor = aside
    if handler is None or _signal.getsignal(_signal.SIGINT) is not _dlscope.default_int_handler:
        return
    _signal.signal(_signal.SIGINT, handler)
    if descriptor != -1:
        try:
            _signal.set_wakeup_fd(descriptor)
        except (OSError, ValueError):  # closed meanwhile
            pass


def begin_own_work():
    """Our own work on the user's objects begins: Stop reaches what it calls of the user's classes, however the script handles SIGINT.
    Returns what end_own_work() needs."""
    global armed
    aside = set_aside() if _thread.get_ident() == main_thread else None
    armed = True
    return aside


def end_own_work(aside):
    """A Stop that comes from now on is too late."""
    global armed
    armed = False
    _dlscope.host_nothing_to_interrupt()
    if aside is not None:
        put_back(aside)


def install_first():
    # signal, asyncio and unittest compare getsignal(SIGINT) with signal.default_int_handler, which `signal` takes from
    # `_signal` when it is imported.
    _signal.default_int_handler = _dlscope.default_int_handler
    signal = sys.modules.get("signal")
    if signal is not None:
        signal.default_int_handler = _dlscope.default_int_handler
    own(globals())
    _dlscope.host_interrupt_rule(may_interrupt)
    install()
