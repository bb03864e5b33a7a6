"""--stats: statistics of every tensor in the report, and as a table for people."""

import pathlib
import unittest

from harness import Case, has_module

SCRIPT = """
    import array
    x = array.array("d", [1.0, float("nan"), 3.0, -2.0])
    v = memoryview(x)[::-2]
    big = bytearray(1 << 23)
    empty = array.array("f")
"""


class Statistics(Case):
    def test_exact_statistics_are_in_the_report(self):
        ran = self.run_script(SCRIPT, "--stats", "exact")
        self.assert_exit(ran, 0)
        x, v, big, empty = (ran.tensor(name)["stats"] for name in ("x", "v", "big", "empty"))
        self.assertEqual((x["method"], x["count"], x["min"], x["max"], x["nan"]), ("exact", 4, -2.0, 3.0, 1))
        self.assertEqual(x["first_special"], {"value": "nan", "index": [1]})
        self.assertEqual((v["count"], v["nan"], v["first_special"]["index"]), (2, 1, [1]))
        self.assertEqual((big["count"], big["zero"], big["std"]), (1 << 23, 1 << 23, 0.0))
        self.assertEqual((empty["count"], empty["min"]), (0, None))
        self.assertIn({"what": "statistics_values", "limit": 1 << 40, "reached": False}, ran.report["limits"])

    def test_a_sample_is_said_to_be_one(self):
        ran = self.run_script(SCRIPT, "--stats", "sample")
        self.assertEqual([ran.tensor(name)["stats"]["method"] for name in ("x", "big")], ["exact", "sample"])

    def test_without_the_option_there_are_none(self):
        ran = self.run_script(SCRIPT)
        self.assertIsNone(ran.tensor("x")["stats"])

    def test_people_get_a_table(self):
        ran = self.dlscope("--headless", "--stats", "exact", self.write(SCRIPT))
        self.assert_exit(ran, 0)
        row = next(line for line in ran.out.splitlines() if line.startswith("  x ") and "[1]" in line)
        for words in ("-2", "3", "0.666667"):
            self.assertIn(words, row)

    def test_conjugated_and_negated_complex_tensors_are_counted_as_pytorch_means_them(self):
        if not has_module("torch"):
            self.skipTest("PyTorch is not installed in %s" % self.python)
        ran = self.run_script("""
            import torch
            z = torch.tensor([1 + 1j, complex(1, float("inf")), complex(float("-inf"), 2)])
            conjugated = z.conj()
            negated = torch._neg_view(z)
            both = torch._neg_view(z.conj())
            real = torch.tensor([1 + 1j, 1 + 7j]).conj().imag
        """, "--stats", "exact")
        self.assert_exit(ran, 0)
        self.assertEqual([ran.tensor("real")["stats"][key] for key in ("min", "max", "mean", "negative")], [-7, -1, -4, 2])
        counts = {}
        for name in ("z", "conjugated", "negated", "both"):
            stats = ran.tensor(name)["stats"]
            counts[name] = (stats["pos_inf"], stats["neg_inf"], stats["first_special"]["value"], stats["last_special"]["value"])
        self.assertEqual(counts, {"z": (1, 1, "inf", "-inf"), "conjugated": (0, 2, "-inf", "-inf"), "negated": (1, 1, "-inf", "inf"),
                                  "both": (2, 0, "inf", "inf")})

    def test_the_search_for_a_nan_in_a_training_run_without_a_window(self):
        # The sample at two stops: at the sixth the loss map has its NaN, and where; at the fifth it has none.
        if not has_module("torch"):
            self.skipTest("PyTorch is not installed in %s" % self.python)
        text = (pathlib.Path(__file__).parents[2] / "assets" / "samples" / "training_nan.py").read_text()
        line = 1 + text.splitlines().index("    loss = losses.mean()")
        found = {}
        for step in (5, 6):
            ran = self.run_script(text, "--at", "%d#%d" % (line, step), "--stats", "exact")
            self.assert_exit(ran, 0)
            self.assertEqual((ran.report["scanned"], ran.report["stop"]["hit"]), ("stop", step))
            found[step] = ran.tensor("loss_map")["stats"]
        self.assertEqual((found[5]["nan"], found[5]["first_special"], found[5]["zero"]), (0, None, 4096 * 1536))
        self.assertEqual((found[6]["nan"], found[6]["pos_inf"], found[6]["neg_inf"], found[6]["subnormal"]), (1, 0, 0, 0))
        self.assertEqual(found[6]["first_special"], {"value": "nan", "index": [2600, 1234]})
        self.assertEqual(found[6]["zero"], 4096 * 1024)


if __name__ == "__main__":
    unittest.main(verbosity=2)
