"""--screenshot: the window drawn off screen after a run, without a display."""

import os
import struct
import subprocess
import unittest

from harness import HOST_PYTHON, PATIENCE, Case, environment

SCRIPT = "import array\nx = array.array('d', range(12))\ny = memoryview(x)[2:5]\n"


def size_of(path):
    """Width and height of a PNG file."""
    head = path.read_bytes()[:24]
    if head[:8] != b"\x89PNG\r\n\x1a\n":
        raise AssertionError("not a PNG: %r" % head)
    return struct.unpack(">II", head[16:24])


class Pictures(Case):
    def setUp(self):
        super().setUp()
        self.picture = self.folder / "picture.png"

    def draw(self, text, *options):
        script = self.write(text)
        ran = self.dlscope(
            *("--python", HOST_PYTHON, "--report", self.report_path, "--screenshot", self.picture, *options, script),
            env=environment(DISPLAY=None, WAYLAND_DISPLAY=None),
        )
        if ran.code == 3 and any("--screenshot" in line for line in ran.said):
            self.skipTest(ran.said[-1])
        return ran

    def test_a_picture_of_the_size_asked_for(self):
        ran = self.draw(SCRIPT, "--size", "800x600")
        self.assert_exit(ran, 0)
        self.assertEqual(size_of(self.picture), (800, 600))
        self.assertIn("float64", ran.out)
        self.assertEqual(len(ran.report["tensors"]), 2)

    def test_scale_keeps_the_size_of_the_picture(self):
        ran = self.draw(SCRIPT, "--size", "1000x700", "--scale", "2.0", "--select", "y", "--layout", "verify")
        self.assert_exit(ran, 0)
        self.assertEqual(size_of(self.picture), (1000, 700))

    def test_after_a_crash_too(self):
        ran = self.draw(SCRIPT + "import os\nos.abort()\n")
        self.assert_exit(ran, 5)
        size_of(self.picture)

    def test_a_tensor_that_is_not_there_is_told_and_the_picture_drawn(self):
        ran = self.draw(SCRIPT, "--select", "nothing")
        self.assert_exit(ran, 2)
        self.assertEqual(ran.said, ["dlscope: --select nothing: there is no tensor of this name"])
        size_of(self.picture)

    def test_a_selection_hides_no_crash_and_no_exit(self):
        for end, code in (("os.abort()", 5), ("sys.exit(3)", 1)):
            with self.subTest(end):
                ran = self.draw("import os, sys\na = bytearray(3)\n%s\n" % end, "--select", "a")
                self.assert_exit(ran, code)
                size_of(self.picture)
                self.picture.unlink()

    def test_a_picture_replaces_only_what_a_link_leads_to(self):
        real = self.folder / "real.png"
        real.write_bytes(b"old")
        real.chmod(0o640)
        self.picture.symlink_to("real.png")
        self.assert_exit(self.draw(SCRIPT), 0)
        self.assertTrue(self.picture.is_symlink())
        size_of(real)
        self.assertEqual(real.stat().st_mode & 0o7777, 0o640)

    def test_a_picture_goes_through_a_fifo(self):
        os.mkfifo(self.picture)
        received = self.folder / "received.png"
        with received.open("wb") as file:
            reader = subprocess.Popen(["cat", self.picture], stdout=file)
        ran = self.dlscope("--python", HOST_PYTHON, "--screenshot", self.picture, self.write(SCRIPT))
        if ran.code == 3:
            reader.kill()
            reader.wait()
            self.skipTest(ran.err)
        self.assert_exit(ran, 0)
        reader.wait(timeout=PATIENCE)
        size_of(received)
        self.assertTrue(self.picture.is_fifo())


class NoDisplay(Case):
    def test_a_window_without_a_display_is_refused_in_words(self):
        ran = self.dlscope(self.write(SCRIPT), env=environment(DISPLAY=None, WAYLAND_DISPLAY=None, XDG_RUNTIME_DIR=None))
        self.assert_exit(ran, 3)
        self.assertTrue(ran.err.strip())
        self.assertLessEqual(len(ran.err.splitlines()), 2, ran.err)

    def test_an_option_behind_the_script_is_pointed_out(self):
        ran = self.dlscope(self.write(SCRIPT), "--headless", env=environment(DISPLAY=None, WAYLAND_DISPLAY=None, XDG_RUNTIME_DIR=None))
        self.assert_exit(ran, 3)
        self.assertIn("--headless comes after the script", ran.said[-1])


if __name__ == "__main__":
    unittest.main()
