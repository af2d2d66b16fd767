# SPDX-License-Identifier: BSD-3-Clause
"""The text of docs/benchmarks/trace.md: what tools/bench_trace.py measured goes in; the page comes out. Only the block
between the two marks is written by hand; it is carried over.
"""
from codec_page import BEGIN, END, by_hand, table

# Pilgrim, measured on such a machine (MPICH): bytes of signature table and grammar, by ranks; None: not measured.
PILGRIM = {"stencil2d": {9: 4800, 16: 4800, 25: 4800, 36: 4800, 64: 4800}, "stencil3d": {27: 15000, 64: 15000},
           "transpose": {4: 800, 64: 3200}, "fan": {4: 1300, 64: 22700}, "anysource": {4: 1600, 64: 34800},
           "nas bt": {16: 58000}, "nas sp": {16: 19000}}
NAMES = {"stencil2d": "2-D stencil, 5 points, edges", "stencil3d": "3-D stencil, 7 points, periodic", "transpose": "transpose",
         "butterfly": "butterfly", "fan": "root to everyone", "tree": "binomial tree", "anysource": "everyone to the root, any source",
         "nas bt": "NAS BT.S, skeleton", "nas sp": "NAS SP.S, skeleton"}
# Wang et al., table 8 (Sedov) and table 9: ratio and PSNR of durations, of intervals; ratio of both.
PAPER = {"hist": (15.20, 42.25, 15.36, 52.97, 15.28), "cfg": (6.92, 80.28, 7.18, 82.89, 7.05),
         "sz": (10.06, 60.33, 16.03, 71.39, 12.36), "sz_clustered": (12.18, 61.47, 15.39, 71.31, 13.60),
         "zfp 10us/10us": (4.48, 108.99, 3.62, 140.58, 4.00), "zfp_clustered 10us/10us": (5.26, 109.12, 3.67, 140.61, 4.32),
         "zfp 1ms/10ms": (11.51, 68.80, 8.52, 84.97, None), "zfp_clustered 1ms/10ms": (14.63, 70.88, 8.09, 84.02, None)}


def measured(part):
    machine = part["machine"]
    return f"{machine['date']}, {machine['processor']}, {machine['cores']} cores, load {machine['load']:.1f} (shared)"


def sizes(part):
    rows = []
    for row in part["rows"]:
        pilgrim = PILGRIM.get(row["pattern"], {})
        known = ", ".join(f"{ranks}: {size:,}" for ranks, size in pilgrim.items()) or "-"
        rows.append([NAMES[row["pattern"]], row["mpi"], ", ".join(f"{ranks}: {size:,}" for ranks, size in row["bytes"].items()),
                     known])
    return table(["program", "MPI", "ranks: bytes of the whole file", "Pilgrim, ranks: bytes"], rows)


def iterations(part):
    rows = []
    for row in part["rows"]:
        for count, found in row["by"].items():
            rows.append([row["mpi"], str(row["ranks"]), f"{int(count):,}", f"{found['bytes_none']:,}",
                         f"{found['bytes_mean']:,}"])
    return table(["MPI", "ranks", "iterations", "bytes, no times", "bytes, times `mean`"], rows)


def memory(part):
    rows = []
    for row in part["rows"]:
        for count, (plain, traced) in row["kb"].items():
            rows.append([row["pattern"], row["mpi"], f"{int(count):,}", f"{plain:,}", f"{traced - plain:,}"])
    return table(["program", "MPI", "iterations", "plain, kB", "traced: more by, kB"], rows)


def programs(part):
    rows = [[row["name"], str(row["ranks"]), f"{row['calls']:,}", f"{row['bytes']:,}", f"{row['plain_s']:.2f}",
             f"{row['traced_s']:.2f}", f"{row['ratio']:.3f}", f"{min(row['ratios']):.2f} to {max(row['ratios']):.2f}"]
            for row in part["rows"]]
    return table(["program", "ranks", "calls", "trace, bytes", "plain, s", "traced, s", "median of ratios", "ratios"], rows)


def number(value):
    return "-" if value is None else "exact" if value >= 999 else f"{value:.2f}"


