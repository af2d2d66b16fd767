#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""How large the messages of an MPI program are, and who sends them to whom: a histogram over powers of two, and the pairs
of ranks that move most. Collectives count as one message per call and rank."""

import argparse
import sys

import numpy

import laconic


def readable(size):
    for unit, bytes_of_it in (("GiB", 2**30), ("MiB", 2**20), ("KiB", 2**10)):
        if size >= bytes_of_it:
            return f"{size / bytes_of_it:.4g} {unit}"
    return f"{size:.0f} B"


def print_sizes(trace):
    sent = numpy.concatenate([columns.sent[columns.sent > 0] for columns in
                              (trace.rank(rank).columns() for rank in trace.ranks)])
    print(f"messages: {len(sent)}, {readable(sent.sum())} in all")
    if len(sent) == 0:
        return
    bins = numpy.bincount(numpy.ceil(numpy.log2(sent)).astype(int))
    for power, count in enumerate(bins):
        if count:
            print(f"  up to {readable(2**power):>8} {count:>10} {'#' * round(50 * count / bins.max())}")


def print_pairs(trace, most):
    sizes, messages = (trace.communication_matrix(what) for what in ("bytes", "messages"))
    busiest = numpy.argsort(sizes, axis=None, kind="stable")[::-1][:most]
    print("\npoint to point, the busiest pairs" if messages.any() else "\nnothing point to point")
    for sender, receiver in zip(*numpy.unravel_index(busiest, sizes.shape)):
        if messages[sender, receiver]:
            print(f"  {sender:>5} -> {receiver:<5} {messages[sender, receiver]:>10} messages "
                  f"{readable(sizes[sender, receiver]):>10}")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("trace")
    parser.add_argument("--most", type=int, default=8, help="so many pairs")
    options = parser.parse_args()
    try:
        with laconic.open_trace(options.trace) as trace:
            print_sizes(trace)
            print_pairs(trace, options.most)
    except laconic.Error as error:
        print(f"message_sizes: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
