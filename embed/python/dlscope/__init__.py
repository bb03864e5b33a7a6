"""dlscope: what is really in memory behind the tensors of this process.

    describe(obj)            the facts about one tensor's memory, as the report writes them
    report(namespace=None)   the whole report on a dict of names; without one, on the caller's names: locals, callers, globals
    overlap(a, b)            how the bytes of two tensors relate
    shares_memory(a, b)      whether they have a byte in common
    compare(a, b)            whether their values are the same: where they differ, by how much, hashes
    stats(x, exact=True)     what its values are: extremes, mean, spread, NaN and infinities, histogram
    protocols(obj)           which protocols an object offers, and how the others refused
    stop()                   stops here in dlscope's window; without a window the report shows this moment; elsewhere nothing

    from_dlpack(x)           a Tensor over the memory of any DLPack producer, for any DLPack consumer
    asdlpack(obj)            the same for anything with a buffer or an array interface
    prove(a, b, ...)         whether a chain of hand-overs shared the memory
    watch_capsule(capsule)   notes what becomes of a DLPack capsule; capsules() says it: consumed, freed, its deleter called
    stream_trace()           what its hand-overs did about streams; save_stream_trace(path) writes it for dlscope to judge
    copy(x)                  a copy; contiguous(x): a copy only where x is not in C order

Looking copies nothing, keeps nothing alive and changes nothing; a Tensor holds its memory until close(). No dependency,
NumPy included.
"""

import atexit as _atexit
import sys as _sys

# A free-threaded interpreter has another object layout: the stable ABI of 3.9 would crash it instead of failing to load.
if "t" in getattr(_sys, "abiflags", ""):
    raise ImportError("dlscope does not support free-threaded Python yet; use the ordinary build of this version")
if _sys.version_info < (3, 9):
    raise ImportError("dlscope needs Python 3.9 or newer; this is %d.%d" % _sys.version_info[:2])

from ._dlscope import (  # noqa: E402
    Tensor,
    __version__,
    asdlpack,
    capsules,
    compare,
    contiguous,
    copy,
    describe,
    from_dlpack,
    overlap,
    protocols,
    prove,
    report,
    save_stream_trace,
    shares_memory,
    stats,
    stream_trace,
    watch_capsule,
    wait_for_open_calls as _wait,
)
from . import _spellings  # noqa: E402, F401  imported before user code can be in the way

_atexit.register(_wait)
del _wait



def stop():
    """A stop where it stands, with the locals of this function and its callers. In the window the script stands here until it is told to
    go on; with --headless the report shows this moment and the script ends. Does nothing in a process that dlscope did not start."""
    stops = _sys.modules.get("dlscope._host_stops")
    if stops is not None:
        stops.stop_here(_sys._getframe(1))


__all__ = ["Tensor", "asdlpack", "capsules", "compare", "contiguous", "copy", "describe", "from_dlpack", "overlap", "protocols", "prove", "report",
           "save_stream_trace", "shares_memory", "stats", "stop", "stream_trace", "watch_capsule", "__version__"]
