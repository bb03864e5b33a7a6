"""How libraries spell a device and a dtype, read into DLPack's numbers. Called from C++ for what is no plain name or tuple.

An object is recognised by its type's module and its attributes: no library is imported for it, and nothing of the standard library
either: a host process has the modules that plain Python has, and no more.
"""

_DEVICE_TYPES = {
    "cpu": 1, "cuda": 2, "gpu": 2, "cuda_host": 3, "cuda_pinned": 3, "gpu_pinned": 3, "opencl": 4, "vulkan": 7, "metal": 8, "mps": 8,
    "vpi": 9, "rocm": 10, "hip": 10, "rocm_host": 11, "ext_dev": 12, "cuda_managed": 13, "managed": 13, "oneapi": 14, "xpu": 14,
    "sycl": 14, "webgpu": 15, "hexagon": 16, "maia": 17, "trn": 18,
}
_KNOWN = "cpu, cuda:N, cuda_host:N, cuda_managed:N, rocm:N, oneapi:N, metal:N, ..."
_CODE_BY_KIND = {"int": 0, "uint": 1, "float": 2, "bfloat": 4, "complex": 5}
_WIDTHS = {"float": (16, 32, 64, 80, 96, 128), "bfloat": (16,), "complex": (32, 64, 128, 160, 192, 256)}  # of the other kinds: any
_EIGHT_BIT = {
    "float8_e3m4": 7, "float8_e4m3": 8, "float8_e4m3b11fnuz": 9, "float8_e4m3fn": 10, "float8_e4m3fnuz": 11, "float8_e5m2": 12,
    "float8_e5m2fnuz": 13, "float8_e8m0fnu": 14,
}
_NARROW = {"float6_e2m3fn": (15, 6), "float6_e3m2fn": (16, 6), "float4_e2m1fn": (17, 4)}
_DTYPE_ALIASES = {
    "half": "float16", "halffloat": "float16", "float": "float64", "int": "int64", "complex": "complex128",  # as Python's types
    "torch.float": "float32", "torch.int": "int32", "double": "float64", "bf16": "bfloat16", "f16": "float16", "f32": "float32",
    "f64": "float64", "cfloat": "complex64", "cdouble": "complex128", "bool_": "bool", "boolean": "bool",
    "e4m3": "float8_e4m3fn", "e5m2": "float8_e5m2", "float4_e2m1fn_x2": "float4_e2m1fnx2",
    # C's names, as NumPy and PyTorch use them where a long has 64 bits.
    "byte": "int8", "short": "int16", "intc": "int32", "long": "int64", "longlong": "int64", "intp": "int64",
    "ubyte": "uint8", "ushort": "uint16", "uintc": "uint32", "uint": "uint64", "ulong": "uint64", "ulonglong": "uint64",
    "uintp": "uint64",
    "single": "float32", "longdouble": "float128", "chalf": "complex32", "csingle": "complex64", "clongdouble": "complex256",
}
_CHARACTERS = {  # NumPy's codes, where upper case counts
    "?": "bool", "b": "int8", "B": "uint8", "h": "int16", "H": "uint16", "i": "int32", "I": "uint32", "l": "int64", "L": "uint64",
    "q": "int64", "Q": "uint64", "p": "int64", "P": "uint64", "n": "int64", "N": "uint64", "e": "float16", "f": "float32", "d": "float64",
    "g": "float128", "F": "complex64", "D": "complex128", "G": "complex256",
}
_KINDS = {"b": 6, "i": 0, "u": 1, "f": 2, "c": 5}  # of NumPy's type strings, with their sizes in bytes
_SIZES = {"b": (1,), "i": (1, 2, 4, 8), "u": (1, 2, 4, 8), "f": (2, 4, 8), "c": (8, 16)}


def device_name(numbers):
    """"cuda:1" of (2, 1), "cpu" of (1, 0) and (1, None); "" of what is no pair of numbers that is known."""
    if len(numbers) != 2 or type(numbers[0]) is not int or (numbers[1] is not None and type(numbers[1]) is not int):
        return ""
    for kind, number in _DEVICE_TYPES.items():
        if number == numbers[0]:
            return kind if number == 1 else "%s:%d" % (kind, numbers[1] or 0)
    return ""


def _module(value):
    return str(getattr(type(value), "__module__", "")).partition(".")[0]


def _number(value):
    """An int, an IntEnum, or a plain Enum of numbers; None counts as 0 (Paddle's CPU id)."""
    if value is None:
        return 0
    value = getattr(value, "value", value)
    return value.__index__()


