# SPDX-License-Identifier: BSD-3-Clause
"""The grid of points on which the collectives have to keep what they promise: sizes, rates and numbers of hosts go in;
every point's rows, measured and predicted, come out in docs/benchmarks/grid.json, and from there the page grid.md
(grid_page.py). A run replaces the points that it measures and keeps the others: it can be cut short, filtered, repeated.

Points are measured by hosts and links, or in the order of their importance, so that a run of --minutes leaves a balanced page.
"""
import argparse
import json
import os
import sys
import time
from dataclasses import asdict, astuple, dataclass
from itertools import chain, product
from math import comb
from pathlib import Path
from statistics import fmean, median

from bench_collectives import OPERATIONS, ROWS
from emulated_hosts import ALSO_FORCED, FORCED, ROOT, WITH_COUNTS, Bed, Store, bytes_of, made_field, real_field

# What is worth a second look on every point; `auto` may take any row that is listed.
GRID_ROWS = ROWS | {
    "allreduce": ["stock", "ring_raw", "rabenseifner_raw", "recursive_doubling_raw", "c_coll", "hzccl", "homcomp",
                  "homcomp_f", "rabenseifner", "recursive_doubling", "auto"],
    "reduce": ["stock", "ring_raw", "binomial_raw", "c_coll", "homcomp_f", "binomial", "auto"],
    "reduce_scatter": ["stock", "ring_raw", "pairwise_raw", "c_coll", "homcomp_f", "pairwise", "auto"],
    "allgather": ["stock", "ring_raw", "binomial_raw", "c_coll", "ring", "binomial", "auto"],
    "bcast": ["stock", "ring_raw", "binomial_raw", "c_coll", "ring", "binomial", "auto"],
}
RATES = ["1gbit", "5gbit", "none"]
FORCED_FROM = 16 << 10  # shorter buffers: the libraries' defaults are their fastest algorithms
ALSO_FORCED_UP_TO = 4 << 20  # longer ones: those of ALSO_FORCED are far behind
MOST_BYTES = 20 << 30   # of all ranks' buffers together
STARTUP_S = 2.5         # of a job
# Below this many bytes the links must not let long packets pass at once.
SHORT_BYTES = 1 << 20
SHORT_PACKET = 16 << 10


@dataclass(frozen=True)
class Part:
    """A slice of the grid: every combination of its lists."""
    name: str
    ops: list
    sizes: list
    hosts: list
    rates: list
    field: str = "isabel_velmag"
    rel: str = "1e-3"
    mpi: str = "openmpi"
    cores: float = 0


OTHERS = [op for op in OPERATIONS if op != "allreduce"]
PARTS = [
    Part("grid", ["allreduce"], ["16K", "1M", "64M"], [8, 4, 2], RATES),
    Part("one_core", ["allreduce"], ["64M"], [4], ["1gbit", "2.5gbit", "5gbit", "10gbit"], "hit_u", "3e-4", cores=1),
    Part("noise", ["allreduce"], ["64K", "1M", "64M"], [4, 8], ["1gbit", "none"], "noise", "1e-8"),
    Part("grid", ["allreduce"], ["4K", "64K", "256K", "4M", "16M"], [8, 4, 2], RATES),
    Part("crossover", OTHERS, ["64K", "256K", "1M"], [8], ["1gbit"]),
    Part("grid", ["allreduce"], ["1K", "256M"], [8, 4, 2], RATES),
    Part("movements", ["bcast", "allgather"], ["64K", "1M", "64M"], [8, 4, 2], RATES),
    Part("mpich", ["allreduce"], ["4K", "64K", "1M", "64M"], [8, 4], RATES, mpi="mpich"),
    Part("one_core", ["allreduce"], ["64M"], [4], ["1gbit", "2.5gbit", "5gbit", "10gbit"], "hit_u", "3e-4", "mpich", 1),
    Part("noise", ["bcast", "allgather"], ["64K", "1M", "64M"], [4], ["1gbit", "none"], "noise", "1e-8"),
    Part("crossover", OTHERS, ["16K", "4M"], [8], ["1gbit"]),
    Part("movements", ["bcast", "allgather"], ["4K", "16M"], [8, 4, 2], RATES),
]


