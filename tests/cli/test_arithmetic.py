# SPDX-License-Identifier: BSD-3-Clause
"""laconic add, subtract, scale, negate, minimum, maximum: what comes out is what the arrays would give, within the bounds,
for frames and for sequences of frames."""

import json
import math
import os
import unittest

from program import CommandLine, field, pack, unpack


class Arithmetic(CommandLine):
    def frame(self, name, values, kind, bound):
        self.write("raw", pack(values, kind))
        self.succeed("compress", "raw", "-o", name, "--type", kind, "--abs", str(bound))
        return unpack(self.read("raw"), kind)

    def decoded(self, name, kind="f32"):
        return unpack(self.succeed("decompress", name, "-o", "-"), kind)


class Sums(Arithmetic):
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


class Others(Arithmetic):
    def test_every_result_is_within_its_bound(self):
        for kind in ("f32", "f64"):
            a = self.frame("a", field(5000), kind, 1e-3)
            b = self.frame("b", field(5000, phase=1.0), kind, 1e-3)
            slack = 2.0 ** (-24 if kind == "f32" else -53) * 8
            for command, exact, bound in (("subtract", lambda x, y: x - y, 2e-3), ("minimum", min, 1e-3),
                                          ("maximum", max, 1e-3)):
                self.succeed(command, "a", "b", "-o", "c")
                error = max(abs(exact(x, y) - z) for x, y, z in zip(a, b, self.decoded("c", kind)))
                self.assertLessEqual(error, bound + slack, command)
            for factor in (3, -2, 1, -1):
                self.succeed("scale", "a", str(factor), "-o", "c")
                error = max(abs(factor * x - z) for x, z in zip(a, self.decoded("c", kind)))
                self.assertLessEqual(error, abs(factor) * 1e-3 + slack, factor)
                self.assertEqual(json.loads(self.succeed("inspect", "c", "--json"))["contributions"], abs(factor))

    def test_what_must_be_the_same(self):
        self.frame("a", field(3000), "f32", 1e-3)
        self.frame("b", field(3000, phase=1.0), "f32", 1e-3)
        run = self.succeed
        self.assertEqual(run("negate", "a", "-o", "-"), run("scale", "a", "-1", "-o", "-"))
        self.assertEqual(run("scale", "a", "-o", "-", "--", "-1"), run("scale", "a", "-1", "-o", "-"))
        self.assertEqual(run("scale", "-o", "-", "a", "-1"), run("scale", "a", "-1", "-o", "-"))
        self.assertEqual(run("scale", "a", "2", "-o", "-"), run("add", "a", "a", "-o", "-"))
        self.assertEqual(run("minimum", "a", "b", "-o", "-"), run("minimum", "b", "a", "-o", "-"))
        self.write("minus", run("negate", "b", "-o", "-"))
        self.write("sum", run("add", "a", "minus", "-o", "-"))
        self.write("difference", run("subtract", "a", "b", "-o", "-"))
        self.assertEqual(self.decoded("sum"), self.decoded("difference"))
        self.write("zero", run("scale", "a", "0", "-o", "-"))
        self.assertEqual(self.decoded("zero"), [0.0] * 3000)

    def test_nan_takes_part(self):
        self.frame("a", [math.nan, 1.0, math.inf, 2.0], "f64", 1e-3)
        self.frame("b", [0.0, 0.0, 0.0, math.nan], "f64", 1e-3)
        for command in ("minimum", "maximum", "subtract"):
            self.succeed(command, "a", "b", "-o", "c")
            self.assertEqual([math.isnan(x) for x in self.decoded("c", "f64")], [True, False, False, True], command)

    def test_the_output_may_replace_an_input(self):
        self.frame("a", field(1000), "f32", 1e-2)
        self.frame("b", field(1000, phase=2.0), "f32", 1e-2)
        for command in (["subtract", "a", "b"], ["maximum", "a", "b"], ["scale", "a", "-3"], ["negate", "a"]):
            wanted = self.succeed(*command, "-o", "-")
            self.succeed(*command, "-o", "a")
            self.assertEqual(self.read("a"), wanted)
        self.check_left("a", "b", "raw")

    def test_threads_do_not_change_a_byte(self):
        self.frame("a", field(300000), "f32", 1e-4)
        self.frame("b", field(300000, phase=1.0), "f32", 1e-4)
        for command in (["add", "a", "b"], ["subtract", "a", "b"], ["minimum", "a", "b"], ["scale", "a", "-7"],
                        ["negate", "a"]):
            self.assertEqual(self.succeed(*command, "-o", "-", "--threads", "3"), self.succeed(*command, "-o", "-"))

    def test_too_many_contributions(self):
        self.frame("a", field(100), "f32", 1e-2)
        self.succeed("scale", "a", "2147483647", "-o", "b")
        self.refuse(1, ["scale", "b", "2147483647", "-o", "c"], "cannot scale 'b'", "unsupported")
        self.check_left("a", "b", "raw")

    def test_other_codecs_do_not_add(self):
        self.write("raw", pack(field(100), "f32"))
        self.succeed("compress", "raw", "-o", "a", "--type", "f32", "--codec", "raw")
        for command in (["add", "a", "a"], ["maximum", "a", "a"], ["scale", "a", "2"], ["negate", "a"]):
            self.refuse(1, [*command, "-o", "c"], "'a'", "unsupported", "fle")
        self.check_left("a", "raw")


