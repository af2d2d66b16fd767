# SPDX-License-Identifier: BSD-3-Clause
"""laconic add: the sum of frames is the sum of their arrays, within the sum of the bounds."""

import json
import os
import unittest

from program import CommandLine, field, pack, unpack


class Sums(CommandLine):
    def frame(self, name, values, kind, bound):
        self.write("raw", pack(values, kind))
        self.succeed("compress", "raw", "-o", name, "--type", kind, "--abs", str(bound))
        return unpack(self.read("raw"), kind)

    def test_a_sum_is_within_the_sum_of_the_bounds(self):
        for kind in ("f32", "f64"):
            for count in (1, 32, 5000):
                a = self.frame("a", field(count), kind, 1e-3)
                b = self.frame("b", field(count, phase=1.0), kind, 1e-3)
                self.succeed("add", "a", "b", "-o", "c")
                about = json.loads(self.succeed("inspect", "c", "--json"))
                self.assertEqual(about["contributions"], 2)
                self.assertEqual(about["count"], count)
                self.assertAlmostEqual(about["bound"], 2e-3)
                total = unpack(self.succeed("decompress", "c", "-o", "-"), kind)
                # Half an ulp for the final rounding.
                slack = 2.0 ** (-24 if kind == "f32" else -53) * 3
                for x, y, z in zip(a, b, total):
                    self.assertLessEqual(abs((x + y) - z), 2e-3 + slack)

    def test_many_contributions_in_any_order_give_the_same_array(self):
        for i in range(5):
            self.frame(f"f{i}", field(3000, phase=i), "f32", 1e-3)
        self.frame("zero", [0.0] * 3000, "f32", 1e-3)
        arrays = []
        for order in ((0, 1, 2, 3, 4), (4, 2, 0, 1, 3)):
            self.succeed("add", "f%d" % order[0], "zero", "-o", "sum")
            for i in order[1:]:
                # In place: the output is the first operand's file.
                self.succeed("add", "sum", f"f{i}", "-o", "sum")
            arrays.append(self.succeed("decompress", "sum", "-o", "-"))
        self.assertEqual(arrays[0], arrays[1])

    def test_pipes(self):
        self.frame("a", field(1000), "f32", 1e-2)
        self.frame("b", field(1000, phase=2.0), "f32", 1e-2)
        self.succeed("add", "a", "b", "-o", "c")
        self.assertEqual(self.succeed("add", "-", "b", "-o", "-", stdin=self.read("a")), self.read("c"))
        self.assertEqual(self.succeed("add", "a", "-", "-o", "-", stdin=self.read("b")), self.read("c"))
        self.assertEqual(sorted(os.listdir(self.directory)), ["a", "b", "c", "raw"])

    def test_max_abs_gives_arrays_of_different_size_the_same_step(self):
        small, large = field(1000), [1e4 * x for x in field(1000, phase=1.0)]
        for name, values in (("a", small), ("b", large)):
            self.write("raw", pack(values, "f32"))
            self.succeed("compress", "raw", "-o", name, "--type", "f32", "--abs", "1e-3", "--max-abs", "2e4")
        self.succeed("add", "a", "b", "-o", "c")
        total = unpack(self.succeed("decompress", "c", "-o", "-"), "f32")
        for x, y, z in zip(unpack(pack(small, "f32"), "f32"), unpack(pack(large, "f32"), "f32"), total):
            self.assertLessEqual(abs((x + y) - z), 2e-3 + 1e4 * 2.0**-24)


if __name__ == "__main__":
    unittest.main()
