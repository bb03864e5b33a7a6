"""The report's events on a script that ends: the life of a watched capsule, a refusal, a copy, a lie about the device."""

import pathlib
import unittest

from harness import Case, has_module

SUPPORT = str(pathlib.Path(__file__).resolve().parents[1] / "embed" / "support")


class Events(Case):
    def test_in_the_order_in_which_they_happened(self):
        ran = self.run_script("""\
            import dlscope, sys
            sys.path.insert(0, %r)
            from ctypes_producer import Producer
            liar = Producer(device=(2, 0), claims=(1, 0))
            memory = bytearray(24)
            capsule = dlscope.watch_capsule(dlscope.asdlpack(memory).__dlpack__())
            tensor = dlscope.from_dlpack(capsule)
            try:
                dlscope.from_dlpack(capsule)
            except ValueError:
                pass
            del capsule, tensor
            made = dlscope.copy(memory)
            """ % SUPPORT)
        self.assert_exit(ran, 0)
        told = [(event["kind"], event["tensor"]) for event in ran.report["events"] if event["kind"] != "script"]
        expected = ["export", "consume", "refuse", "destructor", "deleter", "copy"]
        self.assertEqual(told, [(kind, None) for kind in expected] + [("device", ran.tensor("liar")["id"])])
        self.assertEqual([copy["bytes"] for copy in ran.report["copies"]], [24])

    @unittest.skipUnless(has_module("numpy") and has_module("torch"), "needs NumPy and PyTorch in the Python under test")
    def test_of_numpy_and_torch(self):
        ran = self.run_script("""\
            import dlscope, numpy as np, torch
            capsule = dlscope.watch_capsule(np.zeros(4, 'f4').__dlpack__())
            tensor = torch.from_dlpack(capsule)
            unused = dlscope.watch_capsule(torch.zeros(2).__dlpack__())
            del unused
            """)
        self.assert_exit(ran, 0)
        kinds = [event["kind"] for event in ran.report["events"] if event["kind"] != "script"]
        # That PyTorch took the first one is noticed by the scan at the end.
        self.assertEqual(kinds, ["export", "export", "destructor", "deleter", "consume"])


if __name__ == "__main__":
    unittest.main()
