# SPDX-License-Identifier: BSD-3-Clause
"""The text of docs/benchmarks/grid.md: measured points go in; the page comes out, and its plots where matplotlib is
installed. Only the block between the two marks is written by hand; it is carried over.
"""
import re
from collections import Counter
from statistics import median

from bench_grid import ALSO_FORCED_UP_TO, FORCED_FROM
from codec_page import BEGIN, END, table
from collectives_page import MPIS, forced_table
from emulated_hosts import ALSO_FORCED, FORCED

# The largest crossover that allreduce may have with 8 hosts and 1 Gbit/s.
CROSSOVER_BYTES = 256 << 10
# What the one-core points have to reach over the best stock algorithm, by rate.
ONE_CORE = {"1gbit": 3.2, "2.5gbit": 2.5, "5gbit": 1.8, "10gbit": 1.3}
RATE_NAMES = {"1gbit": "1 Gbit/s", "2.5gbit": "2.5 Gbit/s", "5gbit": "5 Gbit/s", "10gbit": "10 Gbit/s",
              "none": "unlimited"}


def seconds(value):
    return f"{value:.3f} s" if value >= 0.1 else f"{value * 1e3:.2f} ms" if value >= 1e-3 else f"{value * 1e6:.0f} µs"


def size_name(size):
    return size if size[-1] not in "KM" else f"{size[:-1]} {size[-1]}B"


def percent(share):
    return f"{100 * share:+.0f} %"


class Point:
    """One measured point, and what it says."""

    def __init__(self, raw):
        self.raw = raw
        self.rows = raw["rows"]
        self.stock = self.named("stock")
        self.auto = self.named("auto")
        stocks = [row for row in self.rows if row["algorithm"].startswith("stock")]
        own = [row for row in self.rows if row not in stocks and row is not self.auto]
        self.best_stock = min(stocks, key=lambda row: row["median_s"])
        self.best_own = min(own, key=lambda row: row["median_s"], default=None)
        # What `auto` could have taken.
        self.best = min([self.stock, *own], key=lambda row: row["median_s"])

    def __getattr__(self, name):
        return self.raw[name]

    def named(self, name):
        return next((row for row in self.rows if row["algorithm"] == name), None)

    def gain(self, row):
        """Speed-up over the best stock algorithm."""
        return self.best_stock["median_s"] / row["median_s"]

    def auto_vs_best(self):
        """See bench_grid.auto_vs_best; points measured before that was known compare medians."""
        found = self.raw.get("auto_vs_best")
        return self.auto["median_s"] / self.best["median_s"] - 1 if found is None else found

    def auto_vs_itself(self):
        found = self.raw.get("auto_vs_itself")
        return "-" if found is None else percent(found)

    def auto_vs_stock(self):
        """Median over the interleaved repetitions, which see the same disturbances."""
        return 1 / self.auto["speedup_vs_stock"] - 1

    def errors(self, most=3):
        """predicted / measured of the fastest rows."""
        rows = [row for row in self.rows if row["predicted_s"] and not row["forced"] and row is not self.auto]
        rows = sorted(rows, key=lambda row: row["median_s"])[:most]
        return [(row["algorithm"], row["predicted_s"] / row["median_s"]) for row in rows]

    def where(self):
        return (f"{self.op} {size_name(self.size)}, {self.hosts} hosts, {RATE_NAMES.get(self.rate, self.rate)}"
                + (", MPICH" if self.mpi == "mpich" else "") + (f", {self.field}" if self.part == "noise" else ""))

    def order(self):
        return (self.op != "allreduce", self.op, self.mpi != "openmpi", list(RATE_NAMES).index(self.rate), self.hosts,
                self.bytes)


def share(values, limit):
    values = list(values)
    return f"{sum(value <= limit for value in values)} of {len(values)}" if values else "-"


def surely_beyond(limit, medians, ranges):
    """Points whose whole interval lies beyond the limit; where none is known, their median."""
    return str(sum((found[0] if found else middle) > limit for middle, found in zip(medians, ranges)))


