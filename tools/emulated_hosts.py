# SPDX-License-Identifier: BSD-3-Clause
"""Runs `bench collective` on emulated hosts (tools/netbed): a number of hosts, a rate and a call go in; the rows of its
JSON come out, with the machine calibrated on those hosts before `auto` is asked. Also what the benchmarks of collectives
have in common: which of its own algorithms an MPI library is forced to use, fields, the machine they ran on, and
what was measured, on disk.
"""
import json
import os
import platform
import random
import signal
import subprocess
import sys
import tempfile
import time
from array import array
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
NETBED = ROOT / "tools/netbed/netbed"
BED = f"collectives{os.getpid()}"
SCRATCH = tempfile.TemporaryDirectory(prefix="laconic-bench-")
TIMES = ("median_s", "min_s", "compress_s", "combine_s", "decompress_s", "copy_s", "wait_s", "predicted_s")


# Of each library's own algorithms those that are fastest with long buffers on such a network, as
# `bench collective` takes them behind "stock:".
WITH_COUNTS = ", with counts"
FORCED = {
    ("openmpi", "allreduce"): ["ring"],
    ("openmpi", "bcast"): ["pipeline@128K"],
    ("openmpi", "reduce"): ["pipeline@128K"],
    # Algorithms of MPI_Reduce_scatter are others than those of MPI_Reduce_scatter_block.
    ("openmpi", "reduce_scatter"): ["butterfly", "ring" + WITH_COUNTS],
    ("openmpi", "allgather"): ["ring", "neighbor"],
    ("openmpi", "alltoall"): ["pairwise"],
    ("openmpi", "gather"): ["linear_sync"],
    ("openmpi", "scatter"): ["basic_linear"],
    ("mpich", "allreduce"): ["reduce_scatter_allgather"],
    ("mpich", "bcast"): ["scatter_ring_allgather"],
    ("mpich", "allgather"): ["ring"],
    ("mpich", "alltoall"): ["pairwise"],
    ("mpich", "reduce_scatter"): ["pairwise"],
}
# Between the shortest buffers and the longest others may be faster.
ALSO_FORCED = {
    ("openmpi", "allreduce"): ["recursive_doubling", "rabenseifner"],
    ("openmpi", "allgather"): ["recursive_doubling"],
    ("openmpi", "bcast"): ["binomial"],
    ("mpich", "allreduce"): ["recursive_doubling"],
    ("mpich", "bcast"): ["binomial"],
}


def run(command, **more):
    return subprocess.run([str(part) for part in command], check=True, text=True, stdout=subprocess.PIPE, **more).stdout


