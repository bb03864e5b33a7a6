"""What compiling costs, in CPU seconds and without ccache: `build_time.py build/test` compiles some files of every folder.

Each file is compiled with its own command, one after the other; the objects are thrown away. A folder's total is the mean of
its files times their number. --frontend also times -fsyntax-only: what headers cost, before anything is optimised. --beside
compiles the same files of another source tree's build folder too, in turns: CPU time depends on what else the machine does, so
only figures of one run can be compared. Files that include what a build makes (kernels) need a build folder that was built.
"""
import argparse
import json
import os
import shlex
import statistics
import subprocess
import sys
from collections import defaultdict


def cpu_seconds(command, folder):
    """User and system seconds of one compilation."""
    process = subprocess.Popen(command, cwd=folder, env=dict(os.environ, CCACHE_DISABLE="1"))
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        sys.exit(f"failed: {shlex.join(command)}")
    return used.ru_utime + used.ru_stime


def folder_of(path):
    parts = path.split("/")
    return "/".join(parts[: 3 if parts[0] == "tests" else 2]) if len(parts) > 2 else path


def source_tree(build):
    for line in open(os.path.join(build, "CMakeCache.txt")):
        if line.startswith("CMAKE_HOME_DIRECTORY:"):
            return line.split("=", 1)[1].strip()
    sys.exit(f"{build}: no build folder")


def read_commands(build):
    """{file: (command, folder to run it in)} of every C++ file of ours, in the order of their names."""
    root = source_tree(build)
    found = {}
    for entry in json.load(open(os.path.join(build, "compile_commands.json"))):
        path = os.path.relpath(entry["file"], root)
        if path.startswith(("..", "build/")) or not path.endswith(".cpp"):
            continue
        words = shlex.split(entry["command"])
        words[words.index("-o") + 1] = os.devnull
        found.setdefault(path, (words, entry["directory"]))
    return dict(sorted(found.items()))


def measure(path, builds, frontend):
    """Seconds for each build, and with `frontend` as many for -fsyntax-only behind them."""
    whole = [cpu_seconds(*commands[path]) for commands in builds]
    if frontend:
        whole += [cpu_seconds(commands[path][0] + ["-fsyntax-only"], commands[path][1]) for commands in builds]
    return whole


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("build")
    parser.add_argument("--beside", help="another build folder, measured in turns")
    parser.add_argument("--every", type=int, default=10, help="one file of so many in a folder, at least two (10)")
    parser.add_argument("--only", default="", help="folders that begin with this, several with commas between them")
    parser.add_argument("--frontend", action="store_true", help="time -fsyntax-only too")
    parser.add_argument("--files", action="store_true", help="say each file")
    asked = parser.parse_args()
    builds = [read_commands(build) for build in (asked.build, asked.beside) if build]
    folders = defaultdict(list)
    for path in builds[0]:
        if folder_of(path).startswith(tuple(asked.only.split(","))) and all(path in commands for commands in builds):
            folders[folder_of(path)].append(path)
    names = ["s"] if len(builds) == 1 else ["s", "s beside"]
    if asked.frontend:
        names += ["frontend " + name for name in names]
    print(f"{'CPU time of one file, mean':40} files taken " + " ".join(f"{name:>18}" for name in names))
    totals = defaultdict(lambda: [0.0] * len(names))
    for folder, paths in sorted(folders.items()):
        step = max(1, min(asked.every, len(paths) // 2))
        rows = []
        for path in paths[step // 2 :: step]:
            rows.append(measure(path, builds, asked.frontend))
            if asked.files:
                print(f"  {path:50} " + " ".join(f"{seconds:18.2f}" for seconds in rows[-1]), flush=True)
        means = [statistics.mean(column) for column in zip(*rows)]
        print(f"{folder:40} {len(paths):5} {len(rows):5} " + " ".join(f"{mean:18.2f}" for mean in means), flush=True)
        for i, mean in enumerate(means):
            totals["tests" if folder.startswith("tests") else "program"][i] += mean * len(paths)
    for name, seconds in totals.items():
        print(f"all of {name:45} " + " ".join(f"{value:18.0f}" for value in seconds))


if __name__ == "__main__":
    main()
