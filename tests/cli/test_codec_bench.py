# SPDX-License-Identifier: BSD-3-Clause
"""laconic bench codec: every engine has its row, and ratio and error are those of the frames that compress makes."""

import json
import math
import unittest
from fractions import Fraction

from program import CommandLine, field, pack, unpack

KEYS = ["engine", "memcpy_gbps", "compress_gbps", "decompress_gbps", "add_gbps", "fused_gbps", "ratio", "max_error",
        "bound", "reference_ratio"]
SPEEDS = [key for key in KEYS if key.endswith("_gbps")]


def reference_bytes(values, bound):
    """cuSZp's plain mode, written once more from its description."""
    total = 0
    for first in range(0, len(values), 32):
        previous, rate = 0, 0
        for x in values[first:first + 32]:
            q = round(x / (2 * bound))
            rate = max(rate, abs(q - previous).bit_length())
            previous = q
        total += 1 if rate == 0 else 5 + 4 * rate
    return total


def fz_light_bytes(values, bound):
    """fZ-light's, likewise."""
    total, previous = 0, 0
    for first in range(0, len(values), 32):
        rate = 0
        for x in values[first:first + 32]:
            q = math.trunc(x / bound)
            rate = max(rate, abs(q - previous).bit_length())
            previous = q
        total += 1 if rate == 0 else 5 + 4 * rate
    return total


class CodecBench(CommandLine):
    def bench(self, *arguments):
        return json.loads(self.succeed("bench", "codec", "--data", "in", "--megabytes", "1", "--repetitions", "2",
                                       *arguments, "--json"))

    def test_rows_and_keys(self):
        engines = json.loads(self.succeed("info", "--json"))["isa"]["available"]
        for kind in ("f32", "f64"):
            self.write("in", pack(field(7000), kind))
            rows = self.bench("--type", kind, "--rel", "1e-3")
            self.assertEqual([row["engine"] for row in rows], engines)
            for row in rows:
                self.assertEqual(list(row)[: len(KEYS)], KEYS)
                for key in SPEEDS:
                    self.assertGreater(row[key], 0)
                self.assertEqual(row["violations"], 0)
                self.assertLessEqual(row["max_error"], row["bound"])
                self.assertGreater(row["max_error"], 0.5 * row["bound"])
                self.assertEqual((row["ratio"], row["max_error"]), (rows[0]["ratio"], rows[0]["max_error"]))

    def test_ratio_is_that_of_the_tiled_field(self):
        values = unpack(pack(field(7000), "f32"), "f32")
        self.write("in", pack(values, "f32"))
        row = self.bench("--type", "f32", "--abs", "0.01", "--engines", "scalar")[0]
        tiled = (values * (1 + (1 << 18) // len(values)))[: 1 << 18]
        self.assertEqual(row["values"], len(tiled))
        frame = self.succeed("compress", "-", "-o", "-", "--type", "f32", "--abs", "0.01", "--no-checksum",
                             stdin=pack(tiled, "f32"))
        self.assertEqual(row["frame_bytes"], len(frame))
        self.assertAlmostEqual(row["ratio"], (1 << 20) / len(frame))
        self.assertAlmostEqual(row["reference_ratio"], (1 << 20) / reference_bytes(tiled, 0.01))
        self.assertEqual(row["fz_light_bytes"], fz_light_bytes(tiled, 0.01))
        self.assertAlmostEqual(row["fz_light_ratio"], (1 << 20) / row["fz_light_bytes"])
        self.assertEqual(row["bound"], 0.01)
        back = unpack(self.succeed("decompress", "-", "-o", "-", stdin=frame), "f32")
        mean = math.fsum(y - x for x, y in zip(tiled, back)) / len(tiled)
        self.assertAlmostEqual(row["mean_error_over_bound"], mean / 0.01)
        self.assertLess(abs(row["mean_error_over_bound"]), 0.05, "a biased quantiser")

    def test_rows_and_threads(self):
        self.write("in", pack([x + y for y in field(100) for x in field(300)], "f32"))
        command = ["--type", "f32", "--abs", "1e-4", "--engines", "scalar"]
        plain = self.bench(*command)[0]
        rows = self.bench(*command, "--row-length", "300")[0]
        self.assertLess(rows["frame_bytes"], 0.9 * plain["frame_bytes"])
        for key in ("frame_bytes", "sum_frame_bytes", "max_error", "ratio"):
            self.assertEqual(self.bench(*command, "--row-length", "300", "--threads", "3")[0][key], rows[key])

    def test_a_relative_bound_is_resolved_first(self):
        values = unpack(pack(field(7000, amplitude=3.0), "f64"), "f64")
        self.write("in", pack(values, "f64"))
        row = self.bench("--type", "f64", "--rel", "1e-4", "--engines", "scalar")[0]
        exact = Fraction(1e-4) * (Fraction(max(values)) - Fraction(min(values)))
        self.assertLessEqual(Fraction(row["bound"]), exact)
        self.assertGreater(Fraction(math.nextafter(row["bound"], math.inf)), exact)

    def test_a_range_beyond_the_largest_double(self):
        self.write("in", pack([1.7e308, -1.7e308, 0.0, 1.0] * 20, "f64"))
        row = self.bench("--type", "f64", "--rel", "1e-3")[0]
        self.assertAlmostEqual(row["bound"], 3.4e305, delta=1e292)
        self.assertEqual(row["violations"], 0)

    def test_a_constant_field_is_lossless_and_has_no_reference(self):
        self.write("in", pack([2.5] * 100, "f32"))
        row = self.bench("--type", "f32", "--rel", "1e-3")[0]
        self.assertEqual((row["bound"], row["max_error"], row["violations"]), (0, 0, 0))
        for key in ("reference_ratio", "fz_light_ratio", "mean_error_over_bound"):
            self.assertIsNone(row[key])

    def test_engines_can_be_chosen_and_the_table_is_readable(self):
        self.write("in", pack(field(7000), "f32"))
        text = self.succeed("bench", "codec", "--data", "-", "--megabytes", "1", "--repetitions", "2", "--type", "f32",
                            "--rel", "1e-3", "--engines", "scalar", stdin=self.read("in")).decode()
        for word in ("memcpy", "cuSZp plain", "fZ-light", "mean error / bound"):
            self.assertIn(word, text)
        self.assertIn("scalar", text)
        self.assertNotIn("avx2", text)
        self.assertNotIn("\033", text)


if __name__ == "__main__":
    unittest.main()
