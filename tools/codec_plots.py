# SPDX-License-Identifier: BSD-3-Clause
"""The pictures of docs/benchmarks/codec.md: measured rows go in, SVG files of one style come out. The same rows give
the same bytes.
"""
import matplotlib

matplotlib.use("svg")
from matplotlib import pyplot  # noqa: E402
from matplotlib.lines import Line2D  # noqa: E402

from codec_targets import geometric_mean  # noqa: E402

# Colours that people with any colour vision tell apart (Okabe, Ito), and a shape each.
STYLE = {"fle": ("#0072B2", "o"), "fle-rows": ("#56B4E9", "s"), "szx": ("#D55E00", "^"), "zfp_abs": ("#009E73", "D"),
         "zfp_rate": ("#CC79A7", "v"), "zstd-1": ("#999999", "P"), "zstd-3": ("#444444", "X")}
SIZES = (70, 40, 18)  # of markers, from the widest bound to the narrowest
matplotlib.rcParams.update({
    "svg.hashsalt": "laconic", "svg.fonttype": "none", "font.family": "sans-serif", "font.size": 9,
    "font.sans-serif": ["DejaVu Sans", "Verdana", "Arial"], "axes.spines.top": False, "axes.spines.right": False,
    "axes.grid": True, "grid.color": "#e4e4e4", "grid.linewidth": 0.6, "axes.axisbelow": True,
    "legend.frameon": False, "figure.facecolor": "white", "axes.titlesize": 9, "axes.titleweight": "bold"})


class Rows:
    """The codecs' rows by field, bound and codec."""

    def __init__(self, results):
        self.results = results
        self.cells = {(row["field"], row["rel"], row["codec"]): row for row in results["codecs"]}
        self.codecs = [name for name in STYLE if any(key[2] == name for key in self.cells)]
        self.bounds = results["bounds"]
        self.fields = [field["name"] for field in results["fields"]]
        self.floats = [field["name"] for field in results["fields"] if field["type"] == "f32"] or self.fields

    def mean(self, codec, rel, value):
        cells = [self.cells.get((field, rel, codec)) for field in self.floats]
        return geometric_mean([value(cell) for cell in cells]) if all(cells) else None

    def bits(self, field, row):
        kind = next(f["type"] for f in self.results["fields"] if f["name"] == field)
        return (32 if kind == "f32" else 64) / row["ratio"]


def save(figure, out, name):
    figure.savefig(out / name, format="svg", metadata={"Date": None, "Creator": "laconic"}, bbox_inches="tight")
    pyplot.close(figure)


def codec_handles(names):
    return [Line2D([], [], color=STYLE[name][0], marker=STYLE[name][1], linewidth=1, markersize=6, label=name)
            for name in names]


def plain_ticks(axis, ticks):
    axis.set_major_locator(matplotlib.ticker.FixedLocator(ticks))
    axis.set_major_formatter(matplotlib.ticker.FuncFormatter(lambda x, _: f"{x:g}"))
    axis.set_minor_locator(matplotlib.ticker.NullLocator())


