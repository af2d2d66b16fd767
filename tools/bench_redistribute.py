# SPDX-License-Identifier: BSD-3-Clause
"""Redistribution, measured: `bench redistribute` on this machine's memory and on emulated hosts (tools/netbed) goes in,
docs/benchmarks/redistribute.json and its page (redistribute_page.py) come out. The study of Robinson et al., PEARC '24,
scaled to this machine: their twelve arrays and patch sizes, their placements and ours, their two ways to send and ours.
"""
import argparse
import contextlib
import json
import subprocess
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path

import redistribute_scale
from emulated_hosts import ROOT, Bed, Store, real_field, run

MPIS = ("openmpi", "mpich")
VARIANTS = ["auto", "batched", "per_rank", "per_patch"]
MESSAGES = VARIANTS + ["alltoallw", "neighbor", "partitioned"]
STUDY = [(extent, patch) for extent in (1600, 3200, 6400, 1000, 3000, 6000) for patch in (32, 64)]
PLACEMENTS = ("greedy", "balanced", "optimal")
PAPER_RANKS = 1024
BLOCKS = (2, 2, 2)
LARGEST_EXTENT = 6400
LARGEST_SIDE = 320          # of the array that stands for it: up to 35 MB of doubles a rank
LEAST_PATCH = 8
LEAST_REPETITIONS = 5
MOST_POINT_S = 12           # of repetitions of a point of the study, where redistribute.json says how long one takes


def times(extents):
    return "x".join(str(extent) for extent in extents)


def scaled(extent, patch, moved):
    """Side of an array and of its patches for 2x2x2 ranks, of which greedy placement moves what it moves of the paper's
    array on 1024 ranks, as far as patches have LEAST_PATCH elements; bytes grow with the paper's extent. Where patches fit
    the paper's array there is an odd number of them, and the ranks' border cuts one in halves; elsewhere an even number and
    a part of one, and the border cuts off half as much."""
    most = LARGEST_SIDE * (extent / LARGEST_EXTENT) ** (1 / 3)
    if not 0 < moved < 1:
        raise ValueError(f"greedy placement moves {moved} of the paper's array; there is nothing to scale by")
    border = 1 - (1 - moved) ** (1 / 3)  # what moves of a dimension
    room = most / LEAST_PATCH
    if extent % patch == 0:
        patches = 2 * int(min(0.5 / border, room) / 2) + 1
    else:
        whole = 2 * max(1, round(min(0.25 / border, room) / 2 - 0.25))
        patches = whole + min(0.75, 2 * border * whole / (1 - 2 * border))
    side = max(LEAST_PATCH, round(most / patches))
    return round(side * patches), side


def measure(launcher, build, mpi, engines, repetitions, arguments):
    """The JSON of one run; None when it failed."""
    command = [*launcher, build / f"bin/laconic-{mpi}", "bench", "redistribute", "--engines", ",".join(engines),
               "--repetitions", repetitions, "--json", *arguments]
    try:
        return json.loads(run(command))
    except (subprocess.CalledProcessError, json.JSONDecodeError) as failure:
        print(f"  {mpi} {' '.join(str(word) for word in arguments)}: {failure}", file=sys.stderr)
        return None


def key_of(run_of):
    return tuple(run_of.get(name) for name in ("part", "mpi", "ranks", "where", "global", "patch", "placement"))


def tell(point, found):
    best = min((row for row in found["rows"] if row.get("of_mpi")), key=lambda row: row["median_s"], default=None)
    own = next((row for row in found["rows"] if row["engine"].startswith("auto")), None)
    if best and own:
        print(f"{time.strftime('%H:%M:%S')} {point.part:8} {point.mpi:7} {point.where:12} {point.ranks} ranks"
              f" {point.array:>12} {point.placement:11} n {found['repetitions']:2}  auto {1e3 * own['median_s']:8.2f} ms,"
              f" best of MPI {1e3 * best['median_s']:8.2f} ({best['engine']})", file=sys.stderr, flush=True)


@dataclass(frozen=True)
class Point:
    """One launch: engines, interleaved, on one array."""
    part: str
    mpi: str
    ranks: int
    where: str
    array: str
    patch: str
    placement: str
    engines: tuple
    repetitions: int
    arguments: tuple = ()
    more: dict = field(default_factory=dict, hash=False, compare=False)

    def key(self):
        return self.part, self.mpi, self.ranks, self.where, self.array, self.patch, self.placement

    def measure(self, launcher, build, before):
        """Rows that took long before get fewer repetitions."""
        round_s = sum(row.get("median_s", 0) for row in (before or {"rows": []})["rows"])
        repetitions = self.repetitions
        if round_s and self.part == "study":
            repetitions = min(repetitions, max(LEAST_REPETITIONS, int(MOST_POINT_S / round_s)))
        return measure(launcher, build, self.mpi, self.engines, repetitions,
                       ["--global", self.array, "--patch", self.patch, "--placement", self.placement, *self.arguments])


def planned(build, extent, patch, ranks, placement):
    return json.loads(run([build / "bin/laconic", "plan", "--global", times([extent] * 3), "--patch", times([patch] * 3),
                           "--placement", placement, "--ranks", ranks, "--json"]))


def study(build, repetitions, quick):
    """The paper's twelve arrays, one after the other."""
    points = []
    for paper in STUDY[::5] if quick else STUDY:
        moved = planned(build, *paper, PAPER_RANKS, "greedy")["moved_fraction"]
        array, patch = scaled(*paper, moved)
        points += [Point("study", mpi, 8, where, times([array] * 3), times([patch] * 3), placement, tuple(VARIANTS), repetitions,
                         ("--grid", times(BLOCKS)), {"paper": list(paper), "paper_moved": moved})
                   for where in ("memory", "1 Gbit/s") for placement in PLACEMENTS for mpi in MPIS]
    return points


