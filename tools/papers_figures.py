# SPDX-License-Identifier: BSD-3-Clause
"""The figures of docs/benchmarks/papers.md: measured experiments go in; for every figure what the paper shows, what we see
and what of it differs come out, with the rows of a table and the lines or bars of a picture.
"""
from bench_papers import BASELINES
from grid_page import seconds
from papers_parts import (CODEC, Figure, Measured, NEAR, PHASES, breakdown, gain, gains, listed, median, megabytes,
                          most, percent, phases, row, size_of, span, told, where)


def figure_7(data):
    points = data.of("steps")
    rows, bars = breakdown(points, {"ring_raw": "AD", "cpr_p2p": "DI"})
    parts = [phases(p, "cpr_p2p") for p in points]
    codec = [sum(part[key] for key in CODEC) for part in parts]
    wait, other = [part["wait"] for part in parts], [part["other"] for part in parts]
    largest = any(part > max(waits, others) for part, waits, others in zip(codec, wait, other))

    def shares(spent):
        return span([each / median(p, "cpr_p2p") for each, p in zip(spent, points)], percent)
    longer = where(points, lambda p: phases(p, "cpr_p2p")["wait"] >= phases(p, "ring_raw")["wait"])
    return Figure("C-Coll, figure 7: where the time of direct integration goes",
                  "With 78 to 678 MB, the uncompressed ring (AD) spends most of its time in MPI: the allgather and waiting. With "
                  "SZx inside of its messages (DI) compressing and decompressing are the largest part, and waiting shrinks.",
                  f"Of DI's time compressing and decompressing are {shares(codec)}, waiting {shares(wait)}, the rest of MPI (other) "
                  f"{shares(other)}. DI waits {'no less than AD at ' + longer if longer else 'less than AD at every size'}.",
                  told((not largest, "compressing and decompressing are not the largest part of DI's time"),
                       (longer, f"DI waits no less than AD at {longer}")), rows, bars=bars, y="seconds")


def figure_8(data):
    points = data.of("steps_gather")
    rows, bars = breakdown(points, {"cpr_p2p": "DI", "c_coll": "ND"})
    better = [gain(p, "c_coll", "cpr_p2p") for p in points]
    slower = where(points, lambda p: gain(p, "c_coll", "cpr_p2p") < 1 - NEAR)
    return Figure("C-Coll, figure 8: the allgather stage",
                  "On 16 nodes with 28 to 678 MB, compressing once before the ring and decompressing after it (ND) beats doing so "
                  "at every hop (DI), by up to 1.48 times.",
                  f"ND is {span(better)} times as fast as DI.",
                  told((most(better) <= 1.05, "ND gains nothing over DI"), (slower, f"ND is slower than DI at {slower}")),
                  rows, bars=bars, y="seconds")


def changed(shares):
    """In words: by how much times grew."""
    if min(shares) >= 0:
        return f"{span(shares, percent)} longer"
    if max(shares) <= 0:
        return f"{span([-share for share in shares], percent)} less time"
    return f"from {percent(-min(shares))} less time to {percent(max(shares))} more"


def parts_moved(point, before, after):
    """How the parts of the time differ between two rows of a point."""
    old, new = phases(point, before), phases(point, after)
    changes = sorted(((key, new[key] - old[key]) for key in PHASES), key=lambda change: change[1])
    return ", ".join(f"{key} {1e3 * change:+.1f} ms" for key, change in changes)


def figure_9(data):
    points = data.of("steps_scatter")
    rows, _ = breakdown(points, {"cpr_p2p": "ND", "c_coll": "Overlap"})
    waits = [(phases(p, "cpr_p2p")["wait"], phases(p, "c_coll")["wait"]) for p in points]
    shares = [wait / median(p, "cpr_p2p") for p, (wait, _) in zip(points, waits)]
    factor = [a / b for a, b in waits if b > 0] or [0]
    change = [1 / gain(p, "c_coll", "cpr_p2p") - 1 for p in points]
    slower = where(points, lambda p: gain(p, "c_coll", "cpr_p2p") < 1 / (1 + NEAR))
    lines = {"ND (cpr_p2p)": [(megabytes(p), a) for p, (a, _) in zip(points, waits)],
             "Overlap (c_coll)": [(megabytes(p), b) for p, (_, b) in zip(points, waits)]}
    return Figure("C-Coll, figure 9: waiting in the reduce-scatter stage",
                  "On 16 nodes with 28 to 678 MB, polling between portions of a piece (Overlap) cuts the waiting of the step "
                  "before (ND) by up to 4.9 times, and is faster by it.",
                  f"ND waits {span(shares, percent)} of its time. With Overlap waiting falls {span(factor, '{:.1f}'.format)} times, "
                  f"{'but' if slower else 'and'} the stage takes {changed(change)}. From ND to Overlap at {points[-1]['size']}: "
                  f"{parts_moved(points[-1], 'cpr_p2p', 'c_coll')}; polls count as the part that they interrupt.",
                  told((most(factor) <= 1.5, "waiting hardly falls"),
                       (slower, f"waiting falls, but nothing is faster by it: the stage takes up to {percent(most(change))} longer "
                                f"(more than {percent(NEAR)} at {slower})")),
                  rows, lines, y="waiting, s")


