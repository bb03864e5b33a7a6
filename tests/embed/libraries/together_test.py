"""Several libraries in one process over the same memory: who shares with whom, against brute force."""

from tensor_checks import TensorTest, by_name, main, require

np = require("numpy")
torch = require("torch")
import dlscope  # noqa: E402


class Together(TensorTest):
    def test_one_memory_many_owners(self):
        memory = np.arange(48, dtype="f4").reshape(6, 8)
        namespace = {
            "memory": memory, "raw": memory.view("u1"), "even": memory[::2], "odd": memory[1::2], "columns": memory[:, 1::3],
            "tensor": torch.from_numpy(memory), "row": torch.from_numpy(memory)[2], "back": torch.from_numpy(memory)[1:4, ::2].numpy(),
            "view": memoryview(memory), "other": np.zeros(4), "reversed": memory[::-2, ::-1],
        }
        report = dlscope.report(namespace)
        self.assert_pairs_by_brute_force(report)
        records = by_name(report)
        self.assertEqual(len({records[name]["group"] for name in namespace if name != "other"}), 1)
        self.assertNotEqual(records["other"]["group"], records["memory"]["group"])
        group = report["groups"][records["memory"]["group"]]
        self.assertEqual(group["distinct_bytes"], 48 * 4)
        self.assertEqual(sorted(group["libraries"]), ["builtins", "numpy", "torch"])

    def test_overlap_and_shares_memory_agree_with_the_report(self):
        memory = np.arange(30, dtype="i8")
        views = {"a": memory[3:20:2], "b": memory[4:20:2], "c": memory[10:], "d": memory[:5]}
        report = dlscope.report(views)
        ids = {t["id"]: t["name"] for t in report["tensors"]}
        for pair in report["sharing"]:
            a, b = views[ids[pair["a"]]], views[ids[pair["b"]]]
            told = dlscope.overlap(a, b)
            for key in ("relation", "shared_bytes", "witness"):
                self.assertEqual(told[key], pair[key])
            self.assertEqual(dlscope.shares_memory(a, b), pair["shared_bytes"] > 0)
            self.assertEqual(dlscope.shares_memory(a, b), np.shares_memory(a, b))


if __name__ == "__main__":
    main()
