# SPDX-License-Identifier: BSD-3-Clause
"""laconic bench collective hands over to the MPI program of the right flavour. Scripts stand in for those programs,
so that this runs without any MPI."""

import os
import shutil
import unittest

from program import PROGRAM, CommandLine

OPEN_MPI = {"OMPI_COMM_WORLD_SIZE": "4", "PMIX_RANK": "0"}
MPICH = {"PMI_RANK": "0", "PMI_SIZE": "4"}


class Handover(CommandLine):
    def setUp(self):
        super().setUp()
        self.laconic = shutil.copy(PROGRAM, self.path("laconic"))

    def stand_in(self, flavour):
        with open(self.path(f"laconic-{flavour}"), "w", encoding="ascii") as file:
            file.write(f'#!/bin/sh\necho {flavour} "$@"\nexit 7\n')
        os.chmod(self.path(f"laconic-{flavour}"), 0o755)

    def collective(self, *arguments, environment=None):
        done = self.run_program("bench", "collective", *arguments, environment=environment, program=self.laconic)
        self.assertEqual(done.returncode, 7, done.stderr.decode())
        return done.stdout.decode().strip()

    def refuse_collective(self, code, arguments, *words, environment=None):
        self.refuse(code, ["bench", "collective", *arguments], "laconic bench collective: ", *words,
                    environment=environment, program=self.laconic)

    def test_arguments_pass_unchanged(self):
        self.stand_in("mpich")
        self.assertEqual(self.collective("--op", "allreduce", "-x", "--help", "a b", "--", "--json"),
                         "mpich bench collective --op allreduce -x --help a b -- --json")
        self.assertEqual(self.collective(), "mpich bench collective")
        self.assertEqual(self.collective("--help"), "mpich bench collective --help")
        self.assertEqual(self.collective("--version"), "mpich bench collective --version")
        audit = self.run_program("audit", "--op", "bcast", "--help", program=self.laconic)
        self.assertEqual(audit.stdout.decode().strip(), "mpich audit --op bcast --help")

    def test_the_launcher_decides(self):
        self.stand_in("mpich")
        self.stand_in("openmpi")
        self.assertEqual(self.collective("--json", environment=OPEN_MPI), "openmpi bench collective --json")
        self.assertEqual(self.collective("--json", environment=MPICH), "mpich bench collective --json")
        self.assertEqual(self.collective("--mpi", "openmpi", environment=OPEN_MPI), "openmpi bench collective")
        self.refuse_collective(2, ["--mpi", "mpich"], "--mpi is mpich", "openmpi", environment=OPEN_MPI)
        self.refuse_collective(2, ["--mpi=openmpi"], "--mpi is openmpi", "mpich", environment=MPICH)

    def test_without_a_launcher_the_request_decides(self):
        self.stand_in("mpich")
        self.stand_in("openmpi")
        self.assertEqual(self.collective("--mpi", "openmpi", "--json"), "openmpi bench collective --json")
        self.assertEqual(self.collective("--json", "--mpi=openmpi"), "openmpi bench collective --json")
        self.assertEqual(self.collective(), "mpich bench collective")
        self.refuse_collective(2, ["--mpi", "lam"], "'lam'", "mpich or openmpi")
        self.refuse_collective(2, ["--mpi"], "--mpi")

    def test_the_only_one_there_is(self):
        self.stand_in("openmpi")
        self.assertEqual(self.collective(), "openmpi bench collective")
        self.refuse_collective(1, ["--mpi", "mpich"], "laconic-mpich", "--mpi openmpi")
        self.refuse_collective(1, [], "laconic-mpich", environment=MPICH)

    def test_none_there(self):
        self.refuse_collective(1, [], "laconic-mpich", "laconic-openmpi")

    def test_info_lists_what_is_there(self):
        self.stand_in("openmpi")
        shown = self.run_program("info", program=self.laconic).stdout.decode()
        self.assertRegex(shown, r"MPI programs +openmpi\n")


if __name__ == "__main__":
    unittest.main()
