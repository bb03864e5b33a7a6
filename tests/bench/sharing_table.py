"""Prints the table of docs/performance.md on sharing: sharing_table.py FOLDER_OF_BENCHMARKS [ROUNDS]

Runs overlap_bench and sharing_bench in turns with AVX2 and without (DLSCOPE_SIMD=baseline), and refresh_bench; gives the least CPU time of
the rounds (default 3), the calibrations of the same runs, and whether each goal is met. Takes some two minutes on a quiet machine.
"""

import json
import os
import subprocess
import sys
from pathlib import Path

NS, US, MS = "ns", "us", "ms"

# what, benchmark (a counter of it after a comma), unit, before, prototype, goal, goal without AVX2 (None: the same).
# "Before" and "prototype": reference figures from which the goals come, measured elsewhere: ranges of several runs beside other jobs.
ROWS = [
    ("calibration: dependent division", "BM_calibrate_division", NS, "", "4.3", None, None),
    ("calibration: `std::sort` of 1e5 addresses", "BM_calibrate_sort_1e5", MS, "", "5.4-6.6", None, None),
    ("calibration: `memcpy` of 128 MiB", "BM_calibrate_memcpy_128_mib", MS, "", "15-21", None, None),
    ("one pair, disjoint extents", "BM_disjoint_extents", NS, "", "", 10, None),
    ("from raw layouts, with element numbers: two dense ranges", "BM_two_dense", NS, "73-296", "30-105", 100, None),
    ("array and column", "BM_array_and_column", NS, "73-296", "30-105", 100, None),
    ("two tiles", "BM_two_tiles", NS, "73-296", "30-105", 100, None),
    ("two columns", "BM_two_columns", NS, "73-296", "30-105", 100, None),
    ("every 2nd against every 3rd", "BM_every_second_and_third", NS, "73-296", "30-105", 100, None),
    ("four axes", "BM_four_axes", NS, "257-409", "170", None, None),
    ("layouts prepared once: two tiles", "BM_prepared_two_tiles", NS, "", "", None, None),
    ("two tiles, with element numbers", "BM_prepared_two_tiles_with_elements", NS, "", "7-29", 40, None),
    ("four axes", "BM_prepared_four_axes", NS, "", "94", 100, None),
    ("steps 7 and 9", "BM_prepared_steps_7_and_9", NS, "671-1022 (raw)", "47-61", None, None),
    ("`ravel()[::7]` and a tile", "BM_prepared_step_7_and_tile", NS, "", "123", None, None),
    ("1000 pairs of parts of one array: p50", "BM_usual_pairs,p50", NS, "", "16", None, None),
    ("p90", "BM_usual_pairs,p90", NS, "", "56", 100, None),
    ("p99", "BM_usual_pairs,p99", NS, "", "500", None, None),
    ("random strides, 8 to 12 axes", "BM_random_strides", US, "", "", 500, None),
    ("NumPy's documented hard example", "BM_numpy_hard_example", MS, "4.4-5.9", "3.0", 10, None),
    ("float32 over a joint window of 4 GiB", "BM_float32_4_gib", MS, "403-482", "24-38", 60, 120),
    ("int8 over 1 GiB", "BM_int8_1_gib", MS, "403-482", "24-38", 60, 120),
    ("1e5 disjoint tensors", "BM_1e5_disjoint", MS, "7.9-13.9", "2.6-5.2", 4, None),
    ("with their bytes counted by the caller", "BM_1e5_disjoint_counted", MS, "", "", 2, None),
    ("1e5 slices, 3.5e5 pairs", "BM_1e5_slices", MS, "97-171", "35-52", 50, None),
    ("1e5 views of one buffer, 1e6 pairs", "BM_1e5_views_of_one_buffer/1", MS, "524-834", "90-160", 170, None),
    ("1e5 columns, 1e6 pairs", "BM_1e5_columns", MS, "595-817", "59-104", 110, None),
    ("1e5 names of one array, 1e6 pairs", "BM_1e5_names_of_one_array", MS, "", "", None, None),
    ("1e5 views in clusters of forty, 2e6 pairs", "BM_1e5_of_forty/1", MS, "", "", None, None),
    ("1e6 disjoint tensors", "BM_1e6_disjoint", MS, "159-209", "100", None, None),
    ("1e6 slices, 3.5e6 pairs", "BM_1e6_slices", MS, "", "525-770", None, None),
]
REFRESHES = [("nothing", 0), ("3 %", 1000), ("30 %", 10000), ("all", 33333)]
NANOSECONDS = {NS: 1, US: 1e3, MS: 1e6}


def run(program: Path, level: str, names: list[str]) -> dict[str, float]:
    """Nanoseconds by benchmark, and by "benchmark,counter"."""
    environment = dict(os.environ)
    environment.pop("DLSCOPE_SIMD", None)
    if level:
        environment["DLSCOPE_SIMD"] = level
    wanted = "^(" + "|".join(sorted({name.split(",")[0] for name in names})) + ")(/|$)"
    command = [str(program), "--benchmark_filter=" + wanted, "--benchmark_format=json", "--benchmark_min_time=0.2"]
    done = subprocess.run(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=True)
    times = {}
    for each in json.loads(done.stdout)["benchmarks"]:
        if each.get("error_occurred"):
            raise SystemExit(f"{each['name']}: {each['error_message']}")
        times[each["name"]] = each["cpu_time"] * NANOSECONDS[each["time_unit"]]
        times.update({f"{each['name']},{key}": each[key] for key in ("p50", "p90", "p99", "of_full") if key in each})
    return times


def least(into: dict[str, float], times: dict[str, float]) -> None:
    for name, time in times.items():
        into[name] = min(time, into.get(name, time))


def number(value: float) -> str:
    return f"{value:.2g}" if value < 10 else f"{value:.0f}"


def verdict(fast: float, slow: float, goal: float | None, slow_goal: float | None) -> str:
    if goal is None:
        return ""
    text = number(goal) + (f" / {number(slow_goal)}" if slow_goal else "")
    worst = max(fast / goal, slow / (slow_goal or goal))
    return f"{text}, met" if worst <= 1 else f"{text}, **missed** by {100 * (worst - 1):.0f} %"


def main() -> None:
    folder, rounds = Path(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 3
    names = [row[1] for row in ROWS]
    fast: dict[str, float] = {}
    slow: dict[str, float] = {}
    print(f"load before {os.getloadavg()[0]:.1f}", end="", flush=True)
    for _ in range(rounds):
        for program in ("overlap_bench", "sharing_bench"):
            least(fast, run(folder / program, "", names))
            least(slow, run(folder / program, "baseline", names))
    refresh = run(folder / "refresh_bench", "", ["BM_refresh_moved"])
    print(f", after {os.getloadavg()[0]:.1f}; least of {rounds} rounds, CPU time\n")
    print("| case | before | prototype | AVX2 | without | goal |\n|---|---|---|---|---|---|")
    for what, name, unit, before, prototype, goal, slow_goal in ROWS:
        scale = 1 if "," in name else NANOSECONDS[unit]
        a, b = fast[name] / scale, slow[name] / scale
        print(f"| {what} ({unit}) | {before} | {prototype} | {number(a)} | {number(b)} | {verdict(a, b, goal, slow_goal)} |")
    parts = [f"{what} {refresh[f'BM_refresh_moved/{moved}/iterations:15/manual_time,of_full']:.2f}" for what, moved in REFRESHES]
    print("\nA refresh of 1e5 tensors as part of a full analysis, by how many of the arrays have moved: " + ", ".join(parts) + ".")


if __name__ == "__main__":
    main()
