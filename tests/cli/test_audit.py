# SPDX-License-Identifier: BSD-3-Clause
"""laconic-<flavour> audit under its mpiexec: what it prints, that broken promises show in the exit code, and that ranks
fail together."""

import json
import math
import os
import random
import struct
import sys
import unittest

from program import Ranks

LAUNCHER, PROGRAM = sys.argv.pop(1), sys.argv.pop(1)


class Audit(Ranks):
    launcher = LAUNCHER

    def setUp(self):
        super().setUp()
        noise = random.Random(5)
        self.noise = self.file("noise", [noise.uniform(-1, 1) for _ in range(20000)])

    def audit(self, ranks, *arguments):
        return self.launch(ranks, PROGRAM, "audit", "--bytes", "80K", *arguments)

    def report(self, ranks, *arguments):
        run = self.audit(ranks, "--data", self.noise, "--type", "f32", "--json", *arguments)
        self.assertEqual(run.returncode, 0, run.stderr)
        return json.loads(run.stdout)

    def test_all_rows_keep_their_promise(self):
        for op in ("allreduce", "bcast"):
            report = self.report(3, "--op", op, "--abs", "1e-3")
            self.assertEqual([report[key] for key in ("op", "ranks", "bytes", "type", "scope")],
                             [op, 3, 81912, "f32", "result"])
            self.assertTrue({"stock", "auto", "c_coll"} <= {row["algorithm"] for row in report["rows"]})
            for row in report["rows"]:
                self.assertEqual(row["violations"], 0, row)
                self.assertEqual(row["elements"], 3 * (81920 // 4 // 3 * 3))
                self.assertLessEqual(row["max_share"], 1)
                self.assertAlmostEqual(math.hypot(row["mean_error"], row["deviation"]), row["rms_error"],
                                       delta=1e-6 * row["rms_error"])

    def test_predictions_stand_beside_the_measured_errors(self):
        row, = self.report(3, "--abs", "1e-3", "--algorithms", "homcomp_f", "--scope", "contribution")["rows"]
        self.assertAlmostEqual(row["bound"], 3 * row["contribution_bound"])
        self.assertAlmostEqual(row["normal"]["deviation"], row["contribution_bound"] / 3 * math.sqrt(3))
        self.assertAlmostEqual(row["deviation"] / row["uniform"]["deviation"], 1, delta=0.1)
        self.assertAlmostEqual(row["uniform"]["inside"][1], 0.9544, delta=0.03)
        self.assertEqual(sum(row["histogram"]), row["elements"])

    def test_rows_without_a_bound_have_no_unit(self):
        raw, = self.report(2, "--abs", "1e-3", "--algorithms", "ring_raw")["rows"]
        self.assertEqual([raw["bound"], raw["normal"], raw["uniform"], raw["histogram"]], [0, None, None, None])

    def test_text_of_many_rows_and_of_one(self):
        arguments = ("--data", self.noise, "--type", "f32", "--rel", "1e-3", "--algorithms")
        table = self.audit(2, *arguments, "stock,homcomp_f")
        self.assertEqual(table.returncode, 0, table.stderr)
        self.assertEqual([line.split()[0] for line in table.stdout.splitlines()],
                         ["algorithm", "stock", "homcomp_f", "allreduce"])
        one = self.audit(2, *arguments, "homcomp_f")
        self.assertEqual(one.returncode, 0, one.stderr)
        self.assertEqual(len([line for line in one.stdout.splitlines() if " .. " in line]), 20)
        self.assertIn("uniform rounding", one.stdout)

    def test_a_broken_promise_is_an_exit_code(self):
        # A sum that the type does not hold, though its average would fit: the guide names this limit.
        path = os.path.join(self.folder.name, "large")
        with open(path, "wb") as out:
            for i in range(4096):
                out.write(struct.pack("<e", 60000 - i % 64 * 32))
        run = self.audit(3, "--data", path, "--type", "f16", "--abs", "512", "--reduction", "avg", "--algorithms",
                         "homcomp_f,cpr_p2p:fle,ring_raw", "--json")
        self.assertEqual(run.returncode, 1, run.stderr)
        complaints = [line for line in run.stderr.splitlines() if line.startswith("laconic")]
        self.assertEqual(len(complaints), 1, run.stderr)
        self.assertIn("ring_raw", complaints[0])
        good, warned, bad = json.loads(run.stdout)["rows"]
        self.assertEqual(good["violations"], 0)
        # It says beforehand that nothing is guaranteed.
        self.assertEqual(warned["violations"], 0)
        self.assertGreater(bad["violations"], 0)

    def test_bad_arguments_fail_once(self):
        for arguments, code, word in ((["--data", "/nonexistent", "--type", "f32", "--abs", "1"], 1, "/nonexistent"),
                                      (["--data", self.noise, "--type", "f32"], 2, "--abs"),
                                      (["--data", self.noise, "--type", "f32", "--abs", "1", "--op", "x"], 2, "--op"),
                                      (["--data", self.noise, "--type", "f32", "--abs", "1", "--algorithms", "x"], 2, "x"),
                                      (["--data", self.noise, "--type", "f32", "--abs", "1", "--codec-threads", "2"], 2,
                                       "not expected: --codec-threads 2;"),
                                      (["--data", self.noise, "--type", "f32", "--abs", "1", "--algorithm", "auto",
                                        "--algorithms", "stock,auto"], 2, "--algorithm and --algorithms")):
            run = self.audit(2, *arguments)
            self.assertEqual(run.returncode, code, (arguments, run.stderr))
            complaints = [line for line in run.stderr.splitlines() if line.startswith("laconic")]
            self.assertEqual(len(complaints), 1, (arguments, run.stderr))
            self.assertIn(word, complaints[0])

    def test_help_has_examples(self):
        run = self.launch(1, PROGRAM, "audit", "--help")
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertIn("Examples:", run.stdout)


if __name__ == "__main__":
    unittest.main()
