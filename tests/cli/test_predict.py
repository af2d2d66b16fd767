# SPDX-License-Identifier: BSD-3-Clause
"""laconic predict: what it prints for people and for programs, where its machine comes from, and what it refuses."""

import json
import os
import unittest

from program import CommandLine

OPERATIONS = ["allreduce", "reduce", "reduce_scatter", "allgather", "gather", "scatter", "bcast", "alltoall"]
PARTS = ["agreement_s", "latency_s", "wire_s", "compress_s", "combine_s", "decompress_s", "copy_s"]
SLOW = ["--beta", "1Gbit/s", "--alpha", "30us"]


class Predict(CommandLine):
    def predict(self, *arguments, environment=None):
        return json.loads(self.succeed("predict", *arguments, "--json", environment=environment))

    def rows(self, *arguments, **options):
        return {row["algorithm"]: row for row in self.predict(*arguments, **options)["rows"]}

    def test_every_operation_ranks_every_row_but_auto(self):
        table = json.loads(self.succeed("info", "--algorithms", "--json"))["algorithms"]
        for op in OPERATIONS:
            report = self.predict("--op", op, "--bytes", "64M", "--ranks", "8", "--ratio", "8", *SLOW)
            rows = report["rows"]
            self.assertEqual(sorted(row["algorithm"] for row in rows),
                             sorted(row["name"] for row in table if row["operation"] == op and row["name"] != "auto"))
            times = [row["seconds"] for row in rows]
            self.assertEqual(times, sorted(times))
            stock = next(row for row in rows if row["algorithm"] == "stock")
            self.assertEqual(stock["speedup_vs_stock"], 1)
            for row in rows:
                self.assertAlmostEqual(row["speedup_vs_stock"], stock["seconds"] / row["seconds"])
                self.assertGreaterEqual(sum(row[part] for part in PARTS), row["seconds"] * (1 - 1e-9))
            self.assertNotEqual(report["chosen"], "stock")

    def test_rows_that_cannot_run_with_a_type_are_no_candidates(self):
        ask = ["--op", "allreduce", "--bytes", "64M", "--ranks", "8", "--ratio", "8", *SLOW]
        every = self.rows(*ask)
        for narrow in ["f16", "bf16"]:
            rows = self.rows(*ask, "--type", narrow)
            self.assertEqual(sorted(set(every) - set(rows)), ["c_coll", "cpr_p2p"])

    def test_the_wire_of_a_raw_ring_is_as_on_paper(self):
        row = self.rows("--op", "allreduce", "--bytes", "64M", "--ranks", "8", "--ratio", "8", *SLOW)["ring_raw"]
        self.assertAlmostEqual(row["wire_s"], 2 * 7 / 8 * 2**26 / 1.25e8, places=9)
        self.assertEqual(row["compress_s"], 0)

    def test_incompressible_small_data_are_left_to_stock(self):
        report = self.predict("--bytes", "1K", "--ranks", "8", "--ratio", "1", *SLOW)
        self.assertEqual(report["chosen"], "stock")

    def test_text(self):
        text = self.succeed("predict", "--op", "bcast", "--bytes", "64M", "--ranks", "8", "--ratio", "8", *SLOW).decode()
        self.assertRegex(text, r"^algorithm +time +vs stock +latency +wire +compress +combine +decompress +copy\n")
        self.assertRegex(text, r"\nstock +\S+ ms +1\.00x ")
        self.assertRegex(text, r"\nauto takes ring\n")
        self.assertIn("64.0 MiB, 8 ranks on 8 nodes, ratio 8, machine: built in", text)

    def test_crossover(self):
        ask = ["--ranks", "8", "--ratio", "8", *SLOW]
        report = self.predict(*ask, "--crossover")
        self.assertNotIn("rows", report)
        size = report["crossover_bytes"]
        self.assertLessEqual(report["interesting_from_bytes"], size)
        self.assertNotEqual(self.predict(*ask, "--bytes", str(size))["chosen"], "stock")
        self.assertEqual(self.predict(*ask, "--bytes", str(size - 1))["chosen"], "stock")
        self.assertRegex(self.succeed("predict", *ask, "--crossover").decode(), rf"^crossover: {size} bytes .*, by \w+\n$")
        # Nobody to send to: nothing to win.
        alone = ["--ranks", "1", "--ratio", "8", "--crossover"]
        self.assertIsNone(self.predict(*alone)["crossover_bytes"])
        self.assertIn("crossover: none", self.succeed("predict", *alone).decode())

    def test_the_machine_comes_from_flag_environment_or_file(self):
        self.write("slow.toml", b"[inter_node]\nbandwidth_gb_s = 0.001\n[host]\ninjection_gb_s = 0.001\n")
        self.write("fast.toml", b"[inter_node]\nbandwidth_gb_s = 1\n[host]\ninjection_gb_s = 1\n")
        self.write("config.toml", b"machine = 'slow.toml'\n")
        ask = ["--bytes", "1000000", "--ranks", "2", "--ratio", "2"]

        def wire(*arguments, environment=None):
            return round(self.rows(*ask, *arguments, environment=environment)["ring_raw"]["wire_s"], 9)

        self.assertEqual(wire("--machine", "slow.toml"), 1)
        self.assertEqual(wire(environment={"LACONIC_MACHINE": "slow.toml"}), 1)
        self.assertEqual(wire("--config", "config.toml"), 1)
        self.assertEqual(wire("--machine", "fast.toml", environment={"LACONIC_MACHINE": "slow.toml"}), 0.001)
        self.assertEqual(wire("--machine", "slow.toml", "--beta", "10MB/s"), 0.1)
        self.assertEqual(self.predict(*ask, "--machine", "slow.toml")["machine"], "slow.toml")
        self.assertIsNone(self.predict(*ask)["machine"])

    def test_refuses_what_it_cannot_use(self):
        ask = ["predict", "--bytes", "1M", "--ranks", "4", "--ratio", "8"]
        self.refuse(2, ["predict", "--ranks", "4", "--ratio", "8"], "--bytes", "--crossover")
        self.refuse(2, ["predict", "--bytes", "1M", "--ratio", "8"], "--ranks")
        self.refuse(2, ["predict", "--bytes", "1M", "--ranks", "0", "--ratio", "8"], "--ranks is '0'")
        for text in ("0.5", "nan", "-1", "1e10"):
            self.refuse(2, ["predict", "--bytes", "1M", "--ranks", "4", "--ratio", text],
                        f"--ratio is '{text}'; give original / compressed size, 1 to 1e9\n")
        self.refuse(2, ["predict", "--bytes", "1MB", "--ranks", "4", "--ratio", "8"], "--bytes: '1MB'", "64M")
        self.refuse(2, [*ask, "--op", "allsum"], "--op: 'allsum'", "allreduce")
        self.refuse(2, [*ask, "--nodes", "5"], "--nodes is '5'; give 1 to 4, the number of ranks")
        self.refuse(2, [*ask, "--beta", "12.5Gb/s"], "--beta: '12.5Gb/s'", "100Gbit/s")
        self.refuse(2, [*ask, "--beta", "1B/s"], "--beta is '1B/s'", "1kB/s")
        self.refuse(2, [*ask, "--alpha", "1"], "--alpha: '1'", "1.5us")
        self.refuse(2, [*ask, "--alpha", "1e9s"], "--alpha is '1e9s'", "100s")
        for text in ("-1", "x", "65"):
            self.refuse(2, [*ask, "--growth", text], f"--growth is '{text}'; give 0 to 64\n")
        self.refuse(2, ["predict", "--bytes", "0", "--ranks", "4", "--ratio", "8"], "--bytes is '0'", "at least 1 byte")
        self.refuse(2, [*ask, "--codec-threads", "100"], "--codec-threads is '100'; give 0 to 64")
        self.refuse(2, ask, "LACONIC_CODEC_THREADS is '65'", environment={"LACONIC_CODEC_THREADS": "65"})
        self.refuse(2, [*ask, "--type", "i32"], "--type is 'i32'", "f32")
        self.refuse(1, [*ask, "--machine", "absent.toml"], "'absent.toml'", "No such file", "LACONIC_MACHINE")
        self.write("bad.toml", b"[inter_node]\nlatency_us = -2\n")
        self.refuse(2, [*ask, "--machine", "bad.toml"], "--machine: bad.toml:2: inter_node.latency_us: '-2", "0 to 1e8")
        self.refuse(2, ask, "LACONIC_MACHINE: bad.toml:2", environment={"LACONIC_MACHINE": "bad.toml"})
        self.assertEqual(os.listdir(self.directory), ["bad.toml"])


if __name__ == "__main__":
    unittest.main()
