# SPDX-License-Identifier: BSD-3-Clause
"""Exchanges on many simulated hosts: laconic-scale-exchange under SimGrid's smpirun; rows of JSON come out."""
import json
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import bench_scale

GBIT_PER_S = 100
BATCH = "64K"
ENGINES = ("batched", "per_rank", "per_patch")
# Ranks, array and patch: about as many elements a rank at every scale, so that all ranks fit into one process.
CASES = ((64, "256x160x160", "32x32x32"), (256, "256x320x320", "32x32x32"), (1024, "512x400x400", "32x32x32"))
# SimGrid's own choice of algorithms has every rank send to every other one where ranks agree.
SETTINGS = bench_scale.SETTINGS + ("smpi/coll-selector:ompi",)


def simulate(program, ranks, array, patch, placement):
    with tempfile.TemporaryDirectory(prefix="laconic-exchange") as name:
        platform = Path(name) / "platform.xml"
        platform.write_text(bench_scale.PLATFORM.format(last=ranks - 1, bandwidth=GBIT_PER_S), encoding="ascii")
        command = ["smpirun", "-np", str(ranks), "-platform", str(platform),
                   *(f"--cfg={setting}" for setting in SETTINGS), "--log=root.thres:error", str(program.resolve()), array,
                   patch, placement, BATCH, *ENGINES]
        limit = bench_scale.ADDRESS_SPACE
        done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=name,
                              preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (limit, limit)))
    rows = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
    if done.returncode != 0 or len(rows) != len(ENGINES):
        raise RuntimeError(f"{' '.join(command)}\n{done.stdout}{done.stderr}".strip())
    return rows


def runs(program, quick):
    """One run for each array and placement, as the others of redistribute.json; failures go to stderr."""
    for ranks, array, patch in CASES[:1] if quick else CASES:
        for placement in ("balanced", "optimal"):
            start = time.monotonic()
            try:
                rows = simulate(program, ranks, array, patch, placement)
            except RuntimeError as failure:
                print(f"bench_redistribute: FAILED: {failure}", file=sys.stderr)
                continue
            print(f"simulated: {ranks} ranks, {array}, {placement} (took {time.monotonic() - start:.0f} s)", file=sys.stderr,
                  flush=True)
            yield {"part": "simulated", "ranks": ranks, "where": f"{GBIT_PER_S} Gbit/s, simulated", "global": array,
                   "patch": patch, "placement": placement, "rows": rows}
