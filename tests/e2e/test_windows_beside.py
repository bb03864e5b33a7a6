"""Windows that the script opens live beside ours, while it runs and after it has ended: Tk by itself and matplotlib on Tk.

Seen with mouse, keyboard and pixels, in the real window on a virtual display."""

import os
import unittest

import harness
from virtual_screen import HEIGHT, WIDTH, WindowCase

PLOTS_PYTHON = os.environ.get("DLSCOPE_TEST_PYTHON_PLOTS")
BESIDE = (WIDTH - 320, HEIGHT - 420, WIDTH - 20, HEIGHT - 220)  # where the script puts its window
PLACE = "%dx%d+%d+%d" % (BESIDE[2] - BESIDE[0], BESIDE[3] - BESIDE[1], BESIDE[0], BESIDE[1])
MIDDLE = ((BESIDE[0] + BESIDE[2]) // 2, (BESIDE[1] + BESIDE[3]) // 2)
GREEN, PURPLE = 0x00C000, 0xC000C0  # neither is in our themes

TK_WINDOW = """
import pathlib, tkinter
root = tkinter.Tk()
root.geometry("%s")
root.configure(bg="#00c000")
pathlib.Path("runs").open("a").write("x")
""" % PLACE


@unittest.skipUnless(harness.has_module("tkinter"), "the Python under test has no tkinter")
class TkBeside(WindowCase):
    def shows(self, colour):
        self.until(lambda: self.screen().count(colour, BESIDE) > 5000, "the script's window in %06x" % colour)

    def runs(self, count):
        ran = self.folder / "runs"
        self.until(lambda: ran.exists() and len(ran.read_text()) == count, "run %d" % count)

    def test_a_window_left_open_is_drawn_and_answers(self):
        window = self.open(TK_WINDOW + "root.bind('<Button-1>', lambda event: root.configure(bg='#c000c0'))\n")
        self.keys("F5")
        self.shows(GREEN)  # drawn by events that come after the script's end
        self.click(*MIDDLE)
        self.shows(PURPLE)
        self.focus_ours()
        self.keys("F5")  # and Python still takes requests
        self.runs(2)
        self.assertIsNone(window.poll())

    def test_stop_reaches_a_callback_that_hangs(self):
        window = self.open(TK_WINDOW + """
def hang(event):
    pathlib.Path("hangs").touch()
    while True: pass
root.bind("<Button-1>", hang)
""")
        self.keys("F5")
        self.shows(GREEN)
        self.click(*MIDDLE)
        self.until((self.folder / "hangs").exists, "the callback to hang")
        self.focus_ours()
        self.keys("F5", "shift+F5")  # a run that waits, and the way to what it waits for
        self.runs(2)
        self.assertIsNone(window.poll())

    def test_a_window_in_its_main_loop_beside_ours(self):
        window = self.open(TK_WINDOW + "root.bind('<Button-1>', lambda event: root.quit())\nroot.mainloop()\n"
                           "pathlib.Path('over').touch()\n")
        self.keys("F5")
        self.shows(GREEN)
        before = self.screen()
        self.focus_ours()
        self.keys("ctrl+2")
        self.until(lambda: self.screen().differs(before, (0, 0, BESIDE[0], HEIGHT)), "our own window to react")
        self.assertFalse((self.folder / "over").exists())
        self.click(*MIDDLE)
        self.until((self.folder / "over").exists, "the script's end")
        self.assertIsNone(window.poll())


@unittest.skipUnless(PLOTS_PYTHON, "DLSCOPE_TEST_PYTHON_PLOTS names no Python with matplotlib (scripts/test makes one)")
class MatplotlibBeside(WindowCase):
    python = PLOTS_PYTHON
    SCRIPT = """
import pathlib
import matplotlib
matplotlib.use("TkAgg")
import matplotlib.pyplot as plt
figure = plt.figure(facecolor="#00c000")
figure.canvas.manager.window.geometry("%s")
figure.canvas.mpl_connect("button_press_event", lambda event: (figure.set_facecolor("#c000c0"), figure.canvas.draw_idle()))
""" % PLACE

    def setUp(self):
        super().setUp()
        if not harness.has_module("tkinter", PLOTS_PYTHON):
            self.skipTest("the Python with matplotlib has no tkinter")

    def shows(self, colour):
        self.until(lambda: self.screen().count(colour, BESIDE) > 5000, "the figure in %06x" % colour)

    def test_a_figure_that_does_not_block(self):
        window = self.open(self.SCRIPT + "plt.show(block=False)\n")
        self.keys("F5")
        self.shows(GREEN)
        self.click(*MIDDLE)
        self.shows(PURPLE)
        self.assertIsNone(window.poll())

    def test_stop_ends_a_figure_that_blocks(self):
        window = self.open(self.SCRIPT + """
try:
    plt.show()
except KeyboardInterrupt:
    pathlib.Path("stopped").touch()
    raise
""")
        self.keys("F5")
        self.shows(GREEN)
        self.click(*MIDDLE)
        self.shows(PURPLE)
        self.focus_ours()
        self.keys("shift+F5")
        self.move(MIDDLE[0] + 20, MIDDLE[1])  # Tk looks for signals after each event, with Ctrl+C in a terminal too
        self.until((self.folder / "stopped").exists, "the figure's loop to be stopped")
        self.assertIsNone(window.poll())


if __name__ == "__main__":
    unittest.main()
