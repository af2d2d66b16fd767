# SPDX-License-Identifier: BSD-3-Clause
"""The text of docs/benchmarks/scale.md: simulated rows, the names of the plots and the page as it was go in; the new
page comes out. Only the block "What it shows" is written by hand; it is carried over.
"""
import json
import math
import re

BEGIN, END = "<!-- by hand: begin -->", "<!-- by hand: end -->"
LARGE, SMALL = 678_000_000, 1_000_000
STOCK = ("stock: Rabenseifner", "stock: ring", "stock: Open MPI", "stock: MPICH")


def compact(results):
    """JSON with one line per row."""
    lines = ",\n".join(json.dumps(row, separators=(",", ":")) for row in results["rows"])
    rest = json.dumps({key: value for key, value in results.items() if key != "rows"}, indent=1)
    return f'{rest[:-2]},\n "rows": [\n{lines}]}}\n'


def table(head, rows):
    lines = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    return "\n".join(lines + ["| " + " | ".join(row) + " |" for row in rows]) + "\n"


def name_of(row):
    if row["algorithm"].startswith("stock") or row["algorithm"] == "ring_raw":
        return row["algorithm"]
    codec = {"szx_paper": "szx, the paper's speed and ratio", "szx_public": "szx, speed and layout of SZx's code",
             "fle_hard": "fle", "szx_hard": "szx"}.get(row["codec"], row["codec"])
    return f"{row['algorithm']} ({codec})"


class Rows:
    def __init__(self, results):
        self.rows = results["rows"]

    def of(self, group, **values):
        return [row for row in self.rows
                if row["group"] == group and all(row[key] == value for key, value in values.items())]

    def times(self, group, across, key="seconds", **values):
        """{name: {value of `across`: row[key]}} of the rows that have it, in the order of appearance, stock first."""
        found = {}
        for row in self.of(group, **values):
            if key in row:
                found.setdefault(name_of(row), {})[row[across]] = row[key]
        return dict(sorted(found.items(), key=lambda item: not item[0].startswith("stock")))

    def table(self, group, across, head, unit=1.0, **values):
        times = self.times(group, across, **values)
        columns = sorted({column for row in times.values() for column in row})
        best = {column: min(row[column] for name, row in times.items() if name.startswith("stock") and column in row)
                for column in columns}
        lines = []
        for name, row in times.items():
            lines.append([name] + [f"{row[c] * unit:.3g} ({best[c] / row[c]:.2f})" if c in row else "-"
                                   for c in columns])
        return table([head] + [f"{column:g}" for column in columns], lines)

    def one(self, group, name, **values):
        return self.times(group, "ranks", **values).get(name, {})


def bandwidth_of(rows, speedup):
    """Where in the sweep c_coll at the paper's speed reaches that speedup over stock, interpolated; None: nowhere."""
    times = rows.times("bandwidth", "bandwidth")
    paper = times.get("c_coll (szx, the paper's speed and ratio)", {})
    points = sorted((bandwidth, min(row[bandwidth] for name, row in times.items() if name.startswith("stock")) / own)
                    for bandwidth, own in paper.items())
    for (low, more), (high, less) in zip(points, points[1:]):
        if more >= speedup >= less:
            share = math.log(more / speedup) / math.log(more / less)
            return low * (high / low) ** share
    return None


def targets(rows):
    """What was simulated beside its target, for 128 ranks or the most that there are."""
    fused = rows.one("large", "homcomp_f (fle)")
    ranks = 128 if 128 in fused else max(fused, default=0)
    times = {name: row[ranks] for name, row in rows.times("large", "ranks").items() if ranks in row}
    stock = min((t for name, t in times.items() if name.startswith("stock")), default=None)
    paper = times.get("c_coll (szx, the paper's speed and ratio)")
    own = times.get("c_coll (szx)")
    if not fused or stock is None:
        return "No rows.\n"
    lines = []
    if paper:
        lines.append([f"c_coll at the paper's speed against the best stock, {ranks} ranks, 100 Gbit/s", "about 1.8",
                      f"{stock / paper:.2f}", "met" if 1.5 <= stock / paper <= 2.1 else "**not met**"])
    for name, other in (("with our szx", own), ("at the paper's speed", paper)):
        if other:
            ahead = other / fused[ranks]
            lines.append([f"homcomp_f against c_coll {name}, {ranks} ranks", ">= 1.5", f"{ahead:.2f}",
                          "met" if ahead >= 1.5 else "**not met**"])
    even = bandwidth_of(rows, 1.8)
    if even:
        lines.append(["bandwidth at which c_coll at the paper's speed is 1.8 times as fast as the best stock, 32 ranks",
                      "100 Gbit/s", f"{even:.1f} Gbit/s", "-"])
    lines.append([f"homcomp_f against the best stock, {ranks} ranks", "(none set)", f"{stock / fused[ranks]:.2f}", "-"])
    return table(["what", "target", "simulated", ""], lines)


