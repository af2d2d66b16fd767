# SPDX-License-Identifier: BSD-3-Clause
"""The figures of the papers behind the rows, run again on emulated hosts (tools/netbed): experiments go in; measured rows
come out as docs/benchmarks/papers.json, from which papers_page.py makes papers.md. Sizes and rates are those that one
machine can play: links of 10 Gbit/s and one core per host, time dilated where this machine has fewer cores.
"""
import argparse
import json
import sys
import time
from dataclasses import dataclass
from pathlib import Path

from emulated_hosts import ROOT, Bed, bytes_of, made_field, real_field, this_machine

LONG = ["28M", "78M", "128M", "278M", "678M"]  # as C-Coll
WIDE = ["256K", "1M", "4M", "16M", "64M"]     # the thesis: 4 MB to 2 GB, on GPUs
BASELINES = ["stock", "cpr_p2p", "cpr_p2p:zfp_abs", "cpr_p2p:zfp_rate", "c_coll", "homcomp_f"]
SLOW = {"cpr_p2p:zfp_abs", "cpr_p2p:zfp_rate"}
RATE = 4  # bits per value of zfp_rate, as C-Coll
SLOW_UP_TO = 100 << 20  # bytes; beyond that a call takes many seconds
THESIS = ["stock", "ring_raw", "homcomp", "homcomp_f"]


@dataclass(frozen=True)
class Experiment:
    name: str
    op: str
    rows: tuple
    sizes: tuple
    hosts: tuple = (4,)
    ranks_per_host: int = 1
    fields: tuple = ("marmousi_wave",)
    rel: str = "1e-3"
    paper_ends: str = ""  # where the paper's series of sizes does, if later


def experiment(name, op, rows, sizes, **more):
    return Experiment(name, op, tuple(rows), tuple(sizes), **more)


EXPERIMENTS = [
    experiment("steps", "allreduce", ["stock", "ring_raw", "cpr_p2p", "c_coll"], LONG),
    experiment("steps_gather", "allgather", ["ring_raw", "cpr_p2p", "c_coll"], LONG),
    experiment("steps_scatter", "reduce_scatter", ["ring_raw", "cpr_p2p", "c_coll"], LONG),
    experiment("baselines", "allreduce", BASELINES, LONG),
    experiment("nodes", "allreduce", BASELINES, ["28M"], hosts=(2, 4, 8), paper_ends="678 MB"),
    experiment("datasets", "allreduce", ["stock", "cpr_p2p", "c_coll", "homcomp_f"], ["78M"], rel="1e-4",
               fields=("isabel_velmag", "cesm_PRECT", "cesm_T", "eraint_u", "marmousi_wave")),
    experiment("scatter", "scatter", ["stock", "cpr_p2p", "c_coll", "pairwise"], LONG),
    experiment("bcast", "bcast", ["stock", "cpr_p2p", "c_coll", "ring"], LONG),
    experiment("doc", "allreduce", ["stock", "cpr_p2p:fle", "c_coll:fle", "hzccl", "homcomp", "homcomp_f"], LONG[:3],
               fields=("hit_u",)),
    experiment("thesis_sizes", "allreduce", THESIS, [*WIDE, "256M"], fields=("normal",), rel="1e-4", paper_ends="2 GB"),
    experiment("thesis_nodes", "allreduce", THESIS, ["64M"], fields=("normal",), rel="1e-4", hosts=(2, 4, 8)),
    experiment("argm_sizes", "allreduce", [*THESIS, "argm"], WIDE, fields=("normal",), rel="1e-4", ranks_per_host=2,
               paper_ends="2 GB"),
    experiment("argm_nodes", "allreduce", [*THESIS, "argm"], ["64M"], fields=("normal",), rel="1e-4", hosts=(2, 4),
               ranks_per_host=2),
    experiment("argm_walk", "allreduce", [*THESIS, "argm"], WIDE, fields=("walk",), rel="1e-4", ranks_per_host=2,
               paper_ends="2 GB"),
]


