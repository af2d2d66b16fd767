# SPDX-License-Identifier: BSD-3-Clause
"""The first call of a process while its last rank lacks memory, for one request after the other.

usage: first.py LAUNCHER RANKS PROGRAM
"""
import subprocess
import sys

launcher, ranks, program = sys.argv[1:]
faults = []
for row in ("auto", "hzccl"):
    for which in ("one", "all"):
        granted, failing, failures = 0, True, 0
        while failing and not faults:
            text = f"{row}, {which} request(s) after {granted}"
            try:
                done = subprocess.run([launcher, ranks, program, row, str(granted), which], timeout=60, text=True,
                                      stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
            except subprocess.TimeoutExpired:
                faults.append(f"{text}: hangs")
                break
            told = done.stdout.partition("as it should be: ")[2].split("\n")[0]
            if done.returncode != 0 or not told:
                faults.append(f"{text}: exit status {done.returncode}\n{done.stdout}")
            failing = told.endswith(", 1")
            failures += told != "0, 1" and failing
            granted += 1
        if failures < 5:
            faults.append(f"{row}, {which}: only {failures} calls failed")
sys.exit("\n".join(faults) or 0)
