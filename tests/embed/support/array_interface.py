"""An exporter of __array_interface__ whose facts a test chooses."""

import ctypes


def address_of(view):
    return ctypes.addressof(ctypes.c_char.from_buffer(view))


class Interface:
    """An exporter of __array_interface__ over its own memory, whatever it says about it."""

    def __init__(self, memory, **facts):
        self.memory = memory
        self.__array_interface__ = {"version": 3, "typestr": "<f4", "shape": (2, 3), "data": (address_of(memory), False), **facts}
