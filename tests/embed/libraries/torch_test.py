"""PyTorch: data_ptr(), stride() and flags; what refuses, what must not be touched, and the modules' attribute trees."""

import warnings
from collections import OrderedDict

from tensor_checks import TensorTest, by_name, main, require

torch = require("torch")
import dlscope  # noqa: E402
from dlscope import _dlscope  # noqa: E402


class Torch(TensorTest):
    def check(self, tensor, record, **facts):
        size = tensor.element_size()
        self.assert_record(record, address=tensor.data_ptr(), shape=tensor.shape,
                           strides_bytes=[s * size for s in tensor.stride()], itemsize=size, library="torch",
                           protocol="dlpack", device="cpu", device_claimed={"type": 1, "id": 0}, **facts)

    def test_layouts(self):
        base = torch.arange(2 * 3 * 4, dtype=torch.float32).reshape(2, 3, 4)
        namespace = {
            "whole": base, "transposed": base.permute(2, 0, 1), "stepped": base[:, ::2, 1::2], "row": base[1, 2],
            "expanded": base[0, 0, :1].expand(3, 4), "unfolded": base[0, 0].unfold(0, 2, 1), "scalar": base[1, 1, 1],
            "offset": base.reshape(-1)[5:17], "last": base.to(memory_format=torch.contiguous_format)[..., ::3],
        }
        report = dlscope.report(namespace)
        for name, record in by_name(report).items():
            with self.subTest(name):
                self.check(namespace[name], record, read_by="mapped", dtype="float32", is_copied=False)
        self.assert_pairs_by_brute_force(report)
        groups = {t["group"] for t in report["tensors"]}
        self.assertEqual(len(groups), 1, "one storage, one group")

    def test_dtypes(self):
        for dtype in ("bool", "uint8", "int8", "int16", "int32", "int64", "float16", "bfloat16", "float32", "float64",
                      "complex64", "complex128", "float8_e4m3fn", "float8_e5m2"):
            with self.subTest(dtype):
                tensor = torch.zeros((2, 3), dtype=getattr(torch, dtype))
                record = dlscope.describe(tensor)
                if record["protocol"] is None:  # older versions refuse bool and fp8, in words
                    self.assertTrue(record["refusals"])
                    continue
                self.check(tensor, record, dtype=dtype)

    def test_parameters_are_described_and_the_refusal_is_kept(self):
        parameter = torch.nn.Parameter(torch.ones(3, 4))
        record = dlscope.describe(parameter)
        self.check(parameter, record, type="torch.nn.parameter.Parameter")
        self.assertIn("requires_grad", self.codes(record))
        self.assertIn("require", record["refusals"][0]["message"])
        self.assertTrue(parameter.requires_grad and parameter.grad is None and parameter.is_leaf)

    def test_a_tensor_that_no_view_describes_has_no_note_of_a_view(self):
        seen = {}

        def loss(x):
            seen.update(by_name(dlscope.report({"x": x})))
            return x.sum()

        torch.func.grad(loss)(torch.ones(3))
        record = seen["x"]
        self.assertIsNone(record["protocol"])
        self.assertTrue(record["refusals"])
        self.assertNotIn("requires_grad", self.codes(record))

    def test_conjugate_and_negative_bits(self):
        z = torch.tensor([1 + 2j, 3 - 4j])
        conjugated, negated = z.conj(), z.conj().imag
        report = by_name(dlscope.report({"z": z, "conjugated": conjugated, "negated": negated}))
        self.check(conjugated, report["conjugated"])
        self.check(negated, report["negated"])
        self.assertIn("conjugate_bit", self.codes(report["conjugated"]))
        self.assertIn("negative_bit", self.codes(report["negated"]))
        self.assertEqual(self.codes(report["z"]), [])
        self.assertTrue(conjugated.is_conj() and negated.is_neg(), "looking resolved nothing")

    def test_compare_of_conjugated_and_negated_views(self):
        z = torch.tensor([1 + 2j, 3 - 4j])
        told = dlscope.compare(z, z.conj())
        self.assertEqual((told["bit_equal"], told["different"]), (False, 2))
        for view in (z.conj(), z.conj().imag):
            copy = view.resolve_conj().resolve_neg().clone()
            told = dlscope.compare(view, copy)
            self.assertEqual((told["bit_equal"], told["different"]), (True, 0))
            self.assertEqual(told["hash_a"], told["hash_b"])

    def test_no_look_makes_the_copy_of_a_copy_on_write_tensor(self):
        if not hasattr(torch, "_lazy_clone"):
            self.skipTest("this torch has no copy-on-write tensors")
        original = torch.arange(12.0).reshape(3, 4)
        lazy = torch._lazy_clone(original)
        address, part = torch._C._data_address(original), lazy[1:, ::2]
        report = dlscope.report({"original": original, "lazy": lazy, "part": part})
        for name, record in [*by_name(report).items(), ("lazy", dlscope.describe(lazy))]:
            with self.subTest(name):
                self.assertEqual((record["protocol"], record["problems"], record["flags"]["read_only"]), ("attributes", [], None))
                self.assertIn("copy_on_write", self.codes(record))
                self.assertNotIn("not_described", self.codes(record))
                self.assertIn("copy-on-write", record["refusals"][0]["message"])
                view = part if name == "part" else lazy
                self.assert_record(record, address=address + 4 * view.storage_offset(), shape=view.shape, library="torch",
                                   strides_bytes=[4 * s for s in view.stride()], itemsize=4, protocol="attributes",
                                   device="cpu", device_claimed={"type": 1, "id": 0}, dtype="float32", is_copied=False)
        self.assert_pairs_by_brute_force(report)
        told = dlscope.overlap(original, lazy)
        self.assertEqual((told["relation"], told["shared_bytes"]), ("identical", 48))
        proof = dlscope.prove(original, lazy)
        self.assertEqual((proof["verdict"], "until a write" in proof["steps"][0]["why"]), ("SHARED", True))
        for first, second in ((original, lazy), (lazy, part)):
            step = dlscope.prove(first, second, probe=True)["steps"][0]
            self.assertEqual((step["probe"], step["writability"]), ("not_writable", ["unknown", "unknown"]))
            self.assertIn("would make the copy that copy-on-write has put off", step["why"])
        self.assertEqual((dlscope.stats(part)["min"], dlscope.stats(part)["max"]), (4.0, 10.0))
        self.assertTrue(dlscope.compare(original, lazy)["bit_equal"])
        self.assertTrue(torch._C._is_cow_tensor(lazy) and torch._C._is_cow_tensor(original), "nothing was copied")
        self.assertEqual((torch._C._data_address(lazy), torch._C._data_address(original)), (address, address))
        lazy[0, 0] = 7.0
        self.assertEqual(dlscope.overlap(original, lazy)["relation"], "disjoint", "the write made the copy")

    def test_views_of_one_storage_in_copy_on_write_state_share_after_a_write_too(self):
        if not hasattr(torch, "_lazy_clone"):
            self.skipTest("this torch has no copy-on-write tensors")
        base = torch.arange(1024.0)
        lazy = torch._lazy_clone(base)
        bits, part = base.view(torch.int32), lazy[10:20]
        pairs = ((base, bits, True), (lazy, part, True), (base, lazy, False), (base, part, False), (bits, part, False))
        for first, second, stays in pairs:
            step = dlscope.prove(first, second)["steps"][0]
            self.assertEqual(step["verdict"], "SHARED")
            self.assertIn("also after a write" if stays else "until a write", step["why"])
            self.assertEqual("views of one storage" in step["why"], stays)
        self.assertIn("shares with its lazy clones until the first write",
                      [note["message"].split(": ")[-1] for note in dlscope.describe(base)["notes"]])
        self.assertTrue(torch._C._is_cow_tensor(base) and torch._C._is_cow_tensor(lazy), "nothing was copied")
        bits[0], part[0] = 99, 7.0
        self.assertEqual([dlscope.shares_memory(first, second) for first, second, _ in pairs], [stays for *_, stays in pairs])

    def test_a_look_does_not_call_a_mode_of_the_users(self):
        class Mode(torch.overrides.TorchFunctionMode):
            def __torch_function__(self, function, types, args=(), kwargs=None):
                called.append(function)
                return function(*args, **(kwargs or {}))

        called, x, z = [], torch.arange(8.0), torch.tensor([1 + 2j]).conj()
        outside = [by_name(dlscope.report({"x": x, "z": z}))[name]["notes"] for name in ("x", "z")]
        with Mode():
            inside = by_name(dlscope.report({"x": x, "z": z}))
            # The protocol's own method is answered by whatever code a tensor has, as for any consumer.
            self.assertEqual([function for function in called if function is not torch.Tensor.__dlpack__], [])
        self.assertEqual([inside[name]["notes"] for name in ("x", "z")], outside)
        self.assertTrue(torch._C._is_torch_function_enabled())

    def test_what_lies_beside_the_memory_of_a_copy_on_write_tensor(self):
        if not hasattr(torch, "_lazy_clone"):
            self.skipTest("this torch has no copy-on-write tensors")
        parameter = torch._lazy_clone(torch.nn.Parameter(torch.ones(3)))
        z = torch._lazy_clone(torch.tensor([1 + 2j, 3 - 4j]))
        for tensor, code in ((parameter, "requires_grad"), (z.conj(), "conjugate_bit"), (z.conj().imag, "negative_bit")):
            with self.subTest(code):
                self.assertTrue(torch._C._is_cow_tensor(tensor))
                self.assertEqual(set(self.codes(dlscope.describe(tensor))), {code, "copy_on_write"})
                self.assertTrue(torch._C._is_cow_tensor(tensor))
        for dtype in ("bool", "uint8", "int64", "float16", "bfloat16", "float64", "complex64", "float8_e4m3fn"):
            with self.subTest(dtype):
                record = dlscope.describe(torch._lazy_clone(torch.zeros((2, 3), dtype=getattr(torch, dtype))))
                self.assertEqual((record["dtype"]["name"], record["problems"]), (dtype, []))
        none = dlscope.describe(torch._lazy_clone(torch.zeros(0)))
        self.assertEqual((none["problems"], none["elements"]), ([], 0))

    def test_a_subclass_that_is_copy_on_write_is_not_asked(self):
        if not hasattr(torch, "_lazy_clone"):
            self.skipTest("this torch has no copy-on-write tensors")
        asked = []

        class Functions(torch.Tensor):
            @classmethod
            def __torch_function__(cls, function, types, args=(), kwargs=None):
                asked.append(function)
                return super().__torch_function__(function, types, args, kwargs or {})

        lazy = torch._lazy_clone(torch.ones(3)).as_subclass(Functions)
        asked.clear()
        self.assertIn("not_described", self.codes(dlscope.describe(lazy)))
        self.assertEqual(asked, [])

    def test_tensors_without_memory(self):
        from torch._subclasses.fake_tensor import FakeTensorMode

        with FakeTensorMode():
            fake = torch.zeros(3)
        report = by_name(dlscope.report({"fake": fake, "meta": torch.zeros(3, device="meta"), "sparse": torch.eye(3).to_sparse()}))
        self.assertIn("not_described", self.codes(report["fake"]))
        for name in ("meta", "sparse"):
            self.assertIsNone(report[name]["protocol"])
            self.assertEqual(report[name]["refusals"][0]["protocol"], "dlpack")

    def test_emptied_storage(self):
        tensor = torch.zeros(8)
        tensor.untyped_storage().resize_(0)
        record = dlscope.describe(tensor)
        self.assertFalse(record["readable"])
        self.assertIn("data_null", self.codes(record))

    def test_a_stride_that_nobody_steps_along(self):
        for shape in ((1, 3), (0, 3), (3, 0)):
            with self.subTest(shape):
                tensor = torch.empty_strided(shape, (2**60, 1))
                record = dlscope.describe(tensor)
                self.assertEqual((record["shape"], record["problems"], record["strides"]), (list(shape), [], None))
                self.assertIn(str(2**60), record["notes"][0]["message"])
        x = torch.zeros(3)
        told = dlscope.overlap(x, torch.as_strided(x, (1, 3), (2**60, 1)))
        self.assertEqual((told["relation"], told["shared_bytes"]), ("identical", 12))

    def test_a_stop_inside_a_subclass_is_not_lost(self):
        class Exporting(torch.Tensor):
            def __dlpack__(self, **options):
                raise KeyboardInterrupt

        x = torch.zeros(3).as_subclass(Exporting)
        for call in (lambda: dlscope.describe(x), lambda: dlscope.report({"x": x})):
            with self.assertRaises(KeyboardInterrupt):
                call()
        self.assertTrue(torch._C._is_torch_function_enabled())

    def test_looking_runs_no_code_of_a_subclass(self):
        ran = []

        def count(name):
            def method(*arguments, **keywords):
                ran.append(name)
                raise RuntimeError(name)

            return method

        class Functions(torch.Tensor):
            @classmethod
            def __torch_function__(cls, function, types, args=(), kwargs=None):
                ran.append(function.__name__)
                return super().__torch_function__(function, types, args, kwargs or {})

        class Dispatch(torch.Tensor):
            @classmethod
            def __torch_dispatch__(cls, function, types, args=(), kwargs=None):
                ran.append(str(function))
                raise RuntimeError

        # Not what Tensor.__dlpack__ itself reads, as it does for any consumer: requires_grad, is_conj(), layout.
        overridden = {name: count(name) for name in ("is_neg", "detach", "conj", "_indices")}
        overridden.update({name: property(count(name)) for name in ("is_leaf", "grad", "retains_grad", "dtype", "shape")})
        Overrides = type("Overrides", (torch.Tensor,), overridden)
        for kind in (Functions, Dispatch, Overrides):
            for grad in (False, True):
                with self.subTest(kind=kind.__name__, grad=grad):
                    plain = torch.zeros(3)
                    x = torch.Tensor._make_subclass(kind, plain, grad)
                    x.scale = torch.ones(2)
                    if grad:
                        torch._C.TensorBase.grad.__set__(x, torch.ones(3))
                    ran.clear()
                    records = by_name(dlscope.report({"x": x, "plain": plain}))
                    # The protocol's own methods are answered by the subclass, as for any consumer.
                    self.assertLessEqual(set(ran), {"__dlpack__", "__dlpack_device__"})
                    self.assertEqual(records["x"]["address"], records["plain"]["address"])
                    self.assertEqual(set(records), {"x", "plain", "x.scale"} | ({"x.grad"} if grad else set()))
        self.assertTrue(torch._C._is_torch_function_enabled())

    def test_empty(self):
        record = dlscope.describe(torch.zeros((0, 3)))
        self.assertEqual((record["contiguity"], record["elements"], record["readable"]), ("empty", 0, True))

    def test_modules(self):
        model = torch.nn.Sequential(torch.nn.Linear(3, 2), torch.nn.BatchNorm1d(2))

        class Net(torch.nn.Module):
            def __init__(self):
                super().__init__()
                self.layer = torch.nn.Linear(2, 2)
                self.cache = [torch.zeros(1)]

        net = Net()
        records = by_name(dlscope.report({"model": model, "net": net, "layer": net.layer}))
        self.assertEqual(set(records), {
            "model[0].weight", "model[0].bias", "model[1].weight", "model[1].bias", "model[1].running_mean",
            "model[1].running_var", "model[1].num_batches_tracked", "net.layer.weight", "net.layer.bias", "layer.weight",
            "layer.bias", "net.cache[0]"})
        self.check(net.layer.weight, records["net.layer.weight"])
        self.assertIs(records["net.layer.weight"], records["layer.weight"], "one tensor, two names")

    def assert_typed(self, names, expected):
        """Exactly these names, and each is an expression that gives the tensor and by which dlscope finds it again."""
        records = by_name(dlscope.report(names))
        self.assertEqual(set(records), set(expected))
        for name, record in records.items():
            self.assertEqual(int(record["address"], 16), eval(name, {}, names).data_ptr(), name)
            self.assertEqual(int(record["address"], 16), _dlscope.host_object(names, name, None).data_ptr(), name)

    def test_gradients_of_what_was_frozen_and_of_what_is_no_leaf(self):
        frozen = torch.nn.Parameter(torch.ones(5))
        plain = torch.ones(6, requires_grad=True)
        x = torch.ones(4, requires_grad=True)
        kept, passed = x * 2, x * 3
        kept.retain_grad()
        (kept.sum() + passed.sum() + (frozen * 2).sum() + plain.sum()).backward()
        frozen.requires_grad_(False)
        plain.requires_grad_(False)
        names = {"frozen": frozen, "plain": plain, "kept": kept, "passed": passed, "x": x, "none": torch.ones(2)}
        expected = {*names, "frozen.grad", "plain.grad", "kept.grad", "x.grad"}
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            self.assert_typed(names, expected)
        ran = []

        class Mode(torch.overrides.TorchFunctionMode):
            def __torch_function__(self, function, types, args=(), kwargs=None):
                ran.append(function.__name__)
                return function(*args, **(kwargs or {}))

        with Mode():
            report = dlscope.report(names)
        self.assertLessEqual(set(ran), {"__dlpack__", "__dlpack_device__"})  # the protocol's own, as for any consumer
        self.assertEqual(set(by_name(report)), expected)

    def test_names_in_containers_of_modules_can_be_typed(self):
        nn = torch.nn

        def linear(n):
            return nn.Linear(n, n, bias=False)

        plain = nn.Module()
        plain.add_module("0", linear(1))
        plain.add_module("class", linear(2))
        plain.register_parameter("a b", nn.Parameter(torch.ones(3)))
        plain.register_buffer("b-c", torch.ones(4))
        plain.__dict__["d e"] = torch.ones(5)
        names = {
            "md": nn.ModuleDict({"1": linear(1), "layer-1": linear(2), "it's": linear(3), "ok": linear(4)}),
            "pd": nn.ParameterDict({"a": torch.ones(1), "b-c": torch.ones(2), "0": torch.ones(3), "d e": [torch.ones(4)]}),
            "pl": nn.ParameterList([torch.ones(1), [torch.ones(2)]]), "ml": nn.ModuleList([linear(1), linear(2)]),
            "seq": nn.Sequential(OrderedDict([("1", linear(1)), ("0", linear(2)), ("2", linear(3)), ("x-y", linear(4)),
                                              ("04", linear(5)), ("ok", linear(6))])),
            "plain": plain,
        }
        self.assert_typed(names, {
            "md['1'].weight", "md['layer-1'].weight", 'md["it\'s"].weight', "md.ok.weight", "pd.a", "pd['b-c']", "pd['0']",
            "pd['d e'][0]", "pl[0]", "pl[1][0]", "ml[0].weight", "ml[1].weight", "seq._modules['1'].weight",
            "seq._modules['0'].weight", "seq[2].weight", "seq._modules['x-y'].weight", "seq._modules['04'].weight", "seq.ok.weight",
            "plain._modules['0'].weight", "plain._modules['class'].weight", "plain._parameters['a b']", "plain._buffers['b-c']",
            "plain.__dict__['d e']"})


if __name__ == "__main__":
    main()
