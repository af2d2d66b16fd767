# SPDX-License-Identifier: BSD-3-Clause
"""The collectives on an emulated network (tools/netbed): programs of this build, fields and a plan go in; measured rows
come out as docs/benchmarks/collectives.json, from which collectives_page.py and collectives_plots.py make the page.

Rows of one program run are interleaved, repetition by repetition. A forced algorithm of an MPI library needs a run of
its own, right beside. R of a row is bytes of the raw schedule / bytes of the row; a run of each row alone
compares what it claims to have sent with what the network counted.
"""
import argparse
import json
import os
import platform
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
NETBED = ROOT / "tools/netbed/netbed"
BED = f"collectives{os.getpid()}"
OPERATIONS = ("allreduce", "reduce", "reduce_scatter", "allgather", "gather", "scatter", "bcast", "alltoall")

# The rows that the papers compare, ours, and the raw schedule that R refers to.
ROWS = {
    "allreduce": ["stock", "ring_raw", "cpr_p2p", "cpr_p2p:zfp_abs", "cpr_p2p:zfp_rate", "c_coll", "hzccl", "homcomp",
                  "homcomp_f", "rabenseifner", "auto"],
    "reduce": ["stock", "ring_raw", "cpr_p2p", "c_coll", "homcomp_f", "auto"],
    "reduce_scatter": ["stock", "ring_raw", "cpr_p2p", "c_coll", "homcomp_f", "auto"],
    "allgather": ["stock", "ring_raw", "cpr_p2p", "c_coll", "ring", "auto"],
    "gather": ["stock", "pairwise_raw", "cpr_p2p", "c_coll", "pairwise", "auto"],
    "scatter": ["stock", "pairwise_raw", "cpr_p2p", "c_coll", "pairwise", "auto"],
    "bcast": ["stock", "ring_raw", "cpr_p2p", "c_coll", "ring", "auto"],
    "alltoall": ["stock", "pairwise_raw", "cpr_p2p", "c_coll", "pairwise", "auto"],
}
RAW = {op: rows[1] for op, rows in ROWS.items()}
OURS = {"allreduce": "homcomp_f", "reduce": "homcomp_f", "reduce_scatter": "homcomp_f", "allgather": "ring",
        "gather": "pairwise", "scatter": "pairwise", "bcast": "ring", "alltoall": "pairwise"}


def openmpi(operation, number, segment=None):
    name = f"OMPI_MCA_coll_tuned_{operation}_algorithm"
    forced = {"OMPI_MCA_coll_tuned_use_dynamic_rules": "1", name: str(number)}
    return forced | ({name + "_segmentsize": str(segment)} if segment else {})


# What design/anchors.md found to be the fastest of each library's own algorithms on such a network.
FORCED = {
    ("openmpi", "allreduce"): {"ring": openmpi("allreduce", 4)},
    ("openmpi", "bcast"): {"pipeline 128K": openmpi("bcast", 3, 131072)},
    ("openmpi", "reduce"): {"pipeline 128K": openmpi("reduce", 3, 131072)},
    ("openmpi", "reduce_scatter"): {"ring": openmpi("reduce_scatter", 3)},
    ("openmpi", "allgather"): {"ring": openmpi("allgather", 3)},
    ("openmpi", "alltoall"): {"pairwise": openmpi("alltoall", 2)},
    ("openmpi", "gather"): {"linear sync": openmpi("gather", 3)},
    ("openmpi", "scatter"): {"linear": openmpi("scatter", 1)},
    ("mpich", "allreduce"): {"reduce_scatter_allgather":
                             {"MPIR_CVAR_ALLREDUCE_INTRA_ALGORITHM": "reduce_scatter_allgather"}},
    ("mpich", "bcast"): {"scatter_ring_allgather":
                         {"MPIR_CVAR_BCAST_INTRA_ALGORITHM": "scatter_ring_allgather"}},
    ("mpich", "allgather"): {"ring": {"MPIR_CVAR_ALLGATHER_INTRA_ALGORITHM": "ring"}},
    ("mpich", "alltoall"): {"pairwise": {"MPIR_CVAR_ALLTOALL_INTRA_ALGORITHM": "pairwise"}},
    ("mpich", "reduce_scatter"): {"pairwise": {"MPIR_CVAR_REDUCE_SCATTER_BLOCK_INTRA_ALGORITHM": "pairwise"}},
}


