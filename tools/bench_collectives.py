# SPDX-License-Identifier: BSD-3-Clause
"""The collectives on an emulated network (tools/netbed): programs of this build, fields and a plan go in; measured rows
come out as docs/benchmarks/collectives.json, from which collectives_page.py and collectives_plots.py make the page.

Rows of one program run are interleaved, repetition by repetition, those of the MPI library's own algorithms that are
forced with them. R of a row is what its own schedule would send uncompressed / what it sends, of all ranks; a run of each row alone
compares what it claims to have sent with what the network counted. With --cores 1 the same hosts have a core each, in
slower time where this machine has fewer: stock, the raw schedule and our row, a table of their own on the page. With --rest the rows
that have no place in these tables are measured, those with a hierarchy on hosts of two ranks.
"""
import argparse
import json
import sys
import time
from itertools import product
from pathlib import Path

from emulated_hosts import BED, FORCED, NETBED, ROOT, Bed, real_field, run, this_machine

OPERATIONS = ("allreduce", "reduce", "reduce_scatter", "allgather", "gather", "scatter", "bcast", "alltoall")
FIELDS = ("isabel_velmag", "hit_u", "marmousi_wave")

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
# The rest of `laconic info --algorithms`: measured with --rest.
LEFT_OUT = {
    "allreduce": ["rabenseifner_raw", "recursive_doubling_raw", "recursive_doubling", "argm"],
    "reduce": ["binomial_raw", "hzccl", "homcomp", "binomial", "hierarchical"],
    "reduce_scatter": ["pairwise_raw", "hzccl", "homcomp", "pairwise", "hierarchical"],
    "allgather": ["binomial_raw", "binomial", "hierarchical"],
    "gather": ["binomial_raw", "hierarchical"],
    "scatter": ["binomial_raw", "hierarchical"],
    "bcast": ["binomial_raw", "binomial", "hierarchical"],
    "alltoall": ["hierarchical"],
}
HIERARCHICAL = {"argm", "hierarchical"}
RAW = {op: rows[1] for op, rows in ROWS.items()}
OURS = {"allreduce": "homcomp_f", "reduce": "homcomp_f", "reduce_scatter": "homcomp_f", "allgather": "ring",
        "gather": "pairwise", "scatter": "pairwise", "bcast": "ring", "alltoall": "pairwise"}


def measure(bed, mpi, op, field, size, options):
    """Rows of one operation: ours interleaved with stock and its forced algorithms."""
    wanted = ["stock", RAW[op], OURS[op]] if bed.cores else ROWS[op]
    rows = bed.bench_with_forced(mpi, op, wanted, field, size, options, FORCED.get((mpi, op), []))
    where = {"mpi": mpi, "op": op, "hosts": bed.hosts, "rate": bed.rate, "field": field["name"],
             "date": time.strftime("%Y-%m-%d"), "processor": this_machine()["processor"]}
    return [where | {key: value for key, value in row.items() if key not in ("times_s", "warm_up_s")} for row in rows]


WIRE_ROWS = [("allreduce", "ring_raw"), ("allreduce", "c_coll"), *OURS.items()]
WIRE_SIZE, WIRE_REPETITIONS = "32M", 8


def measure_wire(flavours, field, size, before):
    """Rows run alone: what they say they sent, and what the interface of the busiest host counted. `before` has those of
    other MPIs, of the same field and size."""
    of_others = [row for row in before.get("rows", []) if row["mpi"] not in flavours
                 and (before["field"], before["size"]) == (field["name"], size)]
    found = []
    for mpi, (op, row) in product(flavours, WIRE_ROWS):
        with Bed(4, "1gbit") as bed:
            result = bed.bench(mpi, op, [row], field, size,
                               ["--rel", "1e-3", "--scope", "contribution", "--repetitions", WIRE_REPETITIONS])
            hosts = json.loads(run([NETBED, "stats", "--bed", BED, "--json"]))
        if result:
            measured = result["rows"][0]
            calls = len(measured["warm_up_s"]) + len(measured["times_s"])
            found.append({"mpi": mpi, "algorithm": f"{op} {row}", "calls": calls, "counted": max(host["sent"] for host in hosts),
                          "claimed": measured["sent_bytes_per_rank"] * calls, "workspace": measured["workspace_bytes"]})
    if not found:
        sys.exit("bench_collectives: nothing was measured; see the messages above")
    return {"machine": this_machine(), "field": field["name"], "size": size, "rows": of_others + found}


