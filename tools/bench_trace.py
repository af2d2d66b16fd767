# SPDX-License-Identifier: BSD-3-Clause
"""What tracing costs and how small traces are: the programs of bench/trace, Debian's HPC Challenge and LAMMPS, and
examples/stacking run plain and under the preload libraries; docs/benchmarks/trace.json and the page trace.md come out.

Parts: sizes, iterations, memory, programs (overhead), timings (ratio and PSNR per method), finalize (time to merge and
write the trace). A part that is not asked for keeps what the JSON has of it.
"""
import argparse
import json
import os
import re
import shutil
import statistics
import subprocess
import sys
import time
from pathlib import Path

from emulated_hosts import ROOT, SCRATCH, this_machine
from trace_page import page

PARTS = ("sizes", "iterations", "memory", "programs", "timings", "finalize")
FOLDER = Path(SCRATCH.name)
RANKS = {"stencil2d": (4, 9, 16, 25, 36, 64), "stencil3d": (8, 27, 64), "transpose": (4, 16, 64),
         "butterfly": (4, 16, 64), "fan": (4, 16, 64), "tree": (4, 16, 64), "anysource": (4, 16, 64), "nas bt": (4, 16),
         "nas sp": (4, 16)}
ROUNDS = 3
METHODS = ("position", "cfg", "hist", "sz", "sz_clustered", "zfp", "zfp_clustered")
HPCC = "/usr/share/doc/hpcc/examples/_hpccinf.txt"
MELT = "/usr/share/lammps/examples/melt/in.melt"


