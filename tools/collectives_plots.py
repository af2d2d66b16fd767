# SPDX-License-Identifier: BSD-3-Clause
"""The picture of docs/benchmarks/collectives.md: measured rows go in, an SVG file comes out."""
from matplotlib import pyplot

from bench_collectives import OPERATIONS, OURS
from codec_plots import save
from collectives_page import Rows
from row_colours import colour

FIELD = "isabel_velmag"


def bars(rows, out, name):
    """Speed-up over the best stock algorithm by operation on one field: C-Coll, ours, and R as what the bytes alone would give."""
    measured = list(dict.fromkeys((point[0], point[1]) for point in rows.points))
    across = min(len(measured), 2)
    down = -(-len(measured) // across)
    figure, axes = pyplot.subplots(down, across, figsize=(6.5 * across, 3.4 * down), sharey=True, squeeze=False)
    for axis, (hosts, mpi) in zip(axes.flat, measured):
        points = [p for op in OPERATIONS for p in rows.points
                  if p[:3] == (hosts, mpi, op) and p[3] == FIELD and p[4] > 0.9 * rows.largest]
        labelled = set()
        for place, point in enumerate(points):
            best = rows.best_stock(point)["median_s"]
            for shift, row in ((-0.27, "cpr_p2p"), (0, "c_coll"), (0.27, OURS[point[2]])):
                found = rows.named(point, row)
                if found:
                    axis.bar(place + shift, best / found["median_s"], 0.25, color=colour(row),
                             label=None if row in labelled else row)
                    labelled.add(row)
            ours = rows.named(point, OURS[point[2]])
            axis.plot([place + 0.13, place + 0.41], [ours["ratio"]] * 2, color="#000000", linewidth=1.5,
                      label="R of the right bar" if place == 0 else None)
        axis.set_xticks(range(len(points)), [p[2].replace("_", "_\n") for p in points], fontsize=7)
        axis.axhline(1, color="#444444", linewidth=0.8)
        axis.set_title(f"{hosts} hosts, 1 Gbit/s, {'Open MPI' if mpi == 'openmpi' else 'MPICH'}, {FIELD}")
    for axis in axes[:, 0]:
        axis.set_ylabel("speed-up over the best stock", fontsize=8)
    axes[0][0].legend(fontsize=7)
    figure.tight_layout()
    save(figure, out, name)


def draw(results, out):
    bars(Rows(results), out, "collectives-operations.svg")
    return [("collectives-operations.svg", f"Speed-up over the best stock algorithm by operation, {FIELD}")]
