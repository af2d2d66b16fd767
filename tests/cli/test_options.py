# SPDX-License-Identifier: BSD-3-Clause
"""The options of the table: a flag, a variable and a TOML key for each, and the stronger of them wins."""

import json
import os
import re
import unittest

from program import PROGRAM, CommandLine, commands, field, pack

COMMON = {"--force-isa", "--config"}


class Options(CommandLine):
    def setUp(self):
        super().setUp()
        self.write("in", pack(field(100), "f64"))

    def engine(self, *arguments, environment=None):
        return json.loads(self.succeed("info", "--json", *arguments, environment=environment))["isa"]["chosen"]

    def bound(self, *arguments, environment=None):
        self.succeed("compress", "in", "-o", "frame", "--type", "f64", *arguments, environment=environment)
        return json.loads(self.succeed("inspect", "frame", "--json"))["bound"]

    def test_every_command_has_the_common_ones_with_the_text_of_the_table(self):
        table = {row["flag"]: row for row in json.loads(self.succeed("info", "--json", "--options"))["options"]}
        self.assertNotIn("--stats", table)
        for words in commands():
            text = re.sub(r"\s+", " ", self.succeed(*words, "--help").decode())
            flags = set(re.findall(r" (--[a-z-]+)", text))
            self.assertLessEqual(COMMON, flags, words)
            # The bound of an exchange is no option of the table: no variable and no file gives it.
            own = {"--rel"} if words == ["bench", "redistribute"] else set()
            for flag in flags & set(table) - own:
                self.assertIn(table[flag]["help"], text)
        for words in (["compress"], ["bench", "codec"]):
            self.assertIn("--abs E", self.succeed(*words, "--help").decode())

    def test_flag_before_environment_before_file_for_the_engine(self):
        engines = json.loads(self.succeed("info", "--json"))["isa"]["available"]
        first, last = engines[0], engines[-1]
        self.write("file", f"force_isa = '{first}'\n".encode())
        self.assertEqual(self.engine(), last)
        self.assertEqual(self.engine("--config", "file"), first)
        self.assertEqual(self.engine(environment={"LACONIC_CONFIG": "file"}), first)
        self.assertEqual(self.engine(environment={"LACONIC_CONFIG": "file", "LACONIC_FORCE_ISA": last}), last)
        self.assertEqual(self.engine("--force-isa", first, environment={"LACONIC_FORCE_ISA": last}), first)
        self.assertEqual(self.engine("--force-isa", first, environment={"LACONIC_FORCE_ISA": "mmx"}), first)
        rows = json.loads(self.succeed("bench", "codec", "--data", "in", "--type", "f64", "--megabytes", "1", "--abs",
                                       "0.5", "--repetitions", "1", "--json", "--force-isa", first))
        self.assertEqual([row["engine"] for row in rows], [first])

    def test_flag_before_environment_before_file_for_the_bound(self):
        self.write("file", b"abs = 0.25\n")
        everything = {"LACONIC_CONFIG": "file", "LACONIC_ABS": "0.5"}
        self.assertEqual(self.bound("--config", "file"), 0.25)
        self.assertEqual(self.bound(environment=everything), 0.5)
        self.assertEqual(self.bound("--abs", "1", environment=everything), 1)
        self.assertEqual(self.bound("--lossless", environment=everything), 0)
        self.write("file", b"rel = 0.25\n")
        self.assertEqual(self.bound(environment=everything), 0.5)

    def test_flag_before_environment_before_file_for_the_codec(self):
        def codec(*arguments, environment=None):
            self.bound("--abs", "0.5", *arguments, environment=environment)
            return json.loads(self.succeed("inspect", "frame", "--json"))["codec"]

        self.write("file", b"codec = 'raw'\nthreads = 2\n")
        self.assertEqual(codec(), "fle")
        self.assertEqual(codec("--config", "file"), "raw")
        self.assertEqual(codec(environment={"LACONIC_CODEC": "raw"}), "raw")
        self.assertEqual(codec("--config", "file", environment={"LACONIC_CODEC": "fle"}), "fle")
        self.assertEqual(codec("--codec", "raw", environment={"LACONIC_CODEC": "nothing"}), "raw")
        self.refuse(2, ["decompress", "frame", "-o", "out"], "LACONIC_THREADS: 'x'", environment={"LACONIC_THREADS": "x"})

    def test_what_a_command_does_not_use_does_not_stop_it(self):
        self.succeed("info", environment={"LACONIC_ABS": "-1", "LACONIC_SCOPE": "all", "LACONIC_CODEC": "x",
                                          "LACONIC_THREADS": "x"})

    def test_bad_values_name_their_source(self):
        compress = ["compress", "in", "-o", "frame", "--type", "f64"]
        self.write("file", b"abs = 1\nforce_isa = 'mmx'\n")
        self.write("unknown", b"speed = 9\n")
        self.refuse(2, ["info", "--config", "file"], "laconic info: file:2: force_isa: ", "'mmx'", "scalar")
        self.refuse(2, ["info", "--force-isa", "mmx"], "--force-isa: ", "'mmx'", "scalar")
        self.refuse(2, ["info", "--config", "unknown"], "unknown:1: speed", "laconic info --options")
        self.refuse(2, ["info", "--config", "absent"], "'absent'", "No such file", "--config")
        self.refuse(2, ["info"], "'absent'", environment={"LACONIC_CONFIG": "absent"})
        self.refuse(2, compress, "LACONIC_ABS", "'0'", "--lossless", environment={"LACONIC_ABS": "0"})
        self.refuse(2, compress, "LACONIC_REL", "'x'", environment={"LACONIC_REL": "x"})
        self.refuse(2, compress, "LACONIC_ABS", "LACONIC_REL", "exclude",
                    environment={"LACONIC_ABS": "1", "LACONIC_REL": "1"})
        self.check_left("in", "file", "unknown")

    def test_the_mpi_programs_have_all_the_others(self):
        for flavour in ("mpich", "openmpi"):
            program = os.path.join(os.path.dirname(PROGRAM), f"laconic-{flavour}")
            if not os.path.exists(program):
                continue
            text = self.succeed("bench", "collective", "--help", program=program).decode()
            for row in json.loads(self.succeed("info", "--json", "--options"))["options"]:
                # An audit is a command of its own there.
                if row["key"] not in ("codec", "threads", "machine", "audit") and not row["key"].startswith("trace"):
                    self.assertIn(f" {row['flag']}", text)

    def of_mpich(self):
        program = os.path.join(os.path.dirname(PROGRAM), "laconic-mpich")
        if not os.path.exists(program):
            self.skipTest("no MPICH here")
        return program

    def test_flag_before_environment_before_file_for_collectives(self):
        program = self.of_mpich()

        def settings(*arguments, environment=None):
            # One rank needs no launcher.
            done = json.loads(self.succeed("bench", "collective", "--data", "in", "--type", "f64", "--bytes", "1K",
                                           "--repetitions", "1", "--json", *arguments, program=program,
                                           environment=environment))
            rows = done["rows"]
            return done["scope"], done["segment_bytes"], [row["algorithm"] for row in rows]

        self.write("file", b"scope = 'contribution'\nsegment_bytes = 4096\nabs = 0.25\nalgorithm = 'homomorphic'\n")
        self.assertEqual(settings("--config", "file"), ("contribution", 4096, ["stock", "homomorphic"]))
        variables = {"LACONIC_CONFIG": "file", "LACONIC_SEGMENT_BYTES": "8K", "LACONIC_ABS": "0.5",
                     "LACONIC_ALGORITHM": "fused"}
        self.assertEqual(settings(environment=variables), ("contribution", 8192, ["stock", "fused"]))
        self.assertEqual(settings("--scope", "result", "--segment-bytes", "16K", "--abs", "1", "--algorithm",
                                  "homomorphic", environment=variables),
                         ("result", 16384, ["stock", "homomorphic"]))
        self.assertEqual(settings("--algorithms", "fused", "--config", "file")[2], ["fused"])
        done = self.run_program("bench", "collective", "--data", "in", "--type", "f64", "--abs", "1", program=program,
                                environment={"LACONIC_SCOPE": "all"})
        self.assertEqual(done.returncode, 2)
        self.assertIn(b"LACONIC_SCOPE: 'all'", done.stderr)

    def test_collectives_refuse_bad_values_before_they_start(self):
        # One rank needs no launcher, and ends before any call.
        program = self.of_mpich()
        self.write("bad.toml", b"[inter_node]\nlatency_us = -2\n")
        bench, audit = ([*words, "--data", "in", "--type", "f64", "--abs", "1"] for words in (["bench", "collective"], ["audit"]))
        for command in (bench, audit):
            for arguments, code, words in (
                    (["--scope", "probable", "--confidence", "2"], 2, "--confidence is '2'; give a number between 0 and 1"),
                    (["--confidence", "0"], 2, "--confidence is '0'"),
                    (["--confidence", "x"], 2, "--confidence is 'x'; give a number between 0 and 1"),
                    (["--machine", "absent.toml"], 1, "'absent.toml'"),
                    (["--machine", "in"], 2, "--machine: in"),
                    (["--machine", "bad.toml"], 2, "--machine: bad.toml:2"),
                    (["--reduction", "prod", "--algorithms", "stock,hzccl"], 2, "--algorithms: 'hzccl': adds streams"),
                    (["--reduction", "prod", "--algorithm", "hzccl"], 2, "--algorithm: 'hzccl': adds streams"),
                    (["--reduction", "avg", "--op", "bcast"], 2, "--reduction is 'avg', but bcast combines nothing"),
                    (["--op", "allreducee"], 2, ": --op: 'allreducee' is no collective; use allreduce"),
                    (["--algorithms", "stock,,auto"], 2, "--algorithms is 'stock,,auto'")):
                message = self.refuse(code, [*command, *arguments], words, program=program)
                self.assertNotIn("rank 0", message)
            missing = ["nofile" if word == "in" else word for word in command]
            self.assertTrue(self.refuse(1, missing, "'nofile'", program=program).endswith("name an existing file\n"))
        self.refuse(2, bench, "LACONIC_CONFIDENCE is '1'", program=program, environment={"LACONIC_CONFIDENCE": "1"})
        self.refuse(2, [*bench, "--codec-threads", "100"], "--codec-threads is '100'; give 0 to 64", program=program)
        self.refuse(2, [*bench, "--repetitions", "-1"], "--repetitions is '-1'; give a whole number from 1", program=program)
        self.refuse(2, [*audit, "--algorithms", "stock:ring"], "'stock:ring': audits force no algorithm", program=program)
        self.refuse(2, ["compress"], "no command 'compress'; laconic-mpich has ", "'laconic' has all the others", program=program)

    def test_collectives_try_all_rows_that_can_do_it(self):
        program = self.of_mpich()
        report = json.loads(self.succeed("audit", "--data", "in", "--type", "f64", "--abs", "1", "--reduction", "prod",
                                         "--bytes", "1K", "--json", program=program))
        names = [row["algorithm"] for row in report["rows"]]
        self.assertIn("c_coll", names)
        self.assertNotIn("hzccl", names)


if __name__ == "__main__":
    unittest.main()
