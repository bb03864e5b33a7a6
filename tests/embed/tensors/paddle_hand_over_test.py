"""dlscope between Paddle and its consumers: the seed's own example, places, capsules."""

import numpy as np

from tensor_checks import TensorTest, main, require

paddle = require("paddle")
import dlscope  # noqa: E402


class PaddleHandOver(TensorTest):
    def test_shared_both_ways(self):
        source = paddle.to_tensor([[0.2, 0.3, 0.5, 0.9], [0.1, 0.2, 0.6, 0.7]], place="cpu")
        tensor = dlscope.from_dlpack(source)
        self.assertEqual(tensor.data_ptr(), source.data_ptr())
        back = paddle.from_dlpack(tensor)
        back[0, 0] = 10.0
        self.assertEqual(float(source[0, 0]), 10.0)
        capsule = paddle.utils.dlpack.to_dlpack(source)
        self.assertEqual(dlscope.from_dlpack(capsule).data_ptr(), source.data_ptr())
        self.assertIn("used_dltensor", repr(capsule))
        ours = tensor.__dlpack__()
        self.assertEqual(paddle.utils.dlpack.from_dlpack(ours).data_ptr(), source.data_ptr())
        self.assertIn("used_dltensor", repr(ours))

    def test_numpy_through_dlscope(self):
        array = np.array([[0.2, 0.3], [0.1, 0.2]])
        taken = paddle.from_dlpack(dlscope.from_dlpack(array))
        taken[0, 0] = 10.0
        self.assertEqual(array[0, 0], 10.0)

    def test_places_and_dtypes(self):
        source = paddle.arange(3, dtype="float32")
        for place in (paddle.CPUPlace(), source.place, "cpu"):
            self.assertEqual(dlscope.from_dlpack(source, device=place).data_ptr(), source.data_ptr())
        from dlscope._spellings import dtype
        self.assertEqual((dtype(paddle.float32), dtype(paddle.bfloat16), dtype(paddle.bool)), ((2, 32, 1), (4, 16, 1), (6, 8, 1)))

    def test_gradients(self):
        source = paddle.ones([3])
        source.stop_gradient = False
        with self.assertRaises((RuntimeError, BufferError)):
            dlscope.from_dlpack(source)
        self.assertEqual(memoryview(dlscope.copy(source)).tolist(), [1, 1, 1])


if __name__ == "__main__":
    main()