def decisions(points):
    """auto against what it could have taken, and against stock."""
    lines = []
    groups = {"all": points}
    for rate in RATE_NAMES:
        groups[RATE_NAMES[rate]] = [p for p in points if p.rate == rate]
    for name, least, most in (("up to 16 KB", 0, 16), ("64 KB to 1 MB", 64, 1024), ("from 4 MB", 4096, 1 << 30)):
        groups[name] = [p for p in points if least <= p.bytes / 1024 <= most + 1]
    for name, group in groups.items():
        if not group:
            continue
        best, stock = [p.auto_vs_best() for p in group], [p.auto_vs_stock() for p in group]
        best_ranges = [p.raw.get("auto_vs_best_range") for p in group]
        stock_ranges = [p.raw.get("auto_vs_stock_range") for p in group]
        lines.append([name, str(len(group)), share(best, 0.05), surely_beyond(0.05, best, best_ranges),
                      percent(median(best)), percent(max(best)), share(stock, 0.03),
                      surely_beyond(0.03, stock, stock_ranges), percent(median(stock)), percent(max(stock))])
    return table(["points", "n", "auto within 5 % of the best row", "surely not", "median", "worst",
                  "within 3 % of stock", "surely not", "median", "worst"], lines)


def worst_decisions(points, count=12):
    worst = sorted(points, key=lambda p: -p.auto_vs_best())[:count]
    return table(["point", "auto ran", "", "best row", "", "auto / best (in the other half)", "auto / the row it ran", "auto / stock"],
                 [[p.where(), p.auto["ran"], seconds(p.auto["median_s"]), p.best["algorithm"],
                   seconds(p.best["median_s"]), percent(p.auto_vs_best()), p.auto_vs_itself(),
                   percent(p.auto_vs_stock())]
                  for p in worst if p.auto_vs_best() > 0.05])


def hits(within):
    count = sum(hit for _, hit in within)
    return f"{count} of {len(within)} ({100 * count / len(within):.0f} %)"


def by_operation(within):
    """What the model hits of every operation; allreduce, of which there is more, by MPI."""
    names = [p.op + (" with MPICH" if p.mpi == "mpich" else "") for p, _ in within]
    for name in dict.fromkeys(names):
        yield f"{name} {hits([found for found, of in zip(within, names) if of == name])}"


def predictions(points):
    """How far the model is off, by size and rate."""
    errors = [(p, name, ratio) for p in points for name, ratio in p.errors()]
    if not errors:
        return "No predictions.\n"
    within = [(p, abs(ratio - 1) <= 0.2) for p, _, ratio in errors]
    text = (f"Of the three fastest rows of every point {hits(within)} were predicted within 20 % (target: 80 %); median error "
            f"{100 * median(abs(r - 1) for *_, r in errors):.0f} %. By operation: {', '.join(by_operation(within))}.\n\n")
    names = ["stock", "ring_raw", "rabenseifner_raw", "recursive_doubling_raw", "binomial_raw", "homcomp_f", "rabenseifner",
             "recursive_doubling", "ring", "binomial", "c_coll"]
    sizes = sorted({p.bytes for p in points})
    rates = [rate for rate in RATE_NAMES if any(p.rate == rate for p in points)]
    lines = []
    for rate in rates:
        for name in names:
            cells = []
            for size in sizes:
                found = [row["predicted_s"] / row["median_s"] for p in points if p.rate == rate and p.bytes == size
                         for row in [p.named(name)] if row and row["predicted_s"]]
                cells.append(f"{median(found):.2f}" if found else "-")
            if any(cell != "-" for cell in cells):
                lines.append([RATE_NAMES[rate], name, *cells])
    heads = [f"{size >> 20} MB" if size >= 1 << 20 else f"{max(1, round(size / 1024))} KB" for size in sizes]
    return text + "Predicted / measured, medians over the numbers of hosts:\n\n" + table(["rate", "row", *heads], lines)


def crossover(points):
    """The first of an operation's points, by size, from which on the best of our rows compresses and wins; or None."""
    first = None
    for p in points:
        pays = p.gain(p.best_own) > 1 and not p.best_own["ran"].endswith("raw")
        first = (first or p) if pays else None
    return first