def figure_10(data):
    by_size = [{point["size"]: point for point in data.of(name)} for name in ("steps", "steps_scatter", "steps_gather")]
    stages = [tuple(points[size] for points in by_size) for size in by_size[0] if all(size in points for points in by_size)]
    rows = [["size", "AD (ring_raw)", "DI (cpr_p2p)", "ND (reduce-scatter of DI + allgather of ND)", "Overlap (c_coll)"]]
    lines = {name: [] for name in ("AD (ring_raw)", "DI (cpr_p2p)", "ND", "Overlap (c_coll)")}
    for whole, scatter, gather in stages:
        times = (median(whole, "ring_raw"), median(whole, "cpr_p2p"), median(scatter, "cpr_p2p") + median(gather, "c_coll"),
                 median(whole, "c_coll"))
        rows.append([whole["size"], *map(seconds, times)])
        for name, value in zip(lines, times):
            lines[name].append((megabytes(whole), value))
    last = {name.split()[0]: points[-1][1] for name, points in lines.items()}
    size = stages[-1][0]["size"]
    behind = [f"{after} ({seconds(last[after])}) is slower than {before} ({seconds(last[before])})"
              for before, after in zip(last, list(last)[1:]) if last[after] > (1 + NEAR) * last[before]]
    slower = where([whole for whole, *_ in stages], lambda p: gain(p, "c_coll", "ring_raw") <= 1)
    return Figure("C-Coll, figure 10: step by step",
                  "On 16 nodes with 28 to 678 MB, each step is faster than the one before, and the last (Overlap) than the ring "
                  "without compression (AD) at every size.",
                  f"At {size} {', '.join(f'{name} {seconds(value)}' for name, value in last.items())}. ND is the sum of two calls "
                  "that were measured each by itself.",
                  told((behind, f"at {size} {' and '.join(behind)}"), (slower, f"Overlap is no faster than AD at {slower}")),
                  rows, lines, y="seconds")


def per_hop(points, names, label):
    """What differs where compressing in every message gains, or is ahead of c_coll; in the papers it does neither."""
    for name in names:
        found = [(p, gain(p, name)) for p in points if row(p, name)]
        ahead = [label(p) for p, value in found if gain(p, "c_coll") < (1 - NEAR) * value]
        said = told((max(value for _, value in found) > 1, f"gains, too ({span([value for _, value in found])} times as fast as the library)"),
                    (ahead, f"is ahead of c_coll {'everywhere' if len(ahead) == len(found) else 'at ' + listed(ahead)}"))
        if said:
            yield f"{name}, compressing at every hop, {', and '.join(said)}"


def against_baselines(data, experiment, title, paper, at=size_of, **how):
    points = data.of(experiment)
    names = [name for name in BASELINES[1:] if row(points[0], name)]
    rows, lines = gains(points, names, **how)
    hops = [name for name in names if name.startswith("cpr")]
    zfp = [gain(p, name) for p in points for name in hops[1:] if row(p, name)]
    here = (f"c_coll is {span([gain(p, 'c_coll') for p in points])} times as fast as the library's allreduce, cpr_p2p "
            f"{span([gain(p, 'cpr_p2p') for p in points])}, homcomp_f {span([gain(p, 'homcomp_f') for p in points])}"
            + (f"; ZFP at every hop is slower than the library ({span(zfp)})." if zfp and max(zfp) < 1 else "."))
    slower = where(points, lambda p: gain(p, "c_coll") <= 1, at)
    return Figure(title, paper, here,
                  told((slower, f"c_coll is not faster than the library at {slower}")) + list(per_hop(points, hops, at)),
                  rows, lines)


def figure_11(data):
    return against_baselines(data, "baselines", "C-Coll, figure 11: against compression in every message, by size",
                             "On 128 nodes with 28 to 678 MB, no row that compresses at every hop (CPR-P2P) beats the library's "
                             "allreduce; SZx is the best of them; C-Allreduce is up to 1.8 times as fast as the library.")