@dataclass(frozen=True)
class Point:
    part: str
    op: str
    mpi: str
    hosts: int
    rate: str
    cores: float
    field: str
    rel: str
    size: str

    def bed(self):
        short = self.rate == "1gbit" and bytes_of(self.size) < SHORT_BYTES
        return {"hosts": self.hosts, "rate": self.rate, "cores": self.cores, "packet": SHORT_PACKET if short else 65536}

    def calibration(self):
        """The same for points that one calibration serves."""
        return (self.mpi, *self.bed().values())

    def rows(self):
        """Beyond the reach of a bound fle sums in doubles, which takes seconds where others take milliseconds."""
        rows = GRID_ROWS[self.op]
        if self.part != "noise" or self.op != "allreduce":
            return rows
        raw = ["stock", "ring_raw", "rabenseifner_raw", "recursive_doubling_raw"]
        return [*raw, "c_coll", "auto"]


def plan():
    """The points in order; what two parts have in common belongs to the first."""
    seen = set()
    for part in PARTS:
        for hosts, rate, op, size in product(part.hosts, part.rates, part.ops, part.sizes):
            point = Point(part.name, op, part.mpi, hosts, rate, part.cores, part.field, part.rel, size)
            if astuple(point)[1:] in seen or 2 * hosts * bytes_of(size) > MOST_BYTES:
                continue
            seen.add(astuple(point)[1:])
            yield point


def wanted(point, arguments):
    checks = {"only": point.part, "ops": point.op, "mpi": point.mpi, "hosts": str(point.hosts), "rates": point.rate,
              "sizes": point.size}
    return all(getattr(arguments, name) is None or value in getattr(arguments, name).split(",")
               for name, value in checks.items())


def by_beds(points):
    """Those of the same hosts, links and MPI together: they are calibrated once."""
    groups = {}
    for point in points:
        groups.setdefault(point.calibration(), []).append(point)
    return list(chain.from_iterable(groups.values()))


def forced_of(point):
    """The library's algorithms that are forced there."""
    size, key = bytes_of(point.size), (point.mpi, point.op)
    if size < FORCED_FROM:
        return []
    return FORCED.get(key, []) + (ALSO_FORCED.get(key, []) if size <= ALSO_FORCED_UP_TO else [])


def runs_apart(point):
    """Forced algorithms of another form of the call: each has a program run of its own, beside that form's default."""
    return sum(name.endswith(WITH_COUNTS) for name in forced_of(point))


def repetitions(point, seconds, most=1000):
    """As many as fit: the rows without compression take about as long as the wire, the others a third of that."""
    rate = {"1gbit": 0.12e9, "2.5gbit": 0.3e9, "5gbit": 0.5e9}.get(point.rate, 0.6e9)
    dilation = max(1, point.hosts * point.cores / (os.cpu_count() or 1))
    once = dilation * 2 * bytes_of(point.size) / rate + 100e-6 * point.hosts
    rows = 2 + len(point.rows()) / 3 + len(forced_of(point)) + runs_apart(point)
    return max(6, min(20 if point.part == "noise" else most, int(seconds / (once * rows))))


def ratios(times, others):
    return [a / b for a, b in zip(times, others)]


def interval(shares):
    """Where the median of what these are a sample of lies, with 95 % confidence, whatever its distribution: between two of
    them in order; of fewer than six the first and the last."""
    shares = sorted(shares)
    n, outside, tail = len(shares), 0, 1 + len(shares)
    # The median of the distribution is beyond the k outermost on one side when fewer than k of n coins show heads.
    while 1 - 2 * tail / 2 ** n >= 0.95:
        outside += 1
        tail += comb(n, outside + 1)
    return [shares[outside] - 1, shares[-1 - outside] - 1]


def auto_compared(rows):
    """auto's time against others' - 1, with intervals. The fastest of several medians afterwards is the luckiest, too:
    the row that is fastest in one half of the repetitions is compared in the other half, and the other way round. Against
    the row that it ran, under its own name: what deciding costs, and noise. Its first calls, in which it tries rows, against the
    others."""
    named = {row["algorithm"]: row for row in rows if not row["forced"]}
    auto = named.pop("auto", None)
    if auto is None or len(auto["times_s"]) < 2:
        return {}
    times = auto["times_s"]
    halves = (slice(0, None, 2), slice(1, None, 2))
    with_best = []
    for choosing, judging in (halves, halves[::-1]):
        best = min((row["times_s"] for row in named.values()), key=lambda others: median(others[choosing]))
        with_best.append(ratios(times[judging], best[judging]))
    same = next((row for row in named.values() if row["ran"] == auto["ran"]), None)
    return {"auto_vs_best": fmean(map(median, with_best)) - 1, "auto_vs_best_range": interval(sum(with_best, [])),
            "auto_vs_stock_range": interval(ratios(times, named["stock"]["times_s"])),
            "auto_vs_itself": median(ratios(times, same["times_s"])) - 1 if same else None,
            "auto_first": median(auto["warm_up_s"]) / median(times) - 1}


