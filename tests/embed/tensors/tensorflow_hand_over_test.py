"""dlscope between TensorFlow and its consumers: bare capsules, immutable by contract, tensors that must not be asked."""

import numpy as np

from tensor_checks import TensorTest, main, require

tf = require("tensorflow")
import dlscope  # noqa: E402

to_dlpack, from_dlpack = tf.experimental.dlpack.to_dlpack, tf.experimental.dlpack.from_dlpack


class TensorflowHandOver(TensorTest):
    def test_shared(self):
        source = tf.range(6.0)
        tensor = dlscope.from_dlpack(source)
        self.assertEqual((tensor.writability, tensor.capsule_name), ("immutable by contract", "dltensor"))
        capsule = to_dlpack(source)
        self.assertEqual(dlscope.from_dlpack(capsule).data_ptr(), tensor.data_ptr())
        with self.assertRaisesRegex(ValueError, "consumed before"):
            dlscope.from_dlpack(capsule)
        self.assertEqual(dlscope.from_dlpack(source, copy=False).data_ptr(), tensor.data_ptr())
        with self.assertRaisesRegex(BufferError, "immutable"):
            from_dlpack(tensor.__dlpack__())

    def test_as_a_consumer(self):
        array = np.arange(6.0).reshape(2, 3)
        taken = from_dlpack(dlscope.from_dlpack(array).__dlpack__())
        np.testing.assert_array_equal(taken.numpy(), array)
        self.assertEqual(dlscope.from_dlpack(taken).data_ptr(), array.ctypes.data)
        copied = dlscope.copy(tf.range(3.0))
        self.assertEqual(dlscope.from_dlpack(from_dlpack(copied.__dlpack__())).data_ptr(), copied.data_ptr())

    def test_what_must_not_be_asked(self):
        for take in (dlscope.from_dlpack, dlscope.asdlpack, dlscope.copy):
            with self.assertRaisesRegex(BufferError, "ends the process"):
                take(tf.constant(["text"]))
        self.assertEqual(memoryview(dlscope.copy(tf.Variable([1.0, 2.0]))).tolist(), [1, 2])

    def test_devices(self):
        source = tf.range(3.0)
        for device in ("/CPU:0", "CPU:0", "/device:CPU:0", source.device, "cpu", (1, 0), source.__dlpack_device__(),
                       tf.DeviceSpec(device_type="CPU", device_index=0), tf.DeviceSpec(device_type="CPU"),
                       tf.config.list_logical_devices("CPU")[0], tf.config.list_physical_devices("CPU")[0]):
            self.assertEqual(dlscope.from_dlpack(source, device=device).device, (1, 0))
        if not tf.config.list_physical_devices("GPU"):
            with self.assertRaisesRegex(ValueError, "'cuda:0' is not available"):
                dlscope.from_dlpack(source, device="/GPU:0")
            with self.assertRaisesRegex(ValueError, "'cuda:1' is not available"):
                dlscope.from_dlpack(source, device=tf.DeviceSpec(device_type="GPU", device_index=1))
        from dlscope._spellings import dtype
        self.assertEqual((dtype(tf.bfloat16), dtype(tf.bool), dtype(source.dtype)), ((4, 16, 1), (6, 8, 1), (2, 32, 1)))

    def test_every_spelling_of_a_hand_over(self):
        """The object, its own __dlpack__, TensorFlow's function for a capsule: the same memory, taken once each."""
        source = tf.range(6.0)
        place = dlscope.from_dlpack(source).data_ptr()
        for capsule in (to_dlpack(source), source.__dlpack__()):
            tensor = dlscope.from_dlpack(capsule)
            self.assertEqual((tensor.data_ptr(), tensor.given_by), (place, "capsule"))
            with self.assertRaisesRegex(ValueError, "consumed before"):
                dlscope.asdlpack(capsule)
        for copy in (None, False, True):
            tensor = dlscope.from_dlpack(source, copy=copy)
            self.assertEqual((tensor.data_ptr() == place, tensor.is_copied), (copy is not True, copy is True))
        self.assertEqual(dlscope.asdlpack(source).data_ptr(), place)
        self.assertEqual(dlscope.describe(source)["given_by"], "__dlpack__")

    def test_dtypes(self):
        """bool comes out as bool on both sides; TensorFlow takes back what it gave."""
        for name in ("bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float16", "bfloat16", "float32",
                     "float64", "complex64", "complex128"):
            source = tf.cast(tf.constant([0, 1, 1]), getattr(tf, name))
            self.assertEqual(dlscope.from_dlpack(source).dtype, name)
            back = from_dlpack(dlscope.copy(source).__dlpack__())
            self.assertEqual(back.dtype, source.dtype)
            self.assertEqual(tf.cast(back, tf.complex64).numpy().tolist(), [0, 1, 1])

    def test_layouts_it_takes(self):
        base = np.arange(12.0)
        for view in (base.reshape(3, 4), np.zeros((0, 3)), np.array(2.0), base.reshape(3, 4)[:1]):
            np.testing.assert_array_equal(from_dlpack(dlscope.from_dlpack(view).__dlpack__()).numpy(), view)
        for view in (base.reshape(3, 4).T, base[::2], base[::-1]):
            with self.assertRaisesRegex(Exception, "strides"):
                from_dlpack(dlscope.from_dlpack(view).__dlpack__())
            np.testing.assert_array_equal(from_dlpack(dlscope.contiguous(view).__dlpack__()).numpy(), view)

    def test_what_is_no_tensor_of_its_own(self):
        for value in (tf.RaggedTensor.from_row_lengths([1.0, 2.0], [1, 1]), tf.sparse.from_dense([[0.0, 1.0]])):
            with self.assertRaisesRegex(TypeError, "no __dlpack__"):
                dlscope.from_dlpack(value)
            for take in (dlscope.asdlpack, dlscope.copy):
                with self.assertRaisesRegex(BufferError, "no memory of its own"):
                    take(value)
        seen = []

        @tf.function
        def traced(x):
            with self.assertRaises((TypeError, BufferError)) as error:
                dlscope.from_dlpack(x)
            seen.append(str(error.exception))
            return x

        traced(tf.range(3.0))
        self.assertIn("SymbolicTensor", seen[0])


if __name__ == "__main__":
    main()
