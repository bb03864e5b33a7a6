"""dlscope between JAX and its consumers: immutable by contract, aligned copies that JAX shares, device objects."""

import numpy as np

from tensor_checks import TensorTest, main, require

jax = require("jax")
import jax.numpy as jnp  # noqa: E402

import dlscope  # noqa: E402


class JaxHandOver(TensorTest):
    def test_immutable_by_contract(self):
        source = jnp.arange(6.0).reshape(2, 3)
        tensor = dlscope.from_dlpack(source)
        self.assertEqual(tensor.data_ptr(), source.unsafe_buffer_pointer())
        self.assertEqual((tensor.writability, tensor.read_only), ("immutable by contract", True))
        self.assertEqual(tensor.capsule_name, "dltensor")
        self.assertTrue(memoryview(tensor).readonly)
        self.assertFalse(np.from_dlpack(tensor).flags.writeable)
        self.assertEqual(np.from_dlpack(tensor).ctypes.data, tensor.data_ptr())
        self.assertTrue(dlscope.describe(tensor)["flags"]["read_only"])
        with self.assertRaisesRegex(BufferError, "immutable by contract.*legacy"):
            tensor.__dlpack__()
        with self.assertRaisesRegex(BufferError, "legacy"):
            jnp.from_dlpack(tensor)  # JAX asks for no version

    def test_the_write_probe_leaves_its_memory_alone_through_a_writable_view_too(self):
        try:
            import torch
        except ImportError:
            self.skipTest("no PyTorch")
        source = jnp.arange(16.0)
        through = torch.from_dlpack(source)
        if through.data_ptr() != source.unsafe_buffer_pointer():
            self.skipTest("PyTorch was given a copy")
        steps = dlscope.prove(source, through, through[2:], probe=True)["steps"]
        self.assertEqual([(step["verdict"], step["probe"]) for step in steps], [("SHARED", "not_writable")] * 2)
        self.assertIn("which is immutable", steps[1]["why"])
        self.assertEqual(source.tolist(), list(range(16)))

    def test_a_copy_is_shared_with_jax(self):
        copied = dlscope.from_dlpack(jnp.arange(6.0), copy=True)
        self.assertEqual((copied.read_only, copied.data_ptr() % 64), (False, 0))
        self.assertEqual(jnp.from_dlpack(copied, copy=False).unsafe_buffer_pointer(), copied.data_ptr())

    def test_dtypes(self):
        for name in ("bool_", "int8", "uint32", "float16", "bfloat16", "float32", "complex64", "float8_e4m3fn", "float8_e5m2",
                     "float8_e4m3b11fnuz"):
            source = jnp.zeros(4, getattr(jnp, name))
            tensor = dlscope.from_dlpack(source)
            self.assertEqual((tensor.dtype, tensor.data_ptr()), (name.rstrip("_"), source.unsafe_buffer_pointer()))

    def test_devices(self):
        source = jnp.arange(3.0)
        for device in (jax.devices("cpu")[0], source.sharding, "cpu", (1, 0)):
            self.assertEqual(dlscope.from_dlpack(source, device=device).data_ptr(), source.unsafe_buffer_pointer())
        from dlscope._spellings import dtype
        self.assertEqual((dtype(jnp.bfloat16), dtype(source.dtype)), ((4, 16, 1), (2, 32, 1)))

    def test_its_refusals(self):
        with self.assertRaises(Exception) as caught:
            dlscope.from_dlpack(jnp.zeros(4, jnp.int4))
        self.assertIn("DLPack", str(caught.exception))
        deleted = jnp.zeros(3)
        deleted.delete()
        with self.assertRaises(RuntimeError):
            dlscope.from_dlpack(deleted)


if __name__ == "__main__":
    main()
