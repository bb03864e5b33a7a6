"""Which Python is used, and what is said when it cannot be."""

import glob
import os
import pathlib
import shutil
import subprocess
import sys
import unittest

from harness import HOST_PYTHON, Case, environment, interpreters

WHO = "import sys\nprint(sys.executable, sys.prefix, sys.base_prefix, flush=True)\nx = bytearray(4)\n"


class Choice(Case):
    def make_venv(self, name="venv", python=HOST_PYTHON):
        venv = self.folder / name
        subprocess.run([python, "-m", "venv", "--without-pip", str(venv)], check=True, env=environment())
        return venv

    def test_every_interpreter_here(self):
        for _, python in interpreters():
            with self.subTest(python):
                ran = self.run_script(WHO, python=python)
                self.assert_exit(ran, 0)
                expected = subprocess.run(
                    [python, str(self.folder / "script.py")], stdout=subprocess.PIPE, text=True, env=environment()
                ).stdout
                self.assertTrue(ran.out.startswith(expected), (ran.out, expected))
                self.assertEqual(ran.tensor("x")["nbytes"], 4)

    def test_a_venv_by_folder_and_by_executable(self):
        venv = self.make_venv()
        for given in (venv, venv / "bin" / "python"):
            ran = self.run_script(WHO, python=given)
            self.assert_exit(ran, 0)
            self.assertEqual(ran.report["python"]["prefix"], str(venv))
            self.assertEqual(pathlib.Path(ran.report["python"]["executable"]).parent, venv / "bin")

    def run_default(self, **changes):
        script = self.write(WHO)
        return self.dlscope("--headless", "--report", self.report_path, script, env=environment(**changes))

    def test_the_active_environment(self):
        venv = self.make_venv()
        for name in ("VIRTUAL_ENV", "CONDA_PREFIX"):
            with self.subTest(name):
                ran = self.run_default(**{name: str(venv)})
                self.assert_exit(ran, 0)
                self.assertEqual(ran.report["python"]["prefix"], str(venv))
                self.assertIn("$" + name, ran.err)

    def test_dot_venv_of_this_user(self):
        venv = self.make_venv(".venv")
        ran = self.run_default()
        self.assert_exit(ran, 0)
        self.assertEqual(ran.report["python"]["prefix"], str(venv))
        self.assertIn("./.venv", ran.err)

    @unittest.skipUnless(os.geteuid() == 0, "only root can give a folder away")
    def test_dot_venv_of_somebody_else(self):
        venv = self.make_venv(".venv")
        os.chown(venv, 65534, 65534)
        ran = self.run_default(PATH=os.path.dirname(HOST_PYTHON) + ":" + os.environ["PATH"])
        self.assert_exit(ran, 0)
        self.assertNotEqual(ran.report["python"]["prefix"], str(venv))
        self.assertIn("belongs to another user", ran.err)

    def test_python3_on_path(self):
        ran = self.run_default(PATH=os.path.dirname(HOST_PYTHON) + ":/usr/bin:/bin")
        self.assert_exit(ran, 0)
        self.assertIn("python3 on PATH", ran.err)


