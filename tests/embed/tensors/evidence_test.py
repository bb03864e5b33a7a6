"""The evidence of a proof's step: byte ranges, libraries with versions, capsules, flags and hashes, of real libraries."""

import ctypes
import importlib
import platform

from ctypes_producer import Producer
from tensor_checks import TensorTest, main

import dlscope



def optional(name):
    try:
        return importlib.import_module(name)
    except ImportError:
        return None


np, torch, jax = optional("numpy"), optional("torch"), optional("jax")


def sides(*tensors, probe=False):
    (step,) = dlscope.prove(*tensors, probe=probe)["steps"]
    return step["evidence"]


def range_of(side):
    return tuple(int(side["extent"][end], 16) for end in ("begin", "end"))


class Evidence(TensorTest):
    def need(self, *modules):
        if None in modules:
            self.skipTest("needs NumPy, PyTorch or JAX, which cannot be imported here")

    def test_of_what_is_built_in(self):
        memory = bytearray(range(16))
        start = ctypes.addressof(ctypes.c_char.from_buffer(memory))
        whole, part = sides(memory, memoryview(memory)[4:8], probe=True)
        self.assertEqual((range_of(whole), range_of(part)), ((start, start + 16), (start + 4, start + 8)))
        for side in (whole, part):
            self.assertEqual((side["library"], side["version"]), ("builtins", platform.python_version()))
            self.assertEqual((side["protocol"], side["capsule"], side["given_by"], side["dlpack_version"]), ("buffer", None, None, None))
            self.assertEqual(side["flags"], {"read_only": False, "is_copied": False, "subbyte_padded": False})
            self.assertEqual((side["unknown_flags"], side["dtype"]), (None, "uint8"))
            self.assertEqual(side["hash_before"], side["hash_after"])
            self.assertRegex(side["hash_before"], "^0x[0-9a-f]{16}$")
        self.assertEqual(memory, bytearray(range(16)))
        for side in sides(memory, memoryview(memory)) + sides(b"abcdefgh", b"abcdefgh", probe=True):
            self.assertIsNone(side["hash_before"], "nothing was written")

    def test_a_hash_is_of_the_element_it_names(self):
        memory, other = bytearray(b"aabb"), bytearray(b"aabb")
        first, second = sides(memory, other, probe=True)
        self.assertEqual(first["hash_before"], second["hash_before"], "the same bytes")
        first, second = sides(memory, bytearray(b"xxbb"), probe=True)
        self.assertNotEqual(first["hash_before"], second["hash_before"])

    def test_flags_and_capsules_as_the_structs_say(self):
        unknown = Producer(flags=1 << 40 | 1)
        legacy = Producer(versioned=False)
        first, second = sides(unknown, legacy)
        self.assertEqual((first["capsule"], second["capsule"]), ("dltensor_versioned", "dltensor"))
        self.assertEqual(first["unknown_flags"], hex(1 << 40))
        self.assertEqual(first["flags"]["read_only"], True)
        self.assertEqual(second["flags"], {"read_only": None, "is_copied": None, "subbyte_padded": None})
        self.assertEqual((second["unknown_flags"], second["dlpack_version"]), (None, None))
        self.assertEqual((first["library"], first["version"]), ("ctypes_producer", None), "it gives no version")
        step = dlscope.prove(Producer(byte_offset=1 << 46), legacy)["steps"][0]
        self.assertEqual(step["verdict"], "UNKNOWN")
        self.assertIsNotNone(step["evidence"][0]["extent"], "what it claims")

    def test_of_dlscope_itself(self):
        tensor = dlscope.copy(bytearray(8))
        first, second = sides(tensor, dlscope.from_dlpack(tensor))
        self.assertEqual((first["library"], first["version"]), ("dlscope", dlscope.__version__))
        self.assertEqual(range_of(first), range_of(second))

    def test_numpy_and_torch(self):
        self.need(np, torch)
        x = np.arange(12, dtype=np.float32).reshape(3, 4)
        t = torch.from_dlpack(x)
        first, second = sides(x, t[1:], probe=True)
        self.assertEqual((first["library"], first["version"]), ("numpy", np.__version__))
        self.assertEqual((second["library"], second["version"]), ("torch", torch.__version__))
        start = x.__array_interface__["data"][0]
        self.assertEqual((range_of(first), range_of(second)), ((start, start + 48), (start + 16, start + 48)))
        by_table = hasattr(torch.Tensor, "__dlpack_c_exchange_api__")
        self.assertEqual(second["given_by"], "__dlpack_c_exchange_api__" if by_table else "__dlpack__")
        self.assertEqual((first["hash_before"], second["hash_before"]), (first["hash_after"], second["hash_after"]))
        self.assertEqual(first["hash_before"], second["hash_before"], "one element of both")
        x.flags.writeable = False
        self.assertEqual(sides(x, x.view())[0]["flags"]["read_only"], True)

    def test_a_change_of_dtype(self):
        self.need(np)
        x = np.zeros(4, dtype=np.float32)
        step = dlscope.prove(x, x.astype(np.float64))["steps"][0]
        self.assertEqual([side["dtype"] for side in step["evidence"]], ["float32", "float64"])
        self.assertEqual(step["verdict"], "COPIED")
        self.assertIn("the first is float32, the second float64; if the second was made from the first, its values were converted", step["why"])
        step = dlscope.prove(x, x.view(np.int32))["steps"][0]
        self.assertEqual(step["verdict"], "SHARED")
        self.assertIn("read as float32 by the first and as int32 by the second", step["why"])
        self.assertNotIn("float32", dlscope.prove(x, x.copy())["steps"][0]["why"])

    def test_tensors_that_nobody_handed_over(self):
        self.need(np)
        for a, b in [(np.zeros((32, 32), "f4"), np.zeros(12)), (np.zeros(6), np.zeros((2, 3)))]:
            step = dlscope.prove(a, b)["steps"][0]
            self.assertEqual(step["verdict"], "COPIED")
            self.assertNotIn("convert", step["why"])
            shapes = " and ".join(str(each.shape) for each in (a, b))
            self.assertIn("no byte in common; the shapes differ, %s, and a hand-over never changes the shape" % shapes, step["why"])

    def test_the_same_bytes_in_another_order(self):
        self.need(np)
        x = np.arange(24.0).reshape(4, 6)
        square = np.arange(9.0).reshape(3, 3)
        views = [x[:], x[::-1], x[:, ::-1], x.reshape(4, 6), x.T, x.reshape(2, 12), x[None], x.view("i8"), x[::-1, ::-1]]
        for a, b in [(x, view) for view in views] + [(square, square.T), (x[:1], x[:1][::-1]), (np.zeros((3, 1)), np.zeros((3, 1)))]:
            step = dlscope.prove(a, b)["steps"][0]
            if step["relation"] != "identical":
                continue
            same_shape = a.shape == b.shape
            indices = list(np.ndindex(a.shape))
            def address(array, index):
                return array.__array_interface__["data"][0] + sum(i * s for i, s in zip(index, array.strides))
            same_order = same_shape and all(address(a, index) == address(b, index) for index in indices)
            self.assertEqual("their elements are in a different order" in step["why"], same_shape and not same_order, step["why"])
            self.assertEqual("not of the same shape" in step["why"], not same_shape, step["why"])
        why = dlscope.prove(x, x[::-1])["steps"][0]["why"]
        self.assertEqual(why, "both are the same 192 bytes, but their elements are in a different order: the strides are (48, 8) bytes in the "
                              "first and (-48, 8) bytes in the second")

    def test_jax(self):
        self.need(np, jax)
        x = jax.numpy.arange(4.0)
        first, second = sides(x, np.from_dlpack(x), probe=True)
        self.assertEqual((first["library"], first["version"]), ("jax", jax.__version__))
        self.assertIsNone(first["hash_before"], "never written")
        self.assertEqual(range_of(first), range_of(second))


if __name__ == "__main__":
    main()