def timings(part):
    text = ""
    for program in part["rows"]:
        rows = []
        for each in program["methods"]:
            paper = PAPER.get(each["method"], (None,) * 5)
            rows.append([each["method"], number(each["duration_ratio"]), number(each["duration_psnr"]),
                         number(each["gap_ratio"]), number(each["gap_psnr"]), number(each["ratio"]),
                         f"{each['ns_per_call']:.0f}" if each["ns_per_call"] else "-",
                         " / ".join(map(number, paper)) if paper[0] else "-"])
        text += (f"\n**{program['name']}**, {program['ranks']} ranks, {program['methods'][0]['calls']:,.0f} calls:\n\n"
                 + table(["method", "durations: ratio", "PSNR, dB", "gaps: ratio", "PSNR, dB", "both: ratio", "ns per call",
                          "the paper on FLASH Sedov"], rows))
    return text


def against_hist(part):
    rows = []
    for program in part["rows"]:
        by = {each["method"]: each for each in program["methods"]}
        ours, hist = by["position"], by["hist"]
        gain = ours["ratio"] / hist["ratio"]
        no_worse = ours["duration_psnr"] >= hist["duration_psnr"] and ours["gap_psnr"] >= hist["gap_psnr"]
        best = max((each for each in by.values() if each["method"] in ("cfg", "hist", "sz", "sz_clustered")),
                   key=lambda each: each["ratio"])
        rows.append([program["name"], f"{gain:.2f}", f"{ours['duration_psnr'] - hist['duration_psnr']:+.1f}",
                     f"{ours['gap_psnr'] - hist['gap_psnr']:+.1f}", f"{ours['ratio'] / best['ratio']:.2f} ({best['method']})",
                     "met" if gain >= 1.3 and no_worse else "**not met**"])
    return table(["program", "ratio over hist's", "PSNR of durations, dB", "of gaps, dB", "over the best of cfg, hist, sz",
                  ">= 1.3 at no worse PSNR"], rows)


def finalize(part):
    rows = [[row["mpi"], str(row["ranks"]), f"{row['calls']:,}", mode, f"{found['bytes']:,}" if found["bytes"] else "-",
             f"{1000 * found['seconds']:.1f}"] for row in part["rows"] for mode, found in row["by"].items()]
    return table(["MPI", "ranks", "calls", "times", "trace, bytes", "MPI_Finalize, ms"], rows)


SECTIONS = {
    "sizes": ("Sizes", """\
Whole files, times left out (`LACONIC_TRACE_TIMING=none`): signatures, grammar, facts about the run, checksums. 10 iterations; the
NAS skeletons (bench/trace/nas.c) make the MPI calls of BT and SP, class S, without their arithmetic (60 and 100 iterations). Pilgrim's
bytes are those of its signature table and grammar, from its own runs of such programs and of NAS itself, under MPICH.
""", sizes),
    "iterations": ("Iterations", "The 2-D stencil, 128-byte messages.\n", iterations),
    "memory": ("Memory while recording", """\
The most memory one rank held at once (VmHWM), with times `mean`: a loop, and 32,768 tags that come one after the other and then
round again. Recording keeps at most 256 MiB of signatures and grammar, then seals a part and begins the next.
""", memory),
    "programs": ("Whole programs", """\
Wall time, launch to end, plain and traced (times `mean`) in turn, 3 times; the ratio is the median of the pairs' ratios. With 4 ranks two share a core; with 2
each has its own.
""", programs),
    "timings": ("Methods for times", """\
Durations, and gaps from the end of a call to the next, recorded by the side logs of all ranks; 10 % relative error unless the method names absolute
tolerances (for durations / for gaps, as the paper does). Ratio to 8 bytes per number, pooled over ranks; PSNR of the range; CPU time of both
channels together. `hist` with the K that makes it smallest; the paper says k = 8 and means its intervals from the last call of the same signature.
`mean`: zfp with 10 % of the channel's mean as tolerance.
""", lambda part: against_hist(part) + timings(part)),
    "finalize": ("Merging and writing", """\
Wall time of `MPI_Finalize` on rank 0 behind a barrier, by what is kept of times: there the ranks' traces are put together, merged and written; `plain` is without the
recorder. The 2-D stencil, 128-byte messages, median of 3. Table 9 of Wang et al. has compression and I/O of 231 million calls of 16 K processes: 0.04 to 0.7 s and 3.3 to 12.1 s.
""", finalize),
}


def page(results, before):
    text = f"""\
# Traces: sizes, overhead, times

Written by `./dev bench trace`; all figures are in [trace.json](trace.json). What a single call costs: [recorder.md](recorder.md).

{BEGIN}
{by_hand(before)}{END}
"""
    for part, (title, said, rows) in SECTIONS.items():
        if part in results:
            text += f"\n## {title}\n\n{said}Measured {measured(results[part])}.\n\n{rows(results[part])}"
    return text
