"""The libraries that a tensor can be handed to: the from_dlpack of each, what it can be given, and how Python writes the call."""

import sys

from dlscope import _host_interrupts, _host_private, _host_streams

__builtins__ = _host_private.private_builtins()
_host_interrupts.register_host_module(globals())

# module: the function's path in it; what it takes: "object" (an object with __dlpack__) or "capsule".
CONSUMERS = {
    "numpy": ("from_dlpack", "object"),
    "torch": ("from_dlpack", "object"),
    "jax": ("dlpack.from_dlpack", "object"),
    "tensorflow": ("experimental.dlpack.from_dlpack", "capsule"),
    "paddle": ("utils.dlpack.from_dlpack", "object"),
    "cupy": ("from_dlpack", "object"),
    "dpnp": ("from_dlpack", "object"),
    "tvm_ffi": ("from_dlpack", "object"),
    "array_api_strict": ("from_dlpack", "object"),
    "mlx": ("core.from_dlpack", "object"),
    "dlscope": ("from_dlpack", "object"),
}
TAKE_CAPSULES = ("cupy", "dlscope", "mlx", "paddle", "tensorflow", "torch", "tvm_ffi")
BY_TYPE = ("tvm_ffi", "dlscope")  # these look at the type: a stand-in would take another way than the object does
# library: a module of it, and the way from there to what is true only once its devices are set up.
_SET_UP = {
    "jax": ("jax._src.xla_bridge", ("_backends",)),
    "tensorflow": ("tensorflow.python.eager.context", ("_context", "_context_handle")),
}
# The kinds of devices that the library's from_dlpack can be given.
KINDS = {
    "numpy": ("cpu",),
    "array_api_strict": ("cpu",),
    "torch": ("cpu", "cuda"),
    "jax": ("cpu", "cuda"),
    "tensorflow": ("cpu", "cuda"),
    "paddle": ("cpu", "cuda"),
    "dpnp": ("cpu", "oneapi"),
    "dlscope": ("cpu", "cuda", "cuda_host", "cuda_managed", "oneapi"),
}
# Those whose function takes a versioned capsule: the way to an attribute that came with it. The others may know legacy capsules only.
_VERSIONED = {
    "torch": ("_C", "_to_dlpack_versioned"),
    "paddle": ("Tensor", "__dlpack_c_exchange_api__"),
    "tvm_ffi": (),
    "dlscope": (),
}
_VERSION = (1, 0)  # of the struct; the minor number adds flags and dtypes only
ON_DEVICES = ("cupy", "dpnp")  # these put host memory on a device of theirs
_BY_NUMBERS = ("dpnp",)         # wants DLPack's numbers of a device
_POLICIES = {"if needed": None, "always": True, "never": False}


def is_set_up(library):
    """False for a library that would set up its devices when it is first called; the script could not configure them any more."""
    if library not in _SET_UP:
        return True
    return bool(_reached(*_SET_UP[library]))


def takes_versioned(library):
    """Whether the library's function, as it is imported here, takes a versioned capsule."""
    return library in _VERSIONED and bool(_reached(library, _VERSIONED[library]))


def _reached(module, path):
    found = sys.modules.get(module)
    for name in path:
        found = getattr(found, name, None)
    return found


def gets_capsule(library, stream):
    """Whether the library's function is given a capsule, and no object that it asks for one."""
    return CONSUMERS[library][1] == "capsule" or stream != ""


def line_for(library, subject, device, policy, stream):
    """The Python line that does the same."""
    if library in CONSUMERS and gets_capsule(library, stream):
        return capsule_line(library, subject, asked_of_producer(library, device, policy, stream))
    given = {}
    if device:
        given["device"] = _device_text_for(library, device)
    if _POLICIES.get(policy) is not None:
        given["copy"] = repr(_POLICIES[policy])
    function = CONSUMERS.get(library, ("from_dlpack", ""))[0]
    return "%s.%s(%s%s)" % (library, function, subject, "".join(", %s=%s" % each for each in given.items()))


def capsule_line(library, subject, asked):
    """The line that hands over a capsule, which the producer is asked for with these keywords."""
    return "%s.%s(%s.__dlpack__(%s))" % (library, CONSUMERS[library][0], subject, written(asked))


def keywords(library, device, policy):
    """What from_dlpack is called with; a keyword that nobody asked for is left out."""
    given = {}
    if device:
        given["device"] = _device_argument(library, device)
    if _POLICIES.get(policy) is not None:
        given["copy"] = _POLICIES[policy]
    return given


def _device_argument(library, device):
    """A device as the library wants it."""
    if library == "jax":
        kind, number = _device_of_jax(device)
        return sys.modules["jax"].devices(kind)[number]  # sets up its devices
    if _is_strict_cpu(library, device):
        return sys.modules["array_api_strict"].Device("CPU_DEVICE")
    return _device_as_numbers(device) if library in _BY_NUMBERS else device


def _device_text_for(library, device):
    """The same as Python writes it; nothing of the library is called for it."""
    if library == "jax":
        return "jax.devices(%r)[%d]" % _device_of_jax(device)
    if _is_strict_cpu(library, device):
        return "array_api_strict.Device('CPU_DEVICE')"
    return repr(_device_as_numbers(device) if library in _BY_NUMBERS else device)


def _is_strict_cpu(library, device):
    return library == "array_api_strict" and device.partition(":")[0] == "cpu"


def _device_of_jax(device):
    kind, _, number = device.partition(":")
    return {"cuda": "gpu"}.get(kind, kind), int(number or 0)


def _device_as_numbers(device):
    from dlscope import _spellings
    return _spellings.device(device)


def asked_of_producer(library, device, policy, stream):
    """What __dlpack__ is called with where the capsule is requested here for the library; a keyword that nobody asked for is left
    out."""
    asked = {}
    if stream:
        asked["stream"] = _host_streams.stream_of(stream)
    if _POLICIES.get(policy) is not None:
        asked["copy"] = _POLICIES[policy]
    if device:
        asked["dl_device"] = _device_as_numbers(device)
    if takes_versioned(library):
        asked["max_version"] = _VERSION
    return asked


def written(keywords):
    return ", ".join("%s=%s" % (key, repr(value)[:64]) for key, value in keywords.items())