def _is_number(text):
    return text.isascii() and text.isdigit()


def _is_selector(parts):
    """oneAPI's filter selector, backend:kind:number, the last two optional: "opencl:cpu:0", "level_zero:gpu"."""
    backend, rest = parts[0], parts[1:]
    if rest and rest[0] in ("cpu", "gpu", "accelerator", "*"):
        rest = rest[1:]
    return backend in ("opencl", "level_zero", "cuda", "hip", "*") and (not rest or len(rest) == 1 and _is_number(rest[0]))


def _device_of_text(text):
    # TensorFlow: "/job:localhost/replica:0/task:0/device:GPU:1", "/GPU:1", "CPU:0".
    name = text.lower().rpartition("/")[2]
    name = name[len("device:"):] if name.startswith("device:") else name
    kind, colon, number = name.partition(":")
    if kind in _DEVICE_TYPES and (not colon or _is_number(number)):
        return _DEVICE_TYPES[kind], int(number or 0)
    if _is_selector(name.split(":")):
        return _sycl_device(text)
    raise ValueError(f"device {text!r} is not known; known are {_KNOWN} and the libraries' own device objects")


def _sycl_device(selector):
    """The root device a selector, a dpctl.SyclDevice or a queue names, counted as DLPack counts them."""
    import sys

    dpctl = sys.modules.get("dpctl")
    if dpctl is None:
        raise ValueError(f"device {selector!r} is a oneAPI selector, and dpctl is not imported to look it up")
    device = getattr(selector, "sycl_device", selector)
    if isinstance(device, str):
        try:
            device = dpctl.SyclDevice(device)
        except Exception as error:  # dpctl.SyclDeviceCreationError, which is no ValueError
            known = ", ".join(each.filter_string for each in dpctl.get_devices()) or "none"
            raise ValueError(f"there is no device {selector!r}; oneAPI has here: {known}") from error
    roots = dpctl.get_devices()
    root = device if device in roots else device.get_unpartitioned_parent_device()  # DLPack counts no sub-devices
    if root not in roots:
        raise ValueError(f"device {selector!r} is none of those that dpctl.get_devices() counts, so DLPack has no number for it")
    return 14, roots.index(root)


def _device_of_jax(device):
    kinds = {"cpu": 1, "cuda": 2, "gpu": 2, "rocm": 10}
    if device.platform not in kinds:
        raise ValueError(f"{device!r}: DLPack has no number for the platform {device.platform!r}")
    return kinds[device.platform], 0 if device.platform == "cpu" else _number(getattr(device, "local_hardware_id", 0))


def _device_of_paddle(place):
    outer, opened, inner = str(place).partition("(")  # "Place(gpu:0)"
    text = (inner[:-1] if inner.endswith(")") else inner) if opened and outer.endswith("Place") else type(place).__name__
    if text.partition(":")[0] in ("xpu", "XPUPlace"):
        raise ValueError(f"{place}: Paddle's xpu is Kunlun's, for which DLPack has no number")
    name = {"CPUPlace": "cpu", "CUDAPinnedPlace": "cuda_host", "gpu_pinned": "cuda_host"}.get(text, text)
    if type(place).__name__ == "CUDAPlace":
        return 2, place.get_device_id()
    return _device_of_text(name)


def _device_of_tensorflow(device):
    """A DeviceSpec, a LogicalDevice or a PhysicalDevice: its kind, and the number in its name."""
    kind = str(device.device_type or "").lower()
    number = getattr(device, "device_index", None)
    if number is None:
        number = getattr(device, "name", "").rpartition(":")[2]
    return _device_of_text(f"{kind}:{number}" if number != "" else kind)


def _single(devices):
    devices = list(devices)
    if len(devices) != 1:
        raise ValueError(f"a sharding over {len(devices)} devices is not one device")
    return devices[0]


