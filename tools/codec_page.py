# SPDX-License-Identifier: BSD-3-Clause
"""The text of docs/benchmarks/codec.md: measured rows, the names of the plots, the soak's results and the page as it
was go in; the new page comes out. Only the block "What limits it" is written by hand; it is carried over.
"""
import re

import codec_targets
from codec_targets import geometric_mean

BEGIN, END = "<!-- by hand: begin -->", "<!-- by hand: end -->"
CODECS = ("fle", "fle-rows", "szx", "zfp_abs", "zfp_rate", "zstd-1", "zstd-3", "raw")
PLOTS = {"codec-throughput.svg": "Throughput against ratio: geometric means of the float fields, a marker per bound",
         "codec-ratio.svg": "Compression ratio per field and codec",
         "codec-rate-distortion.svg": "PSNR against bits per value, per field"}


def table(head, rows):
    lines = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    return "\n".join(lines + ["| " + " | ".join(row) + " |" for row in rows]) + "\n"


def number(value, digits=2):
    return "-" if value is None else f"{value:.{digits}f}"


def short(value):
    return "-" if value is None else f"{value:.2g}"


class Tables:
    """Field x bound x codec."""

    def __init__(self, results):
        self.results = results
        self.cells = {(row["field"], row["rel"], row["codec"]): row for row in results["codecs"]}
        self.codecs = [name for name in CODECS if any(key[2] == name for key in self.cells)]
        self.floats = [field["name"] for field in results["fields"] if field["type"] == "f32"]

    def by_codec(self, show, without=(), mean=None):
        """One row per field and bound; show(row) is a cell. mean(row): the number for the geometric mean, if any."""
        names = [name for name in self.codecs if name not in without]
        rows = []
        for field in [f["name"] for f in self.results["fields"]]:
            for rel in self.results["bounds"]:
                cells = [self.cells.get((field, rel, name)) for name in names]
                rows.append([field, rel] + [show(cell) if cell else "-" for cell in cells])
        for rel in self.results["bounds"] if mean and self.floats else ():
            means = []
            for name in names:
                cells = [self.cells.get((field, rel, name)) for field in self.floats]
                means.append(number(geometric_mean(map(mean, cells))) if all(cells) else "-")
            rows.append(["**geometric mean, f32**", rel] + means)
        return table(["field", "rel"] + names, rows)

    def engines(self):
        rows = []
        for row in self.results["engines"]:
            speeds = [f"{row[key + '_gbps']:.1f} ({row[key + '_gbps'] / row['memcpy_gbps']:.2f})"
                      for key in codec_targets.OPERATIONS]
            rows.append([row["field"], row["rel"], row["engine"], str(row["threads"]), f"{row['memcpy_gbps']:.1f}",
                         *speeds])
        return table(["field", "rel", "engine", "threads", "memcpy", *codec_targets.OPERATIONS], rows)

    def layouts(self):
        """Our ratio next to those that published layouts would reach."""
        best = self.results["machine"]["engines"][-1]
        rows = []
        for row in self.results["engines"]:
            if row["engine"] != best or row["threads"] != 1:
                continue
            szx = self.cells.get((row["field"], row["rel"], "szx"))
            size = szx["frame_bytes"] * szx["ratio"] if szx else 0
            published = size / szx["published_bytes"] if szx and szx["published_bytes"] else None
            rows.append([row["field"], row["rel"], number(row["ratio"]), number(row.get("fz_light_ratio")),
                         number(row["reference_ratio"]), number(szx["ratio"] if szx else None), number(published)])
        return table(["field", "rel", "fle", "fZ-light", "cuSZp, plain", "szx", "SZx, published"], rows)

    def rows(self):
        lines = []
        for field in self.results["fields"]:
            gains = []
            for rel in self.results["bounds"]:
                plain = self.cells.get((field["name"], rel, "fle"))
                along = self.cells.get((field["name"], rel, "fle-rows"))
                gains.append(f"{100 * (along['ratio'] / plain['ratio'] - 1):+.1f} %" if plain and along else "-")
            lines.append([field["name"], str(field["row_length"] or "-"), *gains])
        return table(["field", "row length", *self.results["bounds"]], lines)


