# SPDX-License-Identifier: BSD-3-Clause
"""The pictures of docs/benchmarks/collectives.md: measured rows go in, SVG files come out."""
from matplotlib import pyplot

from bench_collectives import OPERATIONS, OURS
from codec_plots import plain_ticks, save
from collectives_page import Rows

COLOURS = {"cpr_p2p": "#999999", "c_coll": "#D55E00", "ours": "#0072B2", "R": "#000000"}


def bars(rows, out, name):
    """Speed-up over the best stock algorithm by operation: C-Coll, ours, and R as what the bytes alone would give."""
    measured = [hosts for hosts in (2, 4, 8) if any(point[0] == hosts for point in rows.points)]
    figure, axes = pyplot.subplots(1, len(measured), figsize=(6.5 * len(measured), 3.4), sharey=True, squeeze=False)
    axes = axes[0]
    for axis, hosts in zip(axes, measured):
        points = [p for op in OPERATIONS for p in rows.points
                  if p[0] == hosts and p[1] == "openmpi" and p[2] == op and p[3].startswith("isabel") and
                  p[4] > 0.9 * rows.largest]
        for place, point in enumerate(points):
            best = rows.best_stock(point)["median_s"]
            for shift, label, row in ((-0.27, "cpr_p2p", "cpr_p2p"), (0, "c_coll", "c_coll"), (0.27, "ours", OURS[point[2]])):
                found = rows.named(point, row)
                if found:
                    axis.bar(place + shift, best / found["median_s"], 0.25, color=COLOURS[label],
                             label=label if place == 0 else None)
            ours = rows.named(point, OURS[point[2]])
            axis.plot([place + 0.13, place + 0.41], [ours["ratio"]] * 2, color=COLOURS["R"], linewidth=1.5,
                      label="R of ours" if place == 0 else None)
        axis.set_xticks(range(len(points)), [p[2].replace("_", "_\n") for p in points], fontsize=7)
        axis.axhline(1, color="#444444", linewidth=0.8)
        axis.set_title(f"{hosts} hosts, 1 Gbit/s, Open MPI")
    axes[0].set_ylabel("speed-up over the best stock algorithm")
    axes[0].legend(fontsize=7)
    save(figure, out, name)


def sizes(rows, out, name):
    figure, axis = pyplot.subplots(figsize=(6, 3.4))
    points = sorted((p for p in rows.points if p[0] == 8 and p[1] == "openmpi" and p[2] == "allreduce" and
                     p[3].startswith("isabel")), key=lambda p: p[4])
    for row, colour in (("ring_raw", "#999999"), ("c_coll", "#D55E00"), ("homcomp_f", "#0072B2"), ("auto", "#009E73")):
        found = [(p[4] / 2**20, rows.best_stock(p)["median_s"] / rows.named(p, row)["median_s"]) for p in points
                 if rows.named(p, row) and rows.best_stock(p)]
        axis.plot([x for x, _ in found], [y for _, y in found], color=colour, marker="o", markersize=4, label=row)
    axis.set_xscale("log", base=2)
    plain_ticks(axis.xaxis, [2.0 ** i for i in range(-6, 7, 2)])
    axis.axhline(1, color="#444444", linewidth=0.8)
    axis.set_xlabel("MiB per rank")
    axis.set_ylabel("speed-up over best stock")
    axis.set_title("allreduce, 8 hosts, 1 Gbit/s, Open MPI")
    axis.legend(fontsize=7)
    save(figure, out, name)


def draw(results, out):
    rows = Rows(results)
    bars(rows, out, "collectives-operations.svg")
    drawn = [("collectives-operations.svg", "Speed-up over the best stock algorithm by operation")]
    if any(point[0] == 8 for point in rows.points):
        sizes(rows, out, "collectives-sizes.svg")
        drawn.append(("collectives-sizes.svg", "Speed-up over the best stock algorithm by size"))
    return drawn
