# SPDX-License-Identifier: BSD-3-Clause
"""laconic-<flavour> calibrate under its mpiexec: it writes a machine that predict reads, and ranks fail together."""

import json
import os
import subprocess
import sys
import tempfile
import time
import unittest

LAUNCHER, PROGRAM, LACONIC = sys.argv.pop(1), sys.argv.pop(1), sys.argv.pop(1)


class Calibrate(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def launch(self, ranks, *arguments, processors=None):
        environment = {key: value for key, value in os.environ.items() if not key.startswith("LACONIC_")}
        # A rank that is left waiting shows as a time-out.
        return subprocess.run([LAUNCHER, str(ranks), PROGRAM, "calibrate", *arguments], stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, text=True, timeout=120, env=environment, check=False,
                              cwd=self.folder.name,
                              preexec_fn=processors and (lambda: os.sched_setaffinity(0, processors)))

    def predict(self, machine):
        done = subprocess.run([LACONIC, "predict", "--bytes", "64M", "--ranks", "16", "--nodes", "4", "--ratio", "8", "--json",
                               "--machine", machine], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                              check=False, cwd=self.folder.name)
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout)

    def test_writes_a_file_that_predict_reads(self):
        run = self.launch(2, "--quick", "--out", "m.toml")
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertIn("m.toml", run.stdout)
        self.assertIn("between nodes  not measured", run.stdout)
        self.assertEqual(os.listdir(self.folder.name), ["m.toml"])
        with open(os.path.join(self.folder.name, "m.toml"), encoding="utf-8") as file:
            text = file.read()
        for key in ("fused_gb_s", "size_factor", "processor_us_per_mb", "message_us", "step_us",
                    "[row.allreduce.ring.fused.fle]", "[row.allreduce.rabenseifner.raw.raw]", "[row.alltoall.pairwise.once.fle]"):
            self.assertIn(key, text)
        self.assertEqual(self.predict("m.toml")["machine"], "m.toml")

    def test_json_has_numbers_of_a_real_machine(self):
        run = self.launch(3, "--quick", "--json", "--ops", "bcast,reduce")
        self.assertEqual(run.returncode, 0, run.stderr)
        report = json.loads(run.stdout)
        self.assertEqual((report["ranks"], report["nodes"]), (3, 1))
        self.assertIsNone(report["inter_node"])
        inside = report["intra_node"]
        self.assertGreater(inside["latency_us"], 0)
        self.assertGreater(inside["bandwidth_gb_s"], 0.001)
        self.assertTrue(1 <= inside["exchange_factor"] <= 2)
        self.assertGreaterEqual(inside["processor_us_per_mb"], 0)
        self.assertGreaterEqual(report["host"]["burst_kb"], 0)
        self.assertEqual(report["engine"]["calibrated_nodes"], 1)
        steps = inside["steps"]
        self.assertEqual([step["bytes"] for step in steps][:2], [8, 1024])
        self.assertEqual([step["us"] for step in steps], sorted(step["us"] for step in steps))
        self.assertGreater(steps[0]["us"], 0)
        self.assertGreater(report["host"]["cores"], 0)
        self.assertLessEqual(report["host"]["cores"], os.cpu_count())
        self.assertGreaterEqual(report["engine"]["call_us"], 0)
        self.assertGreaterEqual(report["engine"]["message_us"], 0)
        mpich = os.path.basename(PROGRAM).endswith("mpich")
        self.assertEqual(report["engine"]["eager_bytes"], 16384 if mpich else 57344)
        ratios = [row["ratio"] for row in report["codecs"]["fle"]]
        self.assertEqual(ratios, sorted(ratios))
        self.assertGreater(ratios[-1], 2 * ratios[0])
        for row in report["codecs"]["fle"]:
            self.assertGreater(min(row[key] for key in row if key != "ratio"), 0.001)
        self.assertIn("[row.bcast.ring.raw.raw]", report["toml"])
        self.assertNotIn("[row.allreduce", report["toml"])
        path = os.path.join(self.folder.name, "from_json.toml")
        with open(path, "w", encoding="utf-8") as file:
            file.write(report["toml"])
        self.predict(path)

    def test_ranks_that_share_a_processor(self):
        one = set(list(os.sched_getaffinity(0))[:1])
        run = self.launch(3, "--quick", "--json", "--ops", "bcast", processors=one)
        self.assertEqual(run.returncode, 0, run.stderr)
        warnings = [line for line in run.stderr.splitlines() if line.startswith("laconic")]
        self.assertEqual(len(warnings), 1, run.stderr)
        self.assertIn("warning: 3 ranks share 1 processor of a node", warnings[0])
        report = json.loads(run.stdout)
        self.assertLessEqual(report["host"]["cores"], 1)
        # Copies of some KB, not turns of the scheduler, which are milliseconds.
        self.assertLess(report["intra_node"]["steps"][-1]["us"], 1000)

    def test_complains_once(self):
        for ranks, arguments, code, words in ((1, [], 2, "1 rank"), (2, ["--bogus"], 2, "--bogus"),
                                              (2, ["--ops", "sum"], 2, "'sum'"),
                                              (2, ["--ops", "bcast,bcast"], 2, "'bcast' twice"),
                                              (2, ["--ops", "bcast,"], 2, "'bcast,'"),
                                              (2, ["--out", "/nonexistent/m.toml"], 1, "give --out a file in a writable")):
            # Without --quick: what it says comes before minutes of measuring.
            begun = time.monotonic()
            run = self.launch(ranks, *arguments)
            self.assertLess(time.monotonic() - begun, 30)
            lines = [line for line in run.stderr.splitlines() if line.startswith("laconic")]
            self.assertEqual(run.returncode, code, (arguments, run.stderr))
            self.assertEqual(len(lines), 1, run.stderr)
            self.assertIn(words, lines[0])


if __name__ == "__main__":
    unittest.main()
