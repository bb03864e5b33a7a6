"""The real window on a real (virtual) display, driven by synthetic keys: it runs a script, keeps typed text, idles, leaves."""

import os
import shutil
import signal
import subprocess
import time
import unittest

import harness


@unittest.skipUnless(shutil.which("Xvfb") and shutil.which("xdotool"), "needs Xvfb and xdotool")
class Window(harness.Case):
    def setUp(self):
        super().setUp()
        read_end, write_end = os.pipe()
        self.server = subprocess.Popen(["Xvfb", "-displayfd", str(write_end), "-screen", "0", "1600x1000x24"],
                                       pass_fds=[write_end], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.addCleanup(self.stop, self.server)
        os.close(write_end)
        with os.fdopen(read_end) as pipe:
            number = pipe.readline().strip()
        self.env = harness.environment(DISPLAY=":" + number, WAYLAND_DISPLAY=None, XDG_STATE_HOME=str(self.folder / "state"))

    @staticmethod
    def stop(process):
        if process.poll() is None:
            process.send_signal(signal.SIGKILL)
        process.wait()

    def open(self, script):
        path = self.folder / "script.py"
        path.write_text(script)
        window = subprocess.Popen([harness.PROGRAM, "--python", harness.HOST_PYTHON, path], env=self.env, cwd=self.folder,
                                  stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.addCleanup(self.stop, window)
        found = self.until(lambda: self.xdotool("search", "--onlyvisible", "--pid", str(window.pid)) or
                           self.xdotool("search", "--onlyvisible", "--name", "dlscope"))
        self.xdotool("windowfocus", found.split()[0])
        return window

    def xdotool(self, *arguments):
        return subprocess.run(["xdotool", *arguments], env=self.env, capture_output=True, text=True).stdout.strip()

    def open_and_run(self):
        """A window whose script ran: everything stands."""
        window = self.open("open('ran', 'w').write('yes')\n")
        self.xdotool("key", "F5")
        self.until((self.folder / "ran").exists)
        return window

    def until(self, condition):
        give_up = time.monotonic() + harness.PATIENCE
        while time.monotonic() < give_up:
            value = condition()
            if value:
                return value
            time.sleep(0.1)
        self.fail("waited in vain")

    def test_a_key_runs_the_script_and_another_leaves(self):
        window = self.open_and_run()
        self.xdotool("key", "ctrl+q")
        self.assertEqual(window.wait(harness.PATIENCE), 0)

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
        self.xdotool("mousemove", "200", "150")
        for action in ("mousedown", "mouseup"):
            self.xdotool(action, "1")
            time.sleep(0.2)
        self.xdotool("type", "--delay", "120", "precious")
        state = self.folder / "state" / "dlscope"
        kept = self.until(lambda: [file for file in state.glob("unsaved-*.txt") if "precious" in file.read_text()] if state.exists() else [])
        self.assertEqual(kept[0].stat().st_mode & 0o777, 0o600)
        self.stop(window)
        self.assertIn("precious", kept[0].read_text())


if __name__ == "__main__":
    unittest.main()
