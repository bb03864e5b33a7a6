"""What pip installs: the wheel itself, every Python it goes into, which one the command embeds, and what stays behind."""

import hashlib
import os
import pathlib
import re
import subprocess
import sys
import unittest
import zipfile

import installed
from harness import Case, environment
from test_interpreters import interpreters

WHEEL = installed.wheel()
LARGEST = 20_000_000
ALLOWED_LIBRARIES = re.compile(r"(libc|libm|libdl|libpthread|librt|libgcc_s|ld-linux-[\w-]+)\.so\.\d+\Z")
OLDEST_GLIBC = (2, 34)

IN_IT = """
import array, sys, dlscope
x = array.array("d", [1, 2, 3])
assert dlscope.overlap(x, memoryview(x)[1:])["relation"] == "contains"
assert "/site-packages/dlscope/" in dlscope.__file__ and sys.prefix in dlscope.__file__, dlscope.__file__
print(dlscope.__version__)
"""

WHO = """
import os, sys
print(sys.prefix, [name for name in ("DLSCOPE_INSTALLED_FOR", "DLSCOPE_RUN_BY") if name in os.environ], flush=True)
import dlscope
x = bytearray(64)
y = memoryview(x)[32:]
"""

# What a spawned child imports, it finds by itself.
SPAWNS = """
import multiprocessing
def relation(_):
    import dlscope
    x = bytearray(8)
    return dlscope.overlap(x, x)["relation"]
if __name__ == "__main__":
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        print(pool.map(relation, [0]), flush=True)
"""


def tree(folder):
    """Every file below it with its content."""
    return {str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest()
            for path in sorted(folder.rglob("*")) if path.is_file()}


def site_packages(venv):
    (found,) = venv.glob("lib/python3.*/site-packages")
    return found


