"""pydlpack, as its page describes it: asdlpack of what has no DLPack, `asdlpack(b"Hello!")` first of all, and its own tests run on
what dlscope.asdlpack gives."""

import array
import warnings

import numpy as np

from tensor_checks import TensorTest, main, require

dlpack = require("dlpack")
import dlscope  # noqa: E402


def consumers():
    import torch
    yield "torch", torch.from_dlpack, lambda x: x.data_ptr()
    yield "numpy", np.from_dlpack, lambda x: x.ctypes.data


class Pydlpack(TensorTest):
    def test_hello(self):
        """The page's example. bytes may never be written, so dlscope's answer is read-only, which only a versioned consumer can hear."""
        source = b"Hello!"
        ours = dlscope.asdlpack(source)
        self.assertEqual((ours.shape, ours.dtype, ours.read_only), ((6,), "uint8", True))
        self.assertFalse(np.from_dlpack(ours).flags.writeable)
        self.assertEqual(np.from_dlpack(ours).tolist(), list(source))
        import torch
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            taken = torch.from_dlpack(ours)
            theirs = torch.from_dlpack(dlpack.asdlpack(source))
        self.assertEqual((taken.tolist(), theirs.tolist()), (list(source), list(source)))
        step = dlscope.prove(source, taken, probe=True)["steps"][0]
        self.assertEqual((step["verdict"], step["probe"]), ("SHARED", "not_writable"))
        # PyTorch drops the flag: the proof shows it.
        self.assertEqual(step["writability"][0], "no")

    def test_objects_without_dlpack(self):
        class Interface:
            def __init__(self, owner):
                self.owner, self.__array_interface__ = owner, owner.__array_interface__

        backing = np.arange(6, dtype="i4").reshape(2, 3)
        for source, address in ((bytearray(b"abcdef"), None), (array.array("d", range(6)), None), (memoryview(bytearray(6)), None),
                                (Interface(backing), backing.ctypes.data)):
            tensor = dlscope.asdlpack(source)
            for name, consume, pointer in consumers():
                with self.subTest(name, source=type(source).__name__):
                    taken = consume(tensor)
                    self.assertEqual(pointer(taken), address or tensor.data_ptr())
                    self.assertEqual(dlscope.prove(source, taken)["verdict"], "SHARED")

    def test_theirs_through_ours(self):
        """A DLPackObject of pydlpack is a producer like any other, also where its own consumers would be refused."""
        memory = bytearray(range(8))
        theirs = dlpack.asdlpack(memory)
        ours = dlscope.from_dlpack(theirs)
        self.assertEqual(dlscope.prove(memory, ours)["verdict"], "SHARED")
        memory[0] = 99
        self.assertEqual(np.from_dlpack(ours)[0], 99)

    def test_its_device(self):
        ours = dlscope.asdlpack(b"x")
        self.assertEqual((ours.__dlpack_device__(), dlpack.asdlpack(b"x").__dlpack_device__()[0]), ((1, 0), 1))


if __name__ == "__main__":
    main()
