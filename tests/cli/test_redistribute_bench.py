# SPDX-License-Identifier: BSD-3-Clause
"""laconic-<flavour> bench redistribute under its mpiexec: what it prints, for which engines, and what it refuses."""

import json
import math
import os
import struct
import sys
import unittest

from program import Ranks

LAUNCHER, PROGRAM = sys.argv.pop(1), sys.argv.pop(1)
FLAVOUR = PROGRAM.rsplit("-", 1)[1]
KEYS = ["global", "patch", "patches", "placement", "ranks", "bytes", "moved_bytes", "rel", "repetitions", "flavour",
        "rows"]
ROW_KEYS = ["engine", "of_mpi", "median_s", "min_s", "ratio_to_best_mpi", "staging_bytes", "message_bytes",
            "wire_bytes", "shared_bytes", "ranks"]
# Two ranks hold 6 rows of 12 each; patch p goes to rank p mod 2: half of the array changes rank.
MOVED = 12 * 12 // 2


class RedistributeBench(Ranks):
    launcher = LAUNCHER

    def bench(self, *arguments, extents="12x12"):
        return self.launch(2, PROGRAM, "bench", "redistribute", "--global", extents, *arguments)

    def report(self, *arguments, extents="12x12"):
        run = self.bench("--placement", "round_robin", "--repetitions", "3", "--json", *arguments, extents=extents)
        self.assertEqual(run.returncode, 0, run.stderr)
        return json.loads(run.stdout)

    def refuse(self, arguments, *words):
        run = self.bench(*arguments)
        self.assertEqual(run.returncode, 2, (arguments, run.stderr))
        self.assertEqual(run.stdout, "")
        complaints = [line for line in run.stderr.splitlines() if line.startswith("laconic")]
        self.assertEqual(len(complaints), 1, (arguments, run.stderr))
        self.assertTrue(complaints[0].startswith("laconic bench redistribute: "), complaints[0])
        for word in words:
            self.assertIn(word, complaints[0])

    def test_keys_and_engines_that_were_asked_for(self):
        report = self.report("--patch", "3x4", "--engines", "auto,batched,per_rank,alltoallw")
        self.assertEqual(list(report), KEYS)
        self.assertEqual([report[key] for key in KEYS[:-1]],
                         ["12x12", "3x4", "", "round_robin", 2, 12 * 12 * 8, MOVED * 8, 0, 3, FLAVOUR])
        names = [row["engine"] for row in report["rows"]]
        self.assertRegex(names[1], r"^auto \((shared|batched)\)$")
        self.assertEqual([names[0], *names[2:]], ["memcpy", "batched", "per_rank", "alltoallw"])
        for row in report["rows"]:
            self.assertEqual(list(row), ROW_KEYS)
            self.assertEqual(row["of_mpi"], row["engine"] in names[2:])
            self.assertTrue(0 <= row["min_s"] <= row["median_s"])
            self.assertEqual(len(row["ranks"]), 2)
            for times in row["ranks"]:
                self.assertEqual((len(times), times), (5, sorted(times)))
        for row in report["rows"][1:4]:
            self.assertEqual(row["message_bytes"] + row["shared_bytes"], MOVED * 8, row["engine"])
            self.assertEqual(row["wire_bytes"], row["message_bytes"])
        best = min((row for row in report["rows"] if row["of_mpi"]), key=lambda row: row["median_s"])
        self.assertEqual(best["ratio_to_best_mpi"], 1)

    def test_all_engines_unless_some_are_named(self):
        rows = self.report("--patches", "4x3", "--own-array", "--element-bytes", "3")["rows"]
        engines = [row["engine"].split()[0] for row in rows]
        self.assertEqual(engines, ["memcpy", "auto", "batched", "per_rank", "per_patch", "alltoallw", "neighbor",
                                   "partitioned", "auto,"])
        missing = {row["engine"]: row for row in rows if "missing" in row}
        self.assertLessEqual(set(missing), {"neighbor"} if FLAVOUR == "mpich" else {"partitioned"})
        if "neighbor" in missing:
            self.assertRegex(missing["neighbor"]["missing"], r"MPICH 4\.[01].*issue 6233")
        for name, row in missing.items():
            self.assertEqual(list(row), ["engine", "missing"])
            self.assertIn("use", row["missing"], name)
        self.assertEqual(rows[2]["message_bytes"], MOVED * 3)

    def test_messages_travel_compressed(self):
        field = self.file("field", [math.sin(0.01 * i) for i in range(5000)])
        report = self.report("--patch", "100x100", "--engines", "batched", "--data", field, "--rel", "1e-3",
                             extents="400x400")
        self.assertEqual(report["rel"], 1e-3)
        self.assertEqual(report["bytes"], 400 * 400 * 4)
        row = report["rows"][1]
        self.assertEqual(row["message_bytes"], report["moved_bytes"])
        self.assertTrue(0 < row["wire_bytes"] < row["message_bytes"] / 2, row)

    def test_a_table_for_people(self):
        run = self.bench("--patch", "3x4", "--engines", "per_rank", "--repetitions", "2", "--placement", "greedy")
        self.assertEqual(run.returncode, 0, run.stderr)
        lines = run.stdout.splitlines()
        self.assertTrue(lines[0].startswith("engine "), run.stdout)
        self.assertEqual([line.split()[0] for line in lines[1:3]], ["memcpy", "per_rank"])
        self.assertIn(FLAVOUR, lines[3])
        self.assertIn("2 ranks", lines[3])

    def test_a_picture_of_every_ranks_times(self):
        path = os.path.join(self.folder.name, "ranks.png")
        run = self.bench("--patch", "3x4", "--engines", "per_rank,auto", "--repetitions", "3", "--json", "--png", path)
        if "built without libpng" in run.stderr:
            self.skipTest("no libpng")
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertEqual(len(json.loads(run.stdout)["rows"]), 3)
        with open(path, "rb") as file:
            header = file.read(24)
        self.assertEqual(header[:8], b"\x89PNG\r\n\x1a\n")
        width, height = struct.unpack(">II", header[16:])
        self.assertTrue(400 < width < 2000 and 400 < height < 1000, (width, height))
        # Before anything is measured.
        run = self.bench("--patch", "3x4", "--png", os.path.join(self.folder.name, "none", "ranks.png"))
        self.assertEqual((run.returncode, run.stdout), (1, ""), run.stderr)
        self.assertIn("none/ranks.png", run.stderr)
        self.assertEqual(os.listdir(self.folder.name), ["ranks.png"])

    def test_refusals(self):
        patch = ["--patch", "3x4"]
        self.refuse([*patch, "--engines", "fast"], "--engines", "'fast'", "per_rank")
        self.refuse([*patch, "--repetitions", "0"], "--repetitions is '0'")
        self.refuse([*patch, "--rel", "1e-3"], "--rel", "--data")
        self.refuse([*patch, "--placement", "best"], "--placement", "'best'", "greedy")
        self.refuse([*patch, "--placement", "explicit"], "--placement given", "--owners")
        self.refuse([*patch, "--grid", "3x1"], "--grid 3x1 has 3 blocks", "2")
        self.refuse(["--patch", "13x2"], "--patch", "patch extent 13")
        self.refuse([], "--patch", "--patches")
        self.refuse([*patch, "--bogus"], "--bogus")


if __name__ == "__main__":
    unittest.main()
