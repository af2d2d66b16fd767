#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Runs the collectives in SimGrid's simulation: the built laconic-scale and a table of codecs go in; a page with tables
(scale.md), the raw results (scale.json) and a plot (scale.svg) come out.

usage: bench_scale.py [--build DIR] [--laconic PROGRAM] [--out DIR] [--quick] [--page-only]
"""
import argparse
import datetime
import json
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import scale_model
import scale_model_page
import scale_page

ROOT = Path(__file__).resolve().parent.parent
TABLE = ROOT / "bench/scale/codecs.txt"
LARGE, SMALL = 678_000_000, 1_000_000
# A simulation whose built-in collectives take real memory once filled a machine.
ADDRESS_SPACE = 12_000_000_000
# What MPI's own allreduce holds in all ranks together, at most.
STOCK_BYTES = 1.4e9
# With these the simulated times of a ring equal the alpha-beta formula; MPI_Test takes no time, since what would poll
# sleeps until a message is there; no eager copies, which the simulator never forgets.
SETTINGS = ("smpi/simulate-computation:no", "smpi/host-speed:1Gf", "smpi/bw-factor:0:1", "smpi/lat-factor:0:1",
            "network/crosstraffic:0", "smpi/test:0", "smpi/send-is-detached-thresh:0", "contexts/stack-size:512")
PLATFORM = """\
<?xml version='1.0'?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1">
  <cluster id="c" prefix="h" suffix="" radical="0-{last}" speed="1Gf" bw="{bandwidth}Gbps" lat="1us"
           sharing_policy="SPLITDUPLEX"/>
