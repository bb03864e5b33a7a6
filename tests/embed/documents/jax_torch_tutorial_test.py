"""The tutorial on sharing between JAX and PyTorch: to_dlpack and from_dlpack of capsules, consuming one twice, data_ptr against
JAX's pointer. Where a function it uses is gone, what dlscope shows instead is checked."""

import numpy as np

from tensor_checks import TensorTest, main, require

jax = require("jax")
torch = require("torch")
import jax.numpy as jnp  # noqa: E402

import dlscope  # noqa: E402


class JaxTorchTutorial(TensorTest):
    def test_jax_to_torch(self):
        source = jax.random.normal(jax.random.PRNGKey(0), (64, 64))
        taken = torch.from_dlpack(source)
        self.assertEqual(taken.data_ptr(), source.unsafe_buffer_pointer())
        step = dlscope.prove(source, taken)["steps"][0]
        self.assertEqual((step["verdict"], step["relation"]), ("SHARED", "identical"))
        # "JAX arrays are immutable, modifying the torch tensor might error or might modify the buffer": PyTorch lets it be written.
        self.assertEqual(step["writability"][0], "immutable by contract")
        self.assertIn(step["writability"][1], ("yes", "unknown"))

    def test_torch_to_jax(self):
        source = torch.randn(64, 64) * 10
        taken = jnp.from_dlpack(source)
        same = taken.unsafe_buffer_pointer() == source.data_ptr()
        self.assertEqual(dlscope.prove(source, taken)["verdict"], "SHARED" if same else "COPIED")
        np.testing.assert_allclose(np.asarray(taken), source.numpy())

    def test_a_capsule_is_consumed_once(self):
        """With whichever library still makes bare capsules."""
        source = torch.arange(6.0)
        capsule = torch.utils.dlpack.to_dlpack(source)
        self.assertEqual(dlscope.describe(capsule)["capsule"], "dltensor")
        taken = torch.from_dlpack(capsule)
        self.assertEqual(taken.data_ptr(), source.data_ptr())
        self.assertIn('"used_dltensor"', repr(capsule))
        with self.assertRaisesRegex(RuntimeError, "consumed only once"):
            torch.from_dlpack(capsule)
        with self.assertRaisesRegex(ValueError, "consumed"):
            dlscope.from_dlpack(capsule)
        self.assertIn("capsule_used", self.codes(dlscope.describe(capsule)))
        ours = dlscope.from_dlpack(source).__dlpack__()
        self.assertEqual(torch.from_dlpack(ours).data_ptr(), source.data_ptr())
        with self.assertRaisesRegex(RuntimeError, "consumed only once"):
            torch.from_dlpack(ours)

    def test_jax_takes_no_bare_capsules_any_more(self):
        capsule = torch.utils.dlpack.to_dlpack(torch.arange(64.0))
        if hasattr(jax.dlpack, "to_dlpack"):
            self.assertEqual(jax.dlpack.from_dlpack(capsule).shape, (64,))
            return
        with self.assertRaises(TypeError):
            jax.dlpack.from_dlpack(capsule)
        self.assertIn('"dltensor"', repr(capsule), "refused, so not consumed")
        # The way out: a Tensor speaks the protocol for the capsule.
        taken = jnp.from_dlpack(dlscope.from_dlpack(capsule))
        self.assertEqual(taken.shape, (64,))

    def test_the_memory_outlives_the_original(self):
        source = torch.full((1024,), 3.0)
        taken = np.from_dlpack(source)
        address = source.data_ptr()
        del source
        self.assertEqual(dlscope.asdlpack(taken).data_ptr(), address)
        self.assertEqual(dlscope.stats(taken)["min"], 3)


if __name__ == "__main__":
    main()