def run(command, **more):
    return subprocess.run([str(part) for part in command], check=True, text=True, stdout=subprocess.PIPE, **more).stdout


class Bed:
    def __init__(self, hosts, rate):
        self.hosts, self.rate = hosts, rate
        self.machines = {}  # of `calibrate`, by MPI: what `auto` decides by

    def __enter__(self):
        run([NETBED, "up", "--bed", BED, "--hosts", self.hosts, "--rate", self.rate])
        return self

    def __exit__(self, *_):
        subprocess.run([str(NETBED), "down", "--bed", BED], check=False)

    def calibrate(self, mpi):
        name = f"/tmp/{BED}-{mpi}-{self.hosts}.toml"
        command = [NETBED, "run", "--bed", BED, "-n", self.hosts, "--mpi", mpi, "--timeout", 300, "--quiet", "--",
                   ROOT / f"build/bin/laconic-{mpi}", "calibrate", "--quick", "--out", name]
        try:
            run(command)
            self.machines[mpi] = name
        except subprocess.CalledProcessError as failure:
            print(f"  calibrate {mpi}: {failure}", file=sys.stderr)
            self.machines[mpi] = None

    def bench(self, mpi, op, algorithms, field, size, options, environment=None):
        """The JSON of `bench collective`, and the bytes on the wire; None when it failed."""
        command = [NETBED, "run", "--bed", BED, "-n", self.hosts, "--mpi", mpi, "--timeout", 300, "--quiet"]
        for key, value in (environment or {}).items():
            command += ["--env", f"{key}={value}"]
        command += ["--", ROOT / f"build/bin/laconic-{mpi}", "bench", "collective", "--op", op, "--algorithms",
                    ",".join(algorithms), "--data", field["path"], "--type", field["type"], "--bytes", size, "--json"]
        if "auto" in algorithms:
            if mpi not in self.machines:
                self.calibrate(mpi)
            if self.machines[mpi]:
                command += ["--machine", self.machines[mpi]]
        try:
            return json.loads(run(command + options))
        except (subprocess.CalledProcessError, json.JSONDecodeError) as failure:
            print(f"  {mpi} {op} {','.join(algorithms)}: {failure}", file=sys.stderr)
            return None


def measure(bed, mpi, op, field, size, options):
    """Rows of one operation: ours interleaved with stock, then each forced algorithm."""
    result = bed.bench(mpi, op, ROWS[op], field, size, options)
    if result is None:
        return []
    rows = [dict(row, forced=None) for row in result["rows"]]
    for name, environment in FORCED.get((mpi, op), {}).items():
        forced = bed.bench(mpi, op, ["stock"], field, size, options, environment)
        if forced:
            rows.append(dict(forced["rows"][0], algorithm=f"stock, {name}", forced=name))
    where = {"mpi": mpi, "op": op, "hosts": bed.hosts, "rate": bed.rate, "field": field["name"],
             "bytes": result["bytes"]}
    return [dict(where, **row) for row in rows]


def measure_wire(mpi, field, size):
    """Rows run alone: what they say they sent, and what the interface of the busiest host counted."""
    found = []
    repetitions = 8
    for op, row in [("allreduce", name) for name in ("ring_raw", "c_coll", "homcomp_f")] + [("bcast", "ring")]:
        with Bed(4, "1gbit") as bed:
            result = bed.bench(mpi, op, [row], field, size, ["--rel", "1e-3", "--repetitions", repetitions])
            hosts = json.loads(run([NETBED, "stats", "--bed", BED, "--json"]))
        if result:
            found.append({"algorithm": f"{op} {row}", "counted": max(host["sent"] for host in hosts),
                          "claimed": result["rows"][0]["sent_bytes_per_rank"] * (repetitions + 1)})
    return found