def figure_12(data):
    figure = against_baselines(data, "nodes", "C-Coll, figure 12: by the number of nodes",
                               "With 678 MB on 2 to 128 nodes, C-Allreduce is first, up to 1.8 times the library's; all rows that "
                               "compress at every hop are slower than the library.",
                               at=lambda p: f"{p['hosts']} hosts", key=lambda p: p["hosts"], head="hosts",
                               label=lambda p: str(p["hosts"]))
    figure.x = "hosts"
    return figure


def figure_13(data):
    points = sorted(data.of("datasets"), key=lambda p: p["field"])
    figure = against_baselines(data, "datasets", "C-Coll, figure 13: by field, at 1e-4",
                               "On four fields of a hurricane and of the climate C-Allreduce is first, 1.58 and 1.74 times as fast as "
                               "the library on two of them; SZx at every hop is slower than the library.",
                               at=lambda p: p["field"], head="field", label=lambda p: p["field"])
    names = list(figure.lines)
    figure.lines = {name: [(at, gain(p, name)) for at, p in enumerate(points)] for name in names}
    figure.x, figure.ticks = "", [p["field"] for p in points]
    return figure


def jumps(points, name="stock"):
    """Where the library's time grows much faster than the data."""
    for p, q in zip(points, points[1:]):
        data, time = megabytes(q) / megabytes(p), median(q, name) / median(p, name)
        if time > 1.5 * data:
            yield (f" The library's {p['op']} takes {seconds(median(p, name))} at {p['size']} and {seconds(median(q, name))} at "
                   f"{q['size']}: {time:.1f} times as long for {data:.1f} times the data.")


def figure_16(data):
    rows, lines, here, differs = [["operation", "size", "stock", "cpr_p2p", "c_coll", "ours"]], {}, "", []
    for op, ours in (("scatter", "pairwise"), ("bcast", "ring")):
        points = data.of(op)
        for p in points:
            rows.append([op, p["size"], seconds(median(p, "stock")), *(f"{gain(p, n):.2f}x" for n in ("cpr_p2p", "c_coll")),
                         f"{gain(p, ours):.2f}x ({ours})"])
            for name in ("cpr_p2p", "c_coll", ours):
                lines.setdefault(f"{op} {name}", []).append((megabytes(p), gain(p, name)))
        here += (f"{op}: c_coll is {span([gain(p, 'c_coll') for p in points])} times as fast as the library, cpr_p2p "
                 f"{span([gain(p, 'cpr_p2p') for p in points])}.{''.join(jumps(points))} ")
        slower = where(points, lambda p: gain(p, "c_coll") <= 1)
        differs += told((slower, f"{op}: c_coll is not faster than the library at {slower}"))
        differs += [f"{op}: {text}" for text in per_hop(points, ["cpr_p2p"], size_of)]
    return Figure("C-Coll, figure 16: scatter and bcast",
                  "On 16 nodes with 28 to 678 MB, C-Scatter is 1.8 times as fast as the library's, C-Bcast up to 2.7 times; SZx at "
                  "every hop (CPR-P2P) is much slower than the library.",
                  here.rstrip(), differs, rows, lines, y="speed-up over the library")


def doc(data):
    points = data.of("doc")
    rows, bars = breakdown(points, {"cpr_p2p:fle": "DOC", "c_coll:fle": "DOC, overlapped", "hzccl": "homomorphic",
                                    "homcomp_f": "fused"})
    over = [gain(p, "hzccl", "cpr_p2p:fle") for p in points]

    def work(p, name):
        return sum(phases(p, name)[key] for key in (*CODEC, "combine"))
    less = [work(p, "hzccl") / work(p, "cpr_p2p:fle") for p in points]
    more = where(points, lambda p: work(p, "hzccl") >= work(p, "cpr_p2p:fle"))
    return Figure("hZCCL and ghZCCL: decompress, operate, compress (DOC) against homomorphic sums",
                  "On 64 to 512 GPUs and with the same codec, adding compressed streams beats DOC by 1.3 to 2.3 times, and "
                  "compression and operation fall from 83 % of the DOC row's time to 36 % of it (ghZCCL, stacking images).",
                  f"hzccl is {span(over)} times as fast as DOC; the work of its codec and sums (compress, decompress, combine) is "
                  f"{span(less, percent)} of DOC's.",
                  told((min(over) <= 1, f"homomorphic sums are no faster at {where(points, lambda p: gain(p, 'hzccl', 'cpr_p2p:fle') <= 1)}"),
                       (more, f"codec and sums take no less time than DOC's at {more}")), rows, bars=bars, y="seconds")