class Bed:
    """hosts   emulated, one rank each unless `ranks` says otherwise
    rate       of their links, e.g. "1gbit" or "none"
    packet     bytes of the largest; what a link lets pass at once after a pause must be little beside a short buffer
    quick      calibrate in seconds
    ops        operations that are to be calibrated; none: all
    cores      of a host; 0: they share this machine's. Time then passes slower where the machine has too few; rows come
               back in the time of the emulated hosts"""

    def __init__(self, hosts, rate, cores=0, ranks=None, packet=65536, quick=True, ops=(),
                 build=ROOT / "build"):
        self.hosts, self.rate, self.cores, self.ranks, self.build = hosts, rate, cores, ranks or hosts, build
        self.packet, self.quick, self.ops = packet, quick, sorted(ops)
        self.dilation = max(1.0, hosts * cores / os.cpu_count())
        self.machines = {}  # of `calibrate`, by MPI: what `auto` decides by

    def __enter__(self):
        command = [NETBED, "up", "--bed", BED, "--hosts", self.hosts, "--rate", self.rate, "--packet", self.packet]
        if self.cores:
            command += ["--dilate", self.dilation, "--host-cpu", self.cores / self.dilation]
        # Who ends a benchmark ends its hosts, too.
        signal.signal(signal.SIGTERM, lambda number, _: sys.exit(128 + number))
        run(command)
        return self

    def __exit__(self, *_):
        subprocess.run([str(NETBED), "down", "--bed", BED], check=False)

    def launcher(self, mpi, environment=None):
        """What stands before a program and its arguments."""
        words = [NETBED, "run", "--bed", BED, "-n", self.ranks, "--mpi", mpi, "--timeout", 600, "--quiet"]
        # Every host sees all processors of this machine.
        for key, value in ({"LACONIC_CODEC_THREADS": "1"} | (environment or {})).items():
            words += ["--env", f"{key}={value}"]
        return [*words, "--"]

    def command(self, mpi):
        return [*self.launcher(mpi), self.build / f"bin/laconic-{mpi}"]

    def calibrate(self, mpi):
        name = "-".join(str(part) for part in (mpi, self.hosts, self.ranks, self.rate, self.packet, self.cores, *self.ops))
        name = f"{SCRATCH.name}/{name}.toml"
        try:
            if not os.path.exists(name):
                run([*self.command(mpi), "calibrate", *(["--quick"] if self.quick else []),
                     *(["--ops", ",".join(self.ops)] if self.ops else []), "--out", name])
            self.machines[mpi] = name
        except subprocess.CalledProcessError as failure:
            print(f"  calibrate {mpi}: {failure}", file=sys.stderr)
            self.machines[mpi] = None

    def bench(self, mpi, op, algorithms, field, size, options):
        """The JSON of `bench collective`; None when it failed."""
        command = [*self.command(mpi), "bench", "collective", "--op", op, "--algorithms",
                   ",".join(algorithms), "--data", field["path"], "--type", field["type"], "--bytes", size, "--json"]
        if "auto" in algorithms:
            if mpi not in self.machines:
                self.calibrate(mpi)
            if self.machines[mpi]:
                command += ["--machine", self.machines[mpi]]
        try:
            found = json.loads(run(command + [str(option) for option in options]))
        except (subprocess.CalledProcessError, json.JSONDecodeError) as failure:
            print(f"  {mpi} {op} {','.join(algorithms)}: {failure}", file=sys.stderr)
            return None
        for row in found["rows"]:
            row.update({key: row[key] / self.dilation for key in TIMES if row.get(key)})
            for key in ("times_s", "warm_up_s"):
                row[key] = [seconds / self.dilation for seconds in row[key]]
        return found

    def bench_with_forced(self, mpi, op, algorithms, field, size, options, forced):
        """Rows of one call, interleaved: ours, stock, then its algorithms that are forced; none when it failed. The form with
        counts is another call and has a run of its own, with its own default."""
        alike = [name for name in forced if not name.endswith(WITH_COUNTS)]
        result = self.bench(mpi, op, [*algorithms, *(f"stock:{name}" for name in alike)], field, size, options)
        if result is None and alike:
            print(f"  {mpi} {op}: without {', '.join(f'stock:{name}' for name in alike)}", file=sys.stderr)
            result = self.bench(mpi, op, algorithms, field, size, options)
        if result is None:
            return []
        own = len(algorithms)
        rows = [(None, row) for row in result["rows"][:own]] + list(zip(alike, result["rows"][own:]))
        for name in forced:
            if name not in alike:
                row = "stock:" + name.removesuffix(WITH_COUNTS)
                more = self.bench(mpi, op, ["stock", row], field, size, [*options, "--with-counts"])
                if more:
                    # Faster than another function's default says nothing here.
                    rows += [(form, row | {"speedup_vs_stock": None})
                             for form, row in zip((f"default{WITH_COUNTS}", name), more["rows"])]
        shared = {"bytes": result["bytes"], "assumed_ratio": result.get("assumed_ratio")}
        return [row | shared | {"algorithm": f"stock, {name}" if name else row["algorithm"], "forced": name} for name, row in rows]


def bytes_of(size):
    return int(size[:-1]) << {"K": 10, "M": 20}[size[-1]]


def real_field(data, start):
    """The field of a folder whose name begins so, e.g. "isabel_velmag" or "hit_u"; None when it is not there."""
    found = sorted(Path(data).glob(f"{start}_*.f32"))
    return {"name": start, "path": found[0], "type": "f32"} if found else None


def made_field(kind, count=1 << 20):
    """noise: uniform in all bits of the mantissa; normal: independent normal values; walk: their running sum."""
    path = Path(SCRATCH.name) / f"{kind}.f32"
    if not path.exists():
        source = random.Random(7)
        values, at = array("f"), 0.0
        for _ in range(count):
            step = source.random() * 2 - 1 if kind == "noise" else source.gauss(0, 1)
            at = at + step if kind == "walk" else step
            values.append(at)
        path.write_bytes(values.tobytes())
    return {"name": kind, "path": path, "type": "f32"}


def this_machine():
    lines = Path("/proc/cpuinfo").read_text(encoding="ascii").splitlines()
    return {"processor": next((line.split(":")[1].strip() for line in lines if line.startswith("model name")),
                              platform.machine()),
            "cores": os.cpu_count(), "load": os.getloadavg()[2], "date": time.strftime("%Y-%m-%d")}


class Store:
    """What was measured, on disk, so that a run can be cut short, filtered, repeated: measuring a point again replaces it,
    all others stay.

    name    of the list in the file
    key_of  what tells a point of that list from the others"""

    def __init__(self, path, name, key_of):
        self.path, self.name, self.key_of = path, name, key_of
        old = json.loads(path.read_text(encoding="utf-8"))[name] if path.exists() else []
        self.points = {key_of(each): each for each in old}

    def forget(self, keys):
        """Points that are not measured any more; the file loses them when the next is kept."""
        for key in keys:
            self.points.pop(key, None)

    def keep(self, found):
        machine = this_machine()
        self.points[self.key_of(found)] = found | {"date": machine["date"], "processor": machine["processor"]}
        part = self.path.with_suffix(".part")
        part.write_text(json.dumps({"machine": machine, self.name: list(self.points.values())}, indent=1) + "\n",
                        encoding="utf-8")
        part.replace(self.path)