def crossovers(points):
    lines, verdict = [], ""
    for op in dict.fromkeys(p.op for p in points):
        chosen = sorted((p for p in points if p.op == op), key=lambda p: p.bytes)
        first = crossover(chosen)
        found = ("at most " if first is chosen[0] else "") + size_name(first.size) if first else "none"
        lines.append([op, ", ".join(f"{p.size}: {p.gain(p.best_own):.2f}x ({p.best_own['algorithm']})" for p in chosen),
                      found])
        if op == "allreduce":
            met = "met" if first and first.bytes <= CROSSOVER_BYTES else "**not met**"
            verdict = f"\nTarget: a crossover of at most {binary_size(CROSSOVER_BYTES)} for allreduce: {met} ({found}).\n"
    return table(["operation", "best of our rows over the best stock algorithm", "crossover"], lines) + verdict


def no_harm(points):
    lines = []
    for p in points:
        over = p.auto["median_s"] / p.best_stock["median_s"] - 1
        own = p.best_own["median_s"] / p.best_stock["median_s"] - 1
        lines.append([p.op, p.mpi, str(p.hosts), RATE_NAMES[p.rate], size_name(p.size), p.best_stock["algorithm"],
                      seconds(p.best_stock["median_s"]), p.auto["ran"], percent(over), percent(p.auto_vs_stock()),
                      f"{p.best_own['algorithm']} {percent(own)}"])
    kept = [p.auto["median_s"] / p.best_stock["median_s"] - 1 for p in points]
    return (f"`auto` is within 5 % of the best stock algorithm on {share(kept, 0.05)} points; of the library's default on "
            f"{share((p.auto_vs_stock() for p in points), 0.05)}.\n\n" + table(
                ["operation", "MPI", "hosts", "rate", "size", "best stock", "", "auto ran", "auto / best stock",
                 "auto / default", "best own / best stock"], lines))


def one_core(points):
    lines = []
    for p in points:
        ours, c_coll = p.named("homcomp_f"), p.named("c_coll")
        target = ONE_CORE[p.rate]
        gain = p.gain(ours)
        lines.append([RATE_NAMES[p.rate], p.mpi, size_name(p.size), f"{p.best_stock['algorithm']}: "
                      f"{seconds(p.best_stock['median_s'])}", f"{ours['ratio']:.2f}", f"{gain:.2f}x", f"{target}x",
                      "met" if gain >= target else "**not met**", f"{p.gain(p.auto):.2f}x ({p.auto['ran']})",
                      f"{p.gain(c_coll):.2f}x"])
    return table(["rate", "MPI", "size", "best stock", "R", "homcomp_f", "target", "", "auto (ran)", "c_coll"], lines)


def every_point(points):
    return table(["operation", "MPI", "rate", "hosts", "size", "best stock", "", "best of ours", "", "auto", "gain",
                  "auto ran"],
                 [[p.op, p.mpi, RATE_NAMES[p.rate], str(p.hosts), size_name(p.size), p.best_stock["algorithm"],
                   seconds(p.best_stock["median_s"]), p.best_own["algorithm"], seconds(p.best_own["median_s"]),
                   seconds(p.auto["median_s"]), f"{p.gain(p.auto):.2f}x", p.auto["ran"]] for p in points])


def binary_size(count):
    return f"{count >> 20} MB" if count >= 1 << 20 else f"{count >> 10} KB"


def best_stock():
    also = f"up to {binary_size(ALSO_FORCED_UP_TO)} also"
    columns = [column for mpi, name in MPIS.items() for column in ((name, mpi, FORCED), (also, mpi, ALSO_FORCED))]
    return f"""## Best stock

"Best stock" is the fastest of the MPI library's default and those of its own algorithms that are forced
([`stock:ALGORITHM`](../guide/collectives.md#measuring)): not all that it has, but [those](collectives.md#best-stock) that are fastest
with long buffers on such hosts, and with shorter ones classic algorithms besides. Below {binary_size(FORCED_FROM)} nothing is
forced: best stock is the default there. A dash: none.

{forced_table(*columns)}"""


