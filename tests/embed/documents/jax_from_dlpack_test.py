"""jax.numpy.from_dlpack, as its page describes it: device and copy policy, "dlpack buffers cannot be marked as immutable", and the
round trip NumPy -> JAX -> NumPy of its example."""

import numpy as np

from tensor_checks import TensorTest, main, require

jax = require("jax")
import jax.numpy as jnp  # noqa: E402

import dlscope  # noqa: E402


class JaxFromDlpack(TensorTest):
    def step(self, *chain, **how):
        proof = dlscope.prove(*chain, **how)
        return proof["steps"][0]

    def test_the_example(self):
        x_numpy = np.random.default_rng(42).random(4, dtype="float32")
        x_jax = jnp.from_dlpack(x_numpy)
        back = np.from_dlpack(x_jax)
        self.assertTrue(hasattr(x_jax, "__dlpack__"))
        np.testing.assert_array_equal(back, x_numpy)
        # Whether JAX shared depends on the alignment of NumPy's memory; dlscope says which of the two it was.
        same = x_jax.unsafe_buffer_pointer() == x_numpy.ctypes.data
        self.assertEqual(self.step(x_numpy, x_jax)["verdict"], "SHARED" if same else "COPIED")
        self.assertEqual(self.step(x_jax, back)["verdict"], "SHARED")
        self.assertEqual(dlscope.prove(x_numpy, x_jax, back)["verdict"], "SHARED" if same else "COPIED")

    def test_copy_false_never_copies_and_says_when_it_would_have_to(self):
        aligned = np.asarray(dlscope.copy(np.arange(16, dtype="f4")))  # dlscope's own memory is aligned to 64 bytes
        shared = jnp.from_dlpack(aligned, copy=False)
        self.assertEqual(self.step(aligned, shared)["verdict"], "SHARED")
        unaligned = np.frombuffer(bytearray(129), np.uint8)[1:65].view("f4")
        with self.assertRaises(Exception) as refused:
            jnp.from_dlpack(unaligned, copy=False)
        self.assertRegex(str(refused.exception), "copy|align")
        self.assertEqual(self.step(unaligned, jnp.from_dlpack(unaligned))["verdict"], "COPIED")  # copy=None: silently
        self.assertIn("unaligned", self.codes(dlscope.describe(unaligned)))

    def test_copy_true_always_copies_or_the_proof_says_that_it_did_not(self):
        """JAX 0.10 shares CPU memory in spite of copy=True, against its page: the verdict goes by the bytes."""
        aligned = np.asarray(dlscope.copy(np.arange(16, dtype="f4")))
        taken = jnp.from_dlpack(aligned, copy=True)
        kept_its_word = taken.unsafe_buffer_pointer() != aligned.ctypes.data
        self.assertEqual(self.step(aligned, taken)["verdict"], "COPIED" if kept_its_word else "SHARED")
        aligned[0] = 99
        self.assertEqual(dlscope.stats(taken)["max"], 15 if kept_its_word else 99)
        ours = dlscope.from_dlpack(jnp.arange(4.0), copy=True)
        self.assertTrue(ours.is_copied)

    def test_a_device_of_its_own_is_no_copy(self):
        aligned = np.asarray(dlscope.copy(np.arange(16, dtype="f4")))
        device = jax.devices("cpu")[0]
        self.assertEqual(self.step(aligned, jnp.from_dlpack(aligned, device=device))["verdict"], "SHARED")
        x = jnp.arange(4.0)
        self.assertEqual(dlscope.from_dlpack(x, device=device).data_ptr(), x.unsafe_buffer_pointer())
        with self.assertRaises(ValueError):
            dlscope.from_dlpack(x, device="cuda:7")
        with self.assertRaisesRegex(BufferError, "needs a copy"):
            dlscope.from_dlpack(x, device="cuda:7", copy=False)

    def test_the_buffer_cannot_say_that_it_is_immutable_and_dlscope_does(self):
        x = jnp.arange(8.0)
        record = dlscope.describe(x)
        self.assertEqual((record["capsule"], record["flags"]["read_only"]), ("dltensor", None))
        self.assertIn("immutable_by_contract", self.codes(record))
        step = self.step(x, dlscope.from_dlpack(x), probe=True)
        self.assertEqual((step["verdict"], step["probe"]), ("SHARED", "not_writable"))

    def test_written_behind_the_back_of_jax(self):
        """The note's warning: no copy, and a write to the source shows in the array that JAX believes immutable."""
        source = np.asarray(dlscope.copy(np.zeros(16, dtype="f4")))
        x = jnp.from_dlpack(source, copy=False)
        source[3] = 7
        self.assertEqual(dlscope.stats(x)["max"], 7)


if __name__ == "__main__":
    main()
