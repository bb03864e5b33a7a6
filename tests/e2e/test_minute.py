"""A newcomer's first minute in the real window: open the tour, run it, see that names are one piece of memory, stop a loop,
crash and come back. Only mouse, keyboard and pixels: what a person has."""

import os
import pathlib
import unittest

from harness import PATIENCE, has_module
from virtual_screen import HEIGHT, WIDTH, WindowCase

FIRST_GROUP = 0x56B4E9  # the first group's colour (app/widgets/theme.cpp)
BAD = 0xFF8A75  # the colour of what went wrong
MAP = (0, int(HEIGHT * 0.74), WIDTH, int(HEIGHT * 0.97))
TABLE = (int(WIDTH * 0.24), 20, int(WIDTH * 0.72), int(HEIGHT * 0.42))
MIDDLE = (int(WIDTH * 0.24), int(HEIGHT * 0.45), int(WIDTH * 0.72), int(HEIGHT * 0.73))
STATUS = (0, HEIGHT - 24, WIDTH, HEIGHT)

TOUR = pathlib.Path(os.environ["DLSCOPE_SOURCE_DIR"]) / "assets" / "samples" / "tour.py"


class FirstMinute(WindowCase):
    def changed(self, before, box):
        return lambda: self.screen().differs(before, box) > 0

    def sweep(self, box, seen):
        """Moves the mouse over the box until something is seen."""
        for y in range(box[1] + 20, box[3], 25):
            for x in range(box[0] + 30, box[2], 60):
                self.move(x, y)
                if seen():
                    return True
        return False

    def test_the_tour_and_back(self):
        if not has_module("numpy"):
            self.skipTest("needs NumPy in the Python under test (DLSCOPE_TEST_PYTHON)")
        window = self.open(TOUR)
        self.keys("F5")
        self.until(lambda: self.screen().count(FIRST_GROUP, MAP) > 2000, "the tensors of the tour on the map")

        # A click on a bar selects that tensor: the inspector tells of it.
        bar = self.screen().find(FIRST_GROUP, MAP)
        before = self.screen()
        self.click(bar[0], bar[1] + 3)
        self.until(self.changed(before, STATUS), "the status bar to tell what the mouse is on")

        # An element under the mouse lights the same bytes in the map, and the status bar writes its address out.
        self.move(WIDTH // 2, 5)
        rest = self.screen()
        self.assertTrue(self.sweep(MIDDLE, self.changed(rest, STATUS)), "no value under the mouse changed the status bar")

        # The filter leaves fewer rows.
        self.move(WIDTH // 2, 5)
        rows = self.screen().count(FIRST_GROUP, TABLE)
        self.keys("ctrl+f")
        self.type("transposed")
        self.until(lambda: 0 < self.screen().count(FIRST_GROUP, TABLE) < rows, "the filtered table")
        self.keys("Escape")
        self.assertIsNone(window.poll())
        self.keys("ctrl+q")
        self.assertEqual(window.wait(PATIENCE), 0)

    def test_a_loop_is_stopped_and_a_crash_survived(self):
        if not has_module("numpy"):
            self.skipTest("needs NumPy in the Python under test (DLSCOPE_TEST_PYTHON)")
        flag, again = self.folder / "looping", self.folder / "again"
        window = self.open("import os, pathlib\nimport numpy as np\nx = np.arange(12.0)\ny = x[::2]\n"
                           "if pathlib.Path('again').exists(): os.abort()\n"
                           "pathlib.Path('looping').touch()\nwhile True: pass\n")
        self.keys("F5")
        self.until(flag.exists, "the script to loop")
        before = self.screen()
        self.keys("ctrl+2")  # the views react while the script holds Python
        self.until(self.changed(before, TABLE), "the Teach layout")
        self.keys("ctrl+1")
        self.keys("shift+F5")
        self.until(lambda: self.screen().count(FIRST_GROUP, MAP) > 2000, "the tensors of the stopped script")
        again.touch()
        self.keys("F5")
        self.until(lambda: self.screen().count(BAD, (0, 0, WIDTH, 24)) > 20, "the crash in the menu bar")
        again.unlink()
        flag.unlink()
        self.keys("F5")  # a new Python
        self.until(flag.exists, "the script to run again")
        self.assertIsNone(window.poll())


if __name__ == "__main__":
    unittest.main()