def measure(bed, point, field, seconds):
    count = repetitions(point, seconds)
    options = ["--rel", point.rel, "--scope", "contribution", "--repetitions", count]
    rows = bed.bench_with_forced(point.mpi, point.op, point.rows(), field, point.size, options, forced_of(point))
    if not rows:
        return None
    kept = ("algorithm", "ran", "forced", "median_s", "min_s", "speedup_vs_stock", "predicted_s", "ratio",
            "sent_bytes_per_rank", "max_error", "bound", "same_bits")
    return dict(asdict(point), bytes=rows[0]["bytes"], assumed_ratio=rows[0]["assumed_ratio"], repetitions=count,
                load=round(os.getloadavg()[0], 1), **auto_compared(rows),
                rows=[{key: row[key] for key in kept} for row in rows])


def key_of(found):
    return tuple(found[name] for name in Point.__dataclass_fields__)


def measure_all(points, arguments, store):
    deadline = time.time() + 60 * arguments.minutes if arguments.minutes else None
    jobs = sum(1 + runs_apart(point) for point in points)
    seconds = arguments.seconds
    if arguments.minutes:
        seconds = max(0.7, (60 * arguments.minutes - STARTUP_S * jobs) / len(points))
    done = 0
    while done < len(points):
        first = points[done]
        ops = {point.op for point in points if point.calibration() == first.calibration()}
        with Bed(**first.bed(), quick=arguments.quick_calibration, ops=ops, build=arguments.build) as bed:
            while done < len(points):
                point = points[done]
                if point.calibration() != first.calibration():
                    break
                if deadline and time.time() > deadline:
                    return done
                start = time.time()
                field = made_field("noise") if point.field == "noise" else real_field(arguments.data, point.field)
                found = measure(bed, point, field, seconds)
                if found:
                    store.keep(found)
                done += 1
                print(f"{done:4}/{len(points)} {point.part:9} {point.hosts} hosts {point.rate:7} {point.mpi:7} {point.op:14}"
                      f" {point.field:13} {point.size:>4}  x{found['repetitions'] if found else 0}"
                      f"  {time.time() - start:5.1f} s", file=sys.stderr, flush=True)
    return done


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", default=ROOT.parent / "shared/data", help="folder of raw fields")
    parser.add_argument("--build", type=Path, default=ROOT / "build")
    parser.add_argument("--out", type=Path, default=ROOT / "docs/benchmarks")
    parser.add_argument("--minutes", type=float, help="end then; fewer minutes, fewer repetitions, and what is most "
                        "important first")
    parser.add_argument("--seconds", type=float, default=4, help="of repetitions a point, without --minutes (default: 4)")
    for name, text in (("only", ",".join(dict.fromkeys(part.name for part in PARTS))), ("ops", "allreduce,..."),
                       ("hosts", "2,4,8"), ("mpi", "openmpi,mpich"), ("rates", "1gbit,5gbit,none"), ("sizes", "1K,...")):
        parser.add_argument(f"--{name}", metavar="LIST", help=f"only these points of the plan, of {text}")
    parser.add_argument("--quick-calibration", action="store_true", help="a machine measured in seconds: predictions and "
                        "decisions suffer")
    parser.add_argument("--missing", action="store_true", help="only points that were never measured")
    parser.add_argument("--list", action="store_true", help="print the plan, measure nothing")
    parser.add_argument("--page-only", action="store_true", help="page and plots from what was measured")
    arguments = parser.parse_args()
    arguments.out.mkdir(parents=True, exist_ok=True)
    store = Store(arguments.out / "grid.json", "points", key_of)
    points = [point for point in plan() if wanted(point, arguments)]
    points = [p for p in points if not (arguments.missing and astuple(p) in store.points)]
    if not arguments.minutes:
        points = by_beds(points)
    if arguments.list:
        for point in points:
            print(*astuple(point))
        return
    if not arguments.page_only:
        if not points:
            sys.exit("bench_grid: the filters leave no point of the plan; --list shows it")
        if not all(p.field == "noise" or real_field(arguments.data, p.field) for p in points):
            sys.exit(f"bench_grid: fields are missing in '{arguments.data}'; name another folder with --data")
        done = measure_all(points, arguments, store)
        print(f"bench_grid: {done} of {len(points)} points", file=sys.stderr)
    if not store.points:
        sys.exit("bench_grid: nothing was measured yet")
    import grid_page
    (arguments.out / "grid.md").write_text(
        grid_page.page(json.loads(store.path.read_text(encoding="utf-8")), arguments.out), encoding="utf-8")
    print(arguments.out / "grid.md")


if __name__ == "__main__":
    main()