class Installed(Case):
    @classmethod
    def setUpClass(cls):
        cls.venv = installed.shared_environment()

    def run_in(self, venv, *command, code=0, **changes):
        ran = subprocess.run([str(venv / "bin" / command[0]), *map(str, command[1:])], stdin=subprocess.DEVNULL, text=True,
                             capture_output=True, cwd=self.folder, env=environment(**changes))
        self.assertEqual(ran.returncode, code, "%s\n%s%s" % (command, ran.stdout, ran.stderr))
        return ran

    def second(self, name, python=sys.executable):
        """Another environment with the wheel in it."""
        venv = installed.new_environment(self.folder / name, python)
        installed.pip(venv, "install", "--no-index", WHEEL)
        return venv

    def test_the_wheel(self):
        self.assertRegex(WHEEL.name, r"\Adlscope-[\d.]+-cp39-abi3-manylinux_2_(2\d|3[0-4])_\w+\.whl\Z")
        self.assertLess(WHEEL.stat().st_size, LARGEST)
        with zipfile.ZipFile(WHEEL) as wheel:
            names = set(wheel.namelist())
            for name in ("__init__.py", "__init__.pyi", "__main__.py", "py.typed", "_dlscope.abi3.so", "_app/dlscope", "_app/dlscope-host",
                         "_app/assets/samples/tour.py", "_app/licenses/dear-imgui.txt", "_app/licenses/glfw.txt"):
                self.assertIn("dlscope/" + name, names)
            tops = {name.partition("/")[0] for name in names}
            self.assertEqual({re.sub(r"-[\d.]+(?=\.dist-info$)", "", top) for top in tops}, {"dlscope", "dlscope.dist-info"})
            self.assertFalse([name for name in names if "__pycache__" in name])
            for name in ("dlscope/_dlscope.abi3.so", "dlscope/_app/dlscope", "dlscope/_app/dlscope-host"):
                self.check_binary(pathlib.Path(wheel.extract(name, self.folder)))

    def check_binary(self, path):
        def readelf(*what):
            return subprocess.run(["readelf", "--wide", *what, str(path)], check=True, stdout=subprocess.PIPE, text=True).stdout
        needed = re.findall(r"\(NEEDED\).*\[(.*)\]", readelf("-d"))
        self.assertIn("libc.so.6", needed)
        self.assertEqual([library for library in needed if not ALLOWED_LIBRARIES.match(library)], [])
        versions = re.findall(r"Name: ([A-Z]+)_([\d.]+)", readelf("-V"))
        self.assertIn("GLIBC", [who for who, _ in versions])
        for who, version in versions:
            self.assertIn(who, ("GLIBC", "GCC"))
            if who == "GLIBC":
                self.assertLessEqual(tuple(map(int, version.split("."))), OLDEST_GLIBC, path.name)

    def test_every_python(self):
        script = self.write(WHO)
        for _, python in interpreters():
            with self.subTest(python):
                venv = installed.new_environment(self.folder / "venv", python)
                before = tree(site_packages(venv)), sorted(os.listdir(venv / "bin"))
                installed.pip(venv, "install", "--no-index", WHEEL)
                version = self.run_in(venv, "python", "-c", IN_IT).stdout.strip()
                for command in (["dlscope"], ["python", "-m", "dlscope"]):
                    self.assertIn(version, self.run_in(venv, *command, "--version").stdout)
                ran = self.run_in(venv, "dlscope", "--headless", script)
                self.assertIn("%s []" % venv, ran.stdout)
                self.assertIn("dlscope is installed in it", ran.stderr)
                self.assertRegex(ran.stdout, r"\by\b")
                installed.pip(venv, "uninstall", "--yes", "dlscope")
                self.assertEqual((tree(site_packages(venv)), sorted(os.listdir(venv / "bin"))), before)

    def test_which_python_is_embedded(self):
        script = self.write(WHO)
        other = installed.new_environment(self.folder / "other")
        headless = ("--headless", script)
        ran = self.run_in(self.venv, "dlscope", *headless, VIRTUAL_ENV=str(other))
        self.assertIn("%s []" % other, ran.stdout)
        ran = self.run_in(self.venv, "python", "-m", "dlscope", *headless, VIRTUAL_ENV=str(other))
        self.assertIn("%s []" % self.venv, ran.stdout)
        ran = self.run_in(self.venv, "python", "-m", "dlscope", "--python", other, *headless)
        self.assertIn("%s []" % other, ran.stdout)
        os.rename(other, self.folder / ".venv")
        ran = self.run_in(self.venv, "dlscope", *headless)
        self.assertIn("%s []" % (self.folder / ".venv"), ran.stdout)

    def test_nothing_is_written_into_the_package(self):
        script = self.write(SPAWNS)
        package = site_packages(self.venv) / "dlscope"
        before = tree(package)
        self.assertIn("['identical']", self.run_in(self.venv, "dlscope", "--headless", script).stdout)
        self.run_in(self.venv, "dlscope", "--doctor")
        for _, python in interpreters():
            self.run_in(self.venv, "dlscope", "--headless", "--python", python, "-c", "x = bytearray(8)")
        self.assertEqual(tree(package), before)

    def test_a_different_python_sees_nothing_of_this_one(self):
        (site_packages(self.venv) / "only_here.py").write_text("")
        self.addCleanup((site_packages(self.venv) / "only_here.py").unlink)
        other = installed.new_environment(self.folder / "other")
        script = self.write("import dlscope, sys\nprint(any('%s' in p for p in sys.path))\nimport only_here\n" % self.venv)
        ran = self.run_in(self.venv, "dlscope", "--headless", "--python", other, script, code=1)
        self.assertIn("False", ran.stdout)
        self.assertIn("only_here", ran.stderr + ran.stdout)

    def test_a_second_copy(self):
        other = self.second("other")
        (site_packages(other) / "dlscope" / "__init__.py").write_text("raise ImportError('the other one')\n")
        ran = self.run_in(self.venv, "dlscope", "--headless", "--python", other, self.write(WHO))
        self.assertIn("%s []" % other, ran.stdout)
        doctor = self.run_in(self.venv, "dlscope", "--doctor", "--python", other).stdout
        self.assertRegex(doctor, r"other copy .*%s/lib/" % re.escape(str(other)))

    def test_a_second_copy_that_was_there_first(self):
        other = self.second("other")
        (site_packages(other) / "at_start.pth").write_text("import dlscope\n")
        ran = self.run_in(self.venv, "dlscope", "--headless", "--python", other, self.write(WHO), code=3)
        self.assertIn("another copy of the package dlscope", ran.stderr)
        self.assertIn(str(other), ran.stderr)
        # The one it belongs to is no second copy.
        self.assertIn("%s []" % other, self.run_in(other, "dlscope", "--headless", self.write(WHO)).stdout)

    def test_the_doctor_says_where_everything_lies(self):
        doctor = self.run_in(self.venv, "dlscope", "--doctor").stdout
        package = site_packages(self.venv) / "dlscope"
        self.assertRegex(doctor, r"ok +program .*build \d.*%s/_app/dlscope-host.*%s\b" % (package, package))
        self.assertRegex(doctor, r"ok +host +starts, of the same build")
        self.assertNotIn("other copy", doctor)

    def test_an_installation_with_a_part_missing(self):
        other = self.second("other")
        program = site_packages(other) / "dlscope" / "_app" / "dlscope"
        program.unlink()
        ran = self.run_in(other, "dlscope", "--version", code=3)
        self.assertIn("install the package again", ran.stderr)


if __name__ == "__main__":
    unittest.main()
