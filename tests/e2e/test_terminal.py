"""Headless in a real terminal: input() works although the host is a process group of its own, Ctrl-C ends with 130."""

import os
import pty
import select
import time
import unittest

from harness import HOST_PYTHON, PATIENCE, PROGRAM, Case, environment


class Terminal(Case):
    def begin(self, text, *options):
        script = self.write(text)
        pid, fd = pty.fork()
        if pid == 0:
            os.chdir(self.folder)
            os.execve(PROGRAM, [str(PROGRAM), "--headless", "--python", HOST_PYTHON, *options, str(script)], environment())
        self.seen = b""
        self.addCleanup(os.close, fd)
        return pid, fd

    def read_until(self, fd, words):
        deadline = time.monotonic() + PATIENCE
        while words not in self.seen:
            if time.monotonic() > deadline:
                self.fail("%r never came: %r" % (words, self.seen))
            if select.select([fd], [], [], 1)[0]:
                try:
                    self.seen += os.read(fd, 4096)
                except OSError:
                    self.fail("ended before %r: %r" % (words, self.seen))

    def code_of(self, pid, fd):
        deadline = time.monotonic() + PATIENCE
        while time.monotonic() < deadline:
            if select.select([fd], [], [], 0.05)[0]:
                try:
                    self.seen += os.read(fd, 4096)
                except OSError:
                    pass
            ended, status = os.waitpid(pid, os.WNOHANG)
            if ended:
                return os.waitstatus_to_exitcode(status)
        os.kill(pid, 9)
        os.waitpid(pid, 0)
        self.fail("it did not end: %r" % self.seen)

    def test_input(self):
        pid, fd = self.begin("name = input('who? ')\nprint('hello', name.upper())\n")
        self.read_until(fd, b"who? ")
        os.write(fd, b"ada\n")
        self.assertEqual(self.code_of(pid, fd), 0, self.seen)
        self.assertIn(b"hello ADA", self.seen)

    def test_ctrl_c_in_a_loop(self):
        pid, fd = self.begin("print('go', flush=True)\nwhile True: pass\n")
        self.read_until(fd, b"go")
        os.write(fd, b"\x03")
        self.assertEqual(self.code_of(pid, fd), 130, self.seen)

    def test_ctrl_c_at_input(self):
        pid, fd = self.begin("input('who? ')\n")
        self.read_until(fd, b"who? ")
        time.sleep(0.3)  # so that the terminal has been handed over; before that the answer is the same
        os.write(fd, b"\x03")
        self.assertEqual(self.code_of(pid, fd), 130, self.seen)

    def test_the_terminal_comes_back(self):
        report = str(self.report_path)
        script = self.write("input('who? ')\n")
        pid, fd = pty.fork()
        if pid == 0:
            os.chdir(self.folder)
            # read -r works only in the foreground: the shell is there again after the run
            command = '"$0" --headless --python "$1" --report "$2" "$3"; echo "code $?"; read -r line; echo "read $line"'
            os.execve("/bin/sh", ["sh", "-c", command, str(PROGRAM), HOST_PYTHON, report, str(script)], environment())
        self.seen = b""
        self.addCleanup(os.close, fd)
        self.read_until(fd, b"who? ")
        os.write(fd, b"x\n")
        self.read_until(fd, b"code 0")
        os.write(fd, b"again\n")
        self.read_until(fd, b"read again")
        self.assertEqual(self.code_of(pid, fd), 0)


if __name__ == "__main__":
    unittest.main()