def where(results):
    machine = results["machine"]
    told = ", ".join(f"{key}: {value}" for key, value in machine["lscpu"].items())
    copies = sorted(row["memcpy_gbps"] for row in results["engines"])
    return f"""\
Measured {results["date"]} with laconic {machine["version"]} ({machine["compiler"]}) on {machine["system"]}.

- {told}.
- memcpy of the same array in the same loop: {copies[0]:.1f} to {copies[-1]:.1f} GB/s,
  median {copies[len(copies) // 2]:.1f}.
- The machine was shared: load {results["load"][0]:.1f} when the run began and {results["load"][1]:.1f} when it ended.
  Ratios to the memcpy of the same rounds stand that better than GB/s do.

Each field is tiled to {results["settings"]["megabytes"]} MiB; memcpy and the operations take turns; medians of
{results["settings"]["repetitions"]} rounds (slow codecs and the portable engine: of a fifth); one core unless
two threads are named; GB/s (10^9 bytes) of original data; every value is verified while it is compressed. Bounds are
relative to a field's range. Errors are computed exactly. `./dev bench codec` ran, for every field F and bound (and
writes this page):

""" + "".join(f"    {command}\n" for command in results["commands"])


def by_hand(before):
    found = re.search(re.escape(BEGIN) + r"\n(.*?)" + re.escape(END), before, re.DOTALL)
    return found[1] if found else "Nothing was written yet.\n"


def soaked(soak):
    if not soak:
        return "No long run is on record here; `build/bin/soak_codec VALUES SEED CODEC` prints one.\n"
    types = ("f32", "f64", "f16", "bf16")
    rows = []
    for run in soak:
        per_type = [f"{run[kind]['values']:,} / {run[kind]['violations']}" if kind in run else "-" for kind in types]
        rows.append([run["codec"], run["engine"], str(run["seed"]), *per_type, f"{run['values']:,}",
                     str(run["violations"]), f"{run['seconds']:.0f}"])
    head = ["codec", "engine", "seed", *(f"{kind}: values / violations" for kind in types), "values", "violations",
            "seconds"]
    return ("Random and adversarial arrays, compressed and restored by `soak_codec`, each value checked exactly:\n\n"
            + table(head, rows))


def error_cell(row):
    if row["bound"] <= 0:
        return "-"
    broken = f" ({row['violations']:,} beyond)" if row["violations"] else ""
    return f"{row['max_error'] / row['bound']:.3g}{broken}"


def page(results, plots, soak, before):
    tables = Tables(results)
    quick = ""
    if results["settings"]["quick"]:
        quick = "\n**A quick run: small arrays, few repetitions. Not a measurement.**\n"
    pictures = "\n\n".join(f"![{PLOTS[name]}]({name})" for name in plots) if plots else \
        "matplotlib was not there when this page was written: no plots."
    beside = table(["what", "target", "measured", ""], codec_targets.summary(results))
    speed = {kind: tables.by_codec(lambda row, kind=kind: number(row[f"{kind}_gbps"]), ("raw",),
                                   lambda row, kind=kind: row[f"{kind}_gbps"]) for kind in ("compress", "decompress")}
    exact = tuple(name for name in tables.codecs if name.startswith("zstd") or name == "raw")
    return f"""\
# The codecs, measured
{quick}
{where(results)}
All rows: [codec.json](codec.json).

## Targets

At relative bound {results["main_bound"]}; in brackets the range over the fields.

{beside}
## What limits it

{BEGIN}
{by_hand(before)}{END}

## Pictures

{pictures}

## fle: engines

GB/s, in brackets the ratio to memcpy in the same rounds. add: frame + frame; fused: array + frame.

{tables.engines()}
## Compression ratio

Original bytes / frame bytes, headers counted. zfp_rate has 4, 8 and 16 bits per value beside the three bounds; zstd is
lossless. fle-rows is fle told the length of a row.

{tables.by_codec(lambda row: number(row["ratio"]), ("raw",), lambda row: row["ratio"])}
Next to the ratios that published layouts would reach on the same arrays, without their headers:

{tables.layouts()}
Row prediction, change of fle's ratio:

{tables.rows()}
## Throughput of compression, GB/s

{speed["compress"]}
## Throughput of decompression, GB/s

{speed["decompress"]}
## Error

Largest error / bound, and how many values are beyond the bound where there are any (zfp_rate promises none).

{tables.by_codec(error_cell, exact)}
Mean error / bound (signed):

{tables.by_codec(lambda row: short(row["mean_error_over_bound"]), exact)}
PSNR, dB (-: restored exactly, no marker in the picture):

{tables.by_codec(lambda row: number(row["psnr"], 1), exact)}
NRMSE:

{tables.by_codec(lambda row: short(row["nrmse"]), exact)}
## The promise at length

{soaked(soak)}"""
