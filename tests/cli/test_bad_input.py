# SPDX-License-Identifier: BSD-3-Clause
"""Wrong command lines (exit code 2) and wrong data (exit code 1): one clear line, and the disk as it was before."""

import json
import os
import unittest

from program import PROGRAM, CommandLine, field, pack


class BadUsage(CommandLine):
    def setUp(self):
        super().setUp()
        self.write("in", pack(field(100), "f32"))
        self.write("out", b"precious")

    def tearDown(self):
        self.check_left("in", "out")
        self.assertEqual(self.read("out"), b"precious")

    def refuse_compress(self, *arguments, words):
        self.refuse(2, ["compress", "in", "-o", "out", *arguments], "laconic compress: ", *words)

    def test_bounds(self):
        for text in ("0", "-1", "nan", "inf", "-inf", "1e999", "abc", "1e-3x", "", " 1", "-0.0"):
            for option in ("--abs", "--rel"):
                words = ["--lossless"] if text == "" else [option, f"'{text}'", "--lossless"]
                self.refuse_compress("--type", "f32", option, text, words=words)

    def test_exactly_one_bound(self):
        self.refuse_compress("--type", "f32", words=["--abs", "--rel", "--lossless"])
        self.refuse_compress("--type", "f32", "--abs", "1", "--rel", "1", words=["only one"])
        self.refuse_compress("--type", "f32", "--abs", "1", "--lossless", words=["only one"])

    def test_max_abs(self):
        self.refuse_compress("--type", "f32", "--abs", "1", "--max-abs", "nan", words=["--max-abs", "'nan'"])
        self.refuse_compress("--type", "f32", "--rel", "1", "--max-abs", "1", words=["--max-abs", "--abs"])

    def test_types(self):
        self.refuse_compress("--type", "f8", "--abs", "1", words=["'f8'", "f32", "f64", "f16", "bf16"])
        self.refuse_compress("--abs", "1", words=["--type"])
        self.refuse(2, ["compare", "in", "in", "--type", "int"], "laconic compare: ", "'int'", "f32")
        self.refuse(2, ["bench", "codec", "--data", "in", "--type", "x", "--abs", "1"], "laconic bench codec: ", "'x'")
        self.refuse(2, ["bench", "codec", "--data", "in", "--type", "f16", "--abs", "1"], "'f16'", "f32", "f64")

    def test_codecs(self):
        self.refuse_compress("--type", "f32", "--abs", "1", "--codec", "lzma", words=["--codec: ", "'lzma'", "fle", "raw"])
        self.refuse(2, ["compress", "in", "-o", "out", "--type", "f32", "--abs", "1"], "LACONIC_CODEC: ", "'FLE'",
                    environment={"LACONIC_CODEC": "FLE"})
        self.refuse_compress("--type", "f32", "--abs", "1", "--rate", "8", words=["--rate", "zfp_rate"])
        for option in (["--row-length", "100"], ["--max-abs", "5"]):
            self.refuse_compress("--type", "f32", "--abs", "1", "--codec", "raw", *option, words=[option[0], "raw"])
        for row in json.loads(self.succeed("info", "--codecs", "--json"))["codecs"]:
            if not row["available"]:
                self.refuse_compress("--type", "f32", "--abs", "1", "--codec", row["name"],
                                     words=[f"lacks the codec '{row['name']}'", "fle"])

    def test_a_codec_without_a_bound(self):
        names = [row["name"] for row in json.loads(self.succeed("info", "--codecs", "--json"))["codecs"]
                 if row["available"]]
        if "zfp_rate" not in names:
            self.skipTest("this build has no codec zfp_rate")
        for option in (["--abs", "1"], ["--rel", "1"], ["--lossless"]):
            self.refuse_compress("--type", "f32", "--codec", "zfp_rate", *option, words=["zfp_rate", option[0]])
        for rate in ("0", "-1", "x", "nan", "33"):
            self.refuse_compress("--type", "f32", "--codec", "zfp_rate", "--rate", rate, words=["--rate", f"'{rate}'"])

    def test_numbers(self):
        for text in ("-1", "two", "65536", "1.5"):
            self.refuse_compress("--type", "f32", "--abs", "1", "--threads", text, words=["--threads", f"'{text}'"])
            if text != "65536":
                self.refuse_compress("--type", "f32", "--abs", "1", "--row-length", text, words=["--row-length", text])
        for text in ("0", "7", "-1", "64MB", "x", ""):
            self.refuse_compress("--type", "f64", "--abs", "1", "--segment", text, words=["--segment", f"'{text}'"])
        for text in ("1.5", "x", "", "2x", "2147483648", "-2147483649", "+1", "-2x"):
            self.refuse(2, ["scale", "in", text, "-o", "out"], "laconic scale: ", f"'{text}'", "2147483647")

    def test_unknown_and_missing_words(self):
        self.refuse(2, [], "laconic: ", "--help")
        self.refuse(2, ["frobnicate"], "laconic: ", "frobnicate", "laconic --help")
        self.refuse(2, ["bench"], "laconic bench: ", "laconic bench --help")
        self.refuse(2, ["bench", "nothing"], "laconic bench: ", "nothing")
        self.refuse(2, ["compress", "in", "--type", "f32", "--abs", "1"], "laconic compress: ", "--output")
        self.refuse(2, ["decompress"], "laconic decompress: ", "IN")
        self.refuse(2, ["add", "in", "-o", "out"], "laconic add: ", "B")
        self.refuse(2, ["scale", "in", "-o", "out"], "laconic scale: ", "FACTOR")
        self.refuse(2, ["negate", "in", "in", "-o", "out"], "laconic negate: ", "in")
        self.refuse(2, ["inspect", "in", "--frob"], "laconic inspect: ", "--frob")
        self.refuse(2, ["inspect", "in", "in2"], "laconic inspect: ", "in2")
        self.refuse(2, ["completion", "tcsh"], "laconic completion: ", "'tcsh'", "bash, zsh or fish")

    def test_a_flag_that_is_given_twice(self):
        self.refuse_compress("--type", "f32", "--type", "f64", "--abs", "1", words=["--type is given 2 times; give it once"])
        self.refuse(2, ["dump", "in", "--from", "1", "--from", "2"], "--from is given 2 times; give it once")
        self.refuse(2, ["dump", "in", "--from", "x"], "--from is 'x'; give a whole number >= 0")

    def test_standard_input_is_read_once(self):
        for command in ("add", "subtract", "minimum", "maximum"):
            self.refuse(2, [command, "-", "-", "-o", "out"], f"laconic {command}: ", "standard input")
        self.refuse(2, ["compare", "-", "-", "--type", "f32"], "laconic compare: ", "standard input")

    def test_bench_settings(self):
        command = ["bench", "codec", "--data", "in", "--type", "f32", "--abs", "1"]
        self.refuse(2, [*command, "--megabytes", "0"], "--megabytes", "0")
        self.refuse(2, [*command, "--megabytes", "-3"], "--megabytes", "-3")
        self.refuse(2, [*command, "--megabytes", "many"], "--megabytes", "many")
        for text in ("0", "-1", "1.5", "x", "4294967296"):
            self.refuse(2, [*command, "--repetitions", text], f"--repetitions is '{text}'; give a whole number from 1 to ")
        self.refuse(2, [*command, "--rate", "x"], "--rate: 'x' is no number; give a finite one")
        for text in ("scalar,", ",scalar", "scalar,,scalar", ""):
            for flag in ("--engines", "--codecs"):
                self.refuse(2, [*command, flag, text], f"{flag} is '{text}'; give names with one comma between two")
        self.refuse(2, [*command, "--engines", "scalar,mmx"], "'mmx'", "scalar")
        self.refuse(2, command[:-2], "--abs", "--rel")
        self.refuse(2, [*command[:-1], "0"], "--abs", "'0'")

    def test_an_engine_that_does_not_exist(self):
        for command in (["info"], ["compress", "in", "-o", "out", "--type", "f32", "--abs", "1"]):
            self.refuse(2, command, "LACONIC_FORCE_ISA", "mmx", "scalar", environment={"LACONIC_FORCE_ISA": "mmx"})


