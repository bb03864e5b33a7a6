"""The write probe leaves memory alone whose owner forbids it, whichever library shows it: judged by the owner's bytes afterwards."""

import warnings

import numpy as np

from tensor_checks import TensorTest, main, require

torch = require("torch")
import dlscope  # noqa: E402



def view_of_nameless_bytes():
    """From its second byte on: the head of the object is not where the storage begins."""
    return wrapping(bytes(range(65)), 1)


def wrapping(memory, offset=0):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # PyTorch's: that memory is not to be written
        return torch.frombuffer(memory, dtype=torch.uint8, offset=offset)


class Owners(TensorTest):
    def probe_of(self, first, second):
        proof = dlscope.prove(first, second, probe=True)
        step = proof["steps"][0]
        hashes = [side[when] for side in step["evidence"] for when in ("hash_before", "hash_after")]
        self.assertEqual(all(hash is None for hash in hashes), step["probe"] != "confirmed", "a hash means that something was written")
        return step["probe"], step["why"]

    def test_bytes(self):
        fixed = bytes(range(64))
        view = wrapping(fixed)
        for pair in ((view, view[1:]), (view.numpy(), view), (view, view.clone()), (view, dlscope.from_dlpack(view))):
            probe, why = self.probe_of(*pair)
            self.assertEqual(probe, "not_writable", why)
            self.assertIn("immutable", why)
        self.assertEqual(fixed, bytes(range(64)))

    def test_bytes_that_no_name_leads_to(self):
        view = wrapping(bytes(range(64)))
        for pair in ((view, view[1:]), (view[3:], view), (view.numpy(), view), (view, view.clone())):
            probe, why = self.probe_of(*pair)
            self.assertEqual(probe, "not_writable", why)
            self.assertIn("bytes object", why)
        alone = wrapping(bytearray(range(64)))
        self.assertEqual(self.probe_of(alone, alone[1:])[0], "not_armed")

    def test_memory_that_no_name_leads_to(self):
        view = view_of_nameless_bytes()
        for pair in ((view, view[1:]), (view.numpy(), view), (view, view.clone())):
            probe, why = self.probe_of(*pair)
            self.assertEqual(probe, "not_armed", why)
            self.assertIn("did not allocate", why)

    def test_an_array_of_jax(self):
        jnp = require("jax.numpy")
        array = jnp.arange(8.0)
        view = torch.from_dlpack(array)
        self.assertEqual(view.data_ptr(), array.unsafe_buffer_pointer())
        for pair in ((view, view[1:]), (view.numpy(), view), (view, torch.zeros(8))):
            probe, why = self.probe_of(*pair)
            self.assertEqual(probe, "not_writable", why)
            self.assertIn("immutable", why)
        del array, pair
        self.assertEqual(self.probe_of(view, view[1:])[0], "not_armed", "its name is gone, and PyTorch does not say whose memory it is")

    def test_a_view_that_does_not_tell_is_no_owner(self):
        class Subclass(torch.Tensor):
            pass

        view = view_of_nameless_bytes()
        other = view.as_subclass(Subclass)
        for pair in ((view, other), (other, view), (other, other[1:])):
            probe, why = self.probe_of(*pair)
            self.assertEqual(probe, "not_armed", why)
        own = torch.arange(8.0)
        self.assertEqual(self.probe_of(own.as_subclass(Subclass), own)[0], "confirmed")
        third = require("tvm_ffi").from_dlpack(view)
        self.assertEqual(self.probe_of(view, third)[0], "not_armed")
        self.assertEqual(self.probe_of(third, view)[0], "not_armed")

    def test_who_may_be_written(self):
        array, own = np.arange(8.0), torch.arange(8.0)
        wrapped = torch.from_numpy(array)
        shared = torch.arange(8.0).share_memory_()
        taken = np.from_dlpack(own)
        for pair in ((array, wrapped), (wrapped, array), (wrapped, wrapped[1:]), (own, own[1:]), (own, own.numpy()), (own, taken),
                     (taken, own), (own.numpy()[1:], own), (shared, shared[1:]), (own, dlscope.from_dlpack(own)),
                     (dlscope.from_dlpack(own), own), (dlscope.copy(own), own), (wrapped, own), (array[2:][1:], array)):
            probe, why = self.probe_of(*pair)
            self.assertEqual(probe, "confirmed", why)
        self.assertEqual((array.tolist(), own.tolist()), ([*range(8)], [*range(8)]))
        array, pair = array.copy(), None
        self.assertEqual(self.probe_of(wrapped, wrapped[1:])[0], "not_armed", "what owned it has another array's name now")
        read_only = np.arange(8.0)
        read_only.flags.writeable = False
        through = torch.from_dlpack(dlscope.from_dlpack(read_only))
        self.assertEqual(self.probe_of(through, through[1:])[0], "not_armed", "the owner is read-only")


if __name__ == "__main__":
    main()
