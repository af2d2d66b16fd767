# SPDX-License-Identifier: BSD-3-Clause
"""Are hosts nodes? An MPI flavour and its collective test program flow in; on emulated hosts, evenly and unevenly full,
the group `hosts_are_nodes` (tests/mpi/case_hosts.cpp) runs, and its verdict flows out. Exit status 77: as in bed.py."""

import unittest

import bed

GROUP = "hosts_are_nodes"


class Nodes(unittest.TestCase):
    def check_hosts(self, ranks, hosts):
        # What is checked is the way of the messages, not how long they take.
        bed.make_hosts(hosts, "none", self.addCleanup)
        # As netbed deals them out.
        host_of = ",".join(str(rank % hosts) for rank in range(ranks))
        done = bed.run_program(ranks, GROUP, options=("--quiet", "--env", f"LACONIC_TEST_HOSTS={host_of}"), limit_s=200)
        said = done.stdout + done.stderr
        self.assertEqual(done.returncode, 0, said)
        # A program without such a group runs nothing, and succeeds.
        self.assertRegex(done.stdout, rf"(?m)^{GROUP} .* ok$", said)

    def test_2_hosts_of_2(self):
        self.check_hosts(4, 2)

    def test_2_hosts_of_3_and_2(self):
        self.check_hosts(5, 2)

    def test_3_hosts_of_3_2_and_2(self):
        self.check_hosts(7, 3)


if __name__ == "__main__":
    bed.main()