REST_SIZE, REST_REPETITIONS = "16M", 5


def measure_rest(flavours, field, size):
    """Rows that the tables leave out beside stock, the raw schedule and our row: those with a hierarchy where two ranks share a
    host, the others where each has one."""
    found = []
    for each in (1, 2):
        with Bed(4, "1gbit", ranks=4 * each) as bed:
            for mpi, op in product(flavours, OPERATIONS):
                more = [row for row in LEFT_OUT[op] if (row in HIERARCHICAL) == (each > 1)]
                result = more and bed.bench(mpi, op, ["stock", RAW[op], OURS[op], *more], field, size,
                                            ["--rel", "1e-3", "--scope", "contribution", "--repetitions", REST_REPETITIONS])
                if result:
                    found += [{"ranks_per_host": each, "mpi": mpi, "op": op} | {key: row[key] for key in (
                        "algorithm", "median_s", "speedup_vs_stock", "sent_bytes_per_rank", "ratio")} for row in result["rows"]]
    if not found:
        sys.exit("bench_collectives: nothing was measured; see the messages above")
    return {"machine": this_machine(), "field": field["name"], "size": size, "rows": found}


def fields_of(arguments):
    """The fields asked for; without --fields those of FIELDS that the folder has. Exits where one asked for, or all of FIELDS, are missing."""
    names = (arguments.fields or ",".join(FIELDS)).split(",")
    found = {name: real_field(arguments.data, name) for name in names}
    missing = [name for name, field in found.items() if not field]
    if missing and (arguments.fields or len(missing) == len(names)):
        sys.exit(f"bench_collectives: no {missing[0]}_*.f32 in '{arguments.data}'; name fields that are there with --fields, or a folder with --data")
    return [field for field in found.values() if field]


def flavours_of(arguments):
    return [mpi for mpi in arguments.mpi.split(",") if (ROOT / f"build/bin/laconic-{mpi}").exists()]


def plan(arguments, fields):
    """(hosts, rate, mpi, operation, field, size)"""
    flavours = flavours_of(arguments)
    if arguments.quick:
        for mpi in flavours:
            yield 2, "1gbit", mpi, "allreduce", fields[0], "4M"
        return
    for hosts in map(int, arguments.hosts.split(",")):
        for mpi in flavours:
            for field, op in product(fields, arguments.ops.split(",")):
                yield hosts, "1gbit", mpi, op, field, arguments.bytes


def measure_all(arguments, fields):
    rows = []
    points = list(plan(arguments, fields))
    for hosts, rate in dict.fromkeys((hosts, rate) for hosts, rate, *_ in points):
        with Bed(hosts, rate, arguments.cores) as bed:
            for at_hosts, at_rate, mpi, op, field, size in points:
                if (at_hosts, at_rate) != (hosts, rate):
                    continue
                start = time.time()
                options = ["--rel", arguments.rel, "--scope", "contribution", "--repetitions", arguments.repetitions]
                found = measure(bed, mpi, op, field, size, options)
                rows += found
                print(f"{hosts} hosts {rate} {mpi:8} {op:15} {field['name']:14} {size:>5}  {time.time() - start:5.1f} s",
                      file=sys.stderr)
    return rows


def key_of(row):
    return tuple(row[name] for name in ("hosts", "mpi", "op", "field", "bytes"))


def merged(before, rows):
    """Points that were measured again replace what was there, the others stay: together they take an hour."""
    again = {key_of(row) for row in rows}
    places = list(dict.fromkeys(key_of(row) for row in before + rows))
    places.sort(key=lambda key: key[0])
    kept = [row for row in before if key_of(row) not in again] + rows
    return sorted(kept, key=lambda row: places.index(key_of(row)))


