# SPDX-License-Identifier: BSD-3-Clause
"""The text of docs/benchmarks/collectives.md: measured rows go in; the page comes out, and its plots where matplotlib
is installed. Only the block between the two marks is written by hand; it is carried over.
"""
import re
import textwrap

from bench_collectives import LEFT_OUT, OPERATIONS, OURS, RAW, REST_REPETITIONS, WIRE_REPETITIONS
from codec_page import BEGIN, END, table
from emulated_hosts import FORCED

LEAST_SHARE = 0.85  # of R, that our rows have to gain over the best stock algorithm
FRAME = 1514 / 1448  # bytes of a full Ethernet frame (MTU 1500) on the counters / TCP payload in it
MPIS = {"openmpi": "Open MPI", "mpich": "MPICH"}


def is_stock(row):
    return row["algorithm"].startswith("stock")


class Rows:
    def __init__(self, results):
        self.all = results["rows"]
        self.points = list(dict.fromkeys((r["hosts"], r["mpi"], r["op"], r["field"], r["bytes"]) for r in self.all))
        self.largest = max(row["bytes"] for row in self.all)

    def at(self, point):
        keys = ("hosts", "mpi", "op", "field", "bytes")
        return [row for row in self.all if tuple(row[key] for key in keys) == point]

    def named(self, point, name):
        return next((row for row in self.at(point) if row["algorithm"] == name), None)

    def best_stock(self, point):
        return min((row for row in self.at(point) if is_stock(row)), key=lambda row: row["median_s"], default=None)

    def compared(self):
        """Points of long buffers: each with its best stock row, our raw schedule and our row, where all three were measured."""
        for point in self.points:
            rows = (self.best_stock(point), self.named(point, RAW[point[2]]), self.named(point, OURS[point[2]]))
            if point[4] >= 0.9 * self.largest and None not in rows:
                yield point, *rows


def forced_table(*columns):
    """Which algorithms are forced; a column is a heading, an MPI and a table such as FORCED."""
    return table(["operation", *(head for head, *_ in columns)],
                 [[op, *("; ".join(forced.get((mpi, op), [])) or "-" for _, mpi, forced in columns)] for op in OPERATIONS])


def best_stock(rows):
    """Not all rows are measured with the table of today."""
    others = sorted({f"{row['op']} of {row['field']} ({MPIS.get(row['mpi'], row['mpi'])}): {row['forced']}" for row in rows
                     if row.get("forced") and row["forced"] not in FORCED.get((row["mpi"], row["op"]), [])
                     and not row["forced"].startswith("default")})
    too = f" Some rows have another one: {'; '.join(others)}." if others else ""
    return f"""## Best stock

"Best stock" is the fastest of the MPI library's default and those of its own algorithms that are forced
([`stock:ALGORITHM`](../guide/collectives.md#measuring)): not all that it has, but for each operation the one that is fastest
with long buffers on such hosts, or two that take turns. A dash: none, the default alone.

{forced_table(*((name, mpi, FORCED) for mpi, name in MPIS.items()))}
"With counts" is `MPI_Reduce_scatter`, whose algorithms are others than those of `MPI_Reduce_scatter_block`; it has a run of its own, beside its default.{too}
"""


def dates(rows):
    found = sorted({row["date"] for row in rows})
    return found[0] if len(found) == 1 else f"{found[0]} to {found[-1]}"


def processors(rows):
    """One, or each with its part of the table."""
    found = {}
    for row in rows:
        found.setdefault(row["processor"], []).append((MPIS.get(row["mpi"], row["mpi"]), row["op"]))
    if len(found) == 1:
        return next(iter(found))
    most = max(found, key=lambda name: len(found[name]))
    parts = ("; ".join(f"{op} ({mpi})" for mpi, op in dict.fromkeys(points)) + f": {name}" for name, points in found.items() if name != most)
    return f"{most}, but {'; '.join(parts)}"


