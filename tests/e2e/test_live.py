"""Threads of the script beside an idle Python, in a real window that nobody touches: what they write and is seen is drawn, what they do
elsewhere costs no frame."""

import os
import pathlib
import unittest

from virtual_screen import WindowCase

SCRIPT = """\
import os, threading, time
x = bytearray(range(48))
elsewhere = [0]

def work():
    while not os.path.exists('write'):
        elsewhere[0] += 1
        time.sleep(0.001)
    x[:] = bytes(range(200, 248))
    open('written', 'w').close()
    while True:
        elsewhere[0] += 1
        time.sleep(0.001)

threading.Thread(target=work, daemon=True).start()
"""

LOOKS = 6


class Live(WindowCase):
    def counters(self, window):
        """System calls of the window's main thread so far: those that read (each wake-up is one byte read), and those that write (each
        frame asks the display for the window's size)."""
        text = pathlib.Path("/proc/%d/task/%d/io" % (window.pid, window.pid)).read_text()
        lines = dict(line.split(": ") for line in text.splitlines())
        return int(lines["syscr"]), int(lines["syscw"])

    def looks(self, window):
        """Waits for a number of looks without a frame in between. False: frames were drawn, as after an event."""
        woken, drawn = self.counters(window)
        self.until(lambda: self.counters(window)[0] >= woken + LOOKS or self.counters(window)[1] > drawn, "a look")
        return self.counters(window)[1] == drawn

    def test_only_what_is_seen_costs_frames(self):
        if not pathlib.Path("/proc/self/task/%d/io" % os.getpid()).exists():
            self.skipTest("this system has no /proc/PID/task/TID/io")
        window = self.open(SCRIPT)
        _, before_frames = self.counters(window)
        self.keys("F5")
        self.move(5, 990)  # over nothing that changes
        self.until(lambda: self.counters(window)[1] > before_frames, "frames, which are counted so")
        self.until(lambda: self.looks(window), "a window that looks and draws nothing")
        self.settle()
        seen = self.screen()
        # What the display itself asks to be drawn again may come between: some time nothing does.
        self.until(lambda: all(self.looks(window) for _ in range(3)), "three times a number of looks without a frame")

        _, drawn = self.counters(window)
        (self.folder / "write").touch()
        self.until(lambda: (self.folder / "written").exists(), "the thread's write")
        box = (0, 0, seen.width, seen.height)
        self.until(lambda: self.screen().differs(seen, box) > 0, "the new bytes on the screen")
        self.assertGreater(self.counters(window)[1], drawn)
        self.until(lambda: self.looks(window), "a window that draws nothing again")


if __name__ == "__main__":
    unittest.main()
