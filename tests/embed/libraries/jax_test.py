"""JAX: unsafe_buffer_pointer(), immutability, deleted arrays, and NumPy buffers it shares or copies."""

from tensor_checks import TensorTest, by_name, main, require

jax = require("jax")
np = require("numpy")
import jax.numpy as jnp  # noqa: E402

import dlscope  # noqa: E402


class Jax(TensorTest):
    def check(self, array, record, **facts):
        self.assert_record(record, address=array.unsafe_buffer_pointer(), shape=array.shape,
                           strides_bytes=np.empty(array.shape, array.dtype).strides, itemsize=array.dtype.itemsize,
                           library="jax", protocol="dlpack", capsule="dltensor", device="cpu", dtype=array.dtype.name,
                           device_claimed={"type": 1, "id": 0}, read_only=None, **facts)

    def test_arrays(self):
        x = jnp.arange(24, dtype=jnp.float32).reshape(2, 3, 4)
        namespace = {"x": x, "y": x + 1, "half": x.astype(jnp.bfloat16), "scalar": jnp.float32(3), "flags": x > 2}
        report = dlscope.report(namespace)
        for name, record in by_name(report).items():
            with self.subTest(name):
                self.check(namespace[name], record)
                self.assertIn("immutable_by_contract", self.codes(record))
        self.assert_pairs_by_brute_force(report)

    def test_empty(self):
        self.assertEqual(dlscope.describe(jnp.zeros((0, 3)))["contiguity"], "empty")

    def test_a_deleted_array_says_so(self):
        x = jnp.ones(3) + 1
        x.delete()
        record = dlscope.describe(x)
        self.assertIsNone(record["protocol"])
        self.assertIn("deleted", record["refusals"][0]["message"])

    def test_a_look_does_not_wait_for_a_computation(self):
        slow = jax.jit(lambda x: jax.lax.fori_loop(0, 60, lambda i, a: jnp.sin(a @ a * 1e-3), x))
        x = jnp.ones((600, 600))
        slow(x).block_until_ready()  # compiled
        y = slow(x)
        record = by_name(dlscope.report({"y": y}))["y"]
        self.assertFalse(y.is_ready(), "the computation ended before it was looked at, or the look waited for it")
        self.assertEqual((record["protocol"], self.codes(record)), (None, ["not_described"]))
        self.assertIn("is not finished", record["refusals"][0]["message"])
        waited = dlscope.describe(y)  # the user named it
        self.check(y, waited)
        self.assertEqual(by_name(dlscope.report({"y": y}))["y"]["address"], waited["address"])
        z = slow(x)
        self.assertEqual(dlscope.from_dlpack(z, copy=False).data_ptr(), z.unsafe_buffer_pointer())

    def test_numpy_shares_an_aligned_buffer_and_copies_another(self):
        memory = np.zeros(64 * 8 + 64, "u1")
        start = -memory.ctypes.data % 64
        aligned = memory[start:start + 256].view("f4")
        unaligned = memory[start + 4:start + 260].view("f4")
        aligned_j, unaligned_j = jax.dlpack.from_dlpack(aligned), jax.dlpack.from_dlpack(unaligned)
        self.assertTrue(dlscope.shares_memory(aligned, aligned_j))
        self.assertEqual(dlscope.overlap(aligned, aligned_j)["relation"], "identical")
        self.assertFalse(dlscope.shares_memory(unaligned, unaligned_j))

    def test_describing_lets_the_array_be_deleted(self):
        x = jnp.ones(1000)
        dlscope.describe(x)
        x.delete()
        self.assertTrue(x.is_deleted())


if __name__ == "__main__":
    main()
