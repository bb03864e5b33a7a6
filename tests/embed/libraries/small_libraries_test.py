"""tvm-ffi and array-api-strict over NumPy memory, CuPy by its import, and objects that only have an old interface."""

from tensor_checks import TensorTest, main, require

np = require("numpy")
import dlscope  # noqa: E402


def imported(test, name):
    try:
        return __import__(name)
    except ImportError as error:
        test.skipTest(f"{name} cannot be imported: {error}")


class SmallLibraries(TensorTest):
    def test_tvm_ffi(self):
        tvm_ffi = imported(self, "tvm_ffi")
        numbers = np.arange(12.0).reshape(3, 4)[:, 1::2]
        tensor = tvm_ffi.from_dlpack(numbers)
        self.assert_record(dlscope.describe(tensor), address=tensor.data_ptr(), shape=tensor.shape,
                           strides_bytes=[s * 8 for s in tensor.strides], itemsize=8, library="tvm_ffi", protocol="dlpack")
        self.assertEqual(dlscope.overlap(numbers, tensor)["relation"], "identical")

    def test_array_api_strict(self):
        strict = imported(self, "array_api_strict")
        array = strict.asarray(np.arange(6.0).reshape(2, 3))
        numbers = np.from_dlpack(array)
        self.assert_record(dlscope.describe(array), address=numbers.ctypes.data, shape=array.shape,
                           strides_bytes=numbers.strides, itemsize=8, library="array_api_strict",
                           type="array_api_strict._array_object.Array", device_claimed={"type": 1, "id": 0})

    def test_cupy_by_its_import(self):
        imported(self, "cupy")
        self.assertIn("cupy", [library["name"] for library in dlscope.report({})["libraries"]])

    def test_every_library_that_is_imported_is_named_with_its_version(self):
        libraries = {library["name"]: library["version"] for library in dlscope.report({})["libraries"]}
        self.assertEqual(libraries["numpy"], np.__version__)

    def test_cuda_array_interface_is_device_memory(self):
        class OnGpu:
            @property
            def __cuda_array_interface__(self):
                return {"version": 3, "shape": (2, 3), "typestr": "<f4", "data": (0x7F0000000000, True), "strides": None}

        record = dlscope.describe(OnGpu())
        self.assertEqual((record["protocol"], record["device"]["type"]), ("cuda_array_interface", 2))
        self.assertEqual((record["address"], record["flags"]["read_only"]), ("0x7f0000000000", True))
        self.assertFalse(record["readable"])
        self.assertIn("device_assumed", self.codes(record))
        OnGpu.__dlpack_device__ = lambda self: (2, 1)
        record = dlscope.describe(OnGpu())
        self.assertEqual(record["device"]["id"], 1)
        self.assertNotIn("device_assumed", self.codes(record))


if __name__ == "__main__":
    main()
