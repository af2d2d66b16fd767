# SPDX-License-Identifier: BSD-3-Clause
"""Pictures of docs/benchmarks/redistribute.md: the study as bars, and the times of every rank as boxes from quartile to
quartile, with a line at the median and whiskers to the least and the greatest time."""
import codec_plots  # noqa: F401  the style of all plots
from codec_plots import save
from matplotlib import pyplot, ticker

COLOURS = {"per_patch": "#0072B2", "per_rank": "#D55E00", "batched": "#E69F00", "auto": "#009E73"}
PLACEMENTS = ("greedy", "balanced", "optimal")


def time_of(run, engine):
    from redistribute_page import row_of
    row = row_of(run, engine)
    return row["median_s"] if row else None


def bars(runs, out, name):
    """Per MPI a panel; per array of the paper, engines at the placement that moves least evenly."""
    mpis = sorted({run["mpi"] for run in runs})
    figure, axes = pyplot.subplots(len(mpis), 1, figsize=(9, 2.9 * len(mpis)), squeeze=False, layout="constrained")
    for axis, mpi in zip(axes[:, 0], mpis):
        mine = [run for run in runs if run["mpi"] == mpi and run["placement"] == "balanced"]
        for at, engine in enumerate(COLOURS):
            heights = [1e3 * (time_of(run, engine) or 0) for run in mine]
            axis.bar([i + 0.2 * at for i in range(len(mine))], heights, 0.19, color=COLOURS[engine], label=engine)
        axis.set_xticks([i + 0.3 for i in range(len(mine))],
                        [f"{run['paper'][0]}³\n{run['paper'][1]}³" for run in mine])
        axis.set_title(f"{mpi}, balanced placement", loc="left")
        axis.set_ylabel("milliseconds")
        axis.grid(axis="x", visible=False)
    # Room for the names above the bars.
    axes[0, 0].set_ylim(top=1.2 * axes[0, 0].get_ylim()[1])
    axes[0, 0].legend(ncols=4, loc="upper left")
    save(figure, out, name)


def draw_boxes(axis, ranks, positions, width, colour):
    """ranks: of each least, lower quartile, median, upper quartile, greatest."""
    stats = [{"whislo": 1e3 * least, "q1": 1e3 * lower, "med": 1e3 * middle, "q3": 1e3 * upper, "whishi": 1e3 * most}
             for least, lower, middle, upper, most in ranks]
    drawn = axis.bxp(stats, positions=positions, widths=width, showfliers=False, patch_artist=True, manage_ticks=False,
                     medianprops={"color": "black"})
    for box in drawn["boxes"]:
        box.set(facecolor=colour, alpha=0.6)


def boxes(runs, out, name):
    """Each rank's quartiles, as in the paper's figure 5."""
    figure, axes = pyplot.subplots(1, len(runs), figsize=(4.5 * len(runs), 3), squeeze=False, layout="constrained",
                                   sharey=True)
    for axis, run in zip(axes[0], runs):
        for at, engine in enumerate(("per_patch", "auto")):
            row = next((row for row in run["rows"] if row["engine"].split(" ")[0].split(":")[0] == engine), {})
            ranks = row.get("ranks", [])
            draw_boxes(axis, ranks, [rank + 0.35 * at for rank in range(len(ranks))], 0.3, COLOURS[engine])
            axis.plot([], [], color=COLOURS[engine], linewidth=6, alpha=0.6, label=engine)
        axis.set_title(f"{run['placement']}, {run['mpi']}", loc="left")
        axis.set_xlabel("rank")
    axes[0, 0].set_ylabel("milliseconds")
    axes[0, 0].legend()
    save(figure, out, name)


def engine_boxes(run, out, name):
    """All engines of one run side by side, every rank in each, as `bench redistribute --png` draws them."""
    rows = [row for row in run["rows"] if row.get("ranks")]
    figure, axis = pyplot.subplots(figsize=(11, 3.4), layout="constrained")
    ticks, names = [], []
    for at, row in enumerate(rows):
        first = at * (run["ranks"] + 1.5)
        engine = row["engine"].split(" ")[0].split(",")[0]
        draw_boxes(axis, row["ranks"], [first + rank for rank in range(run["ranks"])], 0.7, COLOURS.get(engine, "#999999"))
        ticks.append(first + (run["ranks"] - 1) / 2)
        names.append(row["engine"].replace(", ", ",\n").replace(" (", "\n("))
    axis.set_xticks(ticks, names)
    axis.set_yscale("log")
    axis.yaxis.set_major_formatter("{x:g}")
    axis.yaxis.set_major_locator(ticker.LogLocator(subs=(1, 2, 5)))
    axis.yaxis.set_minor_locator(ticker.NullLocator())
    axis.grid(axis="x", visible=False)
    axis.set_ylabel("milliseconds, logarithmic")
    axis.set_xlabel(f"engine; in each, ranks 0 to {run['ranks'] - 1}")
    axis.set_title(f"{run['mpi']}, {run['ranks']} ranks, {run['global']} in {run['patch']}", loc="left")
    save(figure, out, name)


def draw(results, out):
    study = [run for run in results["runs"] if run["part"] == "study"]
    drawn = []
    for where, name in (("memory", "redistribute-memory.svg"), ("1 Gbit/s", "redistribute-network.svg")):
        runs = [run for run in study if run["where"] == where]
        if runs:
            bars(runs, out, name)
            drawn.append((name, f"Times of the twelve redistributions, {where}"))
    large = [run for run in study if run["paper"] == [6400, 64] and run["where"] == "memory" and run["mpi"] == "openmpi"]
    if large:
        boxes(large, out, "redistribute-ranks.svg")
        drawn.append(("redistribute-ranks.svg", "Times of every rank, the paper's 6400³ in patches of 64³"))
    for run in results["runs"]:
        if run["part"] == "memory" and run["ranks"] == 8:
            name = f"redistribute-boxes-{run['mpi']}.svg"
            engine_boxes(run, out, name)
            drawn.append((name, f"Times of every rank with every engine, memory, {run['mpi']}: boxes from quartile to quartile, a line "
                          "at the median, whiskers to the least and the greatest"))
    return drawn