def fields_of(data):
    names = {"isabel_velmag_8x25x125x125.f32", "hit_u_128x128x128.f32", "marmousi_wave_3x1601x401.f32"}
    found = [{"name": path.name.split("_")[0] + "_" + path.name.split("_")[1], "path": path, "type": path.suffix[1:]}
             for path in sorted(Path(data).glob("*.f32")) if path.name in names]
    return sorted(found, key=lambda field: not field["name"].startswith("isabel"))


def plan(arguments, fields):
    """(hosts, rate, mpi, operation, field, size)"""
    flavours = [mpi for mpi in arguments.mpi.split(",") if (ROOT / f"build/bin/laconic-{mpi}").exists()]
    if arguments.quick:
        for mpi in flavours:
            yield 2, "1gbit", mpi, "allreduce", fields[0], "4M"
        return
    for hosts in map(int, arguments.hosts.split(",")):
        for mpi in flavours:
            for op in OPERATIONS:
                yield hosts, "1gbit", mpi, op, fields[0], arguments.bytes
            if hosts == 4:
                for field in fields[1:]:
                    yield hosts, "1gbit", mpi, "allreduce", field, arguments.bytes
    # From where on compression pays.
    for size in filter(None, arguments.sizes.split(",")):
        for op in OPERATIONS:
            yield 8, "1gbit", flavours[0], op, fields[0], size


def measure_all(arguments, fields):
    rows = []
    points = list(plan(arguments, fields))
    for hosts, rate in dict.fromkeys((hosts, rate) for hosts, rate, *_ in points):
        with Bed(hosts, rate) as bed:
            for at_hosts, at_rate, mpi, op, field, size in points:
                if (at_hosts, at_rate) != (hosts, rate):
                    continue
                start = time.time()
                short = size[-1] == "K" or size in ("1M", "4M")
                options = ["--rel", arguments.rel, "--scope", "contribution", "--repetitions",
                           arguments.repetitions * (4 if short else 1)]
                found = measure(bed, mpi, op, field, size, options)
                rows += found
                print(f"{hosts} hosts {rate} {mpi:8} {op:15} {field['name']:14} {size:>5}  {time.time() - start:5.1f} s",
                      file=sys.stderr)
    return rows


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", default=ROOT.parent / "shared/data", help="folder of raw fields")
    parser.add_argument("--bytes", default="64M")
    parser.add_argument("--rel", default="1e-3")
    parser.add_argument("--repetitions", type=int, default=3)
    parser.add_argument("--hosts", default="4,8", help="numbers of hosts, e.g. 4,8")
    parser.add_argument("--mpi", default="openmpi,mpich")
    parser.add_argument("--sizes", default="16K,64K,256K,1M,4M,16M", help="of the search for crossovers, at 8 hosts")
    parser.add_argument("--out", type=Path, default=ROOT / "docs/benchmarks")
    parser.add_argument("--quick", action="store_true", help="two hosts, 4 MB: does it run?")
    parser.add_argument("--page-only", action="store_true", help="page and plots from the last measurement")
    arguments = parser.parse_args()
    arguments.out.mkdir(parents=True, exist_ok=True)
    table = arguments.out / "collectives.json"
    if not arguments.page_only:
        fields = fields_of(arguments.data)
        if not fields:
            sys.exit(f"bench_collectives: no fields in '{arguments.data}'; name a folder with --data")
        rows = measure_all(arguments, fields)
        if not rows:
            sys.exit("bench_collectives: nothing was measured; see the messages above")
        machine = {"processor": next((line.split(":")[1].strip() for line in open("/proc/cpuinfo")
                                      if line.startswith("model name")), platform.machine()),
                   "cores": os.cpu_count(), "load": os.getloadavg()[2], "date": time.strftime("%Y-%m-%d")}
        settings = {"rel": arguments.rel, "scope": "contribution", "repetitions": arguments.repetitions}
        wire = measure_wire(rows[0]["mpi"], fields[0], "4M" if arguments.quick else "32M")
        results = {"machine": machine, "settings": settings, "wire": wire, "rows": rows}
        table.write_text(json.dumps(results, indent=1) + "\n")
    import collectives_page
    page = collectives_page.page(json.loads(table.read_text()), arguments.out)
    (arguments.out / "collectives.md").write_text(page)
    print(arguments.out / "collectives.md")


if __name__ == "__main__":
    main()
