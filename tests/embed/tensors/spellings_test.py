"""How a device and a dtype may be written, without any library."""

import sys
import types
import unittest
from unittest import mock

import dlscope


class Spellings(unittest.TestCase):
    def test_devices(self):
        class Kind:
            def __init__(self, value):
                self.value = value

        tensor = dlscope.asdlpack(bytearray(4))
        for device in ("cpu", "CPU:0", "/device:CPU:0", "/job:localhost/replica:0/task:0/device:CPU:0", (1, 0), [1, 0], (1, None),
                       (Kind(1), 0), None):
            with self.subTest(device):
                self.assertEqual(dlscope.from_dlpack(tensor, device=device).data_ptr(), tensor.data_ptr())
        for device, number in (("cuda", "cuda:0"), ("cuda:1", "cuda:1"), ("cuda_host", "cuda_host:0"), ("oneapi:0", "oneapi:0"),
                               ((13, 2), "cuda_managed:2"), ("/GPU:3", "cuda:3")):
            with self.subTest(device), self.assertRaisesRegex(ValueError, f"'{number}' is not available.*'cpu', where the tensor is"):
                dlscope.from_dlpack(tensor, device=device)
        for device in ("abacus", "cuda:x", "cpu:0:0"):
            with self.subTest(device), self.assertRaisesRegex(ValueError, "not known"):
                dlscope.from_dlpack(tensor, device=device)

    def test_a_sycl_sub_device_has_its_parents_number(self):
        from dlscope._spellings import device

        class SyclDevice:
            def __init__(self, parent=None):
                self.parent = parent

            def get_unpartitioned_parent_device(self):
                return self.parent or self

        roots = [SyclDevice(), SyclDevice()]
        with mock.patch.dict(sys.modules, dpctl=types.SimpleNamespace(get_devices=lambda: roots)):
            self.assertEqual(device(roots[1]), (14, 1))
            self.assertEqual(device(SyclDevice(roots[1])), (14, 1))
            with self.assertRaisesRegex(ValueError, "no number"):
                device(SyclDevice())

    def test_paddles_xpu_is_not_oneapi(self):
        from dlscope._spellings import device

        class Place:
            def __str__(self):
                return "Place(xpu:0)"

        Place.__module__ = "paddle.base.libpaddle"
        with self.assertRaisesRegex(ValueError, "Kunlun"):
            device(Place())

    def test_dtypes(self):
        from dlscope._spellings import dtype

        class Own:
            def __dlpack_data_type__(self):
                return (4, 16, 1)

        for spelt, numbers in (("float32", (2, 32, 1)), ("bf16", (4, 16, 1)), (float, (2, 64, 1)), (bool, (6, 8, 1)), (int, (0, 64, 1)),
                               (complex, (5, 128, 1)), ((2, 16, 1), (2, 16, 1)), (Own(), (4, 16, 1)), ("int4", (0, 4, 1)),
                               ("torch.float8_e5m2", (12, 8, 1)), ("uint8x4", (1, 8, 4)), ("float4_e2m1fn", (17, 4, 1)),
                               ("float4_e2m1fn_x2", (17, 4, 2)), ("complex64", (5, 64, 1)), ("f4", (2, 32, 1)), ("<f8", (2, 64, 1)),
                               ("=i8", (0, 64, 1)), ("|u1", (1, 8, 1)), (">i1", (0, 8, 1)), ("c8", (5, 64, 1)), ("|b1", (6, 8, 1)),
                               ("f16", (2, 16, 1)), ("torch.float", (2, 32, 1)), ("torch.int", (0, 32, 1))):
            self.assertEqual(dtype(spelt), numbers, spelt)
        for spelt, plain in (("single", "float32"), ("longlong", "int64"), ("ulonglong", "uint64"), ("intc", "int32"), ("uintc", "uint32"),
                             ("short", "int16"), ("long", "int64"), ("torch.long", "int64"), ("torch.short", "int16"),
                             ("intp", "int64"), ("uint", "uint64"), ("byte", "int8"), ("ubyte", "uint8"), ("chalf", "complex32"),
                             ("csingle", "complex64"), ("?", "bool"), ("b", "int8"), ("B", "uint8"), ("H", "uint16"), ("i", "int32"),
                             ("I", "uint32"), ("l", "int64"), ("Q", "uint64"), ("e", "float16"), ("f", "float32"), ("d", "float64"),
                             ("<d", "float64"), ("=f", "float32"), (">b", "int8"), ("F", "complex64"), ("D", "complex128")):
            self.assertEqual(dtype(spelt), dtype(plain), spelt)

        def f():
            pass

        with self.assertRaises(TypeError):
            dtype(f)  # a function's name is no character code
        for kind in (bool, int, float, complex):
            self.assertEqual(dtype(kind.__name__), dtype(kind))
        for other in (">f4", ">i8", ">c16", ">d"):
            with self.assertRaisesRegex(ValueError, "byte order"):
                dtype(other)
        for wrong in ("floaty", "int0", "f3", "<<f4", "<f16", "b2", "<", ""):
            with self.assertRaises(ValueError):
                dtype(wrong)
        with self.assertRaises(TypeError):
            dtype(object())


if __name__ == "__main__":
    unittest.main(verbosity=2)
