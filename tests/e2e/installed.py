"""Runs a test script of this folder against an installed copy: installed.py test_outcomes.py [unittest's options]

The wheel (DLSCOPE_TEST_WHEEL, made by scripts/test) is installed by pip into an environment of its own, once for all scripts.
Without a wheel the test is skipped: exit code 77.
"""

import fcntl
import hashlib
import os
import pathlib
import shutil
import subprocess
import sys


def wheel():
    path = os.environ.get("DLSCOPE_TEST_WHEEL")
    if not path:
        print("DLSCOPE_TEST_WHEEL names no wheel: scripts/test makes one, or scripts/wheel")
        sys.exit(77)
    return pathlib.Path(path)


def clean_environment():
    return {key: value for key, value in os.environ.items() if not key.startswith(("PYTHON", "VIRTUAL_ENV", "CONDA_PREFIX", "PIP_"))}


def new_environment(venv, python=sys.executable):
    shutil.rmtree(venv, ignore_errors=True)
    subprocess.run([python, "-m", "venv", "--without-pip", str(venv)], check=True, env=clean_environment())
    return venv


def pip(venv, *arguments):
    """This Python's pip at work on another environment. Its index is not asked: there is nothing to install but the wheel."""
    subprocess.run([sys.executable, "-m", "pip", "--python", str(venv / "bin" / "python"), "--quiet", "--disable-pip-version-check",
                    *map(str, arguments)], check=True, env=clean_environment())


def shared_environment():
    """The environment the scripts share, made by the first that comes."""
    path = wheel()
    home = pathlib.Path(os.environ["DLSCOPE_BUILD_DIR"]) / "installed"
    home.mkdir(exist_ok=True)
    key = hashlib.sha256(path.read_bytes()).hexdigest()
    with open(home / "lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        done = home / "wheel.sha256"
        if not done.exists() or done.read_text() != key:
            pip(new_environment(home / "venv"), "install", "--no-index", path)
            done.write_text(key)
    return home / "venv"


if __name__ == "__main__":
    program = shared_environment() / "bin" / "dlscope"
    script = pathlib.Path(__file__).resolve().parent / sys.argv[1]
    os.environ["DLSCOPE_PROGRAM"] = str(program)
    os.execv(sys.executable, [sys.executable, "-B", str(script), "-v"] + sys.argv[2:])