def throughput(rows, out, name):
    figure, panels = pyplot.subplots(1, 2, figsize=(9, 4), sharex=True, sharey=True)
    for panel, operation in zip(panels, ("compress", "decompress")):
        for codec in rows.codecs:
            colour, shape = STYLE[codec]
            points = [(rows.mean(codec, rel, lambda row: row["ratio"]),
                       rows.mean(codec, rel, lambda row: row[f"{operation}_gbps"]), size)
                      for rel, size in zip(rows.bounds, SIZES)]
            points = [point for point in points if point[0]]
            if codec.startswith("zstd"):
                points = points[:1]  # lossless: the same at every bound
            if points:
                panel.plot(*list(zip(*points))[:2], color=colour, linewidth=1)
                panel.scatter(*list(zip(*points))[:2], s=[p[2] for p in points], color=colour, marker=shape, zorder=3)
        copy = geometric_mean([row["memcpy_gbps"] for row in rows.results["codecs"]])
        panel.axhline(copy, color="#000000", linewidth=0.8, linestyle=(0, (4, 3)))
        panel.text(0.01, copy * 0.94, "memcpy", ha="left", va="top", fontsize=8,
                   transform=panel.get_yaxis_transform())
        panel.set(xscale="log", yscale="log", title=operation, xlabel="compression ratio")
        plain_ticks(panel.xaxis, (1, 2, 4, 8, 16, 32))
        plain_ticks(panel.yaxis, (0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50))
    panels[0].set_ylabel("GB/s of original data, one core")
    sizes = [Line2D([], [], color="#666666", marker="o", linewidth=0, markersize=size ** 0.5, label=f"rel {rel}")
             for rel, size in zip(rows.bounds, SIZES)]
    figure.legend(handles=codec_handles(rows.codecs) + sizes, loc="center left", bbox_to_anchor=(0.92, 0.5))
    save(figure, out, name)


def ratios(rows, out, name):
    figure, panels = pyplot.subplots(1, len(rows.bounds), figsize=(10, 0.9 + 0.38 * len(rows.fields)), sharey=True,
                                     sharex=True)
    for panel, rel in zip(panels, rows.bounds):
        for codec in rows.codecs:
            colour, shape = STYLE[codec]
            points = [(rows.cells[field, rel, codec]["ratio"], i) for i, field in enumerate(rows.fields)
                      if (field, rel, codec) in rows.cells]
            panel.scatter(*zip(*points), color=colour, marker=shape, s=34, alpha=0.9, linewidths=0)
        panel.set(xscale="log", title=f"rel {rel}", xlabel="compression ratio")
        plain_ticks(panel.xaxis, (1, 2, 4, 8, 16, 32, 64))
    panels[0].set_yticks(range(len(rows.fields)), rows.fields)
    panels[0].invert_yaxis()
    figure.legend(handles=[Line2D([], [], color=h.get_color(), marker=h.get_marker(), linewidth=0, label=h.get_label())
                           for h in codec_handles(rows.codecs)], loc="center left", bbox_to_anchor=(0.91, 0.5))
    save(figure, out, name)


def rate_distortion(rows, out, name):
    columns = min(4, len(rows.fields))
    lines = -(-len(rows.fields) // columns)
    figure, panels = pyplot.subplots(lines, columns, figsize=(2.6 * columns, 2.4 * lines), sharey=True, squeeze=False)
    lossy = [codec for codec in rows.codecs if not codec.startswith("zstd")]
    for panel, field in zip(panels.flat, rows.fields):
        for codec in lossy:
            colour, shape = STYLE[codec]
            cells = [rows.cells.get((field, rel, codec)) for rel in rows.bounds]
            points = [(rows.bits(field, row), row["psnr"]) for row in cells if row and row["psnr"] is not None]
            if points:
                panel.plot(*zip(*points), color=colour, marker=shape, markersize=4, linewidth=1)
        panel.set(title=field, xlim=(0, None))
    for panel in list(panels.flat)[len(rows.fields):]:
        panel.set_visible(False)
    for panel in panels[:, 0]:
        panel.set_ylabel("PSNR, dB")
    for panel in panels[-1]:
        panel.set_xlabel("bits per value")
    figure.legend(handles=codec_handles(lossy), loc="upper center", ncols=len(lossy), bbox_to_anchor=(0.5, 0.02))
    figure.tight_layout(rect=(0, 0.03, 1, 1))
    save(figure, out, name)


def draw(results, out):
    """Writes the plots to the folder `out` and returns their names."""
    rows = Rows(results)
    plots = {"codec-throughput.svg": throughput, "codec-ratio.svg": ratios,
             "codec-rate-distortion.svg": rate_distortion}
    for name, plot in plots.items():
        plot(rows, out, name)
    return list(plots)
