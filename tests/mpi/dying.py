# SPDX-License-Identifier: BSD-3-Clause
"""A rank that dies: the job ends, as MPI has it, and no other rank comes to the end as if nothing had happened.
Launchers end the others as soon as they see that one is gone, whatever the error handler; what a rank makes of MPI's
own errors is in case_errors.cpp.

usage: dying.py LAUNCHER RANKS PROGRAM
"""
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

launcher, ranks, program = sys.argv[1:]
# Rank 1 dies. A bcast without agreement waits for nobody but the root; with one, for all ranks.
calls = [("allreduce", row, "blocking", "0") for row in ("fused", "c_coll", "argm", "ring_raw", "stock")]
calls += [("allreduce", row, "started", "0") for row in ("fused", "c_coll", "argm", "ring_raw", "stock")]
calls += [("bcast", row, "blocking", "1") for row in ("ring", "c_coll", "hierarchical", "ring_raw", "stock")]
calls += [("bcast", row, "blocking", "0") for row in ("ring", "c_coll", "hierarchical")]


def fault(call):
    """What is wrong with a call; empty: nothing."""
    operation, row, mode, root, handler = call
    text = f"{mode} {operation} {row} from {root}, {handler}"
    try:
        done = subprocess.run([launcher, ranks, program, operation, row, handler, mode, root], timeout=100, text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    except subprocess.TimeoutExpired:
        return f"{text}: hangs"
    finished = done.returncode == 0 or "finished" in done.stdout
    return f"{text}: exit status {done.returncode}\n{done.stdout}" if finished else ""


# A launcher that ends a job mostly waits.
with ThreadPoolExecutor(2) as pool:
    faults = [found for found in pool.map(fault, [(*call, handler) for call in calls for handler in ("fatal", "return")])
              if found]
sys.exit("\n".join(faults) or 0)
