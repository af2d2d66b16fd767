#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""What the recorder adds to a call: bench/record/calls.c runs in turn plain and under the preload library, and a table of
medians, in nanoseconds, comes out: recorded, where signatures are made and dropped, and traced, where they are
compressed as they come.

usage: bench_record.py BUILD_FOLDER [ROUNDS]        ROUNDS defaults to 7; needs the targets bench_calls_<flavour>
"""
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path


def run(launcher, program, settings):
    text = subprocess.run([launcher, "1", "env", *settings, program], capture_output=True, text=True, check=True,
                          timeout=300).stdout
    return {name: float(value) for name, value in (line.split() for line in text.splitlines())}


def measure(build, flavour, rounds):
    """{kind: (plain, recorded, traced) in ns}: medians over the rounds, which take turns."""
    launcher, program = str(build / f"mpiexec-{flavour}"), str(build / "bin" / f"bench_calls_{flavour}")
    preload = build / "lib" / f"liblaconic_preload_{flavour}.so"
    ways = {"plain": [], "recorded": ["LACONIC_TRACE_LOG=-"], "traced": []}
    found = {way: [] for way in ways}
    with tempfile.TemporaryDirectory() as folder:
        ways["traced"] = [f"LACONIC_TRACE={folder}/calls.trace"]
        for _ in range(rounds):
            for way, settings in ways.items():
                found[way].append(run(launcher, program, settings and [f"LD_PRELOAD={preload}", *settings]))
    return {kind: [statistics.median(each[kind] for each in rows) for rows in found.values()]
            for kind in found["plain"][0]}


def main(arguments):
    if not arguments or arguments[0] in ("-h", "--help"):
        print(__doc__)
        return 0 if arguments else 2
    build, rounds = Path(arguments[0]).resolve(), int(arguments[1]) if len(arguments) > 1 else 7
    print("| MPI | calls | plain, ns | recorded: added, ns | traced: added, ns |\n|---|---|---|---|---|")
    for flavour in ("mpich", "openmpi"):
        if not (build / "bin" / f"bench_calls_{flavour}").exists():
            continue
        for kind, (plain, recorded, traced) in measure(build, flavour, rounds).items():
            print(f"| {flavour} | {kind} | {plain:.0f} | {recorded - plain:.0f} | {traced - plain:.0f} |")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