def plan_of(build, data, repetitions, quick, wanted):
    """Points of the parts that are wanted, what the targets need first."""
    cube = ("256x256x256", "32x32x32", "round_robin")
    points = [Point("memory", mpi, ranks, "memory", *cube, tuple(MESSAGES), repetitions, ("--own-array",))
              for ranks in (2, 8) for mpi in MPIS]
    busiest = planned(build, 256, 32, 4, cube[2])["max_receive_bytes"]
    floats = real_field(data, "isabel_velmag")
    for mpi in MPIS:
        points.append(Point("network", mpi, 4, "1 Gbit/s", *cube, tuple(MESSAGES), repetitions,
                            more={"busiest_bytes": busiest}))
        if floats:
            lossy = ("--element-bytes", 4, "--data", floats["path"], "--rel", "1e-3")
            points += [Point("lossy", mpi, 4, "1 Gbit/s", *cube, tuple(VARIANTS), repetitions, lossy),
                       Point("raw", mpi, 4, "1 Gbit/s", *cube, tuple(VARIANTS), repetitions, lossy[:2])]
    if "study" in wanted:
        points += study(build, 3 if quick else max(3, repetitions // 5), quick)
    return [point for point in points if point.part in wanted]


def measure_all(points, store, build, deadline):
    """Returns how many of the points were begun. A bed stays up, idle while memory is measured, until one of another size
    is needed."""
    bed = None
    with contextlib.ExitStack() as stack:
        for done, point in enumerate(points):
            if deadline and time.time() > deadline:
                return done
            if point.where == "memory":
                launcher = [build / f"mpiexec-{point.mpi}", point.ranks]
            else:
                if bed is None or bed.hosts != point.ranks:
                    # Beds have the name of this process: one at a time.
                    stack.close()
                    bed = stack.enter_context(Bed(point.ranks, "1gbit", build=build))
                launcher = bed.launcher(point.mpi)
            found = point.measure(launcher, build, store.points.get(point.key()))
            if found:
                store.keep({"part": point.part, "mpi": point.mpi, "ranks": point.ranks, "where": point.where, **point.more,
                            **found})
                tell(point, found)
    return len(points)


def parts(only):
    """What --only names; everything without."""
    of_name = {"memory": {"memory"}, "network": {"network", "raw", "lossy"}, "study": {"study"}, "simulated": {"simulated"}}
    names = only.split(",") if only else list(of_name)
    unknown = [name for name in names if name not in of_name]
    if unknown:
        sys.exit(f"bench_redistribute: --only {','.join(unknown)}: not a part; use {', '.join(of_name)}")
    return set().union(*(of_name[name] for name in names))


def simulated(store, program, quick):
    if not program.exists():
        print(f"no simulation: {program} is not built", file=sys.stderr)
        return
    for run_of in redistribute_scale.runs(program, quick):
        store.keep(run_of)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", default=ROOT.parent / "shared/data", help="folder of raw fields")
    parser.add_argument("--build", type=Path, default=ROOT / "build")
    parser.add_argument("--out", type=Path, default=ROOT / "docs/benchmarks")
    parser.add_argument("--repetitions", type=int, default=50)
    parser.add_argument("--quick", action="store_true", help="of the study three of the arrays, and few repetitions")
    parser.add_argument("--minutes", type=float, help="begin nothing after that; what is most important comes first, and "
                        "what was measured before stays")
    parser.add_argument("--missing", action="store_true", help="only what redistribute.json has not")
    parser.add_argument("--only", metavar="PART,...", help="memory, network (all of what crosses 4 hosts), study or simulated")
    parser.add_argument("--list", action="store_true", help="print what would be measured")
    parser.add_argument("--page-only", action="store_true", help="page and plots from redistribute.json")
    arguments = parser.parse_args()
    arguments.out.mkdir(parents=True, exist_ok=True)
    store = Store(arguments.out / "redistribute.json", "runs", key_of)
    if not arguments.page_only:
        wanted = parts(arguments.only)
        points = plan_of(arguments.build, arguments.data, arguments.repetitions, arguments.quick, wanted)
        if "study" in wanted and not arguments.quick:
            measured = {point.key() for point in points}
            store.forget([key for key in store.points if key[0] == "study" and key not in measured])
        if arguments.missing:
            points = [point for point in points if point.key() not in store.points]
        if arguments.list:
            for point in points:
                print(*point.key(), f"x{point.repetitions}")
            return
        deadline = time.time() + 60 * arguments.minutes if arguments.minutes else None
        done = measure_all(points, store, arguments.build, deadline)
        print(f"bench_redistribute: {done} of {len(points)} points", file=sys.stderr)
        has_simulated = any(key[0] == "simulated" for key in store.points)
        if "simulated" in wanted and not (deadline and time.time() > deadline) and not (arguments.missing and has_simulated):
            simulated(store, arguments.build / "bin/laconic-scale-exchange", arguments.quick)
    if not store.points:
        sys.exit("bench_redistribute: nothing was measured yet")
    import redistribute_page
    page = arguments.out / "redistribute.md"
    before = page.read_text(encoding="utf-8") if page.exists() else ""
    page.write_text(redistribute_page.page(json.loads(store.path.read_text(encoding="utf-8")), arguments.out, before),
                    encoding="utf-8")
    print(page)


if __name__ == "__main__":
    main()