</platform>
"""
STOCK = {  # label: SimGrid's setting
    "stock: Rabenseifner": "smpi/allreduce:mvapich2_rs", "stock: ring": "smpi/allreduce:lr",
    "stock: Open MPI": "smpi/coll-selector:ompi", "stock: MPICH": "smpi/coll-selector:mpich",
    "stock: pipeline": "smpi/bcast:ompi_pipeline"}


# Of 678 MB the simulator needs 1 to 2 minutes for each row at 256 ranks, 10 at 512; raw rings have four times as many messages.
AT_SCALE = ("homcomp_f=fle", "c_coll=szx")
SLOW = ("ring_raw=fle",)


class Case:
    """One run of the simulator: rows of one operation at one size, number of ranks and bandwidth (Gbit/s)."""

    def __init__(self, group, op, size, ranks, rows, bandwidth=100, segment=512 << 10, stock=None):
        self.group, self.op, self.size, self.ranks, self.rows = group, op, size, ranks, rows
        self.bandwidth, self.segment, self.stock = bandwidth, segment, stock

    def divisor(self):
        """How much smaller a stock allreduce is simulated, on a network as much slower."""
        parts = 1
        while self.op == "allreduce" and self.stock and self.ranks * self.size / parts > STOCK_BYTES:
            parts *= 2
        return parts


def ours(group, size, ranks, rows, **more):
    """Rings and the rest apart: where every message is exchanged whole, cells may be larger."""
    rings = [row for row in rows if not row.startswith("recursive")]
    whole = [row for row in rows if row.startswith("recursive")]
    made = [Case(group, "allreduce", size, ranks, [row], **more) for row in rings]
    if size == LARGE:
        more["segment"] = 4 << 20
    return made + [Case(group, "allreduce", size, ranks, [row], **more) for row in whole]


def stocks(group, size, ranks, names, row="stock=fle", op="allreduce", **more):
    return [Case(group, op, size, ranks, [row], stock=name, **more) for name in names]


def cases(quick):
    everything = ["homcomp_f=fle", "c_coll=szx", "c_coll=szx_paper", "recursive_doubling=fle", "hzccl=fle",
                  "cpr_p2p=szx", "rabenseifner=fle", "c_coll=szx_public", "ring_raw=fle"]
    both = ["stock: Rabenseifner", "stock: ring"]
    made = []
    for ranks in (16, 32) if quick else (16, 32, 64, 128, 256, 512):
        rows = [row for row in everything
                if row in AT_SCALE or ranks <= 128 and row not in SLOW or ranks <= 64 and not quick]
        made += stocks("large", LARGE, ranks, both) + ours("large", LARGE, ranks, rows)
        made += stocks("small", SMALL, ranks, ["stock: Rabenseifner", "stock: Open MPI"])
        made += ours("small", SMALL, ranks, ["homcomp_f=fle", "rabenseifner=fle", "c_coll=szx",
                                             "recursive_doubling=fle"], segment=128 << 10)
        # Raw segments are shorter; these are MPICH's.
        made += ours("small", SMALL, ranks, ["ring_raw=fle"], segment=16 << 10)
    if quick:
        return made
    # The rest hardly depends on the number of ranks: fewer of them, for the simulator's sake.
    for bandwidth in (1, 2.5, 5, 10, 25, 50):
        made += stocks("bandwidth", LARGE, 32, both, bandwidth=bandwidth)
        made += ours("bandwidth", LARGE, 32, ["homcomp_f=fle", "c_coll=szx", "c_coll=szx_paper"], bandwidth=bandwidth)
    made += stocks("cores", LARGE, 32, both, row="stock=fle*4")
    made += ours("cores", LARGE, 32, ["homcomp_f=fle*4", "c_coll=szx*4", "c_coll=szx_paper*4"])
    made += stocks("hard", LARGE, 32, both, row="stock=fle_hard")
    made += ours("hard", LARGE, 32, ["homcomp_f=fle_hard", "c_coll=szx_hard"])
    # MPICH's scatter takes more memory than a simulation may have.
    for op, names, rows in (
            ("bcast", ("MPICH", "Open MPI", "pipeline"),
             ("c_coll=szx", "c_coll=szx_paper", "ring=fle", "binomial=fle")),
            ("allgather", ("MPICH", "Open MPI"), ("c_coll=szx", "c_coll=szx_paper", "ring=fle")),
            ("scatter", ("Open MPI",), ("c_coll=szx", "c_coll=szx_paper", "pairwise=fle"))):
        made += stocks("movement", LARGE, 128, [f"stock: {name}" for name in names], op=op)
        made += [Case("movement", op, LARGE, 128, [row]) for row in rows]
    return made


def is_known(case, rows):
    """Whether all of a case's rows are among those of an earlier run."""
    def names(row):
        return {row["algorithm"], f"{row['algorithm']}={row['codec']}",
                f"{row['algorithm']}={row['codec']}*{row['cores']}"}
    alike = [row for row in rows if (row["group"], row["op"], row["bytes"], row["ranks"], row["bandwidth"]) ==
             (case.group, case.op, case.size, case.ranks, case.bandwidth)]
    return all(any(name in names(row) for row in alike) for name in ([case.stock] if case.stock else case.rows))


def simulate(program, folder, case):
    """The rows of a case; raises RuntimeError with what the simulator said."""
    platform = folder / f"{id(case)}.xml"
    platform.write_text(PLATFORM.format(last=case.ranks - 1, bandwidth=case.bandwidth / case.divisor()),
                        encoding="ascii")
    settings = SETTINGS + ((STOCK[case.stock],) if case.stock else ())
    command = ["smpirun", "-np", str(case.ranks), "-platform", str(platform),
               *(f"--cfg={setting}" for setting in settings), "--log=root.thres:error", str(program), str(TABLE),
               case.op, str(case.size), str(case.segment), str(case.divisor()), *case.rows]
    start = time.monotonic()
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=folder,
                          preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (ADDRESS_SPACE, ADDRESS_SPACE)))
    lines = [line for line in done.stdout.splitlines() if line.startswith("{")]
    if done.returncode != 0 or len(lines) != len(case.rows):
        raise RuntimeError(f"{' '.join(command)}\n{done.stdout}{done.stderr}".strip())
    extra = {"group": case.group, "bandwidth": case.bandwidth, "divisor": case.divisor(),
             "wall_s": round(time.monotonic() - start, 1)}
    rows = [{**extra, **json.loads(line)} for line in lines]
    for row in rows:
        if case.stock:
            row["algorithm"] = case.stock
    return rows


