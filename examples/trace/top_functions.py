#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Where the time of an MPI program goes: the functions of a trace by the time that all ranks spent in them, and how evenly
the ranks did. Statistics do (--timing mean); how evenly is told by times of single calls (lossless, lossy)."""

import argparse
import sys

import numpy

import laconic


def readable(ns):
    for unit, size in (("s", 1e9), ("ms", 1e6), ("us", 1e3)):
        if ns >= size:
            return f"{ns / size:.3g} {unit}"
    return f"{ns:.3g} ns"


def time_by_rank(trace):
    """{function: [ns of each rank]}; None without times of single calls."""
    totals = {number: [] for number in trace.functions}
    for rank in trace.ranks:
        columns = trace.rank(rank).columns()
        if columns.duration is None:
            return None
        sums = numpy.bincount(columns.function, columns.duration, max(totals) + 1)
        for number, all_ranks in totals.items():
            all_ranks.append(sums[number])
    return totals


def print_functions(trace, most):
    rows = [row for row in trace.stat()["functions"] if row["durations"]]
    if not rows:
        print("the trace has no times; record with --timing mean, lossless or lossy")
        return
    total = {row["number"]: row["durations"]["count"] * row["durations"]["mean_ns"] for row in rows}
    by_rank = time_by_rank(trace)
    everything = sum(total.values())
    print(f"{len(trace.ranks)} ranks, {trace.stat()['calls']} calls, {readable(everything)} in MPI\n")
    print(f"{'function':<28} {'calls':>10} {'time':>10} {'share':>6}" + (f" {'slowest rank':>20}" if by_rank else ""))
    for row in sorted(rows, key=lambda row: -total[row["number"]])[:most]:
        number = row["number"]
        line = f"{row['function']:<28} {row['calls']:>10} {readable(total[number]):>10} {total[number] / everything:>6.1%}"
        if by_rank:
            times = by_rank[number]
            slowest = int(numpy.argmax(times))
            line += f" {f'{trace.ranks[slowest]} ({times[slowest] / max(numpy.mean(times), 1):.1f} x mean)':>20}"
        print(line)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("trace")
    parser.add_argument("--most", type=int, default=10, help="so many functions")
    options = parser.parse_args()
    try:
        with laconic.open_trace(options.trace) as trace:
            print_functions(trace, options.most)
    except laconic.Error as error:
        print(f"top_functions: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
