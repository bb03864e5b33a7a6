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
        for device in ("/CPU:0", source.device, "cpu"):
            self.assertEqual(dlscope.from_dlpack(source, device=device).device, (1, 0))
        if not tf.config.list_physical_devices("GPU"):
            with self.assertRaisesRegex(ValueError, "'cuda:0' cannot be had"):
                dlscope.from_dlpack(source, device="/GPU:0")
        from dlscope._spellings import dtype
        self.assertEqual((dtype(tf.bfloat16), dtype(tf.bool), dtype(source.dtype)), ((4, 16, 1), (6, 8, 1), (2, 32, 1)))


if __name__ == "__main__":
    main()
