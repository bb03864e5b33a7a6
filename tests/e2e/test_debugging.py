"""A sitting in the real window, by its keys: a breakpoint in a loop, a tensor remembered, ten stops, the past, the end. Pictures of
each step stay in the build folder (pictures/debugging-*.png) to be looked at."""

import unittest

import harness
from virtual_screen import HEIGHT, WIDTH, WindowCase

SCRIPT = """import numpy as np
weights = np.zeros((12, 8), 'float32')
for step in range(100):
    weights += 0.5
    open('at', 'w').write(str(step))
    if step == 6:
        weights[3, 5] = np.nan
open('over', 'w').write('yes')
"""
LINE = 6  # if step == 6


@unittest.skipUnless(harness.has_module("numpy"), "needs NumPy")
class Debugging(WindowCase):
    pictures = "debugging"

    def text_of(self, name):
        file = self.folder / name
        return file.read_text() if file.exists() else ""

    def sitting(self, name, *options):
        window = self.open(SCRIPT, *options)
        self.settle()
        self.click(*(450, 840) if "--scale" in options else (300, 280))  # into the editor, wherever in it
        self.keys("ctrl+Home", *["Down"] * (LINE - 1), "F9", "F5")
        self.until(lambda: self.text_of("at") == "0", "the first stop")
        self.settle()
        self.palette("weights")
        self.palette("Remember the selected")
        self.picture(name + "-1-remembered")
        for step in range(1, 11):
            self.keys("F5")
            self.until(lambda: self.text_of("at") == str(step), "stop %d" % step)
            self.settle()
        self.picture(name + "-2-ten-stops")
        self.palette("History")
        self.picture(name + "-3-history")
        before = self.screen()
        self.keys("alt+Left", "alt+Left", "alt+Left")
        self.settle()
        self.picture(name + "-4-then")
        self.assertGreater(self.screen().differs(before, (0, 0, WIDTH, HEIGHT)), 10)
        self.keys("Escape", "ctrl+shift+F9", "F5")
        self.until(lambda: self.text_of("over") == "yes", "the end")
        self.picture(name + "-5-over")
        self.keys("ctrl+q")
        self.assertEqual(window.wait(harness.PATIENCE), 0)

    def test_a_loop_is_watched_and_looked_back_at(self):
        self.sitting("dark", "--theme", "dark")

    def test_the_same_in_the_light_at_twice_the_size(self):
        self.sitting("light-200", "--theme", "light", "--scale", "2")


if __name__ == "__main__":
    unittest.main()
