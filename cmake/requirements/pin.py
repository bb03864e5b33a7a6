"""Writes the hashes of the archives behind each line of a requirements file into that file.

    pin.py FILE...

To move to another version: change it in the file, then run this. Each line is `name==version`, with a marker where it is not for
every Python; the hashes are those of the archives that pip takes on Linux x86-64 with each CPython that the line is for. pip is
asked, so mirrors, proxies and certificates are the machine's own; archives are downloaded, nothing is installed or run.
"""

import json
import pathlib
import re
import subprocess
import sys
import tempfile

from pip._vendor.packaging.requirements import Requirement

PYTHONS = ("3.9", "3.10", "3.11", "3.12", "3.13", "3.14")
PLATFORMS = [f"manylinux_2_{glibc}_x86_64" for glibc in range(5, 35)]
PLATFORMS += ["manylinux1_x86_64", "manylinux2010_x86_64", "manylinux2014_x86_64", "linux_x86_64"]


def archives(requirements, python):
    """{name: (version, sha256)} of what pip takes for these lines with that Python."""
    with tempfile.TemporaryDirectory() as folder:
        wanted, report = pathlib.Path(folder, "wanted.txt"), pathlib.Path(folder, "report.json")
        wanted.write_text("\n".join(requirements) + "\n")
        command = [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--dry-run",
                   "--ignore-installed", "--no-deps", "--only-binary=:all:", "--implementation", "cp",
                   "--python-version", python, "--target", folder, "--report", report, "-r", wanted]
        for platform in PLATFORMS:
            command += ["--platform", platform]
        subprocess.run(command, check=True)
        return {canonical(item["metadata"]["name"]):
                (item["metadata"]["version"], item["download_info"]["archive_info"]["hashes"]["sha256"])
                for item in json.loads(report.read_text())["install"]}


def canonical(name):
    return re.sub(r"[-_.]+", "-", name).lower()


def pin(path):
    lines = re.sub(r"[ \\\n]+--hash=\S+", "", path.read_text()).splitlines()
    rows = {line: Requirement(line) for line in lines if line and not line.startswith("#")}
    hashes = {line: set() for line in rows}
    for python in pythons_of(lines):
        meant = {line: row for line, row in rows.items() if not row.marker or row.marker.evaluate({"python_version": python})}
        found = archives([f"{row.name}{row.specifier}" for row in meant.values()], python)
        # "1.0" also stands for "1.0+cpu", which pip prefers where a machine offers it. Both are this version.
        local = [row for row in meant.values() if "+" in found[canonical(row.name)][0]]
        public = archives([f"{row.name}={row.specifier}" for row in local], python) if local else {}
        for line, row in meant.items():
            hashes[line] |= {each[canonical(row.name)][1] for each in (found, public) if canonical(row.name) in each}
    text = [line + "".join(f" \\\n    --hash=sha256:{each}" for each in sorted(hashes.get(line, ()))) for line in lines]
    path.write_text("\n".join(text) + "\n")


def pythons_of(lines):
    """The Pythons a file is for: all, or those its comment names as "Python 3.11 to 3.13"."""
    for line in lines:
        if named := re.match(r"# .*Python (3\.\d+) to (3\.\d+)", line):
            return PYTHONS[PYTHONS.index(named[1]):PYTHONS.index(named[2]) + 1]
    return PYTHONS


for name in sys.argv[1:]:
    pin(pathlib.Path(name))
