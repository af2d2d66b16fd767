# SPDX-License-Identifier: BSD-3-Clause
"""The figures of docs/benchmarks/papers.md: measured experiments go in; for every figure what the paper shows, what we see
and whether it has the same shape come out, with the rows of a table and the lines or bars of a picture.
"""
from dataclasses import dataclass, field

from bench_papers import BASELINES
from emulated_hosts import bytes_of
from grid_page import seconds

PHASES = ("compress", "decompress", "combine", "wait", "other")
CODEC = ("compress", "decompress")


@dataclass
class Figure:
    """One figure of a paper, and ours. Lines: label -> [(x, y)]; bars: label -> {phase: seconds}."""
    title: str
    paper: str
    here: str = ""
    same: bool = None
    rows: list = field(default_factory=list)  # of the table, its head first
    lines: dict = field(default_factory=dict)
    bars: dict = field(default_factory=dict)
    ticks: list = field(default_factory=list)  # names of x = 0, 1, ... where x is no number
    x: str = "MB per rank"
    y: str = "speed-up over MPI_Allreduce"
    name: str = ""


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


def gains(points, names, key=megabytes, over="stock", head="size", label=lambda p: p["size"]):
    """Table and lines of speed-ups."""
    lines = {name: [(key(p), gain(p, name, over)) for p in points if row(p, name)] for name in names}
    rows = [[head, over, *names]]
    for p in points:
        rows.append([label(p), seconds(median(p, over)), *(f"{gain(p, name, over):.2f}x" if row(p, name) else "-"
                                                            for name in names)])
    return rows, lines


def most(values):
    return max(values, default=0)


def figure_7(data):
    points = data.of("steps")
    rows, bars = breakdown(points, {"ring_raw": "AD", "cpr_p2p": "DI"})
    shares = [sum(phases(p, "cpr_p2p")[key] for key in CODEC) / median(p, "cpr_p2p") for p in points]
    less = all(phases(p, "cpr_p2p")["wait"] < phases(p, "ring_raw")["wait"] for p in points)
    why = "" if most(shares) > 0.4 else " SZx is several times faster here than in the paper, the network ten times slower."
    return Figure("C-Coll, figure 7: where the time of direct integration goes",
                  "Without compression a ring (AD) mostly waits. With SZx inside of its messages (DI) compressing and "
                  "decompressing are the largest part, and waiting shrinks.",
                  f"Compressing and decompressing are {percent(min(shares))} to {percent(most(shares))} of DI's time; its "
                  f"waiting is {'shorter' if less else 'not shorter'} than AD's at every size.{why}",
                  less and most(shares) > 0.4, rows, bars=bars, y="seconds")


def figure_8(data):
    points = data.of("steps_gather")
    rows, bars = breakdown(points, {"cpr_p2p": "DI", "c_coll": "ND"})
    better = [gain(p, "c_coll", "cpr_p2p") for p in points]
    return Figure("C-Coll, figure 8: the allgather stage",
                  "Compressing once before the ring and decompressing after it (ND) beats doing so at every hop (DI), by up to "
                  "1.48 times.",
                  f"{min(better):.2f} to {most(better):.2f} times.", most(better) > 1.05 and min(better) > 0.97, rows,
                  bars=bars, y="seconds")


def figure_9(data):
    points = data.of("steps_scatter")
    rows, _ = breakdown(points, {"cpr_p2p": "ND", "c_coll": "Overlap"})
    waits = [(phases(p, "cpr_p2p")["wait"], phases(p, "c_coll")["wait"]) for p in points]
    factor = [a / b for a, b in waits if b > 0]
    lines = {"ND (cpr_p2p)": [(megabytes(p), a) for p, (a, _) in zip(points, waits)],
             "Overlap (c_coll)": [(megabytes(p), b) for p, (_, b) in zip(points, waits)]}
    return Figure("C-Coll, figure 9: waiting in the reduce-scatter stage",
                  "Polling between portions of a piece (Overlap) cuts the waiting by up to 4.9 times.",
                  f"By {min(factor, default=0):.1f} to {most(factor):.1f} times. Our ND is segmented, too: while a segment "
                  "travels another one is compressed, so little waiting is left to cut.", most(factor) > 1.5, rows, lines,
                  y="waiting, s")


