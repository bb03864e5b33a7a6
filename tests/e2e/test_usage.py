"""Wrong usage ends with 2 and one line, before anything runs."""

import py_compile
import shutil
import unittest
import zipfile

from harness import HOST_PYTHON, Case


class Usage(Case):
    def refuse(self, *arguments, words=""):
        ran = self.dlscope(*arguments)
        self.assert_exit(ran, 2)
        self.assertEqual(ran.out, "")
        self.assertEqual(len(ran.err.splitlines()), 1, ran.err)
        self.assertIn(words, ran.err)

    def test_wrong_words(self):
        script = self.write("open('ran', 'w').close()\n")
        for arguments, words in [
            (["--no-such-option", script], "--no-such-option"),
            (["--stats", "none", script], "--stats needs --headless"),
            (["--stats", "all", "--headless", script], "--stats needs none, sample or exact, not all"),
            (["--matrix", "--headless", script], "--matrix"),
            (["--headless"], "nothing to run"),
            (["--timeout", "soon", "--headless", script], "--timeout"),
            (["--timeout", "0", "--headless", script], "--timeout"),
            (["--timeout", "nan", "--headless", script], "--timeout"),
            (["--size", "big", "--screenshot", "p.png", script], "--size"),
            (["--size", "0x5", "--screenshot", "p.png", script], "--size"),
            (["--scale", "99", "--screenshot", "p.png", script], "--scale"),
            (["--layout", "none", "--screenshot", "p.png", script], "--layout"),
            (["--expect", "x equals y", script], "x equals y"),
            (["--expect", "x shares", script], "x shares"),
            (["--report"], "--report"),
            (["--report", "", script], "--report"),
            (["--report", "-c", script], "--report needs a path, not -c"),
            (["--report=", "-c", "open('ran', 'w')"], "--report needs a path"),
            (["--screenshot", "-", script], "not to standard output"),
        ]:
            with self.subTest(arguments):
                self.refuse(*arguments, words=words)
        self.assertFalse((self.folder / "ran").exists())

    def test_a_script_that_is_missing(self):
        self.refuse("--headless", self.folder / "nothing.py", words="no such script")
        self.refuse(self.folder / "nothing.py", words="no such script")
        self.refuse("--headless", self.folder, words="folder")

    def test_what_python_runs_that_is_no_text(self):
        archive = self.folder / "app.zip"
        with zipfile.ZipFile(archive, "w") as written:
            written.writestr("__main__.py", "open('ran', 'w').close()\n")
        compiled = self.folder / "app.pyc"
        py_compile.compile(str(self.write("open('ran', 'w').close()\n")), str(compiled))
        shutil.copy(archive, self.folder / "app")  # whatever its name is
        for path, words in ((archive, "zip archive"), (self.folder / "app", "zip archive"), (compiled, "compiled Python")):
            self.refuse("--headless", path, words=words)
            self.refuse(path, words=words)
        self.assertFalse((self.folder / "ran").exists())

    def test_files_that_would_overwrite_each_other(self):
        script = self.write("open('ran', 'w').close()\n")
        text = script.read_text()
        (self.folder / "link").symlink_to(script)
        self.refuse("--report", script, script, words="overwrite the script")
        self.refuse("--report", "link", script, words="overwrite the script")
        self.refuse("--screenshot", "./script.py", script, words="call it ./script.png")
        picture = self.folder / "script.png"
        script.rename(picture)
        self.refuse("--screenshot", "./script.png", picture, words="overwrite the script")
        picture.rename(script)
        self.refuse("--report", "r.png", "--screenshot", "./r.png", script, words="one file")
        self.assertEqual(script.read_text(), text)
        self.assertFalse((self.folder / "ran").exists())

    def test_a_missing_script_outranks_an_unwritable_report(self):
        self.refuse("--headless", "--report", "/no/such/folder/r.json", self.folder / "nothing.py", words="no such script")

    def test_help_and_version(self):
        for option, words in (("--help", "usage: dlscope"), ("--version", "dlscope 0.")):
            ran = self.dlscope(option)
            self.assert_exit(ran, 0)
            self.assertIn(words, ran.out)
            self.assertEqual(ran.err, "")

    def test_doctor(self):
        ran = self.dlscope("--doctor", "--python", HOST_PYTHON)
        self.assertIn(ran.code, (0, 3))
        for what in ("Python", "libpython", "host", "libraries", "memory", "GPU", "OpenGL", "shared memory"):
            self.assertRegex(ran.out, r"(?m)^(ok|--|BAD) +%s " % what)


if __name__ == "__main__":
    unittest.main()