class Refusals(Case):
    def refuse(self, python, *words):
        ran = self.run_script("open('ran', 'w').close()\n", python=python)
        self.assert_exit(ran, 3)
        self.assertFalse((self.folder / "ran").exists())
        self.assertEqual(ran.script["outcome"], "not_run")
        for word in words:
            self.assertIn(word, ran.said[-1])
        return ran

    def test_missing(self):
        self.refuse(self.folder / "none" / "python", "does not exist")
        self.refuse("no-such-python-anywhere", "PATH")

    def test_not_a_python(self):
        self.refuse("/bin/true", "/bin/true")

    def test_no_python_at_all(self):
        script = self.write("pass\n")
        ran = self.dlscope("--headless", script, env=environment(PATH="/nowhere"))
        self.assert_exit(ran, 3)
        self.assertIn("no Python was found", ran.said[-1])

    def fake_venv(self, home, link):
        venv = self.folder / "venv"
        (venv / "bin").mkdir(parents=True)
        (venv / "pyvenv.cfg").write_text("home = %s\nversion = 3.11.7\n" % home)
        (venv / "bin" / "python").symlink_to(link)
        return venv

    def test_a_venv_whose_python_is_gone(self):
        venv = self.fake_venv("/usr/bin", self.folder / "gone" / "python3")
        self.refuse(venv, "broken", "gone", "-m venv --clear")

    def test_a_venv_whose_home_is_gone(self):
        venv = self.fake_venv(self.folder / "gone", os.path.realpath(HOST_PYTHON))
        self.refuse(venv, "broken", "gone", "-m venv --clear")

    def test_an_interpreter_that_never_answers(self):
        fake = self.write("#!/bin/sh\nexit 9\n", "python")
        fake.chmod(0o755)
        self.refuse(fake, "cannot start", "9")

    def test_old_pythons(self):
        old = sorted(glob.glob(os.path.expanduser("~/.pyenv/versions/2.7*/bin/python")))
        old += sorted(glob.glob(os.path.expanduser("~/.pyenv/versions/3.8*/bin/python")))
        if not old:
            self.skipTest("no Python older than 3.9 here")
        for python in old:
            with self.subTest(python):
                self.refuse(python, "3.9 or newer")

    def test_a_free_threaded_build(self):
        fake = self.write(
            """\
            #!/bin/sh
            printf 'dlscope\\0/x/python\\0cpython\\0003.13.0\\0/x\\0\\0\\0\\0\\0\\0\\0001\\0'
            """,
            "python",
        )
        fake.chmod(0o755)
        self.refuse(fake, "free-threaded")

    def test_a_host_that_dies_while_it_starts(self):
        venv = self.folder / "venv"
        subprocess.run([HOST_PYTHON, "-m", "venv", "--without-pip", str(venv)], check=True, env=environment())
        (site,) = venv.glob("lib/python3.*/site-packages")
        (site / "dies.pth").write_text("import os; os._exit(9)\n")  # Debian has a sitecustomize of its own, which comes first
        self.refuse(venv, "before it was ready", "9")

    def test_a_program_that_is_no_python(self):
        ran = self.dlscope("--headless", "--python", "/bin/ls", self.write("pass\n"))
        self.assert_exit(ran, 3)
        self.assertEqual(ran.said, ["dlscope: /bin/ls is not a Python interpreter"])

    def test_a_package_of_another_place(self):
        script = self.write("pass\n")
        ran = self.dlscope("--headless", "--python", HOST_PYTHON, script, env=environment(DLSCOPE_PYTHON_DIR=str(self.folder)))
        self.assert_exit(ran, 3)
        self.assertIn("DLSCOPE_PYTHON_DIR", ran.said[-1])


class StaticInterpreter(Case):
    def test_it_is_its_own_host(self):
        """Debian's python3 is static; its libpython is another package, which has to be out of sight here."""
        python = "/usr/bin/python3"
        question = "import sys; print(any('libpython' in line for line in open('/proc/self/maps')))"
        if not os.path.exists(python):
            self.skipTest("no /usr/bin/python3")
        answer = subprocess.run([python, "-I", "-c", question], stdout=subprocess.PIPE, text=True)
        if answer.stdout.strip() != "False":
            self.skipTest("/usr/bin/python3 is not static")
        # What dlscope asks with -I -S is answered by a script that leaves the library's name out.
        real = os.path.realpath(python)
        shim = self.folder / "python3"
        shim.write_text(
            '#!/bin/sh\nif [ "$1" = -I ]; then\n  printf \'dlscope\\0%s\\0cpython\\0003.11.2\\0/usr\\0\\0\\0\\0\\0\\0\\0\\0\'\nelse\n'
            '  exec "%s" "$@"\nfi\n' % (real, real)
        )
        shim.chmod(0o755)
        ran = self.run_script(WHO + "import sys\nassert sys.argv[1:] == ['a']\n", python=shim, arguments=["a"])
        self.assert_exit(ran, 0)
        self.assertEqual(ran.tensor("x")["nbytes"], 4)
        self.assertIn(real, ran.out)


if __name__ == "__main__":
    unittest.main()
