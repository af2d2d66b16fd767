# SPDX-License-Identifier: BSD-3-Clause
"""Runs the stacking example as a user would: a launcher, a program and a number of ranks flow in (from ctest);
checks of its table, its pictures, its files and its complaints flow out."""

import array
import glob
import json
import os
import stat
import struct
import subprocess
import sys
import tempfile
import unittest

LAUNCHER, PROGRAM, RANKS = (sys.argv[1:4] + ["", "", "1"])[:3]
SMALL = ["--grid", "96x64", "--shots", "4", "--panels", "5", "--repetitions", "2"]


def png_size_and_colours(path):
    """Width, height and number of colours; the program writes a palette of exactly the colours it uses."""
    with open(path, "rb") as file:
        data = file.read()
    assert data[:8] == b"\x89PNG\r\n\x1a\n" and data[-8:-4] == b"IEND", path
    width, height = struct.unpack(">II", data[16:24])
    at = data.index(b"PLTE")
    return width, height, struct.unpack(">I", data[at - 4:at])[0] // 3


class Stacking(unittest.TestCase):
    def setUp(self):
        directory = tempfile.TemporaryDirectory(prefix="laconic-stacking-")
        self.addCleanup(directory.cleanup)
        self.directory = directory.name

    def path(self, name):
        return os.path.join(self.directory, name)

    def run_example(self, *arguments):
        return subprocess.run([LAUNCHER, RANKS, PROGRAM, *arguments], capture_output=True, text=True,
                              cwd=self.directory, timeout=200, check=False)

    def succeed(self, *arguments):
        done = self.run_example(*arguments, "--json", "table.json", "--out", "pictures")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        with open(self.path("table.json"), encoding="utf-8") as file:
            return json.load(file), done.stdout

    def refuse(self, exit_code, complaint, *arguments):
        done = self.run_example(*arguments)
        # Both launchers add lines of their own to standard error; the program's stands once.
        self.assertEqual(done.returncode, exit_code, f"{arguments}: {done.stdout}{done.stderr}")
        self.assertEqual(done.stderr.count("stacking: "), 1, done.stderr)
        self.assertIn(complaint, done.stderr)
        left = [name for name in glob.glob(self.path("**"), recursive=True) if name.endswith((".part", ".png"))]
        self.assertEqual(left, [])

    def check_rows(self, table, ulp):
        for row in table["rows"][1:]:
            self.assertEqual(row["violations"], 0, row)
            self.assertLessEqual(row["max_error"], row["bound"] + ulp, row)
            self.assertTrue(row["same_on_all_ranks"], row)
        self.assertEqual(table["rows"][0]["algorithm"], "MPI_Allreduce")
        self.assertEqual(table["ranks"], int(RANKS))

    def test_computed_images(self):
        table, text = self.succeed(*SMALL, "--algorithms", "ring_raw,hzccl,homcomp_f", "--rel", "1e-3")
        self.check_rows(table, 1e-7)
        self.assertEqual([row["algorithm"] for row in table["rows"][1:]], ["ring_raw", "hzccl", "homcomp_f"])
        self.assertEqual(table["partial_images"], 4)
        self.assertGreater(table["range"], 0)
        fused = table["rows"][3]
        self.assertGreater(fused["max_error"], 0)
        self.assertGreater(fused["psnr"], 50)
        self.assertGreater(fused["ratio"], 1.5)
        self.assertLess(fused["sent_bytes_per_rank"], table["rows"][1]["sent_bytes_per_rank"])
        self.assertIn("homcomp_f", text)
        sizes = []
        self.assertEqual(len(table["pictures"]), 4)
        for name in table["pictures"]:
            width, height, colours = png_size_and_colours(self.path(name))
            self.assertGreater(colours, 20, name)
            sizes.append((width, height))
        self.assertGreater(sizes[0], (2 * 96, 2 * 64))
        self.assertEqual(sizes[1:], [(96, 64)] * 3)

    def test_saved_images_give_the_same_stack(self):
        computed, _ = self.succeed(*SMALL, "--save", "images")
        files = sorted(glob.glob(self.path("images/partial-*.f32")))
        self.assertEqual(len(files), int(RANKS))
        read, _ = self.succeed("--dims", "96x64x5", *files)
        self.assertEqual(read["range"], computed["range"])
        self.assertEqual(read["rows"][1]["max_error"], computed["rows"][1]["max_error"])
        self.check_rows(read, 1e-7)

    def test_doubles_scopes_and_averages(self):
        # Three images in two files: with two ranks one holds two of them, with four one holds none.
        values = [((i * 37) % 101 - 50) * 0.01 + i * 1e-4 for i in range(3 * 64 * 50)]
        for name, part in (("one.f64", values[:3200]), ("two.f64", values[3200:])):
            with open(self.path(name), "wb") as file:
                file.write(array.array("d", part).tobytes())
        for scope, operation in (("result", "avg"), ("contribution", "sum"), ("contribution", "avg"), ("probable", "sum")):
            table, _ = self.succeed("--dims", "64x50", "--type", "f64", "--abs", "1e-4", "--scope", scope,
                                    "--op", operation, "--repetitions", "1", "one.f64", "two.f64")
            self.check_rows(table, 1e-14)
            self.assertEqual(table["partial_images"], 3)
            self.assertEqual(table["scope"], scope)
            grows = scope != "result" and operation == "sum"
            self.assertLessEqual(table["rows"][1]["bound"], 1e-4 * (int(RANKS) if grows else 1) * (1 + 1e-9))

    def test_says_what_auto_ran(self):
        os.environ["LACONIC_SCOPE"] = "probable"
        try:
            table, text = self.succeed(*SMALL, "--algorithms", "auto,homcomp_f", "--rel", "1e-3")
        finally:
            del os.environ["LACONIC_SCOPE"]
        stock, auto, fused = table["rows"]
        self.assertEqual((stock["ran"], fused["ran"]), ("MPI_Allreduce", "homcomp_f"))
        self.assertNotEqual(auto["ran"], "auto")
        self.assertIn(f"\nauto ({auto['ran']}) ", text)
        self.assertIn("scope probable;", text)
        self.assertEqual(table["scope"], "probable")
        # As `laconic bench collective`: auto tries rows before it settles on one.
        self.assertEqual([len(row["warm_up_s"]) for row in table["rows"]], [3, 7, 3])

    def test_bad_usage(self):
        for complaint, arguments in (
                ("--rel 0", ["--rel", "0"]),
                ("--abs nan", ["--abs", "nan"]),
                ("--rel -1", ["--rel", "-1"]),
                ("--type", ["--type", "f16"]),
                ("--grid 10x", ["--grid", "10x"]),
                ("--panels 4", ["--panels", "4"]),
                ("--dims", ["some.f32"]),
                ("--dims 0x5", ["--dims", "0x5", "some.f32"]),
                ("--surprise", ["--surprise"]),
                ("--force-isa: engine 'mmx'", ["--force-isa", "mmx"]),
                ("absent.toml", [*SMALL, "--config", "absent.toml"]),
                ("no_such_thing", ["--algorithms", "no_such_thing"])):
            self.refuse(2, complaint, *arguments)

    def test_bad_data(self):
        with open(self.path("short.f32"), "wb") as file:
            file.write(bytes(1000))
        self.refuse(1, "1000 bytes", "--dims", "64x50", "short.f32")
        self.refuse(1, "absent.f32", "--dims", "64x50", "absent.f32")
        self.refuse(1, "short.f32/pictures", *SMALL, "--out", "short.f32/pictures")

    def test_a_device_is_written_to_and_not_replaced(self):
        done = self.run_example(*SMALL, "--json", "/dev/full", "--out", "pictures")
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertIn("/dev/full", done.stderr)
        self.assertTrue(stat.S_ISCHR(os.stat("/dev/full").st_mode))

    def test_one_rank_with_another_command_line(self):
        # A program starts the ranks here: which of them it is decides what it is given.
        self.give_ranks(0, "--bogus")
        self.refuse_ranks("--bogus", *SMALL)
        self.give_ranks(1, "--scope contribution")
        self.refuse_ranks("different options", *SMALL)

    def give_ranks(self, rank, extra):
        with open(self.path("rank.sh"), "w", encoding="ascii") as file:
            file.write(f'#!/bin/sh\n[ "${{PMI_RANK:-$OMPI_COMM_WORLD_RANK}}" = {rank} ] && set -- "$@" {extra}\n'
                       f'exec "{PROGRAM}" "$@"\n')
        os.chmod(self.path("rank.sh"), 0o755)

    def refuse_ranks(self, complaint, *arguments):
        done = subprocess.run([LAUNCHER, RANKS, self.path("rank.sh"), *arguments], capture_output=True, text=True,
                              cwd=self.directory, timeout=60, check=False)
        self.assertEqual(done.returncode, 2, done.stdout + done.stderr)
        self.assertIn(complaint, done.stderr)

    def test_options_of_the_library(self):
        def bound(*arguments, **environment):
            os.environ.update(environment)
            try:
                rows = self.succeed(*SMALL, *arguments)[0]["rows"]
            finally:
                for name in environment:
                    del os.environ[name]
            return rows[1]["algorithm"], round(rows[1]["bound"], 3)

        with open(self.path("some.toml"), "w", encoding="ascii") as file:
            file.write("abs = 0.25\nalgorithm = 'hzccl'\n")
        self.assertEqual(bound("--config", "some.toml"), ("hzccl", 0.25))
        self.assertEqual(bound("--config", "some.toml", LACONIC_ABS="0.5"), ("hzccl", 0.5))
        self.assertEqual(bound("--abs", "1", "--algorithms", "homcomp_f", LACONIC_ABS="0.5", LACONIC_CONFIG="some.toml"),
                         ("homcomp_f", 1))

    def test_help(self):
        done = self.run_example("--help")
        self.assertEqual(done.returncode, 0)
        self.assertIn("Examples:", done.stdout)
        self.assertEqual(done.stdout.count("--repetitions"), 1)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
