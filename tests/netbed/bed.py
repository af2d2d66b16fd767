# SPDX-License-Identifier: BSD-3-Clause
"""A bed of the emulated network for one run of tests: an MPI flavour and a program flow in on the command line; hosts,
and what became of programs run on them, flow out. Exit status 77: this machine cannot have one."""

import os
import subprocess
import sys
import unittest

NETBED = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../tools/netbed/netbed")
FLAVOUR, PROGRAM = sys.argv[1:3] if len(sys.argv) > 2 else ("mpich", "")
BED = f"test{os.getpid()}"


def netbed(*arguments, limit_s=100):
    verb, *rest = arguments
    return subprocess.run([NETBED, verb, "--bed", BED, *rest], capture_output=True, text=True, timeout=limit_s,
                          check=False)


def make_hosts(hosts, rate, add_cleanup):
    made = netbed("up", "--hosts", str(hosts), "--rate", rate)
    add_cleanup(netbed, "down")
    if made.returncode:
        raise AssertionError(made.stderr)


def run_program(ranks, *arguments, options=(), limit_s=60):
    return netbed("run", "-n", str(ranks), "--mpi", FLAVOUR, "--timeout", str(limit_s), *options, "--", PROGRAM,
                  *arguments, limit_s=limit_s + 40)


def why_not():
    if os.geteuid() != 0:
        return "not root"
    probe = f"{BED}-probe"
    made = subprocess.run(["sh", "-c", f"ip netns add {probe} && ip link add probe0 netns {probe} type veth peer name"
                           f" probe1 netns {probe} && ip netns exec {probe} tc qdisc add dev probe0 root tbf"
                           " rate 1mbit burst 64kb limit 1mb && unshare --uts --ipc --mount true"],
                          capture_output=True, text=True, check=False)
    subprocess.run(["ip", "netns", "del", probe], capture_output=True, check=False)
    return made.stderr.strip() if made.returncode else None


def main():
    """Runs the tests of the calling script."""
    reason = why_not()
    if reason:
        print(f"skipped: no emulated network on this machine: {reason}")
        sys.exit(77)
    unittest.main(argv=sys.argv[:1])