def field_of(name, data):
    return made_field(name) if name in ("normal", "walk") else real_field(data, name)


def repetitions_of(size, quick):
    """Never one alone but to see whether it runs: the first calls of MPI's own functions take twice as long as later ones."""
    return 1 if quick else 3 if bytes_of(size) > 8 << 20 else 15


def points(chosen, quick):
    """(hosts, ranks per host, experiment, field, size)"""
    for one in chosen:
        sizes = one.sizes[:2] if quick else one.sizes
        hosts = one.hosts[:2] if quick else one.hosts
        for count in hosts:
            for name in one.fields[:2] if quick else one.fields:
                for size in sizes:
                    yield count, one.ranks_per_host, one, name, "4M" if quick and bytes_of(size) > 28 << 20 else size


def measure_all(chosen, arguments):
    found = []
    wanted = list(dict.fromkeys(points(chosen, arguments.quick)))
    for hosts, each in dict.fromkeys((hosts, each) for hosts, each, *_ in wanted):
        with Bed(hosts, "10gbit", cores=each, ranks=hosts * each, build=arguments.build) as bed:
            for at_hosts, at_each, one, name, size in wanted:
                if (at_hosts, at_each) != (hosts, each):
                    continue
                start = time.time()
                rows = [row for row in one.rows if row not in SLOW or bytes_of(size) <= SLOW_UP_TO]
                result = bed.bench(arguments.mpi, one.op, rows, field_of(name, arguments.data), size,
                                   ["--rel", one.rel, "--scope", "contribution", "--rate", RATE, "--repetitions",
                                    repetitions_of(size, arguments.quick)])
                print(f"{one.name:13} {hosts} hosts x {each}  {name:14} {size:>5}  {time.time() - start:5.1f} s",
                      file=sys.stderr, flush=True)
                if result:
                    found.append({"experiment": one.name, "op": one.op, "hosts": hosts, "ranks": hosts * each,
                                  "field": name, "rel": one.rel, "size": size, "mpi": arguments.mpi, "machine": this_machine(),
                                  "rows": result["rows"]})
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", default=ROOT.parent / "shared/data", help="folder of raw fields")
    parser.add_argument("--build", type=Path, default=ROOT / "build")
    parser.add_argument("--out", type=Path, help="default: docs/benchmarks; with --quick build/benchmarks")
    parser.add_argument("--mpi", default="mpich", choices=("mpich", "openmpi"))
    parser.add_argument("--only", metavar="LIST", help=f"experiments, of {','.join(e.name for e in EXPERIMENTS)}")
    parser.add_argument("--quick", action="store_true", help="short buffers, one repetition: does it run?")
    parser.add_argument("--page-only", action="store_true", help="page and plots from the last measurement")
    arguments = parser.parse_args()
    out = arguments.out or ROOT / ("build/benchmarks" if arguments.quick else "docs/benchmarks")
    out.mkdir(parents=True, exist_ok=True)
    store = out / "papers.json"
    chosen = [e for e in EXPERIMENTS if arguments.only is None or e.name in arguments.only.split(",")]
    if not arguments.page_only:
        names = {name for e in chosen for name in e.fields} - {"normal", "walk"}
        if not chosen or not all(real_field(arguments.data, name) for name in names):
            sys.exit(f"bench_papers: no such experiment, or fields are missing in '{arguments.data}'; see --help")
        old = json.loads(store.read_text(encoding="utf-8"))["points"] if store.exists() else []
        measured = measure_all(chosen, arguments)
        again = {p["experiment"] for p in measured}
        results = {"points": [p for p in old if p["experiment"] not in again] + measured}
        store.write_text(json.dumps(results, indent=1) + "\n", encoding="utf-8")
    if not store.exists():
        sys.exit("bench_papers: nothing was measured yet")
    import papers_page
    (out / "papers.md").write_text(papers_page.page(json.loads(store.read_text(encoding="utf-8")), out), encoding="utf-8")
    print(out / "papers.md")


if __name__ == "__main__":
    main()