def seconds(value):
    return f"{value:.3f}" if value >= 0.1 else f"{value * 1e3:.1f} ms"


def summary(rows):
    lines = []
    for point, best, raw, ours in rows.compared():
        hosts, mpi, op, field, _ = point
        gain = best["median_s"] / ours["median_s"]
        auto = rows.named(point, "auto")
        lines.append([str(hosts), mpi, op, field, f"{best['algorithm']}: {seconds(best['median_s'])}",
                      seconds(raw["median_s"]), f"{ours['algorithm']}: {seconds(ours['median_s'])}",
                      f"{ours['ratio']:.2f}", f"**{gain:.2f}x**", f"{gain / ours['ratio']:.2f}",
                      *([f"{best['median_s'] / auto['median_s']:.2f}x ({auto['ran']})"] if auto else [])])
    heads = ["hosts", "MPI", "operation", "field", "best stock", "our raw schedule", "our row", "R", "speed-up",
             "speed-up / R", "auto"]
    return table(heads[:len(lines[0])] if lines else heads, lines)


def left_out():
    return table(["operation", "not in its table"], [[op, ", ".join(f"`{name}`" for name in LEFT_OUT[op])] for op in OPERATIONS])


def row_by_row(rows):
    text = ""
    for point in rows.points:
        hosts, mpi, op, field, size = point
        if size < 0.9 * rows.largest or hosts != 4 or not field.startswith("isabel") or mpi != "openmpi":
            continue
        best = rows.best_stock(point)
        lines = [[row["algorithm"], seconds(row["median_s"]), f"{best['median_s'] / row['median_s']:.2f}x",
                  f"{row['sent_bytes_per_rank'] / 2**20:.1f}", f"{row['ratio']:.2f}", f"{row['max_error']:.3g}",
                  "none" if row['bound'] is None else f"{row['bound']:.3g}", *(f"{row[key] * 1e3:.0f}" for key in
                                           ("compress_s", "combine_s", "decompress_s", "wait_s"))]
                 for row in rows.at(point)]
        text += f"\n### {op}, {hosts} hosts, {mpi}, {field}\n\n" + table(
            ["row", "median s", "against best stock", "MiB sent", "R", "max error", "guaranteed", "compress ms",
             "combine ms", "decompress ms", "wait ms"], lines)
    return text


def targets(rows):
    met = missed = met_raw = 0
    failures, of_field = {}, {}
    for point, best, raw, ours in rows.compared():
        share, share_raw = (row["median_s"] / ours["median_s"] / ours["ratio"] for row in (best, raw))
        met_raw += min(share, share_raw) >= LEAST_SHARE
        of_field.setdefault(point[3], []).append(share >= LEAST_SHARE)
        if share >= LEAST_SHARE:
            met += 1
        else:
            missed += 1
            failures.setdefault(point[2], []).append(f"{share:.2f} R ({point[1]}, {point[0]} hosts, {point[3]})")
    text = f"Target: a speed-up of at least {LEAST_SHARE} R over the best stock algorithm. Met {met} times, missed {missed} times"
    if failures:
        lines = (textwrap.fill(f"- {op}: {', '.join(failures[op])}", 125, subsequent_indent="  ", break_long_words=False,
                               break_on_hyphens=False) for op in OPERATIONS if op in failures)
        text += ":\n\n" + "\n".join(lines) + "\n\n"
    else:
        text += ".\n"
    text += f"By field: {', '.join(f'{name} {sum(kept)} of {len(kept)}' for name, kept in of_field.items())}.\n" if of_field else ""
    text += f"Over the faster of the best stock algorithm and our raw schedule, which is often ahead of it: {met_raw} times.\n"
    return text + isabel_target(rows) + stock_drift(rows)


