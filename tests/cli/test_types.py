# SPDX-License-Identifier: BSD-3-Clause
"""Arrays of 16-bit numbers: within the bound, NaN and infinities bit for bit, in compress, compare and sums."""

import json
import math
import struct
import unittest

from program import CommandLine, field, pack, unpack

# NaN with a payload, infinities, both zeros, subnormals, the largest finite value.
ODD = {"f16": [0x7E01, 0xFE55, 0x7C00, 0xFC00, 0x8000, 0x0000, 0x0001, 0x8001, 0x7BFF],
       "bf16": [0x7FC1, 0xFFD5, 0x7F80, 0xFF80, 0x8000, 0x0000, 0x0001, 0x8001, 0x7F7F]}


class SixteenBits(CommandLine):
    def test_every_value_is_within_the_bound(self):
        for kind in ("f16", "bf16"):
            values = unpack(pack(field(5000, amplitude=3.0), kind), kind)
            self.write("in", pack(values, kind))
            for option, bound in ((["--abs", "0.05"], 0.05), (["--rel", "1e-2"], 1e-2 * (max(values) - min(values)))):
                self.succeed("compress", "in", "-o", "frame", "--type", kind, *option)
                about = json.loads(self.succeed("inspect", "frame", "--json"))
                self.assertEqual((about["type"], about["count"]), (kind, 5000))
                self.assertLess(about["frame_bytes"], 10000)
                back = unpack(self.succeed("decompress", "frame", "-o", "-"), kind)
                self.assertEqual(len(back), 5000)
                self.assertLessEqual(max(abs(x - y) for x, y in zip(values, back)), bound)
                self.assertGreater(max(abs(x - y) for x, y in zip(values, back)), 0)
            self.assertIn(f"5000 x {kind}", self.succeed("inspect", "frame").decode())

    def test_non_finite_values_come_back_bit_for_bit(self):
        for kind, odd in ODD.items():
            data = struct.pack(f"<{len(odd)}H", *odd) + pack(field(3000), kind)
            self.write("in", data)
            for options in (["--lossless"], ["--lossless", "--segment", "1000"], ["--codec", "raw"]):
                self.succeed("compress", "in", "-o", "frame", "--type", kind, *options)
                self.assertEqual(self.succeed("decompress", "frame", "-o", "-"), data)
            for options in (["--abs", "0.1"], ["--abs", "0.1", "--segment", "1000"], ["--rel", "1e-4", "--segment", "1000"]):
                self.succeed("compress", "in", "-o", "frame", "--type", kind, *options)
                back = self.succeed("decompress", "frame", "-o", "-")
                self.assertEqual(back[:8], data[:8], (kind, options))

    def test_a_relative_bound_in_segments_decodes_as_the_whole_does(self):
        for kind in ("f16", "bf16"):
            self.write("in", pack(field(3000), kind))
            whole = self.succeed("compress", "in", "-o", "-", "--type", kind, "--rel", "1e-2")
            pieces = self.succeed("compress", "in", "-o", "-", "--type", kind, "--rel", "1e-2", "--segment", "2048")
            self.assertEqual(json.loads(self.succeed("inspect", "-", "--json", stdin=pieces))["frames"], 3)
            self.assertEqual(self.succeed("decompress", "-", "-o", "-", stdin=pieces),
                             self.succeed("decompress", "-", "-o", "-", stdin=whole))

    def test_threads_do_not_change_a_byte(self):
        for kind in ("f16", "bf16"):
            self.write("in", pack(field(200000), kind))
            frames = [self.succeed("compress", "in", "-o", "-", "--type", kind, "--rel", "1e-2", "--threads", threads)
                      for threads in ("1", "3")]
            self.assertEqual(frames[0], frames[1])
            self.assertEqual(*(self.succeed("decompress", "-", "-o", "-", "--threads", threads, stdin=frames[0])
                               for threads in ("1", "3")))

    def test_sizes_are_checked(self):
        self.write("in", bytes(5))
        for kind in ("f16", "bf16"):
            self.refuse(1, ["compress", "in", "-o", "out", "--type", kind, "--abs", "1"], "5 bytes", f"2 bytes of {kind}")

    def test_compare(self):
        for kind in ("f16", "bf16"):
            self.write("a", pack([0.0, 1.0, 2.0, 4.0, math.inf, math.nan], kind))
            self.write("b", pack([0.0, 1.5, 2.0, 4.0, -math.inf, math.nan], kind))
            got = json.loads(self.succeed("compare", "a", "b", "--type", kind, "--json"))
            self.assertEqual((got["n"], got["max_abs_error"], got["range"], got["nonfinite_mismatches"]), (6, 0.5, 4.0, 1))

    def test_sums(self):
        for kind in ("f16", "bf16"):
            a, b = (unpack(pack(field(1000, phase=phase), kind), kind) for phase in (0, 1))
            for name, values in (("a", a), ("b", b)):
                self.write("raw", pack(values, kind))
                self.succeed("compress", "raw", "-o", name, "--type", kind, "--abs", "0.05", "--max-abs", "2")
            self.succeed("add", "a", "b", "-o", "c")
            total = unpack(self.succeed("decompress", "c", "-o", "-"), kind)
            # Half an ulp at 4 for the rounding of the sum.
            slack = 2 * 2.0 ** (-11 if kind == "f16" else -8)
            self.assertLessEqual(max(abs(x + y - z) for x, y, z in zip(a, b, total)), 0.1 + slack)


if __name__ == "__main__":
    unittest.main()
