#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Measures the codecs on real fields: a folder of raw arrays (*.f32, *.f64) and the built program go in; a page with
tables (codec.md), the raw results (codec.json) and plots (codec-*.svg) come out.

Fields named like hit_u_128x128x128.f32 say their dimensions, slowest first; the last one is the row length for row
prediction. Without matplotlib the page has no plots and says so.

usage: bench_codec.py [--program P] [--data DIR] [--out DIR] [--quick] [--page-only]
"""
import argparse
import datetime
import json
import platform
import re
import subprocess
import sys
from pathlib import Path

import codec_page

ROOT = Path(__file__).resolve().parent.parent
BOUNDS = ("1e-2", "1e-3", "1e-4")
MAIN_BOUND = "1e-3"
# Bits per value of zfp_rate that the C-Coll paper shows beside these bounds.
RATES = {"1e-2": "4", "1e-3": "8", "1e-4": "16"}
FULL = {"megabytes": 64, "repetitions": 15, "slow_repetitions": 3, "quick": False}
QUICK = {"megabytes": 8, "repetitions": 3, "slow_repetitions": 1, "quick": True}


def describe_field(path):
    """{"name", "file", "type", "values", "row_length"} of a raw array, from its name and size."""
    kind = path.suffix[1:]
    found = re.fullmatch(r"(.*?)_(\d+(?:x\d+)+)", path.stem)
    name = found[1] if found else path.stem
    row = int(found[2].split("x")[-1]) if found else 0
    return {"name": name if kind == "f32" else f"{name} ({kind})", "file": path.name, "type": kind,
            "values": path.stat().st_size // (4 if kind == "f32" else 8), "row_length": row if 32 <= row < 2048 else 0}


def machine(program):
    """What the page says about where it was measured."""
    told = {}
    try:
        listing = subprocess.run(["lscpu"], capture_output=True, text=True, check=True,
                                 env={"LC_ALL": "C", "PATH": "/usr/bin:/bin"}).stdout
        told = dict(line.split(":", 1) for line in listing.splitlines() if ":" in line)
    except (OSError, subprocess.CalledProcessError):
        pass
    info = json.loads(subprocess.run([program, "info", "--json"], capture_output=True, text=True, check=True).stdout)
    keys = ("Model name", "Vendor ID", "CPU family", "Model", "CPU(s)", "L1d cache", "L2 cache", "L3 cache",
            "Hypervisor vendor")
    return {"lscpu": {key: told[key].strip() for key in keys if key in told},
            "system": f"{platform.system()} {platform.release()}", "compiler": info["compiler"],
            "version": info["version"], "engines": info["isa"]["available"]}


def load():
    """Processes that want a core, on average over the last minute."""
    with open("/proc/loadavg", encoding="ascii") as file:
        return float(file.read().split()[0])


class Runner:
    """Runs the program on one field after the other and keeps the rows and the commands."""

    def __init__(self, program, data, settings):
        self.program, self.data, self.settings = program, data, settings
        self.commands = []

    def rows(self, field, rel, *options, repetitions=None):
        words = ["bench", "codec", "--data", field["file"], "--type", field["type"], "--rel", rel, "--megabytes",
                 str(self.settings["megabytes"]), "--repetitions", str(repetitions or self.settings["repetitions"]),
                 *options, "--json"]
        done = subprocess.run([self.program, *words], cwd=self.data, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            sys.exit(f"bench_codec: laconic {' '.join(words)}: {done.stderr.strip()}")
        # The page shows each form of command once, on a field F of type T with rows of R values.
        shown = " ".join(words).replace(field["file"], "F").replace(f"--type {field['type']}", "--type T")
        shown = shown.replace(f"--row-length {field['row_length']}", "--row-length R")
        if f"laconic {shown}" not in self.commands:
            self.commands.append(f"laconic {shown}")
        return [{"field": field["name"], "rel": rel, **row} for row in json.loads(done.stdout)]


def measure(runner, fields, engines):
    """All rows: engines of fle with one and two threads, and codecs next to each other."""
    of_engines, of_codecs = [], []
    fast = [engine for engine in engines if engine != "scalar"]
    for field in fields:
        rows = ["--row-length", str(field["row_length"])] if field["row_length"] else []
        for rel in BOUNDS:
            print(f"bench_codec: {field['name']}, rel {rel}", file=sys.stderr, flush=True)
            for engine in fast:
                of_engines += [{"threads": 1, **row} for row in runner.rows(field, rel, "--engines", engine)]
            of_codecs += runner.rows(field, rel, "--codecs", "all", "--rate", RATES[rel], *rows)
        of_engines += [{"threads": 1, **row} for row in runner.rows(
            field, MAIN_BOUND, "--engines", "scalar", repetitions=runner.settings["slow_repetitions"])]
        of_engines += [{"threads": 2, **row} for row in runner.rows(
            field, MAIN_BOUND, "--engines", engines[-1], "--threads", "2")]
    return of_engines, of_codecs


def compact(value):
    """JSON with one line per measured row and numbers of six digits."""
    def short(x):
        if isinstance(x, float):
            return float(f"{x:.6g}")
        if isinstance(x, dict):
            return {k: short(v) for k, v in x.items()}
        return [short(v) for v in x] if isinstance(x, list) else x

    parts = []
    for key, part in short(value).items():
        if isinstance(part, list) and part and isinstance(part[0], dict):
            lines = ",\n".join(json.dumps(row, separators=(",", ":")) for row in part)
            parts.append(f"{json.dumps(key)}:[\n{lines}]")
        else:
            parts.append(f"{json.dumps(key)}:{json.dumps(part, separators=(',', ':'))}")
    return "{" + ",\n".join(parts) + "}\n"


def draw(results, out):
    """Names of the plots that were written to `out`; none without matplotlib."""
    try:
        import codec_plots
    except ImportError as missing:
        print(f"bench_codec: no plots: {missing}", file=sys.stderr)
        return []
    return codec_plots.draw(results, out)


def write_page(results, out):
    soak = out / "soak.json"
    page = out / "codec.md"
    text = codec_page.page(results, draw(results, out),
                           json.loads(soak.read_text(encoding="utf-8")) if soak.exists() else None,
                           page.read_text(encoding="utf-8") if page.exists() else "")
    page.write_text(text, encoding="utf-8")
    print(page)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n", maxsplit=1)[0])
    parser.add_argument("--program", type=Path, default=ROOT / "build/bin/laconic")
    parser.add_argument("--data", type=Path, default=ROOT.parent / "shared/data", help="folder of *.f32 and *.f64")
    parser.add_argument("--out", type=Path, help="folder of the page (docs/benchmarks; --quick: build/benchmarks)")
    parser.add_argument("--quick", action="store_true", help="8 MB and few repetitions: a test, not a measurement")
    parser.add_argument("--page-only", action="store_true", help="write the page again from its codec.json")
    chosen = parser.parse_args()
    out = chosen.out or ROOT / ("build/benchmarks" if chosen.quick else "docs/benchmarks")
    out.mkdir(parents=True, exist_ok=True)
    store = out / "codec.json"
    if chosen.page_only:
        write_page(json.loads(store.read_text(encoding="utf-8")), out)
        return
    paths = sorted(path for path in chosen.data.glob("*") if path.suffix in (".f32", ".f64"))
    if not paths:
        sys.exit(f"bench_codec: no *.f32 or *.f64 in '{chosen.data}'; name a folder of raw fields with --data")
    settings = QUICK if chosen.quick else FULL
    runner = Runner(str(chosen.program.resolve()), chosen.data, settings)
    fields = [describe_field(path) for path in paths]
    where = machine(runner.program)
    before = load()
    of_engines, of_codecs = measure(runner, fields, where["engines"])
    results = {"date": datetime.date.today().isoformat(), "machine": where, "load": [before, load()],
               "settings": settings, "commands": runner.commands, "bounds": list(BOUNDS), "main_bound": MAIN_BOUND,
               "fields": fields, "engines": of_engines, "codecs": of_codecs}
    store.write_text(compact(results), encoding="utf-8")
    # Read back, so that the page shows what is stored.
    write_page(json.loads(store.read_text(encoding="utf-8")), out)


if __name__ == "__main__":
    main()
