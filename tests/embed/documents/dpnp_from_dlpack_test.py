"""dpnp.from_dlpack, as its page describes it: every spelling of device, the copy policy, numpy.ndarray for host memory."""

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
import dpctl  # noqa: E402
import numpy  # noqa: E402

import dlscope  # noqa: E402


class DpnpFromDlpack(TensorTest):
    def test_the_example(self):
        """'create a view of the numpy array "x" in dpnp': the type is numpy.ndarray, since the memory is the CPU's."""
        x = numpy.arange(10)
        y = dpnp.from_dlpack(x)
        self.assertIsInstance(y, numpy.ndarray)
        proof = dlscope.prove(x, y, probe=True)
        self.assertEqual((proof["verdict"], proof["steps"][0]["probe"]), ("SHARED", "confirmed"))

    def test_a_view_with_an_offset(self):
        """Where this version of dpnp loses the byte offset of host memory, the proof says that it is other memory."""
        x = numpy.arange(10)[3:]
        y = dpnp.from_dlpack(dlscope.from_dlpack(x))
        same = y.ctypes.data == x.ctypes.data
        self.assertEqual(dlscope.prove(x, y)["steps"][0]["relation"] == "identical", same)
        self.assertEqual(numpy.array_equal(x, y), same)

    def test_device(self):
        x = dpnp.arange(6, dtype="f4")
        pointer = x.get_array()._pointer
        for device in (None, x.device, x.sycl_queue, x.sycl_device, x.sycl_device.filter_string, x.__dlpack_device__(),
                       (dpnp.DLDeviceType.kDLOneAPI, 0)):
            with self.subTest(device):
                self.assertEqual(dpnp.from_dlpack(x, device=device).get_array()._pointer, pointer)
                self.assertEqual(dlscope.from_dlpack(x, device=device).data_ptr(), pointer)
        moved = dpnp.from_dlpack(x, device=(dpnp.DLDeviceType.kDLCPU, 0))
        self.assertIsInstance(moved, numpy.ndarray)
        proof = dlscope.prove(x, moved)
        self.assertEqual(proof["verdict"], "COPIED")
        self.assertEqual(proof["steps"][0]["relation"], "disjoint")

    def test_copy(self):
        x = dpnp.arange(6, dtype="f4")
        for copy, verdict in ((None, "SHARED"), (False, "SHARED"), (True, "COPIED")):
            self.assertEqual(dlscope.prove(x, dpnp.from_dlpack(x, copy=copy))["verdict"], verdict)
            self.assertEqual(dlscope.prove(x, dlscope.from_dlpack(x, copy=copy))["verdict"], verdict)
        for consumer in (dpnp, dlscope):
            with self.assertRaises(BufferError):
                consumer.from_dlpack(x, device=(1, 0), copy=False)

    def test_what_it_raises(self):
        for consumer in (dpnp, dlscope):
            with self.assertRaises(TypeError):
                consumer.from_dlpack(3)
        with self.assertRaises(ValueError):
            dlscope.from_dlpack(dpnp.arange(3), device="opencl:gpu:9" if not dpctl.has_gpu_devices() else "metal:0")


if __name__ == "__main__":
    main()
