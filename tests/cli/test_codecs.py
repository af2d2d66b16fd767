# SPDX-License-Identifier: BSD-3-Clause
"""Every codec that this build has, by the name and the promises that `laconic info --codecs` lists."""

import json
import unittest

from program import CommandLine, field, pack, unpack


class Codecs(CommandLine):
    def setUp(self):
        super().setUp()
        self.values = unpack(pack(field(10000), "f32"), "f32")
        self.write("in", pack(self.values, "f32"))
        rows = json.loads(self.succeed("info", "--codecs", "--json"))["codecs"]
        self.codecs = [row for row in rows if row["available"]]

    def compress(self, name, *options):
        self.succeed("compress", "in", "-o", "out", "--type", "f32", "--codec", name, *options)
        about = json.loads(self.succeed("inspect", "out", "--json"))
        self.assertEqual((about["codec"], about["count"], about["checksummed"]), (name, 10000, True))
        self.assertRegex(self.succeed("inspect", "out").decode(), rf"\ncodec +{name}\n")
        return about

    def error(self):
        back = unpack(self.succeed("decompress", "out", "-o", "-"), "f32")
        return max(abs(x - y) for x, y in zip(self.values, back, strict=True))

    def test_those_that_keep_a_bound(self):
        for row in self.codecs:
            if not row["keeps_bound"]:
                continue
            for options in (["--abs", "1e-3"], ["--abs", "1e-3", "--segment", "15000"]):
                about = self.compress(row["name"], *options)
                self.assertEqual(about["frames"], 3 if "--segment" in options else 1)
                self.assertLessEqual(about["bound"], 1e-3)
                self.assertLessEqual(self.error(), 1e-3, row["name"])
            bound = 1e-3 * (max(self.values) - min(self.values))
            for options in (["--rel", "1e-3"], ["--rel", "1e-3", "--segment", "15000"]):
                self.assertLessEqual(self.compress(row["name"], *options)["bound"], bound * (1 + 1e-15))
                self.assertLessEqual(self.error(), bound, row["name"])

    def test_those_that_keep_none_say_so(self):
        for row in self.codecs:
            if row["keeps_bound"]:
                continue
            # No bound is needed; one from the environment does not count.
            done = self.run_program("compress", "in", "-o", "out", "--type", "f32", "--codec", row["name"], "-v",
                                    environment={"LACONIC_ABS": "1e-3"})
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertIn(f"bound none ({row['name']} keeps no bound)".encode(), done.stderr)
            self.assertIsNone(self.compress(row["name"], "--segment", "15000")["bound"])
            self.assertRegex(self.succeed("inspect", "out").decode(), r"\nbound +none\n")

    def test_zfp_rate_has_so_many_bits_per_value(self):
        if "zfp_rate" not in [row["name"] for row in self.codecs]:
            self.skipTest("this build has no codec zfp_rate")
        sizes = [self.compress("zfp_rate", "--rate", rate)["frame_bytes"] for rate in ("4", "16")]
        self.assertLess(2 * sizes[0], sizes[1])
        self.assertRegex(self.succeed("inspect", "out").decode(), r"\nbits per value +16\n")

    def test_raw_needs_no_bound_and_is_a_copy(self):
        self.assertEqual(self.compress("raw")["bound"], 0)
        self.assertEqual(self.succeed("decompress", "out", "-o", "-"), self.read("in"))

    def test_those_that_add(self):
        for row in self.codecs:
            options = ["--abs", "1e-3"] if row["keeps_bound"] else []
            self.compress(row["name"], *options)
            if row["adds"]:
                self.succeed("add", "out", "out", "-o", "sum")
            else:
                self.refuse(1, ["add", "out", "out", "-o", "sum"], "'out'", "unsupported")


if __name__ == "__main__":
    unittest.main()