def by_layout(rows, lines, points, names, layout, key, cell):
    """The thesis' rows of one number of ranks per host, as lines of a table and of a picture."""
    for p in points:
        rows.append([layout, cell(p), seconds(median(p, "stock")),
                     *(f"{gain(p, n):.2f}x" if row(p, n) else "-" for n in ("homcomp", "homcomp_f", "argm"))])
    for name in names:
        lines[f"{name}, {layout}"] = [(key(p), gain(p, name)) for p in points]


def thesis_72(data):
    rows, lines, here, short, long = [["layout", "size", "stock", "homcomp", "homcomp_f", "argm"]], {}, [], [], []
    for experiment, names, layout in (("thesis_sizes", ("homcomp", "homcomp_f"), "4 hosts"),
                                      ("argm_sizes", ("argm",), "4 hosts of 2 ranks")):
        points = data.of(experiment)
        by_layout(rows, lines, points, names, layout, megabytes, size_of)
        for name in names:
            first, last = gain(points[0], name), gain(points[-1], name)
            slower = where(points, lambda p: gain(p, name) <= 1)
            here.append(f"{name} is {span([gain(p, name) for p in points])} times as fast as MPI_Allreduce, "
                        + (f"slower at {slower}" if slower else "faster at every size"))
            short += told((first >= 1, f"{name} {first:.2f} at {points[0]['size']}"))
            long += told((last <= 1, f"{name} {last:.2f} at {points[-1]['size']}"))
    return Figure("Thesis, figure 7.2: HomComp and ArGM by size, independent normal values",
                  "On 32 GPUs (ArGM: 64) with 4 MB to 2 GB, slower than MPI_Allreduce for short buffers, faster from 1 GB (HomComp) "
                  "and 0.4 GB (ArGM).", f"{'; '.join(here)}.",
                  told((short, f"the shortest buffers are not slower than with MPI_Allreduce ({listed(short)})"),
                       (long, f"the longest buffers are not faster than with MPI_Allreduce ({listed(long)})")), rows, lines)


def thesis_73(data):
    rows, lines = [["layout", "hosts", "stock", "homcomp", "homcomp_f", "argm"]], {}
    for experiment, names, layout in (("thesis_nodes", ("homcomp", "homcomp_f"), "1 rank each"),
                                      ("argm_nodes", ("argm",), "2 ranks each")):
        by_layout(rows, lines, data.of(experiment), names, layout, lambda p: p["hosts"], lambda p: str(p["hosts"]))
    ends = [(name.split(",")[0], line[0], line[-1]) for name, line in lines.items()]
    behind = [name for name, line in lines.items() if min(value for _, value in line) <= 1]
    hosts = max(count for line in lines.values() for count, _ in line)
    return Figure("Thesis, figure 7.3: by the number of ranks",
                  "With 1 GB, mostly faster than MPI_Allreduce while the pieces of the ring are long (up to 32 GPUs), slower with 64.",
                  "; ".join(f"{name} is {first[1]:.2f} times as fast as MPI_Allreduce on {first[0]} hosts and {last[1]:.2f} times on "
                            f"{last[0]}" for name, first, last in ends) + ".",
                  told((behind, f"slower than MPI_Allreduce on these few hosts already: {'; '.join(behind)}")), rows, lines, x="hosts",
                  beyond=f"the paper's fall-off, with 64 GPUs, is not reached with {hosts} hosts")


def thesis_74(data):
    points = data.of("argm_walk")
    rows, lines = gains(points, ("ring_raw", "homcomp", "homcomp_f", "argm"))
    ours = [gain(p, "argm") for p in points]
    faster = [gain(p, "argm", "homcomp_f") for p in points]
    behind = where(points, lambda p: gain(p, "argm", "homcomp_f") < 1 - NEAR)
    return Figure("Thesis, figure 7.4: random walks, and ArGM against HomComp_F",
                  "On 128 GPUs, ArGM is up to 3 times as fast as MPI_Allreduce (2 GB), and from 0.2 to 2 GB faster than HomComp_F, "
                  "which does not use the fast ways inside a node.",
                  f"argm is {span(ours)} times as fast as MPI_Allreduce and {span(faster)} times as fast as homcomp_f.",
                  told((most(ours) <= 1, "argm is never faster than MPI_Allreduce"),
                       (behind, f"argm is slower than homcomp_f at {behind}"),
                       (faster[-1] <= 1, f"argm is no faster than homcomp_f at {points[-1]['size']}")), rows, lines)


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
            figure.points = [point for need in needs for point in data.of(need)]
            yield figure