def figure_10(data):
    stages = list(zip(data.of("steps"), data.of("steps_scatter"), data.of("steps_gather")))
    rows = [["size", "AD (ring_raw)", "DI (cpr_p2p)", "ND (reduce-scatter of DI + allgather of ND)", "Overlap (c_coll)"]]
    lines = {name: [] for name in ("AD (ring_raw)", "DI (cpr_p2p)", "ND", "Overlap (c_coll)")}
    for whole, scatter, gather in stages:
        times = (median(whole, "ring_raw"), median(whole, "cpr_p2p"), median(scatter, "cpr_p2p") + median(gather, "c_coll"),
                 median(whole, "c_coll"))
        rows.append([whole["size"], *map(seconds, times)])
        for name, value in zip(lines, times):
            lines[name].append((megabytes(whole), value))
    overlap, without = lines["Overlap (c_coll)"], lines["AD (ring_raw)"]
    last = [points[-1][1] for points in lines.values()]
    return Figure("C-Coll, figure 10: step by step",
                  "Each step is faster than the one before, and the last (Overlap) than the ring without compression (AD) at "
                  "every size.",
                  f"At the largest size {', '.join(f'{n.split()[0]} {seconds(v)}' for n, v in zip(lines, last))}.",
                  all(o < a for (_, o), (_, a) in zip(overlap, without))
                  and all(after <= 1.03 * before for before, after in zip(last, last[1:])), rows, lines, y="seconds")


def against_baselines(data, experiment, title, paper, **how):
    points = data.of(experiment)
    names = [name for name in BASELINES[1:] if row(points[0], name)]
    rows, lines = gains(points, names, **how)
    c_coll = [gain(p, "c_coll") for p in points]
    hops = [(p, gain(p, name)) for p in points for name in names if name.startswith("cpr") and row(p, name)]
    others = [value for _, value in hops]
    ours = [gain(p, "homcomp_f") for p in points]
    here = (f"c_coll reaches {min(c_coll):.2f} to {most(c_coll):.2f} times the library's allreduce, the best CPR-P2P row "
            f"{most(others):.2f}, homcomp_f {min(ours):.2f} to {most(ours):.2f}.")
    if most(others) > 1:
        here += " Unlike in the paper SZx at every hop gains, too: our szx is several times faster against our network."
    first = all(gain(p, "c_coll") >= 0.97 * value for p, value in hops)
    return Figure(title, paper, here, min(c_coll) > 1 and first, rows, lines)


def figure_11(data):
    return against_baselines(data, "baselines", "C-Coll, figure 11: against compression in every message, by size",
                             "On 128 nodes no CPR-P2P row beats the library's allreduce; SZx is the best of them; C-Allreduce "
                             "is up to 1.8 times as fast as the library.")


def figure_12(data):
    figure = against_baselines(data, "nodes", "C-Coll, figure 12: by the number of nodes",
                               "With 2 to 128 nodes C-Allreduce is first, up to 1.8 times the library's.",
                               key=lambda p: p["hosts"], head="hosts", label=lambda p: str(p["hosts"]))
    figure.x = "hosts"
    return figure


def figure_13(data):
    points = sorted(data.of("datasets"), key=lambda p: p["field"])
    figure = against_baselines(data, "datasets", "C-Coll, figure 13: by field, at 1e-4",
                               "C-Allreduce is first on every field, 1.58 to 1.74 times the library; SZx at every hop is "
                               "slower than the library.", head="field", label=lambda p: p["field"])
    names = list(figure.lines)
    figure.lines = {name: [(at, gain(p, name)) for at, p in enumerate(points)] for name in names}
    figure.x, figure.ticks = "", [p["field"] for p in points]
    return figure


def figure_16(data):
    rows, lines, seen = [["operation", "size", "stock", "cpr_p2p", "c_coll", "ours"]], {}, {}
    for op, ours in (("scatter", "pairwise"), ("bcast", "ring")):
        for p in data.of(op):
            rows.append([op, p["size"], seconds(median(p, "stock")), *(f"{gain(p, n):.2f}x" for n in ("cpr_p2p", "c_coll")),
                         f"{gain(p, ours):.2f}x ({ours})"])
            for name in ("cpr_p2p", "c_coll", ours):
                lines.setdefault(f"{op} {name}", []).append((megabytes(p), gain(p, name)))
                seen.setdefault((op, name), []).append(gain(p, name))
    best = {op: most(seen.get((op, "c_coll"), [])) for op in ("scatter", "bcast")}
    return Figure("C-Coll, figure 16: scatter and bcast",
                  "C-Scatter is 1.8 times as fast as the library's, C-Bcast up to 2.7 times; compression at every hop is "
                  "slower than the library.",
                  f"c_coll: scatter up to {best['scatter']:.2f}, bcast up to {best['bcast']:.2f} times.",
                  min(best.values()) > 1, rows, lines, y="speed-up over the library")


