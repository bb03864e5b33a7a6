"""faulthandler in a host: the Python stack of a crash goes to the viewer (embed/host/crash_guard.h).

One faulthandler writes to one file. So its switch is ours for as long as the host lives, and what the user turns on and
off is whether the stack is copied to a file of his as well.
"""

import faulthandler
import sys

from dlscope import _dlscope, _host_interrupts, _host_private

__builtins__ = _host_private.private_builtins()
_host_interrupts.register_host_module(globals())

_STANDARD_ERROR = 2
_file = None  # the user's; kept open, as faulthandler keeps it


def guard(own_frames):
    """own_frames: how lines of the stack begin that are the host's."""
    dump_fd = _dlscope.host_dump_fd()
    if faulthandler.is_enabled():  # PYTHONFAULTHANDLER, -X faulthandler
        faulthandler.disable()
        enable(_STANDARD_ERROR)
    # Our handlers come before and after faulthandler's.
    _dlscope.host_guard_crashes(-1, own_frames)
    faulthandler.enable(file=dump_fd, all_threads=True)
    _dlscope.host_guard_crashes(dump_fd, own_frames)
    faulthandler.enable, faulthandler.disable, faulthandler.is_enabled = enable, disable, is_enabled


def enable(file=None, all_threads=True, c_stack=True):
    """Enable the fault handler: the Python stack of a crash is also written to file (default: sys.stderr)."""
    global _file
    if file is None:
        file = sys.stderr
        if file is None:
            raise RuntimeError("unable to get sys.stderr")
    if isinstance(file, int):
        number = file
    else:
        number = file.fileno()
        try:
            file.flush()
        except Exception:
            pass
    if number < 0:
        raise ValueError("file is not a valid file descripter")
    _dlscope.host_copy_crash_stack_to(number)
    _file = file


def disable():
    """Disable the fault handler; whether it was enabled."""
    global _file
    was_enabled = is_enabled()
    _dlscope.host_copy_crash_stack_to(-1)
    _file = None
    return was_enabled


def is_enabled():
    """Whether the fault handler is enabled."""
    return _file is not None
