# SPDX-License-Identifier: BSD-3-Clause
"""The pictures of docs/benchmarks/papers.md: measured experiments go in, a small SVG file for each figure comes out."""
from matplotlib import pyplot

from codec_plots import plain_ticks, save
from papers_figures import figures
from papers_parts import PHASES
from row_colours import styles

PHASE_COLOURS = dict(zip(PHASES, ("#0072B2", "#56B4E9", "#009E73", "#E69F00", "#D55E00", "#bbbbbb")))


def lines(figure, axis):
    drawn = styles(figure.lines)
    for label, points in figure.lines.items():
        if points:
            axis.plot(*zip(*points), markersize=4, linewidth=1.2, label=label, **drawn[label])
    ticks = sorted({x for points in figure.lines.values() for x, _ in points})
    if ticks and ticks[0] > 0 and ticks[-1] / ticks[0] > 3:
        axis.set_xscale("log", base=2)
    if figure.ticks:
        axis.set_xticks(range(len(figure.ticks)), figure.ticks, fontsize=7)
    else:
        plain_ticks(axis.xaxis, ticks)
        axis.xaxis.set_major_formatter(lambda x, _: f"{x:.3g}")
    if figure.y.startswith("speed-up"):
        axis.axhline(1, color="#444444", linewidth=0.8)
    axis.set_ylim(bottom=0)
    axis.set_xlabel(figure.x, fontsize=8)


def bars(figure, axis):
    labels = list(figure.bars)
    base = [0.0] * len(labels)
    for phase in PHASES:
        heights = [figure.bars[label][phase] for label in labels]
        axis.bar(range(len(labels)), heights, 0.7, bottom=base, color=PHASE_COLOURS[phase], label=phase)
        base = [a + b for a, b in zip(base, heights)]
    upright = len(labels) > 10 or max(map(len, labels)) > 10
    axis.set_xticks(range(len(labels)), labels if upright else [label.replace(" ", "\n", 1) for label in labels], fontsize=7,
                    rotation=90 if upright else 0)


def draw(results, out):
    drawn = []
    for figure in figures(results):
        canvas, axis = pyplot.subplots(figsize=(5, 2.8))
        bars(figure, axis) if figure.bars else lines(figure, axis)
        axis.set_ylabel(figure.y, fontsize=8)
        axis.legend(fontsize=7, frameon=True, facecolor="white", framealpha=0.85, edgecolor="none")
        save(canvas, out, figure.name)
        drawn.append((figure.name, figure.title))
    return drawn
