"""The real window on a real (virtual) display, driven by synthetic keys: it runs a script, keeps typed text, idles, leaves."""

import time
import unittest

from harness import PATIENCE
from virtual_screen import HEIGHT, WIDTH, WindowCase


class Window(WindowCase):
    pictures = "window"

    def open_and_run(self):
        """A window whose script ran: everything stands."""
        window = self.open("open('ran', 'w').write('yes')\n")
        self.keys("F5")
        self.until((self.folder / "ran").exists)
        self.settle()  # while it runs, leaving asks first
        return window

    def test_a_key_runs_the_script_and_another_leaves(self):
        window = self.open_and_run()
        self.keys("ctrl+q")
        self.assertEqual(window.wait(PATIENCE), 0)

    def test_keys_that_come_faster_than_frames_all_arrive_without_further_input(self):
        self.open("open('ran', 'w').write('yes')\n")
        self.click(200, 150)
        self.xdotool("key", "--delay", "1", *["Right"] * 100, "F5")
        self.until((self.folder / "ran").exists)

    def test_nothing_happens_when_nothing_happens(self):
        window = self.open_and_run()

        def switches():  # how often the drawing thread gave up the processor: at least once a frame
            with open("/proc/%d/task/%d/status" % (window.pid, window.pid)) as status:
                return [line for line in status if "ctxt_switches" in line]

        def quiet():
            before = switches()
            time.sleep(3)
            return switches() == before

        self.until(quiet)

    def test_a_killed_window_leaves_typed_text_behind(self):
        window = self.open_and_run()
        self.click(200, 150)
        self.type("precious")
        state = self.folder / "state" / "dlscope"
        kept = self.until(lambda: [file for file in state.glob("unsaved-*.txt") if "precious" in file.read_text()] if state.exists() else [])
        self.assertEqual(kept[0].stat().st_mode & 0o777, 0o600)
        self.stop(window)
        self.assertIn("precious", kept[0].read_text())

    def test_typed_text_that_cannot_be_stored_is_not_left_without_a_question(self):
        self.env["XDG_STATE_HOME"] = "/proc/nowhere"  # as on a full disk: nothing can be written there
        window = self.open_and_run()
        self.click(200, 150)
        self.type("precious")
        self.settle()
        before = self.screen()
        self.keys("ctrl+q")
        self.until(lambda: self.screen().differs(before, (0, 0, WIDTH, HEIGHT)) > 10, "the question")
        self.settle()
        self.assertIsNone(window.poll())
        self.picture("not-stored")
        self.keys("ctrl+q")  # answers the question
        self.assertEqual(window.wait(PATIENCE), 0)

    def test_text_that_is_as_saved_is_no_question_there(self):
        self.env["XDG_STATE_HOME"] = "/proc/nowhere"
        window = self.open_and_run()
        self.keys("ctrl+q")
        self.assertEqual(window.wait(PATIENCE), 0)


if __name__ == "__main__":
    unittest.main()
