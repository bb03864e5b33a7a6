"""A DLPack producer whose every field can lie, made with ctypes. Counts its deleter and its capsule's destructor."""

import ctypes

python = ctypes.PyDLL(None)  # private: other packages change the shared ctypes.pythonapi
python.PyCapsule_New.restype = ctypes.py_object
python.PyCapsule_New.argtypes = [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p]
python.PyCapsule_GetName.restype = ctypes.c_char_p
python.PyCapsule_GetName.argtypes = [ctypes.c_void_p]
python.PyCapsule_GetPointer.restype = ctypes.c_void_p
python.PyCapsule_GetPointer.argtypes = [ctypes.c_void_p, ctypes.c_char_p]

Deleter = ctypes.CFUNCTYPE(None, ctypes.c_void_p)
Destructor = ctypes.CFUNCTYPE(None, ctypes.c_void_p)


class DLTensor(ctypes.Structure):
    _fields_ = [("data", ctypes.c_void_p), ("device_type", ctypes.c_int32), ("device_id", ctypes.c_int32),
                ("ndim", ctypes.c_int32), ("code", ctypes.c_uint8), ("bits", ctypes.c_uint8), ("lanes", ctypes.c_uint16),
                ("shape", ctypes.c_void_p), ("strides", ctypes.c_void_p), ("byte_offset", ctypes.c_uint64)]


class Legacy(ctypes.Structure):
    _fields_ = [("tensor", DLTensor), ("manager", ctypes.c_void_p), ("deleter", ctypes.c_void_p)]


class Versioned(ctypes.Structure):
    _fields_ = [("major", ctypes.c_uint32), ("minor", ctypes.c_uint32), ("manager", ctypes.c_void_p),
                ("deleter", ctypes.c_void_p), ("flags", ctypes.c_uint64), ("tensor", DLTensor)]


class Producer:
    """An honest (2, 3) float32 tensor over its own memory, unless told otherwise.

    shape, strides: lists of elements, None for NULL, an int for a bare address. name: what the capsule calls itself.
    destructor: whether the capsule has one (as every honest producer's has).
    """

    def __init__(self, *, versioned=True, name=None, destructor=True, deleter="count", major=1, minor=3, flags=0, data="own",
                 shape=(2, 3), strides=(3, 1), ndim=None, dtype=(2, 32, 1), device=(1, 0), byte_offset=0, claims=(1, 0)):
        self._deletions = []  # one entry for each call: threads that add to a number at the same time lose some
        self.destroyed = 0
        self.asked = []
        self.memory = (ctypes.c_char * 4096)()
        self.claims = claims
        self._name = ctypes.create_string_buffer((name or ("dltensor_versioned" if versioned else "dltensor")).encode())
        self._shape, shape_address = self._array(shape)
        self._strides, strides_address = self._array(strides)
        self.struct = Versioned(major=major, minor=minor, flags=flags) if versioned else Legacy()
        self.struct.manager = 0x1234
        if deleter == "count":
            self._deleter = Deleter(self._delete)
            self.struct.deleter = ctypes.cast(self._deleter, ctypes.c_void_p).value
        else:
            self.struct.deleter = deleter
        tensor = self.struct.tensor
        tensor.data = ctypes.addressof(self.memory) if data == "own" else data
        tensor.device_type, tensor.device_id = device
        tensor.ndim = ndim if ndim is not None else len(shape or ())
        tensor.code, tensor.bits, tensor.lanes = dtype
        tensor.shape, tensor.strides, tensor.byte_offset = shape_address, strides_address, byte_offset
        self.address = ctypes.addressof(self.struct)
        self._destructor = Destructor(self._destroy) if destructor else None

    @staticmethod
    def _array(values):
        if values is None or isinstance(values, int):
            return None, values
        array = (ctypes.c_int64 * max(len(values), 1))(*values)
        return array, ctypes.addressof(array)

    def _delete(self, _address):
        self._deletions.append(None)

    @property
    def deleted(self):
        return len(self._deletions)

    def _destroy(self, capsule):
        """What dlpack.h asks of a capsule's destructor: delete unless a consumer took the tensor."""
        self.destroyed += 1
        if python.PyCapsule_GetName(capsule).startswith(b"used_"):
            return
        if hasattr(self, "_deleter"):
            Deleter(self.struct.deleter)(self.address)
        else:
            self._delete(None)

    def capsule(self):
        return python.PyCapsule_New(self.address, ctypes.addressof(self._name), ctypes.cast(self._destructor, ctypes.c_void_p))

    def __dlpack__(self, **keywords):
        self.asked.append(keywords)
        return self.capsule()

    def __dlpack_device__(self):
        return self.claims
