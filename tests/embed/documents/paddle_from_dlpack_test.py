"""paddle.from_dlpack, as its page describes it: a capsule is renamed when it is decoded, and writing to the result shows in the source."""

import numpy as np

from tensor_checks import TensorTest, main, require

paddle = require("paddle")
import dlscope  # noqa: E402


class PaddleFromDlpack(TensorTest):
    def test_from_a_capsule(self):
        x = paddle.to_tensor([[0.2, 0.3, 0.5, 0.9], [0.1, 0.2, 0.6, 0.7]], place="cpu")
        dlpack = paddle.utils.dlpack.to_dlpack(x)
        y = paddle.utils.dlpack.from_dlpack(dlpack)
        self.assertIn('"used_dltensor"', repr(dlpack))
        y[0, 0] = 10.0
        self.assertEqual(float(x[0, 0]), 10.0)
        proof = dlscope.prove(x, y, probe=True)
        self.assertEqual((proof["verdict"], proof["steps"][0]["probe"]), ("SHARED", "confirmed"))
        # The page prints Place(gpu:0) for the tensor that was made with place="cpu": the claim stands beside what is so.
        self.assertEqual(dlscope.describe(x)["device"]["name"], "cpu")
        self.assertEqual(dlscope.describe(x)["device_claimed"]["type"], 1)
        self.assertEqual(dlscope.describe(x)["shape"], [2, 4])  # not four by two, whatever a printout says

    def test_the_same_through_dlscope(self):
        x = paddle.to_tensor([[0.2, 0.3], [0.1, 0.2]], place="cpu")
        capsule = paddle.utils.dlpack.to_dlpack(x)
        tensor = dlscope.from_dlpack(capsule)
        self.assertIn('"used_dltensor', repr(capsule))
        y = paddle.utils.dlpack.from_dlpack(tensor.__dlpack__())
        y[0, 0] = 10.0
        self.assertEqual(float(x[0, 0]), 10.0)

    def test_from_an_object(self):
        x = np.array([[0.2, 0.3, 0.5, 0.9], [0.1, 0.2, 0.6, 0.7]])
        for source in (x, dlscope.from_dlpack(x)):
            y = paddle.utils.dlpack.from_dlpack(source)
            y[0, 0] = 10.0
            self.assertEqual(x[0, 0], 10.0)
            self.assertEqual(dlscope.prove(x, y)["verdict"], "SHARED")
            x[0, 0] = 0.2

    def test_dtypes(self):
        for name in ("int32", "int64", "float16", "float32", "float64"):
            x = paddle.zeros([3], dtype=name)
            self.assertEqual(dlscope.from_dlpack(x).dtype, name)
            self.assertEqual(dlscope.prove(x, paddle.from_dlpack(dlscope.from_dlpack(x)))["verdict"], "SHARED")


if __name__ == "__main__":
    main()
