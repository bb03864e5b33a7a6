"""What objects of NumPy, SciPy, PyTorch and PyArrow hold, under the names a user would type; and h5py, which is never read."""

import os
import tempfile

from tensor_checks import TensorTest, main, require

np = require("numpy")
torch = require("torch")
import dlscope  # noqa: E402


class Parts(TensorTest):
    def check_typed(self, namespace, expected):
        report = dlscope.report(namespace)
        names = {name: t for t in report["tensors"] for name in t["names"]}
        self.assertEqual(sorted(names), sorted(expected))
        for name, record in names.items():
            if record["protocol"]:
                self.assertEqual(dlscope.describe(eval(name, {}, namespace))["address"], record["address"], name)
        return names

    def test_arrays_of_objects(self):
        boxed = np.empty((2, 3), dtype=object)
        boxed[0, 1], boxed[1, 2] = np.zeros(2), [np.ones(1)]
        single = np.array(None, dtype=object)
        single[()] = np.zeros(1)
        names = self.check_typed({"boxed": boxed, "flipped": boxed[::-1, ::-1], "single": single},
                                 ["boxed", "boxed[0, 1]", "boxed[1, 2][0]", "flipped", "flipped[1, 1]", "flipped[0, 0][0]", "single", "single[()]"])
        self.assertEqual(names["boxed"]["dtype"]["name"], "object")

    def test_masks(self):
        self.check_typed({"m": np.ma.masked_array(np.zeros(3), [0, 1, 0]), "plain": np.ma.masked_array(np.zeros(3))}, ["m", "m.mask", "plain"])

    def test_scipy_sparse(self):
        sparse = require("scipy.sparse")
        csr = sparse.csr_array(np.eye(4))
        self.check_typed({"csr": csr}, ["csr.data", "csr.indices", "csr.indptr"])
        self.check_typed({"coo": sparse.coo_array(np.eye(4))}, ["coo.data", "coo.coords[0]", "coo.coords[1]"])
        self.check_typed({"dia": sparse.dia_array(np.eye(4))}, ["dia.data", "dia.offsets"])

    def test_torch_sparse(self):
        for tensor, parts in ((torch.eye(3).to_sparse(), ["_indices()", "_values()"]),
                              (torch.eye(3).to_sparse_csr(), ["crow_indices()", "col_indices()", "values()"]),
                              (torch.eye(3).to_sparse_csc(), ["ccol_indices()", "row_indices()", "values()"])):
            names = self.check_typed({"s": tensor}, ["s"] + ["s." + part for part in parts])
            self.assertIsNone(names["s"]["protocol"])

    def test_gradients_and_optimizers(self):
        layer = torch.nn.Linear(2, 3)
        optimizer = torch.optim.Adam(layer.parameters())
        layer(torch.ones(1, 2)).sum().backward()
        optimizer.step()
        state = [f"optimizer.state_dict()['state'][{i}]['{k}']" for i in range(2) for k in ("step", "exp_avg", "exp_avg_sq")]
        params = [f"optimizer.param_groups[0]['params'][{i}]" for i in range(2)]
        grads = ["layer.weight.grad", "layer.bias.grad"]
        self.check_typed({"layer": layer, "optimizer": optimizer}, ["layer.weight", "layer.bias", *params, *grads, *state])

    def test_a_parameter_is_named_by_its_model_however_deep_not_by_its_optimizer(self):
        net = torch.nn.Module()
        net.layers = torch.nn.ModuleList([torch.nn.Sequential(torch.nn.Sequential(torch.nn.Linear(2, 2)))])
        optimizer = torch.optim.SGD(net.parameters())
        found = dlscope.report({"optimizer": optimizer, "net": net})["tensors"]
        weight = [t for t in found if "optimizer.param_groups[0]['params'][0]" in t["names"]]
        self.assertEqual([t["name"] for t in weight], ["net.layers[0][0][0].weight"])

    def test_a_tensor_that_is_no_leaf_is_not_asked_for_its_gradient(self):
        import warnings

        with warnings.catch_warnings():
            warnings.simplefilter("error")
            self.check_typed({"y": torch.ones(2, requires_grad=True) * 2}, ["y"])

    def test_loaders(self):
        data = torch.utils.data.TensorDataset(torch.zeros(4, 2), torch.zeros(4))
        self.check_typed({"loader": torch.utils.data.DataLoader(data, batch_size=2)}, ["loader.dataset.tensors[0]", "loader.dataset.tensors[1]"])

    def test_pyarrow(self):
        pa = require("pyarrow")
        table = pa.table({"i": [1, 2, 3], "n": [1, None, 3]})
        names = self.check_typed({"table": table}, [
            "table['i'].chunk(0)", "table['i'].chunk(0).buffers()[1]", "table['n'].chunk(0)", "table['n'].chunk(0).buffers()[0]",
            "table['n'].chunk(0).buffers()[1]"])
        self.assertEqual(names["table['i'].chunk(0)"]["address"], names["table['i'].chunk(0).buffers()[1]"]["address"])
        self.assertIn("nulls", names["table['n'].chunk(0)"]["refusals"][0]["message"])

    def test_h5py_is_never_read(self):
        h5py = require("h5py")
        with tempfile.TemporaryDirectory() as folder, h5py.File(os.path.join(folder, "x.h5"), "w") as file:
            data = file.create_dataset("d", data=np.zeros(3))
            report = dlscope.report({"file": file, "data": data})
            self.assertEqual(report["tensors"], [])
            self.assertEqual({e["type"].rsplit(".")[-1]: e["count"] for e in report["not_entered"]}, {"File": 1, "Dataset": 1})


if __name__ == "__main__":
    main()