class Traced:
    """Starts ranks of one MPI, plain or under the recorder."""

    def __init__(self, build, flavour):
        self.build, self.flavour = build, flavour
        self.launcher = build / f"mpiexec-{flavour}"
        own = build / f"lib/liblaconic_{flavour}_yield.so"
        self.yielding = [str(own)] if own.exists() else []
        self.library = str(build / f"lib/liblaconic_preload_{flavour}.so")

    def program(self, words):
        """Our own programs are named without their folder and MPI."""
        known = {"patterns": "trace_patterns_", "nas": "trace_nas_", "stacking": "stacking-"}
        if words[0] not in known:
            return words
        return [str(self.build / "bin" / (known[words[0]] + self.flavour)), *words[1:]]

    def run(self, ranks, words, trace=None, timing="mean", log=None):
        """Wall seconds. `timing` may name a method of lossy times, too: "lossy hist"."""
        timing, _, method = timing.partition(" ")
        more = []
        if trace or log:
            more = ["env", "LD_PRELOAD=" + ":".join([self.library, *self.yielding])]
            more += [f"LACONIC_TRACE={trace}", f"LACONIC_TRACE_TIMING={timing}"] if trace else []
            more += [f"LACONIC_TRACE_METHOD={method}"] if method else []
            more += [f"LACONIC_TRACE_LOG={log}"] if log else []
        start = time.monotonic()
        done = subprocess.run([str(w) for w in [self.launcher, ranks, *more, *self.program(words)]], cwd=FOLDER,
                              capture_output=True, text=True, timeout=900, check=False)
        took = time.monotonic() - start
        if done.returncode != 0 or "laconic:" in done.stderr:
            raise SystemExit(f"bench_trace: {self.flavour}, {ranks} ranks: {words}: status {done.returncode}\n"
                             f"{done.stdout[-2000:]}\n{done.stderr[-2000:]}")
        self.said = done.stdout
        return took

    def size(self, ranks, words):
        trace = FOLDER / "size.trace"
        self.run(ranks, words, trace, "none")
        return trace.stat().st_size

    def peak_kb(self, words, trace):
        """Of one rank, started without a launcher: the most memory it held at once."""
        environment = dict(os.environ, UCX_TLS="self,sm", OMPI_MCA_pml="ob1", OMPI_MCA_btl="self,vader",
                           OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1")
        if trace:
            environment |= {"LD_PRELOAD": self.library, "LACONIC_TRACE": str(trace), "LACONIC_TRACE_TIMING": "mean"}
        # The program reads it from its own /proc: ru_maxrss would begin with what this Python holds.
        text = subprocess.run([str(w) for w in self.program(words)], env=environment, check=True, capture_output=True,
                              text=True, timeout=900).stdout
        return int(text.split()[2])


def sizes(mpis, quick):
    rows = []
    for pattern, counts in RANKS.items():
        words = pattern.split() if " " in pattern else ["patterns", pattern, 10]
        for mpi in mpis:
            at = {ranks: mpi.size(ranks, words) for ranks in (counts[:2] if quick else counts)}
            rows.append({"pattern": pattern, "mpi": mpi.flavour, "bytes": at})
            print(pattern, mpi.flavour, at, flush=True)
    return rows


def iterations(mpis, quick):
    rows = []
    for mpi in mpis:
        for ranks, most in ((1, 6), (9, 4)):
            at = {}
            for power in range(1, (3 if quick else most) + 1):
                trace = FOLDER / "iterations.trace"
                took = mpi.run(ranks, ["patterns", "stencil2d", 10**power, 16], trace, "mean")
                at[10**power] = {"bytes_none": mpi.size(ranks, ["patterns", "stencil2d", 10**power, 16]),
                                 "bytes_mean": trace.stat().st_size, "seconds": took}
            rows.append({"mpi": mpi.flavour, "ranks": ranks, "by": at})
            print(rows[-1], flush=True)
    return rows


def memory(mpis, quick):
    rows = []
    for mpi in mpis:
        for pattern in ("stencil2d", "tags"):
            at = {}
            for power in range(3, (5 if quick else 7)):
                words = ["patterns", pattern, str(10**power), "16"]
                at[10**power] = (mpi.peak_kb(words, None), mpi.peak_kb(words, FOLDER / "memory.trace"))
            rows.append({"mpi": mpi.flavour, "pattern": pattern, "kb": at})
            print(rows[-1], flush=True)
    return rows


def real_programs(mpis, ranks=4):
    """[(name, mpi, ranks, words)]: two of Debian, which link its Open MPI, and our example. 2 or 4 ranks."""
    by_name = {mpi.flavour: mpi for mpi in mpis}
    (FOLDER / "hpccinf.txt").write_text(
        re.sub(r"^2( +Ps)$", rf"{ranks // 2}\1", Path(HPCC).read_text(encoding="utf-8"), flags=re.M), encoding="utf-8")
    melt = (FOLDER / "in.melt")
    melt.write_text(Path(MELT).read_text(encoding="utf-8").replace("run\t\t250", "run\t\t500"), encoding="utf-8")
    stacking = ["stacking", "--grid", "192x128", "--shots", "8", "--panels", "9", "--repetitions", "3", "--out", FOLDER / "out"]
    found = []
    if "openmpi" in by_name:
        found += [("HPC Challenge 1.5 (Debian)", by_name["openmpi"], ranks, ["hpcc"]),
                  ("LAMMPS, melt, 500 steps (Debian)", by_name["openmpi"], ranks, ["lmp", "-in", melt])]
    return found + [(f"image stacking, {mpi.flavour}", mpi, ranks, stacking) for mpi in mpis]


def programs(mpis, quick):
    rows = []
    stencils = [(f"2-D stencil, {size} B messages, {mpi.flavour}", mpi, 2, ["patterns", "stencil2d", turns, size // 8])
                for mpi in mpis for size, turns in ((128, 200000), (65536, 20000))]
    # real_programs() also writes the files that the programs read: a list at a time.
    def jobs():
        yield from real_programs(mpis)
        yield from real_programs(mpis, 2)
        yield from stencils
    for name, mpi, ranks, words in jobs():
        plain, traced = [], []
        trace = FOLDER / "program.trace"
        for _ in range(1 if quick else ROUNDS):
            plain.append(mpi.run(ranks, words))
            traced.append(mpi.run(ranks, words, trace))
        facts = json.loads(subprocess.run([mpi.build / "bin/laconic", "stat", "--json", trace], check=True,
                                          capture_output=True, text=True).stdout)
        ratios = [t / p for p, t in zip(plain, traced)]
        rows.append({"name": name, "ranks": ranks, "plain_s": statistics.median(plain), "traced_s": statistics.median(traced),
                     "ratio": statistics.median(ratios), "ratios": ratios, "bytes": trace.stat().st_size,
                     "calls": facts["calls"]})
        print(rows[-1], flush=True)
    return rows


def timings(mpis, quick):
    rows = []
    tool = mpis[0].build / "bin/bench_timings"
    for name, mpi, ranks, words in real_programs(mpis):
        log = FOLDER / "timings"
        shutil.rmtree(log, ignore_errors=True)
        mpi.run(ranks, words, log=log)
        text = subprocess.run([tool, *sorted(log.glob("rank-*.log"))], check=True, capture_output=True, text=True).stdout
        rows.append({"name": name, "ranks": ranks, "methods": [json.loads(line) for line in text.splitlines()]})
        print(name, *text.splitlines(), sep="\n", flush=True)
    return rows


def finalize(mpis, quick):
    """How long MPI_Finalize takes on rank 0: the one place where traces are merged and written."""
    rows = []
    for mpi in mpis:
        for ranks, turns in ((4, 1000), (4, 100000)):
            turns = turns // 10 if quick else turns
            by = {}
            for mode in ("plain", "none", "mean", "lossless", *(f"lossy {method}" for method in METHODS)):
                trace = None if mode == "plain" else FOLDER / "finalize.trace"
                seconds = []
                for _ in range(1 if quick else ROUNDS):
                    mpi.run(ranks, ["patterns", "stencil2d", turns, 16], trace, mode)
                    seconds.append(float(mpi.said.split("MPI_Finalize ")[1].split()[0]))
                by[mode] = {"seconds": statistics.median(seconds), "bytes": trace.stat().st_size if trace else 0}
            facts = json.loads(subprocess.run([mpi.build / "bin/laconic", "stat", "--json", FOLDER / "finalize.trace"], check=True,
                                              capture_output=True, text=True).stdout)
            rows.append({"mpi": mpi.flavour, "ranks": ranks, "calls": facts["calls"], "by": by})
            print(rows[-1], flush=True)
    return rows


def main(arguments):
    parser = argparse.ArgumentParser(prog="./dev bench trace", description=__doc__)
    parser.add_argument("--build", type=Path, default=ROOT / "build")
    parser.add_argument("--only", nargs="+", choices=PARTS, default=PARTS)
    parser.add_argument("--quick", action="store_true", help="a short run, into build/benchmarks")
    parser.add_argument("--page", action="store_true", help="write the page from the JSON, measure nothing")
    given = parser.parse_args(arguments)
    into = given.build / "benchmarks" if given.quick else ROOT / "docs/benchmarks"
    into.mkdir(parents=True, exist_ok=True)
    kept = into / "trace.json"
    results = json.loads(kept.read_text(encoding="utf-8")) if kept.exists() else {}
    mpis = [Traced(given.build.resolve(), flavour) for flavour in ("mpich", "openmpi")
            if (given.build / "bin" / f"trace_patterns_{flavour}").exists()]
    for part in () if given.page else given.only:
        results[part] = {"machine": this_machine(), "rows": globals()[part](mpis, given.quick)}
        # Keys of objects are text in JSON: what is written is what a later run reads.
        kept.write_text(json.dumps(results, indent=1) + "\n", encoding="utf-8")
    results = json.loads(kept.read_text(encoding="utf-8"))
    text = into / "trace.md"
    text.write_text(page(results, text.read_text(encoding="utf-8") if text.exists() else ""), encoding="utf-8")
    print(text)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