class Sequences(Arithmetic):
    def setUp(self):
        super().setUp()
        self.arrays = {}
        for name, phase in (("a", 0.0), ("b", 1.0)):
            self.arrays[name] = unpack(pack(field(3000, phase=phase), "f32"), "f32")
            self.write(name + ".raw", pack(self.arrays[name], "f32"))
            self.compress(name, name, "4096")

    def compress(self, source, name, segment):
        self.succeed("compress", source + ".raw", "-o", name, "--type", "f32", "--abs", "1e-3", "--segment", segment)

    def test_frame_by_frame(self):
        self.compress("a", "whole_a", "1G")
        self.compress("b", "whole_b", "1G")
        for command in (["add", "a", "b"], ["subtract", "a", "b"], ["minimum", "a", "b"], ["maximum", "a", "b"],
                        ["scale", "a", "-3"], ["negate", "b"]):
            self.succeed(*command, "-o", "c")
            self.assertEqual(json.loads(self.succeed("inspect", "c", "--json"))["frames"], 3)
            self.succeed(*[f"whole_{word}" if word in "ab" else word for word in command], "-o", "d")
            self.assertEqual(self.decoded("c"), self.decoded("d"), command)
        self.succeed("add", "a", "-", "-o", "c", stdin=self.read("b"))
        self.assertEqual(self.read("c"), self.succeed("add", "a", "b", "-o", "-"))

    def test_other_lengths_are_refused(self):
        self.write("out", b"precious")
        self.compress("b", "whole", "1G")
        self.compress("b", "halves", "6000")
        self.write("head.raw", self.read("b.raw")[:8192])
        self.compress("head", "head", "4096")
        for command in ("add", "subtract", "minimum", "maximum"):
            for other in ("whole", "halves"):
                for pair in ((other, "a"), ("a", other)):
                    self.refuse(1, [command, *pair, "-o", "out"], "frame 1 of 'a' holds 1024", f"'{other}'", "--segment")
            for pair in (("head", "a"), ("a", "head")):
                self.refuse(1, [command, *pair, "-o", "out"], "'head' has 2 frames", "'a' has more", "--segment")
        self.assertEqual(self.read("out"), b"precious")
        self.assertEqual([name for name in os.listdir(self.directory) if name.endswith(".tmp")], [])


if __name__ == "__main__":
    unittest.main()
