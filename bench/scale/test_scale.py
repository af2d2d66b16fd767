#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Runs laconic-scale on 4 simulated hosts and compares with what can be computed by hand.

usage: test_scale.py PROGRAM
"""
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tools"))
import bench_scale  # noqa: E402

RANKS, SIZE, BANDWIDTH = 4, 16_777_216, 12.5e9
ROWS = ("ring_raw=fle", "homcomp_f=fle", "c_coll=szx", "cpr_p2p=szx", "hzccl=fle", "recursive_doubling=fle",
        "rabenseifner=fle")
FLE = next(line.split() for line in bench_scale.TABLE.read_text(encoding="utf-8").splitlines()
           if line.startswith("fle "))
DECOMPRESS, FUSED, SUM = float(FLE[2]) * 1e9, float(FLE[4]) * 1e9, float(FLE[5]) * 1e9


def run(program, folder, case):
    return bench_scale.simulate(program, folder, case)[0]


def main():
    program = Path(sys.argv[1]).resolve()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        rows = {row: run(program, folder, bench_scale.Case("test", "allreduce", SIZE, RANKS, [row], segment=131072))
                for row in ROWS}
        stock = run(program, folder, bench_scale.Case("test", "allreduce", SIZE, RANKS, ["stock=fle"],
                                                      stock="stock: ring"))
        moved = {op: run(program, folder, bench_scale.Case("test", op, SIZE, RANKS, ["c_coll=szx"]))
                 for op in ("bcast", "allgather", "scatter")}
    wire = 2 * (RANKS - 1) / RANKS * SIZE / BANDWIDTH
    added = (RANKS - 1) / RANKS * SIZE / SUM
    # Stock adds when everything is there: the two times follow one another.
    assert abs(stock["seconds"] / (wire + added) - 1) < 0.02, (stock, wire + added)
    raw = rows["ring_raw=fle"]
    assert raw["sent_bytes"] == 2 * (RANKS - 1) * SIZE / RANKS, raw
    assert wire < raw["seconds"] < stock["seconds"], (raw, stock)
    fused = rows["homcomp_f=fle"]
    # What one core has to do at least, and the wire hardly matters at this ratio.
    least = (RANKS - 1) / RANKS * SIZE / FUSED + SIZE / DECOMPRESS
    assert least < fused["seconds"] < 1.3 * least, (fused, least)
    assert fused["sent_bytes"] < raw["sent_bytes"] / 8, fused
    assert fused["seconds"] < rows["hzccl=fle"]["seconds"] < rows["c_coll=szx"]["seconds"], rows
    assert all(row["seconds"] > 0 for row in (*rows.values(), *moved.values()))
    print("test_scale: all rows as computed")


if __name__ == "__main__":
    main()
