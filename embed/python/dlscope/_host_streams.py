"""DLPack's rules for the `stream` that a consumer names when it requests a capsule: what each value means on a device, and which are not
allowed there. Values are texts, as the window sends them: "None", or a whole number.
"""

from dlscope import _host_interrupts, _host_private

__builtins__ = _host_private.private_builtins()
_host_interrupts.register_host_module(globals())

_CUDA, _ROCM = (2, 13), (10,)  # DLDeviceType; 13 is CUDA's managed memory
_HOST = (1, 3, 11)             # the CPU, and host memory that is pinned for a device
_ONEAPI = 14


def stream_of(text):
    """The value that is passed; ValueError for a text that is none."""
    if text == "None":
        return None
    try:
        number = int(text, 0)
    except ValueError:
        number = -2
    if not -1 <= number < 1 << 64:
        raise ValueError("%r is no stream: a stream is None, -1, 1, 2, or the address of a stream's handle." % text)
    return number


def refusal(stream, device_type):
    """Why DLPack does not allow this stream on a device of this type; "": it does."""
    if stream is None:
        return ""
    if device_type in _HOST:
        return "Host memory has no streams. DLPack allows only None there."
    if device_type == _ONEAPI:
        return "On oneAPI a stream is a SYCL queue, and no number stands for one. None can be passed."
    if device_type in _CUDA:
        return "DLPack does not allow 0 on CUDA: it could mean None, 1 or 2." if stream == 0 else ""
    if device_type in _ROCM:
        return "DLPack does not allow 1 and 2 on ROCm: 0 is the default stream there." if stream in (1, 2) else ""
    return "DLPack gives streams a meaning on CUDA and ROCm only. None can be passed."


def meaning(stream, device_type):
    """What the producer does about an allowed stream, as a sentence."""
    if stream is None:
        if device_type in _HOST:
            return "None: host memory has no streams, so nobody waits."
        if device_type in _CUDA or device_type in _ROCM:
            return "None means the default stream: the producer makes it wait for its own work on the memory."
        return "None: the producer decides what has to wait."
    if stream == -1:
        return "-1: the producer makes nobody wait. The library may read before the producer's work is done."
    if device_type in _ROCM and stream == 0:
        return "0: the producer makes the default stream wait for its own work on the memory."
    if stream == 1:
        return "1: the producer makes the legacy default stream wait for its own work on the memory."
    if stream == 2:
        return "2: the producer makes the default stream of this thread wait for its own work on the memory. PyTorch refuses it."
    return ("%#x is taken for the address of a stream's handle. The producer makes that stream wait. A number that is no such address can "
            "crash Python." % stream)
