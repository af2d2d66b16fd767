# SPDX-License-Identifier: BSD-3-Clause
"""Redistribution, measured: `bench redistribute` on this machine's memory and on emulated hosts (tools/netbed) goes in,
docs/benchmarks/redistribute.json and its page (redistribute_page.py) come out. The study of Robinson et al., PEARC '24,
scaled to this machine: their twelve arrays and patch sizes, their placements and ours, their two ways to send and ours.
"""
import argparse
import json
import subprocess
import sys
import time
from pathlib import Path

import redistribute_scale
from emulated_hosts import ROOT, Bed, real_field, run, this_machine

MPIS = ("openmpi", "mpich")
VARIANTS = ["auto", "batched", "per_rank", "per_patch"]
MESSAGES = VARIANTS + ["alltoallw", "neighbor", "partitioned"]
STUDY = [(extent, patch) for extent in (1600, 3200, 6400, 1000, 3000, 6000) for patch in (32, 64)]
PLACEMENTS = ("greedy", "balanced", "optimal")
PAPER_BLOCKS = (16, 8, 8)  # of its 1024 ranks
BLOCKS = (2, 2, 2)
MOST_ELEMENTS = 4 << 20    # of a rank: 32 MB of doubles
LEAST_PATCH = 8


def times(extents):
    return "x".join(str(extent) for extent in extents)


def scaled(extent, patch):
    """Array and patch for 8 ranks: a block of the paper's array in 1024 blocks, both made smaller by halving while a rank
    has too much. Extents that patches fitted stay so."""
    block, fits = [extent / blocks for blocks in PAPER_BLOCKS], extent % patch == 0
    while block[0] * block[1] * block[2] > MOST_ELEMENTS:
        block = [side / 2 for side in block]
        patch = max(patch // 2, LEAST_PATCH)
    array = [max(blocks, round(side * blocks)) for side, blocks in zip(block, BLOCKS)]
    if fits:
        array = [max(patch, side // patch * patch) for side in array]
    return array, [patch] * 3


def measure(launcher, build, mpi, engines, repetitions, arguments):
    """The JSON of one run; None when it failed."""
    command = [*launcher, build / f"bin/laconic-{mpi}", "bench", "redistribute", "--engines", ",".join(engines),
               "--repetitions", repetitions, "--json", *arguments]
    try:
        return json.loads(run(command))
    except (subprocess.CalledProcessError, json.JSONDecodeError) as failure:
        print(f"  {mpi} {' '.join(str(word) for word in arguments)}: {failure}", file=sys.stderr)
        return None


class Results:
    def __init__(self, path):
        self.path = path
        self.runs = []

    def keep(self, run_of):
        self.runs.append(run_of)
        self.path.write_text(json.dumps({"machine": this_machine(), "runs": self.runs}, indent=1) + "\n",
                             encoding="utf-8")

    def add(self, part, mpi, ranks, where, found, **more):
        if found is None:
            return
        self.keep({"part": part, "mpi": mpi, "ranks": ranks, "where": where, **more, **found})
        best = min((row for row in found["rows"] if row.get("of_mpi")), key=lambda row: row["median_s"], default=None)
        own = next((row for row in found["rows"] if row["engine"].startswith("auto")), None)
        if best and own:
            print(f"{time.strftime('%H:%M:%S')} {part:8} {mpi:7} {where:12} {ranks} ranks {found['global']:>12}"
                  f" {found['placement']:11}  auto {1e3 * own['median_s']:8.2f} ms, best of MPI {1e3 * best['median_s']:8.2f}"
                  f" ({best['engine']})", file=sys.stderr, flush=True)


def shared_memory(results, build, repetitions):
    cube = ["--global", "256x256x256", "--patch", "32x32x32", "--placement", "round_robin", "--own-array"]
    for ranks in (2, 8):
        for mpi in MPIS:
            found = measure([build / f"mpiexec-{mpi}", ranks], build, mpi, MESSAGES, repetitions, cube)
            results.add("memory", mpi, ranks, "memory", found)


def network(results, build, data, repetitions):
    """Four hosts whose links have a rate; what crosses the busiest one says how fast it could be."""
    cube = ["--global", "256x256x256", "--patch", "32x32x32", "--placement", "round_robin"]
    field = real_field(data, "isabel_velmag")
    planned = json.loads(run([build / "bin/laconic", "plan", *cube, "--ranks", 4, "--json"]))
    with Bed(4, "1gbit", build=build) as bed:
        for mpi in MPIS:
            results.add("network", mpi, 4, "1 Gbit/s", measure(bed.launcher(mpi), build, mpi, MESSAGES, repetitions, cube),
                        busiest_bytes=planned["max_receive_bytes"])
            if field:
                lossy = ["--element-bytes", 4, "--data", field["path"], "--rel", "1e-3"]
                results.add("lossy", mpi, 4, "1 Gbit/s",
                            measure(bed.launcher(mpi), build, mpi, VARIANTS, repetitions, cube + lossy))
                results.add("raw", mpi, 4, "1 Gbit/s",
                            measure(bed.launcher(mpi), build, mpi, VARIANTS, repetitions, cube + ["--element-bytes", 4]))


def study(results, build, repetitions, quick):
    def all_cases(launcher_of, where):
        for extent, patch in STUDY[::5] if quick else STUDY:
            array, small = scaled(extent, patch)
            for placement in PLACEMENTS:
                for mpi in MPIS:
                    found = measure(launcher_of(mpi), build, mpi, VARIANTS, repetitions,
                                    ["--global", times(array), "--patch", times(small), "--grid", times(BLOCKS),
                                     "--placement", placement])
                    results.add("study", mpi, 8, where, found, paper=[extent, patch])
    all_cases(lambda mpi: [build / f"mpiexec-{mpi}", 8], "memory")
    with Bed(8, "1gbit", build=build) as bed:
        all_cases(bed.launcher, "1 Gbit/s")


def simulated(results, program, quick):
    if not program.exists():
        print(f"no simulation: {program} is not built", file=sys.stderr)
        return
    for run_of in redistribute_scale.runs(program, quick):
        results.keep(run_of)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", default=ROOT.parent / "shared/data", help="folder of raw fields")
    parser.add_argument("--build", type=Path, default=ROOT / "build")
    parser.add_argument("--out", type=Path, default=ROOT / "docs/benchmarks")
    parser.add_argument("--repetitions", type=int, default=50)
    parser.add_argument("--quick", action="store_true", help="of the study three of the arrays, and few repetitions")
    parser.add_argument("--page-only", action="store_true", help="page and plots from redistribute.json")
    arguments = parser.parse_args()
    arguments.out.mkdir(parents=True, exist_ok=True)
    store = arguments.out / "redistribute.json"
    if not arguments.page_only:
        results = Results(store)
        repetitions = arguments.repetitions
        shared_memory(results, arguments.build, repetitions)
        network(results, arguments.build, arguments.data, max(3, repetitions // 5))
        study(results, arguments.build, 3 if arguments.quick else max(3, repetitions // 5), arguments.quick)
        simulated(results, arguments.build / "scale/bin/laconic-scale-exchange", arguments.quick)
    import redistribute_page
    page = arguments.out / "redistribute.md"
    before = page.read_text(encoding="utf-8") if page.exists() else ""
    page.write_text(redistribute_page.page(json.loads(store.read_text(encoding="utf-8")), arguments.out, before),
                    encoding="utf-8")
    print(page)


if __name__ == "__main__":
    main()
