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

    def test_flag_before_environment_before_file_for_collectives(self):
        program = os.path.join(os.path.dirname(PROGRAM), "laconic-mpich")
        if not os.path.exists(program):
            self.skipTest("no MPICH here")

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


if __name__ == "__main__":
    unittest.main()
