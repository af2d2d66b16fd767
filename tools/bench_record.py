#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""What the recorder adds to a call: bench/record/calls.c runs in turn plain and under the preload library, and a table of
medians, in nanoseconds, comes out. Signatures are made and dropped: what is done with them costs its own.

usage: bench_record.py BUILD_FOLDER [ROUNDS]        ROUNDS defaults to 7; needs the targets bench_calls_<flavour>
"""
import statistics
import subprocess
import sys
from pathlib import Path


def run(launcher, program, settings):
    text = subprocess.run([launcher, "1", "env", *settings, program], capture_output=True, text=True, check=True,
                          timeout=300).stdout
    return {name: float(value) for name, value in (line.split() for line in text.splitlines())}


def measure(build, flavour, rounds):
    """{kind: (plain ns, traced ns)}: medians over the rounds, which take turns."""
    launcher, program = str(build / f"mpiexec-{flavour}"), str(build / "bin" / f"bench_calls_{flavour}")
    preload = build / "lib" / f"liblaconic_preload_{flavour}.so"
    plain, traced = [], []
    for _ in range(rounds):
        plain.append(run(launcher, program, []))
        traced.append(run(launcher, program, [f"LD_PRELOAD={preload}", "LACONIC_TRACE_LOG=-"]))
    return {kind: (statistics.median(r[kind] for r in plain), statistics.median(r[kind] for r in traced))
            for kind in plain[0]}


def main(arguments):
    if not arguments or arguments[0] in ("-h", "--help"):
        print(__doc__)
        return 0 if arguments else 2
    build, rounds = Path(arguments[0]).resolve(), int(arguments[1]) if len(arguments) > 1 else 7
    print("| MPI | calls | plain, ns | recorded, ns | added, ns |\n|---|---|---|---|---|")
    for flavour in ("mpich", "openmpi"):
        if not (build / "bin" / f"bench_calls_{flavour}").exists():
            continue
        for kind, (plain, traced) in measure(build, flavour, rounds).items():
            print(f"| {flavour} | {kind} | {plain:.0f} | {traced:.0f} | {traced - plain:.0f} |")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