def measure(program, wanted, workers, keep):
    """All rows and what failed; keep(rows, failures) is called whenever there are more."""
    rows, failures = [], []

    def one(case):
        try:
            made = simulate(program, Path(folder), case)
        except RuntimeError as problem:
            failures.append(str(problem))
            print(f"bench_scale: FAILED {case.op} {case.ranks} {case.rows}", file=sys.stderr, flush=True)
            return []
        for row in made:
            print(f"bench_scale: {row['op']} {row['bytes']} B, {row['ranks']} ranks, {row['bandwidth']} Gbit/s, "
                  f"{row['algorithm']} {row['codec']}*{row['cores']}: {row['seconds']:.6f} s "
                  f"(took {row['wall_s']} s)", file=sys.stderr, flush=True)
        return made

    with tempfile.TemporaryDirectory(prefix="laconic-scale") as folder, ThreadPoolExecutor(workers) as pool:
        for made in pool.map(one, wanted):
            rows += made
            keep(rows, failures)
    return rows, failures


def write_page(results, out, laconic):
    if not scale_model.add_predictions(results, laconic):
        print(f"bench_scale: no predictions: no {laconic}; build the target laconic", file=sys.stderr)
    try:
        import scale_plot
        plots = scale_plot.draw(results, out)
    except ImportError as missing:
        print(f"bench_scale: no plot: {missing}", file=sys.stderr)
        plots = []
    page = out / "scale.md"
    before = page.read_text(encoding="utf-8") if page.exists() else ""
    page.write_text(scale_page.page(results, plots, before, scale_model_page.section(results)),
                    encoding="utf-8")
    print(page)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n", maxsplit=1)[0])
    parser.add_argument("--build", type=Path, default=ROOT / "build", help="where laconic-scale was built")
    parser.add_argument("--laconic", type=Path, default=ROOT / "build/bin/laconic", help="the program that predicts")
    parser.add_argument("--out", type=Path, help="folder of the page (docs/benchmarks; --quick: build/benchmarks)")
    parser.add_argument("--quick", action="store_true", help="16 and 32 ranks only")
    parser.add_argument("--page-only", action="store_true", help="write the page again from its scale.json")
    parser.add_argument("--missing", action="store_true", help="keep the rows of its scale.json, simulate only others")
    parser.add_argument("--workers", type=int, default=2, help="simulations at a time")
    chosen = parser.parse_args()
    out = chosen.out or ROOT / ("build/benchmarks" if chosen.quick else "docs/benchmarks")
    out.mkdir(parents=True, exist_ok=True)
    store = out / "scale.json"
    if chosen.page_only:
        write_page(json.loads(store.read_text(encoding="utf-8")), out, chosen.laconic)
        return
    if shutil.which("smpirun") is None:
        sys.exit("bench_scale: no smpirun; install libsimgrid-dev")
    simulator = subprocess.run(["smpirun", "-version"], capture_output=True, text=True, check=False).stdout.strip()

    known = json.loads(store.read_text(encoding="utf-8"))["rows"] if chosen.missing and store.exists() else []

    def keep(made, failures):
        rows = known + made
        results = {"date": datetime.date.today().isoformat(), "simulator": simulator, "settings": list(SETTINGS),
                   "codecs": TABLE.read_text(encoding="utf-8").splitlines(), "failures": len(failures), "rows": rows}
        store.write_text(scale_page.compact(results), encoding="utf-8")

    wanted = sorted((case for case in cases(chosen.quick) if not is_known(case, known)),
                    key=lambda case: case.ranks if case.size == LARGE else 0)
    _, failures = measure(chosen.build.resolve() / "bin/laconic-scale", wanted, chosen.workers, keep)
    write_page(json.loads(store.read_text(encoding="utf-8")), out, chosen.laconic)
    if failures:
        sys.exit(f"bench_scale: {len(failures)} failed; the first:\n{failures[0]}")


if __name__ == "__main__":
    main()
