"""dlscope between PyTorch and its consumers: sharing, gradients, bits beside the memory, copy-on-write, read-only across hops."""

import numpy as np

from tensor_checks import TensorTest, main, require

torch = require("torch")
import dlscope  # noqa: E402


class TorchHandOver(TensorTest):
    def test_shared_both_ways(self):
        source = torch.arange(6.0).reshape(2, 3)
        for view in (source, source.T, source[:, 1:], source[0, 0], torch.zeros(0, 3), source.expand(4, 2, 3)):
            tensor = dlscope.from_dlpack(view)
            self.assertEqual((tensor.shape, tensor.strides, tensor.data_ptr()), (tuple(view.shape), view.stride(), view.data_ptr()))
            for back in (torch.from_dlpack(tensor), torch.utils.dlpack.from_dlpack(tensor.__dlpack__())):
                self.assertEqual((back.data_ptr(), back.stride()), (view.data_ptr(), view.stride()))
        tensor = dlscope.from_dlpack(source)
        torch.from_dlpack(tensor)[0, 1] = 50
        self.assertEqual(source[0, 1], 50)
        # PyTorch 2.10 and later have an exchange table, which is asked instead (protocols/exchange_table_test.py).
        by_table = hasattr(torch.Tensor, "__dlpack_c_exchange_api__")
        self.assertEqual(tensor.asked, None if by_table else {"max_version": (1, 3)})

    def test_dtypes(self):
        for name in ("bool", "uint8", "int8", "int16", "int32", "int64", "float16", "bfloat16", "float32", "float64", "complex64",
                     "complex128", "float8_e4m3fn", "float8_e5m2", "uint16", "uint32", "uint64"):
            source = torch.zeros(4, dtype=getattr(torch, name))
            tensor = dlscope.from_dlpack(source)
            self.assertEqual(tensor.dtype, name)
            self.assertEqual(torch.from_dlpack(tensor).dtype, source.dtype)
            copied = torch.from_dlpack(dlscope.copy(source))
            self.assertEqual((copied.dtype, copied.data_ptr() != source.data_ptr()), (source.dtype, True))

    def test_what_its_struct_cannot_say(self):
        parameter = torch.nn.Parameter(torch.ones(3))
        with self.assertRaisesRegex(BufferError, "require gradient"):
            dlscope.from_dlpack(parameter)
        copied = dlscope.copy(parameter)  # a copy concerns no gradient
        self.assertEqual(memoryview(copied).tolist(), [1, 1, 1])
        z = torch.tensor([1 + 2j])
        for take in (dlscope.from_dlpack, dlscope.asdlpack, dlscope.copy):
            with self.assertRaisesRegex(BufferError, r"conjugate bit.*resolve_conj\(\)") as refused:
                take(z.conj())
            self.assertNotIn("cuda", str(refused.exception))
            with self.assertRaisesRegex(BufferError, "negative bit.*resolve_neg"):
                take(z.conj().imag)
        for tensor in (torch.zeros(3).to_sparse(), torch.zeros(3, device="meta")):
            with self.assertRaises((BufferError, ValueError, RuntimeError)):
                dlscope.from_dlpack(tensor)

    def test_what_cannot_be_written_into_says_why_and_nothing_of_gpus(self):
        with self.assertRaisesRegex(BufferError, r"require.*detach\(\)") as refused:
            dlscope.copy(torch.ones(3), out=torch.zeros(3, requires_grad=True))
        self.assertNotIn("cuda", str(refused.exception))

    def test_a_fake_tensor_has_no_memory(self):
        from torch._subclasses.fake_tensor import FakeTensorMode

        with FakeTensorMode():
            fake = torch.zeros(3)
        with self.assertRaises((BufferError, RuntimeError)):
            dlscope.from_dlpack(fake)

    def test_copy_on_write(self):
        if not hasattr(torch, "_lazy_clone"):
            self.skipTest("this PyTorch has no copy-on-write tensors")
        source = torch.arange(4.0)
        lazy = torch._lazy_clone(source)
        with self.assertRaisesRegex(BufferError, "copy-on-write.*copy=False"):
            dlscope.from_dlpack(lazy, copy=False)
        self.assertTrue(torch._C._is_cow_tensor(lazy), "refusing changed nothing")
        before = len(dlscope.report({})["copies"])
        taken = dlscope.from_dlpack(lazy)
        self.assertEqual(taken.data_ptr(), lazy.data_ptr())
        copies = dlscope.report({})["copies"]
        self.assertEqual(len(copies), before + 1)
        self.assertIn("copy-on-write", copies[-1]["why"])

    def test_copies(self):
        source = torch.arange(6.0)
        copied = dlscope.from_dlpack(source, copy=True)
        self.assertEqual((copied.is_copied, torch.from_dlpack(copied).tolist()), (True, source.tolist()))
        self.assertFalse(dlscope.shares_memory(copied, source))
        ours = torch.from_dlpack(dlscope.from_dlpack(source), copy=True)
        self.assertFalse(dlscope.shares_memory(ours, source))

    def test_device_and_dtype_objects(self):
        source = torch.arange(6.0)
        for device in (torch.device("cpu"), torch.device("cpu", 0), "cpu"):
            self.assertEqual(dlscope.from_dlpack(source, device=device).data_ptr(), source.data_ptr())
        if not torch.cuda.is_available():
            with self.assertRaisesRegex(ValueError, "'cuda:1' is not available from torch.Tensor"):
                dlscope.from_dlpack(source, device=torch.device("cuda", 1))
        from dlscope._spellings import dtype
        for spelt, numbers in ((torch.float32, (2, 32, 1)), (torch.bfloat16, (4, 16, 1)), (torch.bool, (6, 8, 1)),
                               (torch.float8_e4m3fn, (10, 8, 1)), (torch.complex64, (5, 64, 1))):
            self.assertEqual(dtype(spelt), numbers)

    def test_a_capsule(self):
        source = torch.arange(3.0)
        capsule = torch.utils.dlpack.to_dlpack(source)
        self.assertEqual(dlscope.from_dlpack(capsule).data_ptr(), source.data_ptr())
        with self.assertRaisesRegex(ValueError, "consumed before"):
            dlscope.from_dlpack(capsule)
        ours = dlscope.from_dlpack(source).__dlpack__()
        torch.from_dlpack(ours)
        self.assertIn("used_dltensor", repr(ours))
        with self.assertRaises(RuntimeError):
            torch.from_dlpack(ours)

    def test_an_array_over_a_type_that_has_no_buffer_outlives_close(self):
        for leave in (lambda tensor: tensor.close(), lambda tensor: tensor.__exit__(None, None, None)):
            tensor = dlscope.copy(torch.ones(1 << 22, dtype=torch.bfloat16))
            array = np.asarray(tensor)  # bfloat16 has no buffer format: NumPy takes the address from __array_interface__
            leave(tensor)
            del tensor
            others = [dlscope.copy(np.full(1 << 22, fill, np.int16)) for fill in range(3)]  # as large: a freed block would be taken again
            self.assertEqual(np.unique(array.view(np.int16)).tolist(), [0x3F80])
            del others

    def test_read_only_across_hops(self):
        """NumPy -> dlscope -> PyTorch -> dlscope -> NumPy: kept until PyTorch, which drops it."""
        array = np.arange(4.0)
        array.flags.writeable = False
        first = dlscope.from_dlpack(array)
        self.assertEqual(dlscope.describe(first)["flags"]["read_only"], True)
        through = torch.from_dlpack(first)
        self.assertEqual(through.data_ptr(), array.ctypes.data)
        second = dlscope.from_dlpack(through)
        self.assertEqual(second.writability, "yes", "what PyTorch says; the hop that dropped it is its own")
        self.assertEqual(np.from_dlpack(second).ctypes.data, array.ctypes.data)


if __name__ == "__main__":
    main()
