"""Every state of picture_states.py is drawn, each in another theme, scale, size and layout, so that together all are met."""

import json
import unittest

import harness
import picture_states
from test_pictures import size_of

EXPECTED_EXIT = {"broken": 1, "crashed": 5}


class PictureStates(harness.Case):
    def test_every_state_is_drawn(self):
        if not harness.has_module("numpy"):
            self.skipTest("needs NumPy in the Python under test (DLSCOPE_TEST_PYTHON)")
        variants = list(picture_states.variants())
        for number, state in enumerate(picture_states.STATES):
            if state in picture_states.NEEDS:
                continue
            name, options = variants[(number * 7) % len(variants)]  # 7 and 36 share no factor: the variants take turns
            with self.subTest(state=state, variant=name):
                self.draw(state, name, options)

    def test_a_model_is_drawn_in_every_layout(self):
        """And its tensors are called what a person would look for."""
        if not harness.has_module("torch"):
            self.skipTest("needs PyTorch in the Python under test (DLSCOPE_TEST_PYTHON)")
        variants = dict(picture_states.variants())
        for name in ("debug-light-1280x720-200", "teach-dark-1920x1080-200", "verify-light-1280x720-100"):
            with self.subTest(variant=name):
                self.draw("model", name, (*variants[name], "--report", self.report_path))
                tensors = json.loads(self.report_path.read_text())["tensors"]
                names = {name for tensor in tensors for name in tensor["names"]}
                for layer in range(4):
                    for part in ("self_attn.in_proj_weight", "self_attn.out_proj.weight", "linear1.weight", "norm2.bias.grad"):
                        self.assertIn("net.encoder.layers[%d].%s" % (layer, part), names)
                tied = [tensor["names"] for tensor in tensors if "net.embedding.weight" in tensor["names"]]
                self.assertEqual(len(tied), 1)
                self.assertIn("net.head.weight", tied[0])

    def draw(self, state, name, options):
        picture = harness.picture_folder() / ("%s-%s.png" % (state, name))
        picture.unlink(missing_ok=True)
        env = harness.environment(DISPLAY=None, WAYLAND_DISPLAY=None)
        ran = picture_states.draw(harness.PROGRAM, state, ("--python", harness.HOST_PYTHON, *options), picture, self.folder, env)
        if ran.returncode == 3:
            self.skipTest(ran.stderr.strip())
        self.assertEqual(ran.returncode, EXPECTED_EXIT.get(state, 0), ran.stderr)
        self.assertEqual("%dx%d" % size_of(picture), options[options.index("--size") + 1])


if __name__ == "__main__":
    unittest.main()