class BadData(CommandLine):
    def setUp(self):
        super().setUp()
        self.write("in", pack(field(100), "f32"))
        self.write("out", b"precious")
        self.names = ["in", "out"]

    def tearDown(self):
        self.check_left(*self.names)
        self.assertEqual(self.read("out"), b"precious")

    def more(self, name, data):
        self.write(name, data)
        self.names.append(name)

    def test_a_size_that_is_no_multiple_of_the_type(self):
        self.more("odd", bytes(4 * 3))
        self.refuse(1, ["compress", "odd", "-o", "out", "--type", "f64", "--abs", "1"], "12 bytes", "f64", "--type")
        self.refuse(1, ["compress", "-", "-o", "out", "--type", "f32", "--abs", "1"], "5 bytes", "f32", stdin=b"12345")
        self.refuse(1, ["compare", "odd", "odd", "--type", "f64"], "12 bytes")
        self.refuse(1, ["bench", "codec", "--data", "odd", "--type", "f64", "--abs", "1"], "12 bytes")

    def test_arrays_of_different_sizes(self):
        self.more("short", bytes(4))
        self.refuse(1, ["compare", "in", "short", "--type", "f32"], "400 bytes", "'short' has 4", "equal size")

    def test_missing_input(self):
        for command in (["compress", "no", "-o", "out", "--type", "f32", "--abs", "1"], ["decompress", "no", "-o", "out"],
                        ["inspect", "no"], ["add", "no", "in", "-o", "out"], ["negate", "no", "-o", "out"], ["compare", "in", "no", "--type", "f32"],
                        ["bench", "codec", "--data", "no", "--type", "f32", "--abs", "1"]):
            self.refuse(1, command, "'no'", "No such file")
        self.refuse(1, ["inspect", "."], "'.'", "directory")

    def test_empty_field_for_the_benchmark(self):
        self.more("empty", b"")
        self.refuse(1, ["bench", "codec", "--data", "empty", "--type", "f32", "--abs", "1"], "'empty'")

    def test_outputs_that_cannot_be_written(self):
        compress = ["compress", "in", "--type", "f32", "--abs", "1", "-o"]
        self.refuse(1, [*compress, "no/such/out"], "'no/such/out'", "No such file")
        self.refuse(1, [*compress, "in/out"], "'in/out'")
        self.refuse(1, [*compress, "."], "directory", "give -o a file")
        plan = ["plan", "--global", "8x8", "--patch", "2x2", "--ranks", "4", "--png"]
        if self.run_program(*plan, "/dev/null").returncode == 0:  # this build can draw
            self.refuse(1, [*plan, "no/such/out"], "'no/such/out'", "give --png a file in a writable directory\n")
        self.refuse(1, [*compress, ""], "''")
        self.refuse(1, [*compress, "/dev/full"], "'/dev/full'", "No space left")
        if os.getuid() != 0:
            os.chmod(self.path("out"), 0o400)
            self.refuse(1, [*compress, "out"], "'out'", "Permission denied")

    def test_a_full_standard_output(self):
        for command in ("'%s' info", "'%s' --help", "'%s' info --json", "'%s' compress in -o - --type f32 --abs 1"):
            done = self.run_program("-c", (command + " > /dev/full") % PROGRAM, program="/bin/sh")
            self.assertEqual(done.returncode, 1, command)

    def test_a_full_standard_error(self):
        for command, code in (("'%s' frobnicate", 2), ("'%s' inspect in", 1),
                              ("'%s' compress in -o - --type f32 --abs 1 -v", 0)):
            done = self.run_program("-c", (command + " 2> /dev/full") % PROGRAM, program="/bin/sh")
            self.assertEqual(done.returncode, code, command)

    def test_closed_standard_streams(self):
        for command, code in (("'%s' info >&-", 1), ("'%s' compress in -o - --type f32 --abs 1 >&-", 1),
                              ("'%s' inspect - <&-", 1), ("'%s' compress no -o new --type f32 --abs 1 2>&-", 1),
                              ("'%s' compress in -o new --type f32 --abs 1 -v 2>&-", 0)):
            done = self.run_program("-c", command % PROGRAM, program="/bin/sh")
            self.assertEqual(done.returncode, code, command)
        self.names.append("new")
        self.succeed("inspect", "new")

    def test_what_is_no_frame(self):
        self.more("noise", bytes(range(256)) * 4)
        self.more("empty", b"")
        for name in ("in", "noise", "empty"):
            self.refuse(1, ["decompress", name, "-o", "out"], "laconic decompress: ", f"'{name}'")
            self.refuse(1, ["inspect", name], "laconic inspect: ", f"'{name}'")
            self.refuse(1, ["add", name, name, "-o", "out"], "laconic add: ", f"'{name}'")
            self.refuse(1, ["scale", name, "-2", "-o", "out"], "laconic scale: ", f"'{name}'")

    def test_frames_that_do_not_belong_together(self):
        self.more("f64", pack(field(100), "f64"))
        self.more("long", pack(field(101), "f32"))
        for name, source, kind, bound in (("a", "in", "f32", "0.1"), ("other_type", "f64", "f64", "0.1"),
                                          ("other_count", "long", "f32", "0.1"), ("other_bound", "in", "f32", "0.2")):
            self.succeed("compress", source, "-o", name, "--type", kind, "--abs", bound)
            self.names.append(name)
        self.refuse(1, ["add", "a", "other_type", "-o", "out"], "100 x f32", "100 x f64")
        self.refuse(1, ["add", "a", "other_count", "-o", "out"], "100 x f32", "101 x f32")
        self.refuse(1, ["add", "a", "other_bound", "-o", "out"], "step", "--abs")


if __name__ == "__main__":
    unittest.main()
