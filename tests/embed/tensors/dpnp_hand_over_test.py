"""dlscope and dpnp's OpenCL CPU device: memory that is not the host's, moved by its own library, all of SYCL's device objects."""

import glob
import os
import sys

from tensor_checks import TensorTest, main, require

runtime = glob.glob(os.path.join(sys.prefix, "lib", "**", "libintelocl.so"), recursive=True)
if not runtime:
    print("SKIP: no libintelocl.so (package intel-opencl-rt) in this environment")
    sys.exit(77)
os.environ["OCL_ICD_FILENAMES"] = runtime[0]
dpnp = require("dpnp")
import numpy as np  # noqa: E402

import dlscope  # noqa: E402


def pointer(array):
    return array.get_array()._pointer


class DpnpHandOver(TensorTest):
    def test_shared_on_its_device(self):
        base = dpnp.arange(12, dtype="f4").reshape(3, 4)
        for view in (base, base[1:, ::2], base.T, base[::-1]):
            tensor = dlscope.from_dlpack(view)
            self.assertEqual((tensor.device, tensor.data_ptr(), tensor.shape), ((14, 0), pointer(view), view.shape))
            back = dpnp.from_dlpack(tensor)
            self.assertIsInstance(back, dpnp.ndarray)
            self.assertEqual(pointer(back), pointer(view))
            self.assertFalse(hasattr(tensor, "__array_interface__"))
            with self.assertRaises(BufferError):
                memoryview(tensor)

    def test_to_the_host(self):
        source = dpnp.arange(6, dtype="f4").reshape(2, 3)
        for device in ("cpu", (1, 0), (dpnp.DLDeviceType.kDLCPU, 0)):
            before = len(dlscope.report({})["copies"])
            moved = dlscope.from_dlpack(source, device=device)
            self.assertEqual((moved.device, moved.is_copied), ((1, 0), True))
            np.testing.assert_array_equal(np.asarray(moved), dpnp.asnumpy(source))
            entry = dlscope.report({})["copies"][before:]
            self.assertEqual([(e["from"].split()[-1], e["bytes"]) for e in entry], [("oneapi:0", 24)])
        self.assertEqual(memoryview(dlscope.copy(source.T)).tolist(), dpnp.asnumpy(source.T).tolist())
        with self.assertRaisesRegex(BufferError, "oneapi:0 to cpu needs a copy"):
            dlscope.from_dlpack(source, device="cpu", copy=False)

    def test_every_spelling(self):
        source = dpnp.arange(3, dtype="f4")
        for device in (source.device, source.sycl_queue, source.sycl_device, source.sycl_device.filter_string, "opencl:cpu:0",
                       "oneapi:0", (14, 0), (dpnp.DLDeviceType.kDLOneAPI, 0)):
            with self.subTest(device):
                self.assertEqual(dlscope.from_dlpack(source, device=device).data_ptr(), pointer(source))

    def test_copies_stay_there(self):
        source = dpnp.arange(3, dtype="f4")
        copied = dlscope.from_dlpack(source, copy=True)
        self.assertEqual((copied.device, copied.is_copied), ((14, 0), True))
        self.assertNotEqual(copied.data_ptr(), pointer(source))

    def test_the_same_memory_as_the_hosts(self):
        """Of the kinds "host" and "shared", and on this device, which is the CPU, of every kind."""
        for kind in ("host", "shared"):
            with self.subTest(kind):
                source = dpnp.arange(8, usm_type=kind)
                view = np.frombuffer(memoryview(source.get_array().usm_data), source.dtype)
                other = np.arange(8)
                self.assertTrue(dlscope.shares_memory(source, view))
                self.assertFalse(dlscope.shares_memory(source, other))
                for pair in ((source, view), (view, source)):
                    proof = dlscope.prove(*pair, probe=True)
                    self.assertEqual((proof["verdict"], proof["steps"][0]["probe"]), ("SHARED", "not_armed"))
                report = dlscope.report({"source": source, "view": view, "other": other})
                pair, = report["sharing"]
                self.assertEqual((pair["relation"], pair["shared_bytes"]), ("identical", 8 * source.itemsize))

    def test_host_memory(self):
        array = np.arange(3.0)
        self.assertEqual(dpnp.from_dlpack(dlscope.from_dlpack(array)).ctypes.data, array.ctypes.data)
        with self.assertRaisesRegex(ValueError, "oneapi:0"):
            dlscope.from_dlpack(array, device="oneapi:0")


if __name__ == "__main__":
    main()
