"""dlscope between PyArrow, tvm-ffi, array-api-strict, pydlpack and NumPy: one process, since they are small."""

import importlib

import numpy as np

from tensor_checks import TensorTest, main
import dlscope


class Small(TensorTest):
    def library(self, name):
        try:
            return importlib.import_module(name)
        except ImportError as error:
            self.skipTest(f"{name} cannot be imported: {error}")

    def test_pyarrow(self):
        pa = self.library("pyarrow")
        source = pa.array([1, 2, 3, 4])[1:]
        tensor = dlscope.from_dlpack(source)
        self.assertEqual(tensor.data_ptr(), source.buffers()[1].address + 8)
        self.assertEqual((tensor.dtype, tensor.shape), ("int64", (3,)))
        if tensor.capsule_name == "dltensor_versioned":
            self.assertTrue(tensor.read_only)
        with self.assertRaisesRegex(Exception, "no nulls"):
            dlscope.from_dlpack(pa.array([1, None]))
        buffer = dlscope.asdlpack(pa.py_buffer(b"abcd"))
        self.assertEqual((buffer.read_only, buffer.shape), (True, (4,)))
        back = pa.py_buffer(tensor)
        self.assertEqual((back.address, back.is_mutable), (tensor.data_ptr(), False))
        if hasattr(pa.Tensor, "from_dlpack"):
            self.assertEqual(np.asarray(pa.Tensor.from_dlpack(tensor)).ctypes.data, tensor.data_ptr())
        immutable = pa.Tensor.from_numpy(np.arange(4.0))
        self.assertEqual(dlscope.from_dlpack(immutable).data_ptr(), np.asarray(immutable).ctypes.data)

    def test_tvm_ffi(self):
        tvm_ffi = self.library("tvm_ffi")
        array = np.arange(6.0)
        through = tvm_ffi.from_dlpack(dlscope.from_dlpack(array))
        tensor = dlscope.from_dlpack(through)
        self.assertEqual((tensor.data_ptr(), tensor.shape), (array.ctypes.data, (6,)))
        self.assertEqual(dlscope.from_dlpack(through, device=tvm_ffi.device("cpu", 0)).data_ptr(), array.ctypes.data)
        from dlscope._spellings import dtype
        self.assertEqual(dtype(tvm_ffi.dtype("float32")), (2, 32, 1))
        # tvm-ffi takes our exchange table, keeps the memory, and drops READ_ONLY: the next hop shows it.
        dropped = dlscope.from_dlpack(tvm_ffi.from_dlpack(dlscope.asdlpack(b"abc")))
        self.assertNotEqual(dropped.writability, "no")

    def test_array_api_strict(self):
        strict = self.library("array_api_strict")
        source = strict.asarray([1.0, 2.0])
        tensor = dlscope.from_dlpack(source, device=source.device)
        back = strict.from_dlpack(tensor)
        self.assertEqual(dlscope.from_dlpack(back).data_ptr(), tensor.data_ptr())
        self.assertFalse(dlscope.shares_memory(strict.from_dlpack(tensor, copy=True), source))
        from dlscope._spellings import dtype
        self.assertEqual(dtype(strict.float32), (2, 32, 1))

    def test_pydlpack(self):
        pydlpack = self.library("dlpack")
        source = pydlpack.asdlpack(b"Hello!")
        tensor = dlscope.from_dlpack(source)
        self.assertEqual(bytes(memoryview(tensor)), b"Hello!")
        self.assertEqual(tensor.writability, "unknown", "pydlpack's legacy capsule dropped it")
        ours = dlscope.asdlpack(b"Hello!")
        self.assertEqual(ours.writability, "no")
        with self.assertRaisesRegex(BufferError, "read-only"):
            pydlpack.asdlpack(ours)
        through = np.from_dlpack(pydlpack.asdlpack(dlscope.asdlpack(bytearray(b"abc"))))
        self.assertEqual(through.tobytes(), b"abc")

    def test_the_seed_of_pydlpack(self):
        torch = self.library("torch")
        self.assertEqual(torch.from_dlpack(dlscope.asdlpack(b"Hello!")).tolist(), [72, 101, 108, 108, 111, 33])


if __name__ == "__main__":
    main()