def isabel_target(rows):
    gains = {mpi: best["median_s"] / ours["median_s"] for (hosts, mpi, op, field, _), best, _, ours in rows.compared()
             if (hosts, op, field) == (4, "allreduce", "isabel_velmag")}
    if not gains:
        return ""
    said = ", ".join(f"{gain:.2f}x ({MPIS[mpi]})" for mpi, gain in gains.items())
    return f"\nTarget: allreduce of isabel_velmag on 4 hosts at least 4 times as fast as the best stock algorithm. It is {said}: {'met' if min(gains.values()) >= 4 else 'missed'}.\n"


def stock_drift(rows):
    """Stock algorithms do not look at values: where their times differ between fields the machine's pace did."""
    alike, met, count = {}, 0, 0
    for (hosts, mpi, op, _, size), best, _, _ in rows.compared():
        alike.setdefault((hosts, mpi, op, size), []).append(best["median_s"])
    for (hosts, mpi, op, _, size), _, _, ours in rows.compared():
        count += 1
        met += min(alike[hosts, mpi, op, size]) / ours["median_s"] / ours["ratio"] >= LEAST_SHARE
    if not alike:
        return ""
    (hosts, mpi, op, _), times = max(alike.items(), key=lambda item: max(item[1]) / min(item[1]))
    if max(times) < 1.2 * min(times):
        return ""
    return f"""
What stock takes does not depend on the values, yet the best stock times of the fields, measured at other hours, differ by up to
{max(times) / min(times):.1f} times ({op} on {hosts} hosts, {MPIS.get(mpi, mpi)}: {seconds(min(times))} to {seconds(max(times))}). Against the fastest of them, whatever the field, the target is
met {met} of {count} times.
"""


def with_cores(results):
    """The second table: hosts that share no cores."""
    if not results:
        return ""
    rows, settings = Rows(results), results["settings"]
    cores = settings["cores"]
    return f"""
## The same with {cores} core{'s' if cores > 1 else ''} for every host

In the table above all hosts share this machine's cores, which the codecs of all ranks and the TCP of all messages have to get by with; a real host
has its own. Here time passes slower where the machine has too few (`tools/netbed`, --dilate). {dates(results['rows'])}, {processors(results['rows'])}, medians
of {settings['repetitions']} repetitions, `./dev bench collectives --cores {cores}`.

{summary(rows)}
{targets(rows)}"""


def bytes_on_the_wire(wire):
    if not wire:
        return "## Bytes on the wire\n\nNot measured.\n"
    rows, machine = wire["rows"], wire["machine"]
    beyond = [w["counted"] / (w["claimed"] * FRAME) - 1 for w in rows]
    lines = [[MPIS[w["mpi"]], w["algorithm"], str(w["calls"]), f"{w['claimed'] / 1e6:.2f}", f"{w['counted'] / 1e6:.2f}",
              f"{w['counted'] / w['claimed']:.3f}", f"{w['claimed'] * FRAME / 1e6:.2f}", f"{100 * more:+.1f} %", f"{w['workspace'] / 2**20:.1f}"]
             for w, more in zip(rows, beyond)]
    heads = ["MPI", "row", "calls", "claimed MB per host", "counted", "counted / claimed", "claimed, as full frames", "difference", "workspace MiB"]
    return f"""## Bytes on the wire

What a row claims to have sent, against the counters of the interfaces, on the host that sends most. Claimed is `report.sent_bytes`
(`sent/rank` of `bench collective`), what a rank hands to MPI, times the calls: each row runs alone on 4 hosts, {wire['field']}, {wire['size']}B a rank,
--rel 1e-3, scope contribution, {WIRE_REPETITIONS} repetitions and the calls before them.
{machine['date']}, {machine['processor']}. The counters have frames with the headers of Ethernet, IP and TCP: 1448 bytes of TCP payload travel in
one that counts 1514, 4.6 % more. "Claimed, as full frames" reckons with such frames; the difference to that are frames that are not full,
acknowledgements, MPI's own headers and the messages of `bench collective` itself, and what TCP sends again, as
[gathers did](../adr/0025-confirmed-messages-of-a-gather.md). "Workspace" is `report.workspace_bytes`, what the call uses of memory
beside its arrays, on rank 0, the root where there is one ([what it is made of](../guide/collectives.md#memory)).

Target: within 2 % of the claim, in full frames. Met by {sum(abs(more) <= 0.02 for more in beyond)} of {len(rows)}.

{table(heads, lines)}"""


