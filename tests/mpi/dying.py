# SPDX-License-Identifier: BSD-3-Clause
"""A rank that dies: the job ends, as MPI has it, and no other rank comes to the end as if nothing had happened.

usage: dying.py LAUNCHER RANKS PROGRAM
"""
import subprocess
import sys

launcher, ranks, program = sys.argv[1:]
bad = 0
for row in ("fused", "c_coll", "argm", "ring_raw", "stock"):
    for handler in ("fatal", "return"):
        try:
            done = subprocess.run([launcher, ranks, program, row, handler], timeout=100, text=True,
                                  stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        except subprocess.TimeoutExpired:
            print(f"{row}, {handler}: hangs")
            bad += 1
            continue
        if done.returncode == 0 or "finished" in done.stdout:
            print(f"{row}, {handler}: exit status {done.returncode}\n{done.stdout}")
            bad += 1
sys.exit(1 if bad else 0)
