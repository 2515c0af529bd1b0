#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Puts `headrace run`, the limit program and other loaders side by side: the same photographs, one program at a
time, by turns, so that what disturbs the machine disturbs all.

    compare.py FOLDER [--rounds 9] [--workloads train,eval,squash] [--loaders limit,headrace,dali,...]
               [--workers 2] [--memory] [--json FILE]

Prints one table a workload (Markdown): medians, least and most, and the ratio to the limit program pair by pair.
Build the release preset first. README.md beside this says how the other loaders are installed."""

import argparse
import json
import os
import statistics
import subprocess
import sys
import threading
from pathlib import Path

from workload import processes

HERE = Path(__file__).parent
ROOT = HERE.parents[2]
BIN = ROOT / "build/release/bin"
PYTHON = os.environ.get("PEERS_PYTHON", sys.executable)


def script(name, *kind):
    return lambda a, workload: [PYTHON, str(HERE / name), *kind, *common(a, workload)]


def common(a, workload):
    return [a.folder, "--workload", workload, "--workers", str(a.workers), "--batch", "64", "--epochs", "2"]


def headrace(a, workload, *more):
    sets = [f"vars.root={a.folder}", f"vars.threads={a.workers}", *more]
    command = [str(BIN / "headrace"), "run", str(HERE / "workloads.yaml"), "--profile", workload, "--epochs", "3"]
    return command + [word for text in sets for word in ("--set", text)] + ["--report", "/dev/stdout"]


LOADERS = {
    "limit": lambda a, workload: [str(BIN / "limit"), *common(a, workload)],
    "headrace": headrace,
    "headrace fast": lambda a, workload: headrace(a, workload, "nodes.decode.with.accuracy=fast"),
    "dali": script("dali_loader.py"),
    "turboloader": script("turbo_loader.py"),
    "torch": script("torch_loader.py"),
    "spdl ffmpeg": script("spdl_loader.py", "ffmpeg"),
    "spdl cv2": script("spdl_loader.py", "cv2"),
    "threads": script("threads_loader.py"),
}


def figures(output):
    """The last JSON object that a program printed, in one shape for all."""
    d = json.loads(output[output.rindex("\n{") + 1 if "\n{" in output else output.index("{") :])
    if "graph" in d:
        # headrace's report. Its second epoch of three, as the others time their second: what was made ahead in the
        # first and what was made ahead of the third make up for each other.
        d |= d["each_epoch"][1]
        d["images"] = d["samples"]
    if d["images"] == 0:
        return {"error": "not one picture came"}
    return {
        "rate": d["images"] / d["seconds"],
        "cpu_ms": 1e3 * d["cpu_seconds"] / d["images"],
        "first": d.get("first_batch_seconds"),
    }


def proportional_bytes(pid):
    try:
        with open(f"/proc/{pid}/smaps_rollup") as file:
            return sum(int(line.split()[1]) << 10 for line in file if line.startswith("Pss:"))
    except OSError:
        return 0


def run(command, watch_memory):
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    peak, ended = [0], threading.Event()

    def watch():
        while not ended.wait(0.05):
            peak[0] = max(peak[0], sum(map(proportional_bytes, processes(process.pid))))

    watcher = threading.Thread(target=watch)
    if watch_memory:
        watcher.start()
    output, errors = process.communicate()
    ended.set()
    if watch_memory:
        watcher.join()
    if process.returncode != 0:
        return {"error": errors.strip().splitlines()[-1] if errors.strip() else f"exit {process.returncode}"}
    return figures(output) | ({"memory": peak[0]} if watch_memory else {})


def median(values):
    known = [v for v in values if v is not None]
    return statistics.median(known) if known else None


def spread(values):
    return f"{min(values):.2f}-{max(values):.2f}"


def table(workload, runs):
    print(f"\n### {workload}\n")
    print("| loader | images/s | least-most | CPU ms/image | first batch s | peak MB | rate / limit | CPU / limit |")
    print("|---|---|---|---|---|---|---|---|")
    limit = runs.get("limit", [])
    for name, own in runs.items():
        good = [r for r in own if "rate" in r]
        if not good:
            print(f"| {name} | - | {own[0].get('error', '')} | | | | | |")
            continue
        rates = [r["rate"] for r in good]
        first, memory = median([r["first"] for r in good]), median([r.get("memory") for r in good])
        pairs = [(r, l) for r, l in zip(own, limit) if "rate" in r and "rate" in l]
        by_rate = [r["rate"] / l["rate"] for r, l in pairs]
        by_cpu = [r["cpu_ms"] / l["cpu_ms"] for r, l in pairs]
        print(
            f"| {name} | {median(rates):.0f} | {min(rates):.0f}-{max(rates):.0f} "
            f"| {median([r['cpu_ms'] for r in good]):.2f} | {'-' if first is None else f'{first:.2f}'} "
            f"| {'-' if memory is None else f'{memory / 1e6:.0f}'} "
            f"| {f'{median(by_rate):.2f} ({spread(by_rate)})' if pairs else '-'} "
            f"| {f'{median(by_cpu):.2f} ({spread(by_cpu)})' if pairs else '-'} |"
        )


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder")
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--workloads", default="train,eval,squash")
    parser.add_argument("--loaders", default=",".join(LOADERS))
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--memory", action="store_true", help="sample the memory, which slows the run")
    parser.add_argument("--json", type=Path, help="all runs")
    a = parser.parse_args()
    kept = {}
    for workload in a.workloads.split(","):
        runs = kept.setdefault(workload, {name: [] for name in a.loaders.split(",")})
        for r in range(a.rounds):
            for name, own in runs.items():
                own.append(run(LOADERS[name](a, workload), a.memory))
                print(f"{workload} {r + 1}/{a.rounds} {name}: {own[-1]}", file=sys.stderr)
        table(workload, runs)
    if a.json:
        a.json.write_text(json.dumps(kept, indent=1))


if __name__ == "__main__":
    main()
