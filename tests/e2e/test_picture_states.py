"""Every state of picture_states.py is drawn, each in another theme, scale, size and layout, so that together all are met."""

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
        env = harness.environment(DISPLAY=None, WAYLAND_DISPLAY=None)
        for number, state in enumerate(picture_states.STATES):
            name, options = variants[(number * 7) % len(variants)]  # 7 and 36 share no factor: the variants take turns
            with self.subTest(state=state, variant=name):
                picture = harness.picture_folder() / ("%s-%s.png" % (state, name))
                picture.unlink(missing_ok=True)
                ran = picture_states.draw(harness.PROGRAM, state, ("--python", harness.HOST_PYTHON, *options), picture, self.folder, env)
                if ran.returncode == 3:
                    self.skipTest(ran.stderr.strip())
                self.assertEqual(ran.returncode, EXPECTED_EXIT.get(state, 0), ran.stderr)
                self.assertEqual("%dx%d" % size_of(picture), options[options.index("--size") + 1])


if __name__ == "__main__":
    unittest.main()