def by_hand(page):
    """The block of the old page that is written by hand."""
    kept = re.search(re.escape(BEGIN) + ".*?" + re.escape(END), page.read_text("utf-8"), re.S) if page.exists() else None
    return kept.group(0) if kept else f"{BEGIN}\n{END}"


def pictures(module, results, out):
    """What a module's draw() left in the folder, as Markdown; nothing where matplotlib is missing."""
    try:
        drawn = __import__(module).draw(results, out)
    except ImportError:
        return "\nThere are no plots: matplotlib is not installed.\n"
    return "".join(f"\n![{text}]({name})\n" for name, text in drawn)


def earlier(points):
    """How many points know no halves."""
    others = sum("auto_vs_best" not in p.raw for p in points)
    return f" (but on {others} points, measured earlier, where the fastest median is compared)" if others else ""


def first_calls(points):
    known = [p.raw["auto_first"] for p in points if "auto_first" in p.raw]
    if not known:
        return ""
    return ("Before these repetitions `auto` is called seven times, in which it asks and tries rows of equal bits: the median of them "
            f"is {percent(median(known))} beside later ones, in the median of the points.")


def processors(points):
    found = Counter(p.raw["processor"] for p in points)
    return next(iter(found)) if len(found) == 1 else ", ".join(f"{name} ({n} points)" for name, n in found.most_common())


def page(results, out):
    points = sorted((Point(raw) for raw in results["points"]), key=Point.order)
    grid = [p for p in points if p.auto and p.cores == 0 and p.part != "noise"]
    slow = [p for p in points if p.hosts == 8 and p.rate == "1gbit" and p.mpi == "openmpi" and p.part != "noise" and
            p.bytes <= 64 << 20]
    noise = [p for p in points if p.part == "noise"]
    dates = sorted({p.date for p in points})
    machine = results["machine"]
    part = {"cores": [p for p in points if p.part == "one_core"]}
    return f"""# The grid of the collectives

`./dev bench grid` measures this and writes this page; it can measure a part of it again. {' to '.join(dict.fromkeys(
    (dates[0], dates[-1])))}, {processors(points)}, {machine['cores']} cores shared by all hosts. Hosts are network namespaces
(`tools/netbed`), one rank each. Buffers of 1 KB have 2^10 bytes, those of 1 MB 2^20. isabel_velmag at --rel 1e-3, scope
contribution, unless said otherwise. Medians of
interleaved repetitions, {min(p.repetitions for p in points)} for the longest buffers and up to {
    max(p.repetitions for p in points)} for the shortest, time of the slowest rank. The cost model (`laconic predict`) knows the machine by
`laconic calibrate` on the same hosts, and the ratio by the sample that `auto` takes.
{pictures("grid_plots", results, out)}
{best_stock()}
## What `auto` decides

{len(grid)} points. `auto` is compared with the fastest of the library's default and our rows, and with the default itself,
by medians of ratios within repetitions. The fastest of several noisy medians is the luckiest, too: the row that is best in one
half of the repetitions is compared in the other half{earlier(grid)}.
"Surely not" counts the points whose median lies beyond the limit with 95 % confidence: the order statistics of the ratios say so,
whatever their distribution; of the others beyond it the repetitions do not tell. {first_calls(grid)}

{decisions(grid)}
Where it is furthest from the best row:

{worst_decisions(grid)}
{by_hand(out / "grid.md")}

## What the model predicts

{predictions(grid)}
## From where on compression pays (Open MPI, 8 hosts, 1 Gbit/s)

{crossovers(slow)}
## Incompressible data

Random mantissas at --rel 1e-8: nothing can be saved.

{no_harm(noise) if noise else "Not measured."}
## One core per host

allreduce on 4 hosts of one core each; where this machine has fewer cores, time passes slower there (`tools/netbed`, --dilate).
hit_u at --rel 3e-4. homcomp_f, `auto` and c_coll: speed-up over the best stock algorithm.

{one_core(part["cores"]) if part["cores"] else "Not measured."}
## Every point

{every_point(grid)}"""
