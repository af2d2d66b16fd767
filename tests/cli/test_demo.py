# SPDX-License-Identifier: BSD-3-Clause
"""What `./dev demo` builds before tools/demo.sh runs: the script says it, for the arguments that it will be given."""

import subprocess
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


class Target(unittest.TestCase):
    def target(self, *arguments):
        done = subprocess.run([ROOT / "tools/demo.sh", "--target", *arguments], capture_output=True, text=True, check=False)
        return done.returncode, done.stdout.strip()

    def test_only_what_runs(self):
        self.assertEqual(self.target(), (0, "demo_programs"))
        self.assertEqual(self.target("--rel", "1e-2", "--mpi", "openmpi"), (0, "demo_programs_openmpi"))
        self.assertEqual(self.target("--build", ROOT / "tools/../build"), (0, "demo_programs"))

    def test_nothing_where_nothing_is_to_be_built(self):
        self.assertEqual(self.target("--build", "/elsewhere"), (0, ""))
        self.assertEqual(self.target("--help"), (0, ""))
        self.assertEqual(self.target("--mpi", "lam"), (2, ""))
        self.assertEqual(self.target("--bogus")[0], 2)


if __name__ == "__main__":
    unittest.main()
