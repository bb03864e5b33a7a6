"""--stats: statistics of every tensor in the report, and as a table for people."""

import unittest

from harness import Case

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


if __name__ == "__main__":
    unittest.main(verbosity=2)
