"""A window that the script opens lives beside ours: ours goes on reacting while the other one blocks the script, Stop ends
the wait, and closing the other window gives the script back."""

import subprocess
import time
import unittest

import harness
from virtual_screen import WindowCase

TKINTER = """
import tkinter
root = tkinter.Tk()
root.title("beside us")
root.geometry("300x200+50+600")
root.after(100, lambda: open("shown", "w").close())
try:
    root.mainloop()
    open("closed", "w").close()
except KeyboardInterrupt:
    open("stopped", "w").close()
    raise
"""

MATPLOTLIB = """
import matplotlib
matplotlib.use("TkAgg")
import matplotlib.pyplot as plt
figure = plt.figure(num="beside us")
plt.plot([1, 3, 2])
timer = figure.canvas.new_timer(interval=100)
timer.add_callback(lambda: open("shown", "w").close())
timer.start()
try:
    plt.show()
    open("closed", "w").close()
except KeyboardInterrupt:
    open("stopped", "w").close()
    raise
"""


def can_import(name):
    tried = subprocess.run([harness.HOST_PYTHON, "-c", "import " + name], env=harness.environment(), capture_output=True)
    return tried.returncode == 0


class Beside(WindowCase):
    def start_script(self, script):
        window = self.open(script)
        self.keys("F5")
        self.until((self.folder / "shown").exists)
        self.other = self.until(lambda: self.xdotool("search", "--onlyvisible", "--name", "beside us").split())[0]
        return window

    def focus(self, window):
        found = self.until(lambda: self.xdotool("search", "--onlyvisible", "--name", "dlscope").split())
        self.xdotool("windowfocus", found[0])

    def live_together(self, script):
        """Our window takes typed text and keeps it while the other one is open; Stop ends it."""
        window = self.start_script(script)
        self.focus(window)
        self.click(200, 150)
        self.type("precious")
        state = self.folder / "state" / "dlscope"
        self.until(lambda: state.exists() and any("precious" in kept.read_text() for kept in state.glob("unsaved-*.txt")))
        self.keys("shift+F5")
        # Tk looks for signals only when something happens to its window.
        def stopped():
            self.xdotool("mousemove", "--window", self.other, "20", str(20 + int(time.monotonic() * 10) % 40))
            return (self.folder / "stopped").exists()
        self.until(stopped)
        self.assertIsNone(window.poll())

    def close_other(self, script):
        window = self.start_script(script)
        self.xdotool("windowquit", self.other)
        self.until((self.folder / "closed").exists)
        self.assertIsNone(window.poll())
        self.focus(window)
        self.keys("ctrl+q")
        self.assertEqual(window.wait(harness.PATIENCE), 0)

    @unittest.skipUnless(can_import("tkinter"), "the test Python has no tkinter")
    def test_tk_blocks_the_script_and_not_us(self):
        self.live_together(TKINTER)

    @unittest.skipUnless(can_import("tkinter"), "the test Python has no tkinter")
    def test_closing_the_tk_window_returns(self):
        self.close_other(TKINTER)

    @unittest.skipUnless(can_import("matplotlib") and can_import("tkinter"), "the test Python has no matplotlib with Tk")
    def test_show_blocks_the_script_and_not_us(self):
        self.live_together(MATPLOTLIB)

    @unittest.skipUnless(can_import("matplotlib") and can_import("tkinter"), "the test Python has no matplotlib with Tk")
    def test_closing_the_figure_returns(self):
        self.close_other(MATPLOTLIB)


if __name__ == "__main__":
    unittest.main()
