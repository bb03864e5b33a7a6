"""--prove: chains judged by their bytes with the write probe, PAIR.proof, exit codes; lying producers named."""

import json
import pathlib
import unittest

from harness import Case, has_module

SCRIPT = """\
    import array
    x = array.array('d', range(10))
    same = memoryview(x)
    part = same[2:5]
    other = array.array('d', range(10))
    fixed = b'abcdefgh'
    alias = memoryview(fixed)
    d = {'a b': part}
    odd, even = same[1::2], same[0::2]
    import atexit
    atexit.register(lambda: print('unchanged', list(x) == list(other)))
    """

LIARS = """\
    import ctypes, sys
    sys.path.insert(0, {support!r})
    from ctypes_producer import Producer
    wrong_device = Producer(device=(2, 0), claims=(1, 0))
    wrong_id = Producer(device=(2, 1), claims=(2, 0))
    no_driver = Producer(device=(2, 0), claims=(2, 0))
    null = Producer(data=None)
    offset = Producer(byte_offset=1 << 40)
    honest = Producer()
    """


class Proofs(Case):
    def prove(self, *names, script=SCRIPT, code=0):
        ran = self.run_script(script, "--prove", *names)
        self.assert_exit(ran, code)
        return ran

    def pair(self, ran, a, b):
        ids = sorted((ran.tensor(a)["id"], ran.tensor(b)["id"]))
        return next(pair for pair in ran.report["sharing"] if [pair["a"], pair["b"]] == ids)

    def test_a_chain_that_shares(self):
        ran = self.prove("x", "same", "d['a b']")
        proof = ran.report["proof"]
        self.assertEqual((proof["verdict"], [s["verdict"] for s in proof["steps"]]), ("SHARED", ["SHARED", "SHARED"]))
        self.assertEqual([(s["from"], s["to"], s["probe"]) for s in proof["steps"]],
                         [("x", "same", "confirmed"), ("same", "part", "confirmed")])
        self.assertEqual([s["shared_bytes"] for s in proof["steps"]], [80, 24])
        self.assertEqual(self.pair(ran, "x", "same")["proof"], {"probe": "confirmed"})
        self.assertIsNone(self.pair(ran, "x", "part")["proof"], "not a step of the chain")
        self.assertIn("Proof: SHARED over 2 steps", ran.out)
        self.assertRegex(ran.out, r"x → same\n +byte ranges +0x[0-9a-f]+ to 0x[0-9a-f]+ \(80 B\), both\n +libraries +array of Python ")
        self.assertRegex(ran.out, r"\n +hash +[0-9a-f]{16} before and after, both\n")
        for side in proof["steps"][0]["evidence"]:
            self.assertEqual(side["extent"], ran.tensor("x")["extent"])
            self.assertEqual(side["flags"], ran.tensor("x")["flags"])
            self.assertEqual((side["version"], side["dtype"], side["unknown_flags"]), (ran.report["python"]["version"], "float64", None))
            self.assertEqual(side["hash_before"], side["hash_after"])
        self.assertIn("unchanged True", ran.out)
        self.assertEqual(ran.report["copies"], [])

    def test_names_in_one_word_and_in_any_order(self):
        ran = self.run_script(SCRIPT, "--prove", "x same \"d['a b']\"")
        self.assert_exit(ran, 0)
        ran = self.dlscope("--prove", "x", "y", "-c", "x = bytearray(4); y = memoryview(x)")
        self.assert_exit(ran, 0)
        ran = self.dlscope("-c", "x = bytearray(4); y = memoryview(x)", "--report", self.report_path, "--prove", "x", "y", "--", "argument")
        self.assert_exit(ran, 0)

    def test_a_chain_that_does_not(self):
        ran = self.prove("x", "same", "other", code=4)
        self.assertEqual([s["verdict"] for s in ran.report["proof"]["steps"]], ["SHARED", "COPIED"])
        self.assertEqual(ran.report["proof"]["steps"][1]["probe"], "confirmed")
        self.assertTrue(any("same to other is COPIED: no byte in common" in line for line in ran.said), ran.err)
        self.assertIn("unchanged True", ran.out)
        ran = self.prove("odd", "even", code=4)
        step = ran.report["proof"]["steps"][0]
        self.assertEqual((step["verdict"], step["relation"]), ("COPIED", "interleaved"))
        self.assertIn("two parts of one allocation", step["why"])

    def test_read_only_memory_is_never_written(self):
        ran = self.prove("fixed", "alias")
        self.assertEqual((ran.report["proof"]["verdict"], ran.report["proof"]["steps"][0]["probe"]), ("SHARED", "not_writable"))
        self.assertEqual(ran.report["proof"]["steps"][0]["writability"], ["no", "no"])

    def test_memory_of_a_tensor_that_was_not_named_is_never_written(self):
        script = """\
            import ctypes
            fixed = b'abcdefgh'
            class View:
                def __init__(self, address, count):
                    self.told = {'version': 3, 'typestr': '|u1', 'shape': (count,), 'data': (address, False)}
                __array_interface__ = property(lambda self: self.told)
            place = ctypes.cast(fixed, ctypes.c_void_p).value
            view, part = View(place, 8), View(place + 2, 4)
            """
        ran = self.prove("view", "part", script=script)
        step = ran.report["proof"]["steps"][0]
        self.assertEqual((step["verdict"], step["probe"], step["writability"]), ("SHARED", "not_writable", ["yes", "yes"]))
        self.assertIn("fixed (bytes)", step["why"])

    def test_a_tensor_behind_a_container_of_millions(self):
        ran = self.prove("v", "items[5]", script="x = bytearray(30)\nv = memoryview(x)[3:]\nitems = [0] * 3_000_000\nitems[5] = x\ndel x\n")
        self.assertEqual(ran.report["proof"]["verdict"], "SHARED")

    def test_every_key_of_such_a_report_is_documented(self):
        text = (pathlib.Path(__file__).resolve().parents[2] / "docs" / "report.md").read_text()
        schema = text.split("```")[1]
        report = self.prove("x", "same").report
        for key in report:
            self.assertIn('"%s"' % key, schema.split("\n\n")[0])
        part = schema[schema.index("PROOF: "):schema.index("EVENT: ")]
        for key in (*report["proof"], *report["proof"]["steps"][0]):
            self.assertIn('"%s"' % key, part)

    def test_every_pair(self):
        ran = self.prove()
        self.assertNotIn("proof", ran.report)
        probes = {(pair["relation"], (pair["proof"] or {}).get("probe")) for pair in ran.report["sharing"]}
        self.assertIn(("identical", "confirmed"), probes)
        self.assertIn(("identical", "not_writable"), probes)
        self.assertIn(("contains", "confirmed"), probes)
        for pair in ran.report["sharing"]:
            self.assertEqual(pair["proof"] is None, pair["shared_bytes"] == 0, pair)
        self.assertIn("unchanged True", ran.out)

    def test_a_capsule_among_the_names_leaves_the_other_pairs_to_the_probe(self):
        script = "import array, dlscope\nx = array.array('d', [1, 2])\ny = memoryview(x)\ncap = dlscope.asdlpack(x).__dlpack__()\n"
        ran = self.prove(script=script)
        self.assertEqual(self.pair(ran, "x", "y")["proof"], {"probe": "confirmed"})
        for name in ("x", "y"):
            self.assertEqual(self.pair(ran, name, "cap")["proof"], {"probe": "not_armed"})
        self.assertIn("cap is a capsule", ran.out)
        ran = self.prove("x", "cap", script=script, code=4)
        self.assertIn("x to cap is UNKNOWN: cap is a capsule", ran.said[-1])
        ran = self.prove("y", "x", "cap", script=script, code=4)
        self.assertEqual([step["verdict"] for step in ran.report["proof"]["steps"]], ["SHARED", "UNKNOWN"])
        self.assertEqual((ran.report["proof"]["verdict"], ran.report["proof"]["steps"][0]["probe"]), ("UNKNOWN", "confirmed"))

    def test_two_chains_are_refused(self):
        ran = self.run_script(SCRIPT, "--prove", "x same", "--prove", "x other")
        self.assert_exit(ran, 2)
        self.assertIn("--prove is given more than once", ran.err)

    def test_what_cannot_be_proved(self):
        self.assertIn("no tensor is named nobody", self.prove("x", "nobody", code=4).said[-1])
        ran = self.run_script(SCRIPT, "--prove", "x")
        self.assert_exit(ran, 2)
        self.assertIn("at least two names", ran.err)
        ran = self.run_script("def f(x):\n    y = memoryview(x)\n    return 1\n\nf(bytearray(4))\n", "--at", "3", "--prove", "x", "y")
        self.assert_exit(ran, 4)
        self.assertIn("the moment that --at stopped at is over", ran.err)
        ran = self.run_script("x = bytearray(4)\ny = memoryview(x)\nraise ValueError\n", "--prove", "x", "y")
        self.assert_exit(ran, 1)
        self.assertEqual(ran.report["proof"]["verdict"], "SHARED")
        ran = self.run_script("import os\nx = bytearray(4)\ny = memoryview(x)\nos._exit(0)\n", "--prove", "x", "y")
        self.assert_exit(ran, 4)

    def test_locals_of_the_frame_that_raised(self):
        ran = self.run_script("def f(x):\n    y = memoryview(x)\n    raise ValueError\n\nf(bytearray(4))\n", "--prove", "x", "y")
        self.assert_exit(ran, 1)
        self.assertEqual(ran.report["proof"]["steps"][0]["probe"], "confirmed")

    def test_lying_producers_are_named_and_nothing_is_read_through_them(self):
        support = str(pathlib.Path(__file__).resolve().parent.parent / "embed" / "support")
        for name, words in (("wrong_device", "__dlpack_device__ says cpu"), ("wrong_id", "__dlpack_device__ says cuda:0"),
                            ("no_driver", "no driver of such a device is loaded"), ("null", "NULL"), ("offset", "not all mapped for reading")):
            with self.subTest(name):
                ran = self.prove("honest", name, script=LIARS.format(support=support), code=4)
                step = ran.report["proof"]["steps"][0]
                self.assertEqual((step["verdict"], step["probe"]), ("UNKNOWN", "not_armed"))
                self.assertIn(words, step["why"])
                self.assertEqual(ran.script["outcome"], "finished")

    def test_real_libraries(self):
        """NumPy -> PyTorch -> JAX -> NumPy, before and after printing; a step that converts; a read-only array."""
        for library in ("numpy", "torch", "jax"):
            if not has_module(library):
                self.skipTest("no " + library)
        script = """\
            import numpy as np, torch, jax.numpy as jnp, dlscope
            a = np.asarray(dlscope.copy(np.arange(64, dtype='f4')))
            t = torch.from_dlpack(a)
            j = jnp.from_dlpack(t)
            b = np.from_dlpack(j)
            fixed = np.arange(3.0); fixed.setflags(write=False)
            through = np.from_dlpack(fixed)
            half = t.half()
            """
        for text in (script, script + "print(j)\n"):
            ran = self.prove("a", "t", "j", "b", script=text)
            self.assertEqual([s["probe"] for s in ran.report["proof"]["steps"]], ["not_writable"] * 3)
        self.assertIn("immutable by contract", ran.report["proof"]["steps"][1]["writability"])
        self.assertIn("one of j (jax", ran.report["proof"]["steps"][0]["why"], "the byte is that of an array that never changes")
        self.assertEqual(self.prove("fixed", "through", script=script).report["proof"]["steps"][0]["probe"], "not_writable")
        self.assertEqual(self.prove("t", "half", script=script, code=4).report["proof"]["verdict"], "COPIED")


if __name__ == "__main__":
    unittest.main(verbosity=2)