def beside_the_tables(rest):
    """One line for a call: stock, the raw schedule, our row, then whatever the tables have not."""
    if not rest:
        return "## Rows beside the tables\n\nNot measured.\n"
    calls = {}
    for row in rest["rows"]:
        calls.setdefault((row["ranks_per_host"], row["mpi"], row["op"]), []).append(row)
    lines = [[str(each), MPIS[mpi], op, *(seconds(row["median_s"]) for row in rows[:2]),
              *(", ".join(f"`{row['algorithm']}` {seconds(row['median_s'])} ({row['speedup_vs_stock']:.2f}x)" for row in part)
                for part in (rows[2:3], rows[3:]))] for (each, mpi, op), rows in calls.items()]
    heads = ["ranks a host", "MPI", "operation", "stock", "raw schedule", "our row", "others"]
    return f"""## Rows beside the tables

The others of `laconic info --algorithms`, on 4 hosts: those with a hierarchy where two ranks share a host, the rest where each rank has
one. {rest['field']}, {rest['size']}B a rank, --rel 1e-3, scope contribution, medians of {REST_REPETITIONS} interleaved repetitions; in brackets against stock, the library's default.
{rest['machine']['date']}, {rest['machine']['processor']}, `./dev bench collectives --rest`.

{table(heads, lines)}
"""


def page(results, out):
    rows = Rows(results)
    machine, settings = results["machine"], results["settings"]
    try:
        import collectives_plots
        plots = collectives_plots.draw(results, out)
    except ImportError:
        plots = []
    pictures = "".join(f"\n![{text}]({name})\n" for name, text in plots)
    old = out / "collectives.md"
    kept = re.search(re.escape(BEGIN) + ".*?" + re.escape(END), old.read_text(), re.S) if old.exists() else None
    by_hand = kept.group(0) if kept else f"{BEGIN}\n{END}"
    return f"""# Collectives on an emulated network

`./dev bench collectives` measures this and writes this page. {dates(results['rows'])}, {processors(results['rows'])}; {machine['cores']}
cores shared by all hosts. Hosts are network namespaces with a link of 1 Gbit/s each way
(`tools/netbed`), one rank each. --rel {settings['rel']}, scope {settings['scope']}, medians of {settings['repetitions']}
interleaved repetitions, time of the slowest rank. 64 MB are 64 * 2^20 bytes. R: what the row's own schedule would send uncompressed / what it
sends, of all ranks together. The schedule of our row is the raw schedule beside it; rows of other schedules (trees, doubling) send more
than that, so their R is no measure of the wire: "MiB sent", of the rank that sends most, is.
{pictures}
{best_stock(results['rows'] + results.get('with_cores', {}).get('rows', []))}
## Long buffers

{summary(rows)}
{targets(rows)}
{by_hand}
{with_cores(results.get("with_cores"))}
See also: shorter buffers, other rates, and from where on compression pays: [the grid](grid.md); [the papers' figures, run again](papers.md);
[image stacking by every row](stacking.md).

{bytes_on_the_wire(results.get("wire"))}
{beside_the_tables(results.get("rest"))}
## Row by row: where the time went

Open MPI, 4 hosts, isabel_velmag. The tables hold the library's default and its algorithms that are forced, the raw schedule, rows of the
papers, ours, and `auto`; not every row of `laconic info --algorithms`:

{left_out()}
These are [beside the tables](#rows-beside-the-tables); some of them are in [the grid](grid.md), `argm` is in [the papers' figures](papers.md).
{row_by_row(rows)}"""
