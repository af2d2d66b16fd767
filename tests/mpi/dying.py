# SPDX-License-Identifier: BSD-3-Clause
"""A rank that dies: the job ends, as MPI has it, and no other rank comes to the end as if nothing had happened.

usage: dying.py LAUNCHER RANKS PROGRAM
"""
import subprocess
import sys

launcher, ranks, program = sys.argv[1:]
# Rank 1 dies. A bcast without agreement waits for nobody but the root; with one, for all ranks.
calls = [("allreduce", row, "blocking", "0") for row in ("fused", "c_coll", "argm", "ring_raw", "stock")]
calls += [("allreduce", row, "started", "0") for row in ("fused", "c_coll", "argm", "ring_raw", "stock")]
calls += [("bcast", row, "blocking", "1") for row in ("ring", "c_coll", "hierarchical", "ring_raw", "stock")]
calls += [("bcast", row, "blocking", "0") for row in ("ring", "c_coll", "hierarchical")]
bad = 0
for operation, row, mode, root in calls:
    for handler in ("fatal", "return"):
        text = f"{mode} {operation} {row} from {root}, {handler}"
        try:
            done = subprocess.run([launcher, ranks, program, operation, row, handler, mode, root], timeout=100,
                                  text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        except subprocess.TimeoutExpired:
            print(f"{text}: hangs")
            bad += 1
            continue
        if done.returncode == 0 or "finished" in done.stdout:
            print(f"{text}: exit status {done.returncode}\n{done.stdout}")
            bad += 1
sys.exit(1 if bad else 0)
