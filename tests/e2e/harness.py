"""What the end-to-end tests share: starting the built dlscope on scripts of their own and reading what it leaves behind.

Standard library only; tensors come from builtins (array, memoryview), so that every Python can be the host.
"""

import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import textwrap
import unittest
from concurrent.futures import ThreadPoolExecutor, as_completed

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "embed" / "support"))
from each_python import interpreters  # noqa: E402, F401: for the tests

BUILD = pathlib.Path(os.environ["DLSCOPE_BUILD_DIR"])
PROGRAM = pathlib.Path(os.environ.get("DLSCOPE_PROGRAM") or BUILD / "dlscope")  # the installed one: installed.py
HOST_PYTHON = os.environ.get("DLSCOPE_TEST_PYTHON") or sys.executable
SPIN_LIBRARY = BUILD / "tests" / "libe2e_spin.so"  # spin(): a loop in C that nothing but a signal's default action ends
STALL_LIBRARY = BUILD / "tests" / "libe2e_stall.so"  # for LD_PRELOAD: a call that E2E_STALLS names does not return

PATIENCE = 240  # seconds until a test gives up on the program; nothing is measured with it
_SIDE_BY_SIDE = 8  # tests of one file at the same time, where they only wait


class Ran:
    """A finished dlscope: code, out, err as text, report as parsed JSON or None."""

    def __init__(self, code, out, err, report):
        self.code, self.out, self.err, self.report = code, out, err, report

    @property
    def said(self):
        """dlscope's own lines on standard error, without the one that names the interpreter."""
        lines = [line for line in self.err.splitlines() if line.startswith("dlscope: ")]
        return [line for line in lines if not line.startswith("dlscope: Python ")]

    @property
    def script(self):
        return self.report["script"]

    def tensor(self, name):
        for tensor in self.report["tensors"]:
            if name in tensor["names"]:
                return tensor
        raise AssertionError("no tensor %r in %r" % (name, [t["name"] for t in self.report["tensors"]]))


def environment(**changes):
    env = {key: value for key, value in os.environ.items() if not key.startswith(("PYTHON", "VIRTUAL_ENV", "CONDA_PREFIX"))}
    for key, value in changes.items():
        if value is None:
            env.pop(key, None)
        else:
            env[key] = value
    return env


def line_of(text, part):
    """The number of the first line that holds `part`."""
    return next(i for i, line in enumerate(text.splitlines(), 1) if part in line)


def has_module(name, python=HOST_PYTHON):
    code = "import importlib.util, sys; sys.exit(importlib.util.find_spec(%r) is None)" % name
    return subprocess.run([python, "-c", code], env=environment()).returncode == 0


def picture_folder():
    """Where pictures stay to be looked at."""
    folder = BUILD / "pictures"
    folder.mkdir(exist_ok=True)
    return folder


class Case(unittest.TestCase):
    python = HOST_PYTHON

    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="dlscope-e2e-"))
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)
        self.report_path = self.folder / "report.json"

    def write(self, text, name="script.py"):
        path = self.folder / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(textwrap.dedent(text))
        return path

    def start(self, *arguments, **how):
        """Starts the program; the caller waits for it."""
        how.setdefault("stdin", subprocess.DEVNULL)
        how.setdefault("stdout", subprocess.PIPE)
        how.setdefault("stderr", subprocess.PIPE)
        how.setdefault("env", environment())
        how.setdefault("cwd", self.folder)
        process = subprocess.Popen([str(PROGRAM), *map(str, arguments)], **how)
        self.addCleanup(self._end, process)
        return process

    @staticmethod
    def _end(process):
        if process.poll() is None:
            process.kill()
        process.wait()
        for stream in (process.stdin, process.stdout, process.stderr):
            if stream:
                stream.close()

    def finish(self, process):
        out, err = process.communicate(timeout=PATIENCE)
        report = json.loads(self.report_path.read_text()) if self.report_path.exists() else None
        return Ran(process.returncode, (out or b"").decode(errors="replace"), (err or b"").decode(errors="replace"), report)

    def dlscope(self, *arguments, **how):
        return self.finish(self.start(*arguments, **how))

    def run_script(self, text, *options, arguments=(), python=None, **how):
        """Headless, with a report; options go before the script, arguments behind it."""
        script = self.write(text)
        return self.dlscope("--headless", "--python", python or self.python, "--report", self.report_path, *options, script, *arguments, **how)

    def assert_exit(self, ran, code):
        self.assertEqual(ran.code, code, "standard error was:\n%s\nstandard output was:\n%s" % (ran.err, ran.out))


def in_each_python(case):
    """A class decorator: the class once for each interpreter that is found, instead of once with the default one."""
    made = [type("%s_%s" % (case.__name__, version.replace(".", "_")), (case,), {"python": python, "__module__": case.__module__})
            for version, python in interpreters()]
    for one in made[:-1]:
        setattr(sys.modules[case.__module__], one.__name__, one)
    return made[-1] if made else case  # the name in the module


class _Recorder(unittest.TestResult):
    """Notes what happens to one test, so that it can be reported when the test is over."""

    def __init__(self):
        super().__init__()
        self.calls = []

    def report_to(self, result, test):
        result.startTest(test)
        for method, arguments in self.calls:
            getattr(result, method)(*arguments)
        result.stopTest(test)


for _method in ("addSuccess", "addError", "addFailure", "addSkip", "addExpectedFailure", "addUnexpectedSuccess", "addSubTest"):
    setattr(_Recorder, _method, lambda self, *arguments, _method=_method: self.calls.append((_method, arguments)))


class _SideBySide(unittest.TestSuite):
    """Runs its tests in threads, each with a program of its own: for tests that wait more than they compute."""

    def run(self, result, debug=False):
        def run_one(test):
            recorder = _Recorder()
            test.run(recorder)
            return recorder

        with ThreadPoolExecutor(_SIDE_BY_SIDE) as threads:
            running = {threads.submit(run_one, test): test for test in _tests_in(self)}
            for done in as_completed(running):
                done.result().report_to(result, running[done])
        return result


def _tests_in(suite):
    for each in suite:
        if isinstance(each, unittest.TestSuite):
            yield from _tests_in(each)
        else:
            yield each


def main_side_by_side():
    """unittest.main(), with all tests of the file at the same time, as many as _SIDE_BY_SIDE."""

    class Loader(unittest.TestLoader):
        def loadTestsFromModule(self, module, *arguments, **keywords):
            return _SideBySide(super().loadTestsFromModule(module, *arguments, **keywords))

        def loadTestsFromNames(self, names, module=None):
            return _SideBySide(super().loadTestsFromNames(names, module))

    unittest.main(testLoader=Loader())


def wait_for_file(path, process):
    """Until a script has created the file; fails when the program ends before."""
    import time

    while not path.exists():
        if process.poll() is not None:
            raise AssertionError("dlscope ended with %d before the script got there: %s" % (process.returncode, process.stderr.read()))
        time.sleep(0.02)


if __name__ == "__main__":
    sys.exit("run a test file")
