# SPDX-License-Identifier: BSD-3-Clause
"""The section about the cost model in docs/benchmarks/scale.md: simulated rows with what was predicted for them go in,
text with tables comes out.
"""
from statistics import median

from scale_page import name_of, table

GROUPS = {"large": "allreduce, 678 MB, by ranks", "small": "allreduce, 1 MB, by ranks",
          "bandwidth": "allreduce, 678 MB, by bandwidth", "cores": "4 cores", "hard": "a field that compresses badly",
          "movement": "data movement"}
WITHIN = 0.2
ASSUMPTIONS = """\
What `laconic predict` says ([formulas](../guide/cost-model.md)) of the rows above, for a machine file that is made of
the simulation's own numbers: 2 us, the bandwidth, one rank and one core a node, the codec's speeds at every ratio,
additions at memcpy's speed. Nothing is fitted: messages and calls cost a processor nothing here, so `overhead_us`,
`processor_us_per_mb`, `call_us`, `call_raw_us` and `message_us` are 0, the pass over the values takes no time, and
`[stock]` and rows have the factor 1. The ratio is that of one contribution; the growth is the slope of the straight
line that has the table's ratio for the sum of all ranks, too. Four cores are one with four times the speed. Of stock
the model knows one time, that of the best classic algorithm: it stands beside the fastest stock row of a point. The
error is |predicted / simulated - 1|.
"""


def share_of(row, key="predicted"):
    return row[key] / row["seconds"]


def name(row):
    return "stock, the fastest" if row["algorithm"].startswith("stock") else name_of(row)


def summary_line(title, ratios):
    errors = [abs(ratio - 1) for ratio in ratios]
    return [title, str(len(ratios)), str(sum(error <= WITHIN for error in errors)), f"{100 * median(errors):.1f} %",
            f"{min(ratios):.2f} to {max(ratios):.2f}"]


def summary(rows):
    lines = []
    for group, title in GROUPS.items():
        found = [share_of(row) for row in rows if row["group"] == group]
        if found:
            lines.append(summary_line(title, found))
    lines.append(summary_line("**all**", [share_of(row) for row in rows]))
    stock = [row for row in rows if "in_turn" in row and row["op"] == "allreduce"]
    own = [row for row in rows if "in_turn" not in row]
    if own:
        lines.append(summary_line("all but stock", [share_of(row) for row in own]))
    if stock:
        lines.append(summary_line("stock allreduce", [share_of(row) for row in stock]))
        lines.append(summary_line("stock allreduce, additions after the messages instead of beside them",
                                  [share_of(row, "in_turn") for row in stock]))
    return table(["group", "rows", "within 20 %", "median error", "predicted / simulated"], lines)


def by(rows, group, across, head):
    """Names against values of `across`, one group; "" without rows."""
    found = {}
    for row in rows:
        if row["group"] == group:
            found.setdefault(name(row), {})[row[across]] = share_of(row)
    if not found:
        return ""
    columns = sorted({column for shares in found.values() for column in shares})
    lines = [[title] + [f"{shares[column]:.2f}" if column in shares else "-" for column in columns]
             for title, shares in sorted(found.items(), key=lambda item: not item[0].startswith("stock"))]
    return f"{GROUPS[group]}{head}:\n\n{table(['row'] + [f'{column:g}' for column in columns], lines)}\n"


def each(rows):
    """The groups that have one column."""
    lines = [[GROUPS[row["group"]], row["op"], name(row), f"{row['predicted']:.3g}", f"{row['seconds']:.3g}",
              f"{share_of(row):.2f}"] for row in rows if row["group"] in ("cores", "hard", "movement")]
    if not lines:
        return ""
    return "The other groups, seconds:\n\n" + table(["group", "operation", "row", "predicted", "simulated", ""], lines)


def section(results):
    rows = [row for row in results["rows"] if "predicted" in row]
    if not rows:
        return "Left out: the program `laconic` was not there when this page was written.\n"
    return "\n".join((ASSUMPTIONS, summary(rows), "Predicted / simulated, " + by(rows, "large", "ranks", "")
                      + by(rows, "small", "ranks", "") + by(rows, "bandwidth", "bandwidth", " (Gbit/s), 32 ranks")
                      + each(rows)))
