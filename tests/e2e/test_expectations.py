"""--expect: sentences about sharing, by name."""

import unittest

from harness import Case

SCRIPT = """\
    import array
    x = array.array('d', range(10))
    same = memoryview(x)
    part = same[2:5]
    other = array.array('d', range(10))
    alias = x
    empty = array.array('d')
    d = {'a b': part, 'k': [other]}
    odd, even = same[1::2], same[0::2]
    """


class Expectations(Case):
    def check(self, sentence, holds):
        ran = self.run_script(SCRIPT, "--expect", sentence)
        self.assert_exit(ran, 0 if holds else 4)
        self.assertEqual(any("does not hold" in line for line in ran.said), not holds, ran.err)
        return ran

    def test_shares(self):
        self.check("x shares part", True)
        self.check("part shares x", True)
        self.check("x shares alias", True)
        ran = self.check("x shares other", False)
        self.assertIn("0 shared bytes", ran.said[-1])

    def test_identical(self):
        self.check("x identical same", True)
        self.check("x identical part", False)
        self.check("x identical other", False)

    def test_disjoint(self):
        self.check("x disjoint other", True)
        self.check("x disjoint part", False)
        self.check("odd disjoint even", True)
        self.check("x disjoint empty", True)
        self.check("x shares empty", False)

    def test_names_are_paths(self):
        self.check("d['a b'] shares x", True)
        self.check('d["a b"] shares x', True)
        self.check("d['k'][0] identical other", True)

    def test_an_unknown_name(self):
        ran = self.check("x shares missing", False)
        self.assertIn("no tensor is named missing", ran.said[-1])

    def test_an_earlier_report_of_the_script_s_decides_nothing(self):
        """When the process has left by itself, what dlscope.report() saw before may be true no more."""
        script = """\
            import os, dlscope
            x = bytearray(3); y = bytearray(3)
            dlscope.report()
            y = memoryview(x)
            %s
            """
        for sentence in ("x disjoint y", "x shares y", "dlscope copies nothing"):
            ran = self.run_script(script % "os._exit(0)", "--expect", sentence)
            self.assert_exit(ran, 4)
            self.assertEqual(ran.report["scanned"], "earlier")
            self.assertIn("only an earlier dlscope.report()", ran.said[-1])
            self.assertIn("These tables are from the script's last dlscope.report(), not from its end: the process exited with code 0 by itself",
                          ran.out)
        self.assert_exit(self.run_script(script % "pass", "--expect", "x shares y"), 0)
        for names in ((), ("x", "y")):
            ran = self.run_script(script % "os._exit(0)", "--prove", *names)
            self.assert_exit(ran, 4)
            self.assertIn("not proved: only an earlier dlscope.report() of the script's was scanned", ran.said[-1])

    def test_why_nothing_was_scanned(self):
        for leave in ("os._exit(0)", "os.execv('/bin/true', ['true'])"):
            ran = self.run_script("import os\nx = bytearray(3)\n%s\n" % leave, "--expect", "x shares x")
            self.assert_exit(ran, 4)
            self.assertIn("Nothing was scanned: the process exited with code 0 by itself", ran.out)
            self.assertIn("nothing was scanned: the process exited", ran.said[-1])

    def test_copies(self):
        self.check("dlscope copies nothing", True)
        ran = self.run_script("import dlscope\nx = dlscope.copy(bytearray(8))\n", "--expect", "dlscope copies nothing")
        self.assert_exit(ran, 4)
        self.assertIn("8 bytes from bytearray on cpu", ran.said[-1])
        self.assert_exit(self.run_script(SCRIPT, "--expect", "no copies"), 2)

    def test_several(self):
        ran = self.run_script(SCRIPT, "--expect", "x shares part", "--expect", "x shares other", "--expect", "dlscope copies nothing")
        self.assert_exit(ran, 4)
        self.assertEqual(len(ran.said), 1, ran.err)

    def test_a_raise_outranks_it(self):
        ran = self.run_script("raise SystemExit(3)\n", "--expect", "x shares y")
        self.assert_exit(ran, 1)


if __name__ == "__main__":
    unittest.main()
