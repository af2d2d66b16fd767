#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Plans the 36 redistributions of papers/002 (12 arrays and patch sizes, 1024 to 4096 ranks) and four larger or published
ones, with `laconic plan`; a Markdown page flows out on standard output.

usage: plan_page.py PROGRAM > docs/benchmarks/redistribute-planning.md
"""
import datetime
import json
import platform
import re
import subprocess
import sys

PLACEMENTS = ("greedy", "balanced", "optimal")
STUDY = [(extent, patch, ranks) for extent in (1600, 3200, 6400, 1000, 3000, 6000) for patch in (32, 64)
         for ranks in (1024, 2048, 4096)]
LARGE = [(3000, 32, 16384), (3200, 32, 16384)]
# What another implementation of the two schemes moves, in percent.
KNOWN = {(1000, 32, 1024): (26.14, 31.53), (1000, 32, 2048): (32.17, 39.01), (1000, 32, 4096): (37.72, 45.67),
         (1600, 64, 2048): (35.1, 49.6), (3000, 32, 16384): (18.6, 31.3)}


def planned(program, case, placement):
    extent, patch, ranks = case
    done = subprocess.run([program, "plan", "--global", f"{extent}x{extent}x{extent}", "--patch",
                           f"{patch}x{patch}x{patch}", "--ranks", str(ranks), "--placement", placement, "--json"],
                          capture_output=True, check=True, text=True)
    return json.loads(done.stdout)


def processor():
    try:
        with open("/proc/cpuinfo", encoding="ascii") as file:
            return re.search(r"model name\s*: (.*)", file.read())[1]
    except (OSError, TypeError):
        return platform.processor()


def percent(report):
    return f"{100 * report['moved_fraction']:.2f}"


def load(report):
    return f"{report['patches_min']}..{report['patches_max']}"


def row(program, case):
    reports = {placement: planned(program, case, placement) for placement in PLACEMENTS}
    best = reports["optimal"]
    known = KNOWN.get(case)
    agrees = "" if known is None else ("yes" if abs(known[0] - 100 * reports["greedy"]["moved_fraction"]) < 0.06 and
                                       abs(known[1] - 100 * reports["balanced"]["moved_fraction"]) < 0.06 else "NO")
    extent, patch, ranks = case
    return "| " + " | ".join([
        f"{extent}³ / {patch}³ / {ranks}", percent(reports["greedy"]), load(reports["greedy"]),
        percent(reports["balanced"]), load(reports["balanced"]), str(reports["balanced"]["forced_patches"]),
        percent(best), load(best), "yes" if best["proven_optimal"] else "no", f"{best['max_receive_bytes'] / 2**20:.1f}",
        f"{best['plan_seconds']:.3f}", agrees]) + " |"


def main(arguments):
    if len(arguments) != 1 or arguments[0].startswith("-"):
        print(__doc__)
        return 0 if arguments and arguments[0] in ("-h", "--help") else 2
    print(f"""# Planning the redistributions of the paper

Made by `tools/plan_page.py build/bin/laconic` on {datetime.date.today()}, {processor()}. Elements of 8 bytes, layouts as
MPI_Dims_create makes them, one thread. Other work ran on the machine, so the times are upper bounds.

The paper (Robinson et al., PEARC '24) publishes times only, no figures of movement or load; what can be compared with it is
the example of its figure 2, which the unit tests do. "as known": greedy and balanced agree with an independent
implementation to the digits that are known of it.

Greedy moves the least that is possible, without regard to loads. Balanced is the paper's; where contained patches exceed a
target they stay ("forced"). Optimal is ours at balance 1, by patches: "proven" means that nothing as even moves less.

| array / patch / ranks | greedy moves % | patches | balanced moves % | patches | forced | optimal moves % | patches | proven | largest receive MiB | seconds | as known |
|---|---|---|---|---|---|---|---|---|---|---|---|""")
    for case in STUDY + LARGE:
        print(row(arguments[0], case), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
