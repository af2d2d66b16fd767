# SPDX-License-Identifier: BSD-3-Clause
"""The picture of docs/benchmarks/scale.md: simulated rows, and what was predicted for them, go in; one SVG file comes
out. The same rows give the same bytes.
"""
from codec_plots import matplotlib, plain_ticks, pyplot, save  # sets the style
from matplotlib.lines import Line2D
from row_colours import colour, marker
from scale_page import LARGE, SMALL, Rows

NAMES = {  # and their lines: stock's and the codecs' differ in dashes, stock's also in markers
    "stock: Rabenseifner": "-", "stock: ring": "--", "stock: Open MPI": ":", "ring_raw": ":", "c_coll (szx)": "-",
    "c_coll (szx, the paper's speed and ratio)": "--", "c_coll (szx, speed and layout of SZx's code)": ":",
    "cpr_p2p (szx)": "-", "hzccl (fle)": "-", "homcomp_f (fle)": "-", "rabenseifner (fle)": "-",
    "recursive_doubling (fle)": "-"}
MARKERS = {"stock: ring": "x", "stock: Open MPI": "+"}
STYLE = {name: (colour(name), MARKERS.get(name, marker(name)), line) for name, line in NAMES.items()}


MODEL_STOCK = "stock: Rabenseifner"  # whose style the model's one stock takes


def draw_lines(panel, times, predicted, unit=1.0):
    """Simulated points, and the model's lines; without a model the points are joined."""
    model = {}
    for name, points in predicted.items():
        model.setdefault(MODEL_STOCK if name.startswith("stock") else name, {}).update(points)
    for name, (shade, shape, line) in STYLE.items():
        points, foretold = (sorted(found.get(name, {}).items()) for found in (times, model))
        if points:
            panel.plot([x for x, _ in points], [y * unit for _, y in points], color=shade, marker=shape,
                       linestyle="none" if model else line, markersize=5, linewidth=1.2)
        if foretold:
            panel.plot([x for x, _ in foretold], [y * unit for _, y in foretold], color=shade, linestyle=line,
                       linewidth=0.8)


def of_panels(rows, key):
    """What the three panels show, as {name: {x: row[key]}}."""
    sweep = rows.times("bandwidth", "bandwidth", key)
    # At the sweep's number of ranks 100 Gbit/s is in the other group.
    if sweep:
        for name, points in rows.times("large", "bandwidth", key, ranks=32).items():
            if name in sweep:
                sweep[name].update(points)
    return rows.times("large", "ranks", key, bytes=LARGE), rows.times("small", "ranks", key, bytes=SMALL), sweep


def draw(results, out):
    """Writes the plot to the folder `out` and returns its name."""
    rows = Rows(results)
    large, small, sweep = of_panels(rows, "seconds")
    lines = of_panels(rows, "predicted")
    panels_wanted = [(large, lines[0], "678 MB, 100 Gbit/s", "seconds", 1.0),
                     (small, lines[1], "1 MB, 100 Gbit/s", "microseconds", 1e6)]
    if sweep:
        panels_wanted.append((sweep, lines[2], "678 MB, 32 ranks", "seconds", 1.0))
    figure, panels = pyplot.subplots(1, len(panels_wanted), figsize=(3.7 * len(panels_wanted), 3.8))
    for panel, (times, predicted, title, label, unit) in zip(panels, panels_wanted):
        draw_lines(panel, times, predicted, unit)
        panel.set(xscale="log", yscale="log", title=f"allreduce, {title}", ylabel=label)
        by_ranks = times is not sweep
        panel.set_xlabel("ranks, one per host" if by_ranks else "Gbit/s per host")
        plain_ticks(panel.xaxis, sorted({x for row in times.values() for x in row}))
    plain_ticks(panels[0].yaxis, (0.1, 0.15, 0.2, 0.3, 0.5, 0.7, 1, 2))
    plain_ticks(panels[1].yaxis, (200, 300, 500, 1000, 2000, 5000))
    if sweep:
        plain_ticks(panels[2].yaxis, (0.1, 0.2, 0.5, 1, 2, 5, 10))
    beside = any(lines)

    def handle(name):
        shade, shape, line = STYLE[name]
        if beside and name.startswith("stock") and name != MODEL_STOCK:
            line = "none"
        return Line2D([], [], color=shade, marker=shape, linestyle=line, linewidth=0.8 if beside else 1.2,
                      markersize=5, label=name)

    title = "markers: simulated; thin lines: the cost model (of stock one, its additions hidden)"
    figure.legend(handles=[handle(name) for name in STYLE if name in large or name in small],
                  title=title if beside else None,
                  loc="upper center", ncols=3, bbox_to_anchor=(0.5, 0.0))
    figure.tight_layout()
    save(figure, out, "scale.svg")
    matplotlib.pyplot.close("all")
    return ["scale.svg"]