def doc(data):
    points = data.of("doc")
    rows, bars = breakdown(points, {"cpr_p2p:fle": "DOC", "c_coll:fle": "DOC, overlapped", "hzccl": "homomorphic",
                                    "homcomp_f": "fused"})
    over = [gain(p, "hzccl", "cpr_p2p:fle") for p in points]

    def work(p, name):
        return sum(phases(p, name)[key] for key in (*CODEC, "combine"))
    less = [work(p, "hzccl") / work(p, "cpr_p2p:fle") for p in points]
    return Figure("hZCCL and ghZCCL: decompress, operate, compress (DOC) against homomorphic sums",
                  "With the same codec, adding compressed streams beats DOC by 1.3 to 2.3 times, and compression and "
                  "operation fall from 83 % of the DOC row's time to 36 % of it (ghZCCL, on GPUs).",
                  f"{min(over):.2f} to {most(over):.2f} times; the work of the codec is {percent(min(less))} to "
                  f"{percent(most(less))} of DOC's.", most(over) > 1.0 and most(less) < 1, rows, bars=bars, y="seconds")


def thesis_72(data):
    rows, lines, notes, same = [["layout", "size", "stock", "homcomp", "homcomp_f", "argm"]], {}, [], True
    for experiment, names, label in (("thesis_sizes", ("homcomp", "homcomp_f"), "4 hosts"),
                                     ("argm_sizes", ("argm",), "4 hosts of 2 ranks")):
        points = data.of(experiment)
        for p in points:
            rows.append([label, p["size"], seconds(median(p, "stock")), *(f"{gain(p, n):.2f}x" if row(p, n) else "-" for n in
                                                                           ("homcomp", "homcomp_f", "argm"))])
        for name in names:
            lines[f"{name}, {label}"] = [(megabytes(p), gain(p, name)) for p in points]
            first = next((p["size"] for p in points if gain(p, name) > 1), None)
            notes.append(f"{name} wins from {first}" if first else f"{name} never wins")
            same = same and bool(points) and gain(points[-1], name) > gain(points[0], name)
    return Figure("Thesis, figure 7.2: HomComp and ArGM by size, independent normal values",
                  "Slower than MPI_Allreduce for short buffers, faster from 1 GB (HomComp) and 0.4 GB (ArGM).",
                  "; ".join(notes) + ".", same, rows, lines)


def thesis_73(data):
    rows, lines = [["layout", "hosts", "stock", "homcomp", "homcomp_f", "argm"]], {}
    for experiment, names, label in (("thesis_nodes", ("homcomp", "homcomp_f"), "1 rank"), ("argm_nodes", ("argm",), "2 ranks")):
        points = data.of(experiment)
        for p in points:
            rows.append([label, str(p["hosts"]), seconds(median(p, "stock")),
                         *(f"{gain(p, n):.2f}x" if row(p, n) else "-" for n in ("homcomp", "homcomp_f", "argm"))])
        for name in names:
            lines[f"{name}, {label} each"] = [(p["hosts"], gain(p, name)) for p in points]
    held = [value for name, line in lines.items() for _, value in line]
    return Figure("Thesis, figure 7.3: by the number of ranks, 64 MB",
                  "Faster than MPI_Allreduce while the pieces of the ring are long (up to 32 GPUs), no longer with 64.",
                  f"{min(held):.2f} to {most(held):.2f} times MPI_Allreduce on these few hosts.", min(held) > 1, rows, lines,
                  x="hosts")


def thesis_74(data):
    points = data.of("argm_walk")
    rows, lines = gains(points, ("ring_raw", "homcomp", "homcomp_f", "argm"))
    ours = [gain(p, "argm") for p in points]
    faster = [gain(p, "argm", "homcomp_f") for p in points]
    return Figure("Thesis, figure 7.4: random walks, and ArGM against HomComp_F",
                  "ArGM is up to 3 times as fast as MPI_Allreduce (2 GB), and faster than HomComp_F, which does not use "
                  "the fast ways inside a node.",
                  f"argm is {min(ours):.2f} to {most(ours):.2f} times MPI_Allreduce and {min(faster):.2f} to "
                  f"{most(faster):.2f} times homcomp_f (4 hosts of 2 ranks).", most(ours) > 1 and faster[-1] > 1, rows, lines)


FIGURES = {"papers-7.svg": (figure_7, ["steps"]), "papers-8.svg": (figure_8, ["steps_gather"]),
           "papers-9.svg": (figure_9, ["steps_scatter"]),
           "papers-10.svg": (figure_10, ["steps", "steps_scatter", "steps_gather"]),
           "papers-11.svg": (figure_11, ["baselines"]), "papers-12.svg": (figure_12, ["nodes"]),
           "papers-13.svg": (figure_13, ["datasets"]), "papers-16.svg": (figure_16, ["scatter", "bcast"]),
           "papers-doc.svg": (doc, ["doc"]), "papers-7-2.svg": (thesis_72, ["thesis_sizes", "argm_sizes"]),
           "papers-7-3.svg": (thesis_73, ["thesis_nodes", "argm_nodes"]), "papers-7-4.svg": (thesis_74, ["argm_walk"])}


def figures(results):
    data = Measured(results)
    for name, (make, needs) in FIGURES.items():
        if all(need in data for need in needs):
            figure = make(data)
            figure.name = name
            yield figure
