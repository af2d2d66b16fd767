#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Runs laconic-scale-exchange on simulated hosts, where every rank looks at what has arrived, and compares what moved,
and how long that took in the simulation, with what can be computed by hand.

usage: test_scale_exchange.py PROGRAM
"""
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tools"))
import redistribute_scale  # noqa: E402

PATCH_BYTES = 32**3 * 4
# Rank r of 4 holds patches 2r and 2r + 1 whole, patch p goes to rank p mod 4: these stay.
KEPT = (0, 7)
BUSIEST = 2 * PATCH_BYTES
LINK_S = BUSIEST * 8 / (redistribute_scale.GBIT_PER_S * 1e9)


def main():
    program = Path(sys.argv[1])
    rows = redistribute_scale.simulate(program, 4, "64x64x64", "32x32x32", "round_robin")
    assert [row["engine"] for row in rows] == list(redistribute_scale.ENGINES), rows
    for row in rows:
        assert row["ranks"] == 4 and row["moved_bytes"] == (8 - len(KEPT)) * PATCH_BYTES, row
        assert row["busiest_bytes"] == BUSIEST and row["patch_messages"] == row["rank_messages"] == 6, row
        # No link is faster than it is; nothing but latencies comes on top.
        assert LINK_S < row["seconds"] < 1.5 * LINK_S, (row, LINK_S)
    try:
        redistribute_scale.simulate(program, 4, "64x64x64", "32x32x32", "somewhere")
    except RuntimeError as failure:
        assert "no placement 'somewhere'" in str(failure), failure
    else:
        raise AssertionError("placement 'somewhere' is accepted")
    print("test_scale_exchange: all rows as computed")


if __name__ == "__main__":
    main()