def part_of(results, arguments):
    """What the table has of the runs that share cores, or have cores of their own; exits where that was measured otherwise,
    or where there is nothing that the latter could be added to."""
    if arguments.cores and "rows" not in results:
        sys.exit(f"bench_collectives: the table in '{arguments.out}' has no runs that share cores, which --cores adds to;"
                 " measure them first, without it")
    before = results.get("with_cores", {}) if arguments.cores else results
    settings = {"rel": arguments.rel, "scope": "contribution", "repetitions": arguments.repetitions}
    if arguments.cores:
        settings["cores"] = arguments.cores
    if before.get("settings", settings) != settings:
        sys.exit(f"bench_collectives: the table in '{arguments.out}' was measured with {before['settings']}, this would be {settings};"
                 " name another folder with --out")
    return before, settings


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", default=ROOT.parent / "shared/data", help="folder of raw fields")
    parser.add_argument("--bytes", default="64M")
    parser.add_argument("--rel", default="1e-3")
    parser.add_argument("--repetitions", type=int, default=3)
    parser.add_argument("--hosts", default="4,8", help="numbers of hosts, e.g. 4,8")
    parser.add_argument("--mpi", default="openmpi,mpich")
    parser.add_argument("--fields", help="e.g. hit_u (default: those of " + ",".join(FIELDS) + " that are there); other points of the table stay")
    parser.add_argument("--ops", default=",".join(OPERATIONS), help="e.g. allreduce,bcast; other points of the table stay")
    parser.add_argument("--cores", type=int, default=0, help="of each host; 0: they share this machine's. Adds to a table that was measured so")
    parser.add_argument("--out", type=Path, default=ROOT / "docs/benchmarks")
    parser.add_argument("--wire", action="store_true", help="only the bytes on the wire; the rest of the table stays")
    parser.add_argument("--rest", action="store_true", help="only the rows that have no place in the tables; the rest of the page stays")
    parser.add_argument("--quick", action="store_true", help="two hosts, 4 MB: does it run?")
    parser.add_argument("--page-only", action="store_true", help="page and plots from the last measurement")
    arguments = parser.parse_args()
    if arguments.quick and arguments.out == parser.get_default("out"):
        sys.exit("bench_collectives: --quick is no measurement for docs/benchmarks; name another folder with --out")
    table = arguments.out / "collectives.json"
    if not arguments.page_only:
        fields = fields_of(arguments)
        unknown = set(arguments.ops.split(",")) - set(OPERATIONS)
        if unknown:
            sys.exit(f"bench_collectives: --ops {','.join(sorted(unknown))}: no such operation; use {','.join(OPERATIONS)}")
        results = json.loads(table.read_text()) if table.exists() else {}
        aside = next((name for name in ("wire", "rest") if getattr(arguments, name)), None)
        if arguments.wire and arguments.cores:
            sys.exit("bench_collectives: --wire counts bytes, which do not depend on --cores; give one of them")
        if aside and "rows" not in results:
            sys.exit(f"bench_collectives: there is no table in '{arguments.out}' that --{aside} adds to; measure it first, without it")
        before, settings = part_of(results, arguments)
        arguments.out.mkdir(parents=True, exist_ok=True)
        machine = this_machine()
        rows = [] if aside else measure_all(arguments, fields)
        if not rows and not aside:
            sys.exit("bench_collectives: nothing was measured; see the messages above")
        if rows:
            found = {"machine": machine, "settings": settings, "rows": merged(before.get("rows", []), rows)}
            if arguments.cores:
                results["with_cores"] = found
            else:
                results |= found
        if arguments.wire or ("allreduce" in arguments.ops.split(",") and not arguments.cores and fields[0]["name"] == FIELDS[0]):
            size = "4M" if arguments.quick else WIRE_SIZE
            results["wire"] = measure_wire(flavours_of(arguments), fields[0], size, results.get("wire", {}))
        if arguments.rest:
            results["rest"] = measure_rest(flavours_of(arguments), fields[0], "4M" if arguments.quick else REST_SIZE)
        table.write_text(json.dumps(results, indent=1) + "\n")
    import collectives_page
    page = collectives_page.page(json.loads(table.read_text()), arguments.out)
    (arguments.out / "collectives.md").write_text(page)
    print(arguments.out / "collectives.md")


if __name__ == "__main__":
    main()
