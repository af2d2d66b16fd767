# SPDX-License-Identifier: BSD-3-Clause
"""What the figures of docs/benchmarks/papers.md have in common: measured points go in; gains, parts of times, and the
words for them come out.
"""
from dataclasses import dataclass, field

from emulated_hosts import bytes_of
from grid_page import seconds

PHASES = ("compress", "decompress", "combine", "copy", "wait", "other")
CODEC = ("compress", "decompress")
NEAR = 0.03  # of a time: what differs by less is called equal


@dataclass
class Figure:
    """One figure of a paper, and ours. Lines: label -> [(x, y)]; bars: label -> {phase: seconds}. The shape is the paper's
    where nothing differs; `beyond` is what the paper shows and these hosts cannot."""
    title: str
    paper: str
    here: str = ""
    differs: list = field(default_factory=list)
    rows: list = field(default_factory=list)  # of the table, its head first
    lines: dict = field(default_factory=dict)
    bars: dict = field(default_factory=dict)
    ticks: list = field(default_factory=list)  # names of x = 0, 1, ... where x is no number
    x: str = "MB per rank"
    y: str = "speed-up over MPI_Allreduce"
    name: str = ""
    beyond: str = ""
    points: list = field(default_factory=list)  # that it was made of

    @property
    def same(self):
        return not self.differs


class Measured:
    def __init__(self, results):
        self.points = results["points"]

    def of(self, experiment):
        found = [p for p in self.points if p["experiment"] == experiment]
        return sorted(found, key=lambda p: (p["hosts"], bytes_of(p["size"])))

    def __contains__(self, experiment):
        return bool(self.of(experiment))


def row(point, name):
    return next((r for r in point["rows"] if r["algorithm"] == name), None)


def median(point, name):
    found = row(point, name)
    return found["median_s"] if found else None


def gain(point, name, over="stock"):
    return median(point, over) / median(point, name)


def megabytes(point):
    return bytes_of(point["size"]) / 1e6


def phases(point, name):
    found = row(point, name)
    parts = {key: found[f"{key}_s"] for key in PHASES[:-1]}
    # The parts are means of one rank, the time is the median of the slowest.
    return parts | {"other": max(0.0, found["median_s"] - sum(parts.values()))}


def percent(share):
    return f"{100 * share:.0f} %"


def span(values, show=lambda value: f"{value:.2f}"):
    """The least and the largest."""
    ends = list(dict.fromkeys((show(min(values)), show(max(values)))))
    return " to ".join(ends)


def told(*found):
    """Sentences of what differs: the text of every pair whose condition holds."""
    return [text for condition, text in found if condition]


def size_of(point):
    return point["size"]


def listed(names):
    names = list(names)
    return " and ".join(filter(None, (", ".join(names[:-1]), names[-1]))) if names else ""


def where(points, condition, label=size_of):
    return listed(label(p) for p in points if condition(p))


def breakdown(points, names):
    """Table and bars of where the time of rows goes."""
    rows = [["size", "row", "time", *PHASES]]
    bars = {}
    for point in points:
        for name, label in names.items():
            parts = phases(point, name)
            bars[f"{point['size']} {label}"] = parts
            rows.append([point["size"], f"{label} ({name})", seconds(median(point, name)),
                         *(f"{parts[key] * 1e3:.1f} ms" for key in PHASES)])
    return rows, bars


def gains(points, names, key=megabytes, over="stock", head="size", label=size_of):
    """Table and lines of speed-ups."""
    lines = {name: [(key(p), gain(p, name, over)) for p in points if row(p, name)] for name in names}
    rows = [[head, over, *names]]
    for p in points:
        rows.append([label(p), seconds(median(p, over)), *(f"{gain(p, name, over):.2f}x" if row(p, name) else "-"
                                                            for name in names)])
    return rows, lines


def most(values):
    return max(values, default=0)
