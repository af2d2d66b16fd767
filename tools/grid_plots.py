# SPDX-License-Identifier: BSD-3-Clause
"""The pictures of docs/benchmarks/grid.md: measured points go in, SVG files come out."""
from matplotlib import pyplot

from codec_plots import plain_ticks, save
from grid_page import RATE_NAMES, Point
from row_colours import colour, marker


def grids(points):
    """Rates and numbers of hosts that were measured."""
    rates = [rate for rate in RATE_NAMES if any(p.rate == rate for p in points)]
    return rates, sorted({p.hosts for p in points})


def panels(points, width, height):
    rates, hosts = grids(points)
    figure, axes = pyplot.subplots(len(hosts), len(rates), figsize=(width * len(rates), height * len(hosts)), sharex=True,
                                   sharey=True, squeeze=False)
    for row, count in enumerate(hosts):
        for column, rate in enumerate(rates):
            axis = axes[row][column]
            axis.set_title(f"{count} hosts, {RATE_NAMES[rate]}")
            axis.axhline(1, color="#444444", linewidth=0.8)
            yield figure, axis, sorted((p for p in points if p.hosts == count and p.rate == rate), key=lambda p: p.bytes)
    for axis in axes[-1]:
        axis.set_xscale("log", base=2)
        plain_ticks(axis.xaxis, [2.0 ** i for i in (-10, -6, -2, 2, 6)])
        axis.xaxis.set_major_formatter(lambda x, _: f"{x:g} MB" if x >= 1 else f"{1024 * x:g} KB")
        axis.set_xlabel("per rank")


def finish(figure, what, out, name):
    figure.supylabel(what, fontsize=9)
    figure.tight_layout(rect=(0, 0.04, 1, 1))
    handles, labels = figure.axes[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="lower center", ncols=len(labels) if len(figure.axes) > 3 else 3, fontsize=7)
    save(figure, out, name)


def gains(points, out, name):
    figure = None
    for figure, axis, chosen in panels(points, 2.9, 2.1):
        for row in ("ring_raw", "c_coll", "homcomp_f", "auto"):
            found = [(p.bytes / 2**20, p.gain(p.named(row))) for p in chosen if p.named(row)]
            if found:
                axis.plot(*zip(*found), color=colour(row), marker=marker(row), markersize=3.5, linewidth=1.2, label=row)
        axis.set_yscale("log", base=2)
        plain_ticks(axis.yaxis, [0.25, 0.5, 1, 2, 4, 8])
    finish(figure, "speed-up over the best stock algorithm", out, name)


def model(points, out, name):
    figure = None
    for figure, axis, chosen in panels(points, 2.9, 2.1):
        axis.axhspan(1 / 1.2, 1.2, color="#e4f3ec")
        for row in ("stock", "ring_raw", "c_coll", "homcomp_f", "rabenseifner", "recursive_doubling"):
            found = [(p.bytes / 2**20, p.named(row)["predicted_s"] / p.named(row)["median_s"]) for p in chosen
                     if p.named(row) and p.named(row)["predicted_s"]]
            if found:
                axis.plot(*zip(*found), color=colour(row), marker=marker(row), markersize=3.5, linewidth=1, label=row)
        axis.set_yscale("log", base=2)
        plain_ticks(axis.yaxis, [0.5, 0.8, 1, 1.25, 1.6, 2])
    finish(figure, "predicted / measured time", out, name)


def draw(results, out):
    points = [Point(raw) for raw in results["points"]]
    points = [p for p in points if p.op == "allreduce" and p.mpi == "openmpi" and p.cores == 0 and p.part == "grid"]
    if not points:
        return []
    gains(points, out, "grid-gains.svg")
    model(points, out, "grid-model.svg")
    return [("grid-gains.svg", "Speed-up of allreduce over the best stock algorithm, by size, rate and hosts"),
            ("grid-model.svg", "Predicted / measured time of allreduce; within the green band the model is 20 % right")]
