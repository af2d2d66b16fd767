# SPDX-License-Identifier: BSD-3-Clause
"""Frames cut off at every length and with bytes changed at random: the program refuses them or decodes them, and
never crashes, hangs or leaves anything behind."""

import random
import unittest

from program import CommandLine, field, pack


class HostileFrames(CommandLine):
    def setUp(self):
        super().setUp()
        self.write("out", b"precious")

    def frame(self, count, *options, kind="f32"):
        return self.succeed("compress", "-", "-o", "-", "--type", kind, *options, stdin=pack(field(count), kind))

    def refuse_frame(self, frame, why):
        for command in (["inspect", "-"], ["decompress", "-", "-o", "out"]):
            done = self.run_program(*command, stdin=frame)
            self.assertEqual(done.returncode, 1, f"{why}: {command[0]}: {done.stderr.decode()}")
            self.assertTrue(done.stderr.startswith(b"laconic " + command[0].encode()), why)
            self.assertEqual(done.stdout, b"")
        self.check_left("out")
        self.assertEqual(self.read("out"), b"precious")

    def test_truncated_at_every_length(self):
        for frame in (self.frame(40, "--abs", "1e-3"), self.frame(9, "--lossless", kind="f64"),
                      self.frame(40, "--abs", "0.1", "--no-checksum")):
            for length in range(len(frame)):
                self.refuse_frame(frame[:length], f"{length} of {len(frame)} bytes")

    def test_bytes_behind_the_end(self):
        frame = self.frame(70, "--abs", "1e-3")
        self.refuse_frame(frame + b"\0", "one byte too many")

    def test_every_changed_byte_of_a_checksummed_frame_is_noticed(self):
        frame = self.frame(70, "--abs", "1e-3")
        noise = random.Random(1)
        for at in range(len(frame)):
            changed = bytearray(frame)
            changed[at] ^= 1 << noise.randrange(8)
            self.refuse_frame(bytes(changed), f"byte {at} changed")

    def test_changed_bytes_without_a_checksum_never_crash(self):
        noise = random.Random(2)
        count = 3000
        for kind, width in (("f32", 4), ("f64", 8)):
            frame = self.frame(count, "--abs", "1e-3", "--no-checksum", kind=kind)
            for _ in range(150):
                changed = bytearray(frame)
                # Headers and tables decide most: half of the hits go there.
                limit = len(frame) if noise.random() < 0.5 else 80
                for _ in range(noise.choice((1, 1, 2, 8))):
                    changed[noise.randrange(limit)] = noise.randrange(256)
                decoded = self.run_program("decompress", "-", "-o", "-", stdin=bytes(changed))
                self.assertIn(decoded.returncode, (0, 1), decoded.stderr.decode())
                if decoded.returncode == 0:
                    self.assertEqual(len(decoded.stdout) % width, 0)
        self.check_left("out")

    def test_changed_bytes_in_sums_never_crash(self):
        noise = random.Random(3)
        frame = self.frame(3000, "--abs", "1e-3", "--no-checksum")
        self.write("good", frame)
        for _ in range(150):
            changed = bytearray(frame)
            changed[noise.randrange(len(frame))] = noise.randrange(256)
            done = self.run_program("add", "good", "-", "-o", "-", stdin=bytes(changed))
            self.assertIn(done.returncode, (0, 1), done.stderr.decode())
        self.check_left("out", "good")


if __name__ == "__main__":
    unittest.main()