def movement(rows):
    lines = []
    for op in ("bcast", "allgather", "scatter"):
        found = rows.of("movement", op=op)
        stock = min((row["seconds"] for row in found if row["algorithm"].startswith("stock")), default=None)
        for row in found:
            lines.append([op, name_of(row), f"{row['seconds']:.3f}",
                          f"{stock / row['seconds']:.2f}" if stock else "-"])
    return table(["operation", "row", "seconds", "against the best stock"], lines)


def by_hand(before):
    found = re.search(re.escape(BEGIN) + r"\n(.*?)" + re.escape(END), before, re.DOTALL)
    return found[1] if found else "Nothing was written yet.\n"


def page(results, plots, before, model):
    """`model`: the section about the cost model."""
    rows = Rows(results)
    ranks = rows.of("large")
    most = max((row["ranks"] for row in ranks), default=0)
    pictures = "".join(f"![Time of an allreduce by ranks, for 678 MB and 1 MB, and by bandwidth, simulated and "
                       f"predicted]({name})\n" for name in plots)
    failed = f"\n{results['failures']} simulations failed and are missing.\n" if results["failures"] else ""
    sections = [f"""\
# Collectives at scale, simulated

Simulated {results["date"]} with {results["simulator"].splitlines()[0] if results["simulator"] else "SimGrid"} by
`./dev bench scale`: the library's own agreement, schedules, job and runner (src/collective, src/mpi), compiled against
SimGrid's MPI, on up to {most} hosts with one rank each, 100 Gbit/s full duplex and 2 us from host to host unless
said otherwise. Nothing is measured here on real networks; see the page of the collectives for that.

- **No data move.** A message has the size that [codecs.txt](../../bench/scale/codecs.txt) gives for the number of
  contributions in it, and the codec takes the time that its speed there says: recorded on one core, from a real
  field (marmousi_wave at relative bound 1e-3, bound per contribution; "hard": hit_u). Additions of plain arrays run
  at memcpy's speed, also in stock MPI's reductions.
- **What is called when** follows the payloads of src/collective (bench/scale/payload_modelled.cpp). Waiting costs
  nothing and a rank wakes as soon as a message is there; messages move while a rank computes.
- **Stock** is SimGrid's own implementation of MPI's algorithms: Rabenseifner's (what MPICH takes for MPI_SUM) and the ring
  (Open MPI's choice for large arrays), at the full speed of the wire. A large stock allreduce is simulated at a fraction of
  its size on a network as much slower, for the memory's sake: the same in an alpha-beta model.
- In brackets: speedup over the best stock row of that column. All rows: [scale.json](scale.json).
- Buffers of 678 MB and 1 MB have 678 * 10^6 and 10^6 bytes; 1 KB of a segment or a cell is 2^10 bytes.
{failed}
## Targets

{targets(rows)}
{pictures}
## What it shows

{BEGIN}
{by_hand(before)}{END}

## Allreduce, 678 MB, 100 Gbit/s: seconds by ranks

{rows.table("large", "ranks", "row")}
## Allreduce, 1 MB, 100 Gbit/s: microseconds by ranks

{rows.table("small", "ranks", "row", 1e6)}"""]
    if rows.of("bandwidth"):
        sections.append(f"""
## Allreduce, 678 MB, 32 ranks: seconds by bandwidth (Gbit/s)

{rows.table("bandwidth", "bandwidth", "row")}
## Allreduce, 678 MB, 32 ranks, 100 Gbit/s: seconds with 4 cores per rank

Four cores are taken to be four times as fast, which memory seldom allows.

{rows.table("cores", "ranks", "row")}
## Allreduce, 678 MB, 32 ranks, 100 Gbit/s: seconds on a field that compresses badly

{rows.table("hard", "ranks", "row")}
## Data movement, 678 MB (allgather, scatter: in all), 128 ranks, 100 Gbit/s

{movement(rows)}""")
    sections.append(f"""
## The cost model beside it

{model}
## How it was run

Settings of the simulator: {", ".join(f"`{setting}`" for setting in results["settings"])}. The codecs:

{chr(10).join("    " + line for line in results["codecs"])}
""")
    return re.sub(r"[ \t]+\n", "\n", "".join(sections))
