"""PyArrow: buffer addresses, slices, read-only flags, and the arrays it refuses to export."""

import warnings

from tensor_checks import TensorTest, main, require

pa = require("pyarrow")
np = require("numpy")
import dlscope  # noqa: E402


class PyArrow(TensorTest):
    def test_arrays(self):
        for values in (pa.array([1, 2, 3, 4]), pa.array([1.5, 2.5, 3.5], pa.float32()), pa.array([1, 2, 3, 4, 5], pa.uint8())[2:]):
            with self.subTest(values.type):
                size = values.type.bit_width // 8
                record = dlscope.describe(values)
                self.assert_record(record, address=values.buffers()[1].address + values.offset * size, shape=(len(values),),
                                   strides_bytes=(size,), itemsize=size, library="pyarrow", protocol="dlpack",
                                   device_claimed={"type": 1, "id": 0})
                self.assertIn("immutable_by_contract", self.codes(record))
                note = next(note["message"] for note in record["notes"] if note["code"] == "immutable_by_contract")
                is_versioned = record["capsule"] == "dltensor_versioned"  # which says READ_ONLY
                self.assertEqual("cannot say" in note, not is_versioned)
                self.assertEqual(is_versioned, record["flags"]["read_only"] is True)
                with self.assertRaisesRegex(BufferError, "immutable by contract"):
                    dlscope.copy(np.zeros(len(values)), out=values)

    def test_tensors(self):
        numbers = np.arange(6.0).reshape(2, 3)
        tensor = pa.Tensor.from_numpy(numbers)
        record = dlscope.describe(tensor)
        self.assert_record(record, address=numbers.ctypes.data, shape=(2, 3), strides_bytes=tensor.strides, itemsize=8)
        self.assertEqual(dlscope.overlap(numbers, tensor)["relation"], "identical")
        self.assertNotIn("immutable_by_contract", self.codes(record))

    def test_buffers(self):
        buffer = pa.py_buffer(b"12345")
        self.assert_record(dlscope.describe(buffer), address=buffer.address, shape=(5,), strides_bytes=(1,), itemsize=1,
                           protocol="buffer", read_only=True)

    def test_the_names_of_its_types(self):
        from dlscope._spellings import dtype
        for kind, bits in ((pa.float16(), 16), (pa.float32(), 32), (pa.float64(), 64)):
            self.assertEqual(dtype(kind), (2, bits, 1))

    def test_a_slice_keeps_the_whole_buffer(self):
        from dlscope import _host_life
        values = pa.array(range(1000))
        chain = _host_life._chain(values[3:5])
        self.assertEqual(chain[-1][0].address, values.buffers()[1].address)
        self.assertEqual(_host_life._allocation(chain, chain[0][0], False)["bytes"], values.buffers()[1].size)
        self.assertFalse(_host_life._owns(chain[-1][0]))  # a buffer may be of another object's memory

    def test_refusals_are_arrows_own_words(self):
        for values, words in ((pa.array([1, None]), "nulls"), (pa.array([True]), "boolean"), (pa.array(["a"]), "not compatible")):
            with warnings.catch_warnings(record=True) as warned:
                warnings.simplefilter("always")
                record = dlscope.describe(values)
            self.assertIsNone(record["protocol"])
            self.assertIn(words, record["refusals"][0]["message"])
            self.assertEqual(warned, [], "asked again, for the legacy kind")


if __name__ == "__main__":
    main()
