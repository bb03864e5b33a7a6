"""dpnp: real tensors of device type 14 (oneAPI), on Intel's OpenCL CPU runtime from the package intel-opencl-rt."""

import glob
import os
import sys

from tensor_checks import TensorTest, by_name, main, require

runtime = glob.glob(os.path.join(sys.prefix, "lib", "**", "libintelocl.so"), recursive=True)
if not runtime:
    print("SKIP: no libintelocl.so (package intel-opencl-rt) in this environment")
    sys.exit(77)
os.environ["OCL_ICD_FILENAMES"] = runtime[0]
dpnp = require("dpnp")
import dlscope  # noqa: E402


class Dpnp(TensorTest):
    def test_views(self):
        base = dpnp.arange(12.0).reshape(3, 4)
        namespace = {"base": base, "stepped": base[1:, ::2], "reversed": base[::-1], "transposed": base.T}
        records = by_name(dlscope.report(namespace))
        for name, array in namespace.items():
            with self.subTest(name):
                record = records[name]
                usm = array.get_array()
                self.assert_record(record, address=usm._pointer, shape=array.shape,
                                   strides_bytes=[s * array.itemsize for s in usm.strides], itemsize=array.itemsize,
                                   library="dpnp", protocol="dlpack", device_claimed={"type": 14, "id": 0})
                self.assertEqual(record["device"]["type"], 14)
                self.assertEqual(int(record["data"], 16), usm.usm_data._pointer)
                self.assertEqual(record["space"], "host")  # this device is the CPU: its memory is mapped here
                self.assertFalse(record["readable"])
        self.assertNotEqual(records["stepped"]["byte_offset"], 0)

    def test_device_memory_never_meets_host_memory(self):
        relation = dlscope.overlap(dpnp.zeros(4), bytearray(8))
        self.assertEqual((relation["relation"], relation["shared_bytes"]), ("disjoint", 0))

    def test_views_share(self):
        base = dpnp.arange(12.0)
        pair = dlscope.overlap(base[:8], base[4:])
        self.assertEqual((pair["relation"], pair["shared_bytes"]), ("overlaps", 32))


if __name__ == "__main__":
    main()
