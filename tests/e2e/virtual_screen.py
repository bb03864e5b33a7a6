"""A virtual display (Xvfb) whose pixels can be read and whose mouse and keyboard can be moved, and a dlscope window on it."""

import os
import shutil
import signal
import struct
import subprocess
import time
import unittest
import zlib

import harness

WIDTH, HEIGHT = 1600, 1000


class Picture:
    """What the screen shows now. Colours are 0xRRGGBB; a box is (left, top, right, bottom) in pixels."""

    def __init__(self, dump):
        fields = struct.unpack(">25I", dump[:100])  # XWDFileHeader of X11/XWDFile.h
        header, self.width, self.height, self.row, colours = fields[0], fields[4], fields[5], fields[12], fields[19]
        if fields[11] != 32 or fields[7] != 0:
            raise AssertionError("the framebuffer has another form than 32 bits, lowest byte first")
        self.bytes = dump[header + colours * 12:]

    def line(self, box, y):
        return self.bytes[y * self.row + box[0] * 4:y * self.row + box[2] * 4]

    def count(self, colour, box):
        """How many pixels of exactly that colour."""
        return sum(len(list(self._places(self.line(box, y), colour))) for y in range(box[1], box[3]))

    def find(self, colour, box):
        """The first run of ten such pixels, as the place of its middle; None without one."""
        run = struct.pack("<I", colour)[:3]
        for y in range(box[1], box[3]):
            line = self.line(box, y)
            for x in range(0, len(line) - 40, 4):
                if all(line[x + 4 * k:x + 4 * k + 3] == run for k in range(10)):
                    return box[0] + x // 4 + 5, y
        return None

    def has_text(self, box):
        """Letters have smooth edges; the empty screen and a window that is not drawn yet have two colours at most."""
        pixels = b"".join(self.line(box, y) for y in range(box[1], box[3]))
        return len(set(struct.unpack("<%dI" % (len(pixels) // 4), pixels))) > 8

    def differs(self, other, box):
        return sum(self.line(box, y) != other.line(box, y) for y in range(box[1], box[3]))

    def png(self):
        """As the bytes of a PNG file."""
        rows = bytearray()
        for y in range(self.height):
            row = self.line((0, 0, self.width, self.height), y)
            rows.append(0)
            colours = bytearray(self.width * 3)
            colours[0::3], colours[1::3], colours[2::3] = row[2::4], row[1::4], row[0::4]
            rows += colours

        def chunk(kind, data):
            return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

        head = struct.pack(">IIBBBBB", self.width, self.height, 8, 2, 0, 0, 0)
        return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(bytes(rows), 6)) + chunk(b"IEND", b"")

    @staticmethod
    def _places(line, colour):
        wanted = struct.pack("<I", colour)[:3]
        at = line.find(wanted)
        while at >= 0:
            if at % 4 == 0:
                yield at
            at = line.find(wanted, at + 1)


@unittest.skipUnless(shutil.which("Xvfb") and shutil.which("xdotool"), "needs Xvfb and xdotool")
class WindowCase(harness.Case):
    python = harness.HOST_PYTHON
    pictures = ""  # how the names of picture() begin

    def setUp(self):
        super().setUp()
        read_end, write_end = os.pipe()
        # -noreset: without it the server starts anew when a search for the window ends before the window has connected.
        self.server = subprocess.Popen(
            ["Xvfb", "-noreset", "-displayfd", str(write_end), "-screen", "0", "%dx%dx24" % (WIDTH, HEIGHT), "-fbdir", str(self.folder)],
            pass_fds=[write_end], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.addCleanup(self.stop, self.server)
        os.close(write_end)
        with os.fdopen(read_end) as pipe:
            number = pipe.readline().strip()
        self.env = harness.environment(DISPLAY=":" + number, WAYLAND_DISPLAY=None, XDG_STATE_HOME=str(self.folder / "state"),
                                       XDG_CONFIG_HOME=str(self.folder / "config"))

    @staticmethod
    def stop(process):
        if process.poll() is None:
            process.send_signal(signal.SIGKILL)
        process.wait()

    def open(self, script, *options):
        """A window with that script (text, or the path of a file) loaded and the keyboard in it."""
        path = script
        if isinstance(script, str):
            path = self.folder / "script.py"
            path.write_text(script)
        size = "%dx%d" % (WIDTH, HEIGHT)
        errors = self.folder / "window.err"
        with errors.open("w") as stderr:
            window = subprocess.Popen([harness.PROGRAM, "--python", self.python, "--size", size, *options, path], env=self.env,
                                      cwd=self.folder, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=stderr)
        self.addCleanup(self.stop, window)

        def found_window():
            self.assertIsNone(window.poll(), errors.read_text())
            return (self.xdotool("search", "--onlyvisible", "--pid", str(window.pid)) or
                    self.xdotool("search", "--onlyvisible", "--name", "dlscope"))

        found = self.until(found_window, "the window")
        self.ours = found.split()[0]
        self.xdotool("windowmove", self.ours, "0", "0")
        self.focus_ours()
        self.until(lambda: self.screen().has_text((0, 0, WIDTH // 2, 50)), "the menu")  # before, a click meets nothing
        return window

    def focus_ours(self):
        """Gives dlscope's window the keyboard: there is no window manager to do it by a click."""
        self.xdotool("windowfocus", self.ours)

    def xdotool(self, *arguments):
        return subprocess.run(["xdotool", *arguments], env=self.env, capture_output=True, text=True).stdout.strip()

    def keys(self, *chords):
        for chord in chords:
            self.xdotool("key", chord)
            time.sleep(0.1)

    def type(self, text):
        self.xdotool("type", "--delay", "60", text)

    def move(self, x, y):
        self.xdotool("mousemove", str(x), str(y))
        time.sleep(0.1)

    def click(self, x, y):
        self.move(x, y)
        for action in ("mousedown", "mouseup"):
            self.xdotool(action, "1")
            time.sleep(0.15)

    def palette(self, text):
        """Carries out the first thing that the command palette finds."""
        self.keys("ctrl+shift+p")
        self.type(text)
        self.settle()
        self.keys("Return")
        self.settle()

    def settle(self):
        """Until the screen stands still."""
        last = [None]

        def still():
            now = self.screen().bytes
            same, last[0] = now == last[0], now
            return same

        self.until(still, "a screen that stands still")

    def picture(self, name):
        """Stays in the build folder, to be looked at."""
        self.settle()
        self.keep_picture(name)

    def keep_picture(self, name):
        """As it is now; returns the file."""
        folder = harness.BUILD / "pictures"
        folder.mkdir(exist_ok=True)
        file = folder / ("%s-%s.png" % (self.pictures or self.id(), name))
        file.write_bytes(self.screen().png())
        return file

    def screen(self):
        return Picture((self.folder / "Xvfb_screen0").read_bytes())

    def until(self, condition, what="something"):
        give_up = time.monotonic() + harness.PATIENCE
        while time.monotonic() < give_up:
            value = condition()
            if value:
                return value
            time.sleep(0.1)
        self.fail("waited in vain for %s; the screen: %s" % (what, self.keep_picture("failed")))
