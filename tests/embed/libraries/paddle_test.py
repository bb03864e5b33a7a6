"""PaddlePaddle, in a process of its own (after TensorFlow its import crashes): data_ptr(), strides, parameters."""

import warnings

from tensor_checks import TensorTest, by_name, main, require

paddle = require("paddle")
import dlscope  # noqa: E402


class Paddle(TensorTest):
    def check(self, tensor, record, **facts):
        size = tensor.element_size()
        self.assert_record(record, address=tensor.data_ptr(), shape=tensor.shape,
                           strides_bytes=[s * size for s in tensor.strides], itemsize=size, library="paddle",
                           protocol="dlpack", device="cpu", device_claimed={"type": 1, "id": 0}, **facts)

    def test_layouts(self):
        base = paddle.arange(24, dtype="float32").reshape([2, 3, 4])
        namespace = {"base": base, "transposed": base.transpose([2, 0, 1]), "row": base[1], "flat": base.reshape([-1])}
        report = dlscope.report(namespace)
        for name, record in by_name(report).items():
            with self.subTest(name):
                self.check(namespace[name], record, dtype="float32")
        self.assert_pairs_by_brute_force(report)

    def test_dtypes(self):
        for dtype in ("bool", "uint8", "int8", "int16", "int32", "int64", "float16", "bfloat16", "float32", "float64",
                      "complex64", "complex128"):
            with self.subTest(dtype):
                tensor = paddle.zeros([2, 3], dtype=dtype)
                self.check(tensor, dlscope.describe(tensor), dtype=dtype)

    def test_layers(self):
        class Net(paddle.nn.Layer):
            def __init__(self):
                super().__init__()
                self.inner = paddle.nn.Linear(3, 2)
                self.extra = [paddle.zeros([1])]
                self.register_buffer("seen", paddle.zeros([2]))

        names = {"net": Net(), "many": paddle.nn.Sequential(paddle.nn.Linear(2, 2, bias_attr=False))}
        records = by_name(dlscope.report(names))
        self.assertEqual(set(records), {"net.inner.weight", "net.inner.bias", "net.extra[0]", "net.seen", "many[0].weight"})
        for name, record in records.items():
            self.assertEqual(dlscope.describe(eval(name, {}, names))["address"], record["address"], name)

    def test_parameters(self):
        tensor = paddle.ones([3])
        tensor.stop_gradient = False
        record = dlscope.describe(tensor)
        self.check(tensor, record)
        self.assertIn("requires_grad", self.codes(record))
        self.assertEqual(record["refusals"][0]["protocol"], "dlpack")
        self.assertFalse(tensor.stop_gradient)

    def test_gradients_and_sparse_parts(self):
        class Mine(paddle.Tensor):
            @property
            def grad(self):
                raise SystemExit

        w = paddle.to_tensor([1.0, 2.0], stop_gradient=False)
        hidden = Mine(paddle.to_tensor([1.0]))
        hidden.stop_gradient = False
        (w * w).sum().backward()
        coo = paddle.sparse.sparse_coo_tensor([[0, 1], [1, 0]], [1.0, 2.0], [2, 2])
        csr = paddle.sparse.sparse_csr_tensor([0, 1, 2], [1, 0], [1.0, 2.0], [2, 2])
        names = {"w": w, "coo": coo, "csr": csr, "no": paddle.to_tensor([1.0], stop_gradient=False), "later": w * 2, "hidden": hidden}
        records = by_name(dlscope.report(names))
        parts = ("w.grad", "coo.indices()", "coo.values()", "csr.crows()", "csr.cols()", "csr.values()")
        self.assertEqual(set(records), {*names, *parts})
        for name in parts:
            self.assertEqual(int(records[name]["address"], 16), eval(name, {}, names).data_ptr(), name)

    def test_gradients_of_what_was_frozen_and_of_what_is_no_leaf(self):
        frozen = paddle.ones([5])
        frozen.stop_gradient = False
        x = paddle.ones([4])
        x.stop_gradient = False
        kept, passed = x * 2, x * 3
        kept.retain_grads()
        (kept.sum() + passed.sum() + (frozen * 2).sum()).backward()
        frozen.stop_gradient = True
        names = {"frozen": frozen, "kept": kept, "passed": passed, "x": x, "none": paddle.ones([2])}
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            records = by_name(dlscope.report(names))
        parts = {"frozen.grad", "kept.grad", "x.grad"}
        self.assertEqual(set(records), {*names, *parts})
        for name in parts:
            self.assertEqual(int(records[name]["address"], 16), eval(name, {}, names).data_ptr(), name)

    def test_names_in_containers_of_layers_can_be_typed(self):
        nn = paddle.nn

        def linear(n):
            return nn.Linear(n, n, bias_attr=False)

        plain = nn.Layer()
        plain.add_sublayer("0", linear(1))
        names = {"ld": nn.LayerDict({"1": linear(1), "a-b": linear(2), "ok": linear(3)}), "ll": nn.LayerList([linear(1), linear(2)]),
                 "seq": nn.Sequential(("1", linear(1)), ("x-y", linear(2)), ("2", linear(3))),
                 "pl": nn.ParameterList([linear(1).weight]), "plain": plain}
        records = by_name(dlscope.report(names))
        self.assertEqual(set(records), {
            "ld['1'].weight", "ld['a-b'].weight", "ld.ok.weight", "ll[0].weight", "ll[1].weight", "seq._sub_layers['1'].weight",
            "seq._sub_layers['x-y'].weight", "seq[2].weight", "pl[0]", "plain._sub_layers['0'].weight"})
        for name, record in records.items():
            self.assertEqual(int(record["address"], 16), eval(name, {}, names).data_ptr(), name)

    def test_uninitialised(self):
        record = dlscope.describe(paddle.Tensor())
        self.assertIn(record["contiguity"], ("empty", None))


if __name__ == "__main__":
    main()
