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
_HOST_GLOBALS = []  # the globals of the host's own modules

script_folder = ""  # of the script; modules from here are the user's: their import may be interrupted
enabled = False  # user code may be running: KeyboardInterrupt may be raised
# The main thread runs _host_stops.take_changes(), for whose frames Python calls a trace function of the user's.
taking_changes = False
main_thread = _thread.get_ident()


def register_host_module(module_globals):
    """Declares a module of the host: no KeyboardInterrupt is ever raised in its frames."""
    _HOST_GLOBALS.append(module_globals)


def is_ours(frame):
    for module_globals in _HOST_GLOBALS:
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


def may_interrupt(frame, asked_again):
    """Whether KeyboardInterrupt may be raised in this frame now. frame: of the main thread, which calls this, or of the stopped thread.
    True: yes; False: later; the name of a module: after its import. asked_again: the user asked a second time: imports are interrupted,
    too."""
    if not enabled or taking_changes and is_main_thread():
        return False
    if frame is None:
        return True
    if is_ours(frame):
        return False
    if asked_again:
        return True
    importing = False if frame.f_code.co_filename in _IMPORT_FILES else None
    while frame is not None and not is_ours(frame):
        code = frame.f_code
        if code.co_filename == _IMPORT_FILE and code.co_name == "_find_and_load":
            name = frame.f_locals.get("name")
            if not _is_users_module(name):
                importing = name  # the last one found, the outermost, is the name that the user wrote
        frame = frame.f_back
    return True if importing is None else importing


def is_main_thread():
    return _thread.get_ident() == main_thread


def interrupt_main_thread():
    """From another thread: interrupts the main thread, which may be waiting for this one."""
    if not is_main_thread():
        _signal.pthread_kill(main_thread, _signal.SIGINT)


def leave_user_code():
    """Where the user's code has come to a stop or to a scan: from here to the end of _host_stops.on_reached() the script's own handlers of
    signals are aside. An interrupt is then not meant for the script (asyncio's handler would cancel its main task). Returns the argument
    for go_back_to_user_code()."""
    global taking_changes
    if not is_main_thread():
        return None
    _dlscope.host_set_handlers_aside()
    took, taking_changes = taking_changes, False
    return took


def go_back_to_user_code(took):
    global taking_changes
    if took is not None:
        taking_changes = took


def begin_host_work():
    """Before the host's own work on the user's objects: Stop interrupts the user's code that it calls."""
    global enabled
    enabled = True


def end_host_work():
    """After that work: a Stop that arrives from now on is ignored."""
    global enabled
    enabled = False
    _dlscope.host_nothing_to_interrupt()


def install_at_start():
    # signal, asyncio and unittest compare getsignal(SIGINT) with signal.default_int_handler, which `signal` takes from
    # `_signal` when it is imported.
    _signal.default_int_handler = _dlscope.default_int_handler
    signal = sys.modules.get("signal")
    if signal is not None:
        signal.default_int_handler = _dlscope.default_int_handler
    register_host_module(globals())
    _dlscope.host_set_interrupt_rule(may_interrupt)
    _dlscope.host_begin_script_handlers()
    _dlscope.host_install_interrupt_handler()
