"""Runs a test script on every CPython from 3.9 on that is found, one after the other: each_python.py SCRIPT. For what differs by version
and needs no library. DLSCOPE_TEST_PYTHONS (paths with colons between them) names the interpreters instead."""

import glob
import os
import shutil
import subprocess
import sys

_QUESTION = ("import sys; print(sys.implementation.name == 'cpython' and sys.version_info >= (3, 9) and 'free-threading' not in sys.version); "
             "print('%d.%d.%d' % sys.version_info[:3])")


def interpreters():
    """[(version, path)], each version once."""
    places = [place for place in os.environ.get("DLSCOPE_TEST_PYTHONS", "").split(":") if place]
    if not places:
        places = [os.environ.get("DLSCOPE_TEST_PYTHON") or sys.executable]
        places += sorted(glob.glob(os.path.expanduser("~/.pyenv/versions/*/bin/python")))
        places += ["/usr/bin/python3"] + [shutil.which("python3.%d" % minor) or "" for minor in range(9, 15)]
    found = {}
    for place in filter(os.path.exists, places):
        answer = subprocess.run([place, "-I", "-c", _QUESTION], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True).stdout.split()
        if answer[:1] == ["True"]:
            found.setdefault(answer[1], place)
    return sorted(found.items())


def main(script):
    failed = []
    for version, place in interpreters():
        print("---- Python %s: %s" % (version, place), flush=True)
        if subprocess.run([place, script]).returncode != 0:
            failed.append(version)
    if failed:
        sys.exit("failed on Python " + ", ".join(failed))


if __name__ == "__main__":
    main(sys.argv[1])