def device(value):
    """(type, id) of anything that names a device."""
    if isinstance(value, str):
        return _device_of_text(value)
    if isinstance(value, (tuple, list)) and len(value) == 2:
        try:
            return _number(value[0]), _number(value[1])
        except AttributeError:
            pass
    module = _module(value)
    if module in ("jax", "jaxlib"):
        return _device_of_jax(_single(value.device_set) if hasattr(value, "device_set") else value)
    if module == "paddle":
        return _device_of_paddle(value)
    if module == "tensorflow" and hasattr(value, "device_type"):
        return _device_of_tensorflow(value)
    if hasattr(value, "sycl_device") or type(value).__name__ == "SyclDevice":
        return _sycl_device(value)
    if callable(getattr(value, "dlpack_device_type", None)):  # tvm_ffi.Device
        return _number(value.dlpack_device_type()), _number(value.index)
    if hasattr(value, "type") and hasattr(value, "index") and isinstance(value.type, str):  # torch.device
        return _device_of_text(value.type if value.index is None else f"{value.type}:{value.index}")
    if module == "cupy" and hasattr(value, "id"):
        return 2, value.id
    if module == "array_api_strict":
        return 1, 0  # its devices are all host memory
    raise TypeError(f"device={value!r} names no device; give a name ({_KNOWN}), (type, id), or a library's device object")


def _dtype_of_type_string(text):
    """NumPy's and the array interface's: "f4", "<f4", "|u1"; None for another text."""
    order, plain = _order_apart(text)
    kind, size = plain[:1], plain[1:]
    if not _is_number(size) or int(size) not in _SIZES.get(kind, ()):
        return None
    _check_order(order, int(size), text)
    return _KINDS[kind], 8 * int(size), 1


def _dtype_of_character(text):
    """NumPy's "f", "<d", "?"; None for another text. Not tried with an object's name: a function called f names no dtype."""
    order, plain = _order_apart(text)
    if plain not in _CHARACTERS:
        return None
    numbers = _dtype_of_text(_CHARACTERS[plain])
    _check_order(order, numbers[1] // 8, text)
    return numbers


def _order_apart(text):
    return (text[:1], text[1:]) if text[:1] in ("<", ">", "=", "|") else ("", text)


def _check_order(order, size, text):
    if order == ">" and size > 1:
        raise ValueError(f"dtype {text!r} is not in this machine's byte order, which is the only one DLPack knows")


def _dtype_of_text(text):
    of_type_string = _dtype_of_type_string(text)
    if of_type_string is not None:
        return of_type_string
    name = text.rpartition(".")[2].lower()  # "torch.float32", "paddle.bfloat16"
    name = _DTYPE_ALIASES.get(text.lower(), _DTYPE_ALIASES.get(name, name))
    if name == "bool":
        return 6, 8, 1
    if name in _EIGHT_BIT:
        return _EIGHT_BIT[name], 8, 1
    if name in _NARROW:
        return (*_NARROW[name], 1)
    kind = name.rstrip("0123456789")
    bits = name[len(kind):]
    if kind in _CODE_BY_KIND and _is_number(bits) and int(bits) in _WIDTHS.get(kind, range(1, 256)):
        return _CODE_BY_KIND[kind], int(bits), 1
    lane, times, lanes = name.rpartition("x")
    if times and _is_number(lanes) and (lane[-1:].isdigit() or lane.endswith("fn")):
        code, bits, own_lanes = _dtype_of_text(lane)
        return code, bits, own_lanes * int(lanes)
    raise ValueError(f"dtype {text!r} is not known; known are NumPy's and ml_dtypes' names: float32, bfloat16, int4, float8_e4m3fn, ...")


def dtype(value):
    """(code, bits, lanes) of anything that names a dtype."""
    if isinstance(value, str):
        return _dtype_of_character(value) or _dtype_of_text(value)
    if value in (bool, int, float, complex) if isinstance(value, type) else False:
        return {bool: (6, 8, 1), int: (0, 64, 1), float: (2, 64, 1), complex: (5, 128, 1)}[value]
    if isinstance(value, (tuple, list)) and len(value) == 3:
        return tuple(_number(part) for part in value)
    own = getattr(value, "__dlpack_data_type__", None)
    if callable(own) and not isinstance(value, type):
        return tuple(_number(part) for part in own())
    if _module(value) == "numpy" and getattr(value, "byteorder", "=") not in "=|<":
        raise ValueError(f"dtype={value!r} is not in this machine's byte order, which is the only one DLPack knows")
    if _module(value) == "pyarrow" and str(value) == "float":  # Arrow's word for 32 bits
        return 2, 32, 1
    for name in (getattr(value, "name", None), getattr(value, "__name__", None), str(value)):
        if isinstance(name, str):
            try:
                return _dtype_of_text(name)
            except ValueError:
                continue
    raise TypeError(f"dtype={value!r} names no dtype; give a name (float32, bfloat16, ...), (code, bits, lanes), or a library's dtype")
