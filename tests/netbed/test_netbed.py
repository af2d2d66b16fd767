# SPDX-License-Identifier: BSD-3-Clause
"""Is the emulated network what it says? An MPI flavour and a program that sends known bytes flow in; checks of the
counted bytes, the rate, exit statuses and what is left behind flow out. Exit status 77: as in bed.py."""

import json
import os
import subprocess
import unittest

from bed import BED, FLAVOUR, NETBED, main, make_hosts, netbed, run_program

PAYLOAD = 16 << 20
RATE = 400e6
# A full Ethernet frame carries 1448 bytes of TCP payload in 1514; a data stream also draws acknowledgements.
WIRE_BYTES_PER_BYTE = 1514 / 1448
HEADROOM = 1.05


class Netbed(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        make_hosts(2, f"{RATE / 1e6:g}mbit", cls.addClassCleanup)

    def test_counts_what_a_program_sends(self):
        before = json.loads(netbed("stats", "--json").stdout)
        done = run_program(2, str(PAYLOAD), options=("--json",))
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        told = json.loads(done.stdout.splitlines()[-1])
        self.assertEqual(told["hosts"], [f"{BED}-h0", f"{BED}-h1"])
        sender, receiver = json.loads(done.stderr.splitlines()[-1])
        expected = PAYLOAD * WIRE_BYTES_PER_BYTE
        for name, counted in (("sent", sender["sent"]), ("received", receiver["received"])):
            self.assertLess(abs(counted / expected - 1), 0.05, f"{name} {counted} B, expected {expected:.0f} B")
        after = json.loads(netbed("stats", "--json").stdout)
        self.assertEqual(after[0]["sent"] - before[0]["sent"], sender["sent"])
        # Faster than the link, less what one full bucket lets through at once, would mean a short cut.
        link_seconds = (expected - 80e3) * 8 / RATE
        self.assertGreater(told["seconds"], link_seconds / HEADROOM)

    def test_exit_status_and_time_limit(self):
        done = netbed("run", "-n", "2", "--mpi", FLAVOUR, "--quiet", "--", "sh", "-c", "exit 3")
        self.assertEqual(done.returncode, 3, done.stderr)
        done = netbed("run", "-n", "2", "--mpi", FLAVOUR, "--timeout", "2", "--", "sleep", "600")
        self.assertEqual(done.returncode, 124, done.stderr)
        left = subprocess.run(["ip", "netns", "pids", f"{BED}-h0"], capture_output=True, text=True, check=True)
        self.assertEqual(left.stdout, "")

    def test_refusals(self):
        for complaint, arguments in (("--rate fast", ["up", "--hosts", "2", "--rate", "fast"]),
                                     ("--packet 100", ["up", "--hosts", "2", "--packet", "100"]),
                                     ("--dilate 0.5", ["up", "--hosts", "2", "--dilate", "0.5"]),
                                     ("--hosts 0", ["up", "--hosts", "0"]),
                                     ("nothing to run", ["run", "-n", "2"]),
                                     ("--env broken", ["run", "-n", "2", "--env", "broken", "--", "true"])):
            done = netbed(*arguments)
            self.assertEqual(done.returncode, 2, done.stderr)
            self.assertIn(complaint, done.stderr)

    @unittest.skipUnless(os.path.isdir("/sys/fs/cgroup/cpu"), "no control groups of version 1")
    def test_a_share_of_a_core_and_no_limit_of_rate(self):
        other = ["--bed", BED + "c"]
        try:
            made = netbed("up", *other, "--hosts", "2", "--rate", "none", "--dilate", "2", "--host-cpu", "0.25")
            self.assertIn("no limit", made.stdout, made.stderr)
            done = netbed("run", *other, "-n", "2", "--mpi", FLAVOUR, "--quiet", "--", "cat", "/proc/self/cgroup")
            for host in ("h0", "h1"):
                group = f"laconic-netbed-{BED}c/{BED}c-{host}"
                self.assertIn(group, done.stdout, done.stderr)
                with open(f"/sys/fs/cgroup/cpu/{group}/cpu.cfs_quota_us", encoding="ascii") as file:
                    self.assertEqual(file.read(), "2500\n")
        finally:
            netbed("down", *other)
        self.assertFalse(os.path.exists(f"/sys/fs/cgroup/cpu/laconic-netbed-{BED}c"))

    def test_down_leaves_nothing(self):
        other = BED + "b"
        for verb in (["up", "--hosts", "1", "--bed", other], ["down", "--bed", other]):
            subprocess.run([NETBED, *verb], capture_output=True, check=True)
        listed = subprocess.run(["ip", "netns", "list"], capture_output=True, text=True, check=True).stdout
        self.assertNotIn(other, listed)
        self.assertFalse(os.path.exists(f"/run/laconic-netbed/{other}"))
        self.assertFalse(os.path.exists(f"/etc/netns/{other}-h0"))
        done = subprocess.run([NETBED, "stats", "--bed", other], capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 2)
        self.assertIn("netbed up", done.stderr)


if __name__ == "__main__":
    main()
