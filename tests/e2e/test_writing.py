"""A sitting in the real window, by its keys: bytes of an array are changed, undone, refused; what is there is exported as CSV and as a
picture. Pictures of each step stay in the build folder (pictures/writing-*.png) to be looked at."""

import struct
import unittest

import harness
from virtual_screen import WindowCase

SCRIPT = """import numpy as np
batch = np.arange(12, dtype='float32').reshape(3, 4)
row = batch[1]
frozen = np.ones(5)
frozen.setflags(write=False)
open('over', 'w').write('yes')
"""


def texts_of(png):
    """The tEXt chunks of a PNG file, and its size."""
    assert png[:8] == b"\x89PNG\r\n\x1a\n"
    texts, size, at = {}, None, 8
    while at < len(png):
        length, kind = struct.unpack(">I4s", png[at:at + 8])
        data = png[at + 8:at + 8 + length]
        if kind == b"IHDR":
            size = struct.unpack(">II", data[:8])
        if kind == b"tEXt":
            keyword, _, text = data.partition(b"\0")
            texts[keyword.decode()] = text.decode("latin-1")
        at += 12 + length
    return texts, size


@unittest.skipUnless(harness.has_module("numpy"), "needs NumPy")
class Writing(WindowCase):
    pictures = "writing"

    def exported(self, asked, pattern):
        """What is in the file that an export makes."""
        self.palette(asked)
        file = self.until(lambda: next((f for f in self.folder.glob(pattern) if f.stat().st_size > 0), None), pattern)
        content = file.read_bytes()
        file.unlink()
        return content

    def values(self):
        lines = self.exported("Export the tensor as CSV", "batch-*.csv").decode().splitlines()
        self.assertEqual(lines[0], "# batch, float32, shape (3, 4)")
        return [[float(value) for value in line.split(",")] for line in lines[1:]]

    def sitting(self, name, *options):
        window = self.open(SCRIPT, *options)
        self.settle()
        self.keys("F5")
        self.until(lambda: (self.folder / "over").exists(), "the end of the script")
        self.settle()
        self.palette("frozen")
        self.palette("Hex")
        self.palette("Arm or disarm writes")
        self.picture(name + "-1-refused")
        self.palette("batch")
        self.palette("Arm or disarm writes")
        self.palette("Hex")
        self.keys("ctrl+g")
        self.type("batch[1, 2]")
        self.keys("Return")
        self.type("0000f040")  # 7.5
        self.picture(name + "-2-written")
        before = [[0, 1, 2, 3], [4, 5, 6, 7], [8, 9, 10, 11]]
        after = [[0, 1, 2, 3], [4, 5, 7.5, 7], [8, 9, 10, 11]]
        self.until(lambda: self.values() == after, "the write by Python's process")
        self.palette("Hex")
        self.keys("ctrl+z")
        self.settle()
        self.picture(name + "-3-undone")
        self.until(lambda: self.values() == before, "the undo")
        self.palette("Heat map")
        texts, size = texts_of(self.exported("Export the heat map as PNG", "heatmap-*.png"))
        self.assertEqual(texts["Title"], "batch[:, :]")
        self.assertIn("shape (3, 4).\nRows 0 to 2 of 3, columns 0 to 3 of 4.", texts["Description"])
        self.assertIn("computed on all 12 values", texts["Description"])
        self.assertGreater(min(size), 50)
        self.picture(name + "-4-exported")
        texts, around = texts_of(self.exported("Export the heat map as a figure", "heatmap-*.png"))
        self.assertEqual(texts["Title"], "batch[:, :]")
        self.assertGreater(around[0], size[0])
        self.assertGreater(around[1], size[1], "title, axes and legend are in it")
        self.settle()
        self.picture(name + "-5-controls-again")
        self.keys("ctrl+q")
        self.assertEqual(window.wait(harness.PATIENCE), 0)

    def test_bytes_are_changed_and_exported(self):
        self.sitting("dark", "--theme", "dark")

    def test_the_same_in_the_light_at_twice_the_size(self):
        self.sitting("light-200", "--theme", "light", "--scale", "2")


if __name__ == "__main__":
    unittest.main()
