"""How Python is taken down after a script: as at the end of `python SCRIPT`."""

import gzip
import subprocess
import unittest
import zipfile

from harness import HOST_PYTHON, Case, environment, has_module


class Leaving(Case):
    def test_files_left_open_are_written(self):
        ran = self.run_script(
            """\
            import gzip, zipfile
            plain = open("plain.txt", "w")
            plain.write("text")
            def keeps_the_names_alive(): return plain
            packed = gzip.open("packed.gz", "wb")
            packed.write(b"text")
            archive = zipfile.ZipFile("archive.zip", "w")
            archive.writestr("entry", "text")
            """
        )
        self.assert_exit(ran, 0)
        self.assertEqual((self.folder / "plain.txt").read_text(), "text")
        self.assertEqual(gzip.open(self.folder / "packed.gz").read(), b"text")
        self.assertEqual(zipfile.ZipFile(self.folder / "archive.zip").read("entry"), b"text")

    @unittest.skipUnless(has_module("h5py"), "no h5py")
    def test_an_hdf5_file_left_open_is_written(self):
        ran = self.run_script("import h5py\nfile = h5py.File('x.h5', 'w')\nfile['x'] = [1, 2]\n")
        self.assert_exit(ran, 0)
        self.assert_exit(self.run_script("import h5py\nassert list(h5py.File('x.h5')['x']) == [1, 2]\n"), 0)

    def test_temporary_files_are_removed(self):
        text = "import tempfile\nfile = tempfile.NamedTemporaryFile(dir='.')\nfolder = tempfile.TemporaryDirectory(dir='.')\n"
        self.assert_exit(self.run_script(text), 0)
        self.assertEqual(sorted(path.name for path in self.folder.iterdir()), ["report.json", "script.py"])

    def test_objects_go_in_the_order_python_has(self):
        script = self.write(
            """\
            import atexit, weakref
            class Says:
                def __init__(self, name): self.name = name
                def __del__(self): print("gone:", self.name, flush=True)
            def keeps_the_names_alive(): return first
            first, _second, third = Says("first"), Says("_second"), Says("third")
            circle = Says("circle")
            circle.me = circle
            weakref.finalize(third, print, "gone: watched", flush=True)
            atexit.register(print, "gone: atexit", flush=True)
            """
        )
        python = subprocess.run([HOST_PYTHON, script], env=environment(), stdout=subprocess.PIPE, text=True).stdout.splitlines()
        ran = self.dlscope("--headless", "--python", HOST_PYTHON, script)
        self.assertEqual([line for line in ran.out.splitlines() if line.startswith("gone:")], python)
        self.assertEqual(len(python), 6)

    def test_an_exception_in_a_destructor_is_told_and_changes_nothing(self):
        ran = self.run_script("class Bad:\n    def __del__(self): raise ValueError('of Bad')\nbad = Bad()\n")
        self.assert_exit(ran, 0)
        self.assertIn("ValueError: of Bad", ran.err)
        self.assertEqual(ran.script["outcome"], "finished")

    def test_a_destructor_that_hangs_is_ended_by_the_time_limit(self):
        ran = self.run_script("import time\nclass Slow:\n    def __del__(self): time.sleep(600)\nslow = Slow()\n", "--timeout", "0.5")
        self.assert_exit(ran, 124)
        self.assertEqual(ran.report["scanned"], "end")

    def test_a_forked_child_that_falls_off_the_end(self):
        ran = self.run_script(
            """\
            import os
            pid = os.fork()
            if pid == 0:
                left_open = open("child.txt", "w")
                left_open.write("text")
                raise SystemExit(7)
            print("child left with", os.waitpid(pid, 0)[1] >> 8)
            """
        )
        self.assert_exit(ran, 0)
        self.assertIn("child left with 7", ran.out)
        self.assertEqual((self.folder / "child.txt").read_text(), "text")


if __name__ == "__main__":
    unittest.main()

