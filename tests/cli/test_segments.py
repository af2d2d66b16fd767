# SPDX-License-Identifier: BSD-3-Clause
"""Arrays longer than a segment: sequences of frames from files and pipes, what inspect makes of them, and what damaged
ones come to."""

import json
import os
import pty
import subprocess
import time
import unittest
from fractions import Fraction

from program import PROGRAM, WIDTHS, CommandLine, field, pack, unpack

INSPECT_KEYS = ["version", "type", "codec", "count", "bound", "step", "row_length", "contributions", "magnitude", "frames",
                "frame_bytes", "ratio", "blocks", "zero_blocks", "raw_blocks", "exact_sums", "checksummed"]


class Segments(CommandLine):
    COUNT = 10000  # with 4000 bytes per segment: 10 frames of f32, 20 of f64

    def compress(self, source, *options, stdin=b""):
        return self.succeed("compress", source, "-o", "-", *options, stdin=stdin)

    def about(self, frame):
        return json.loads(self.succeed("inspect", "-", "--json", stdin=frame))

    def test_a_sequence_of_frames_is_the_frames_of_its_pieces(self):
        for kind in ("f32", "f64"):
            data = pack(field(self.COUNT), kind)
            self.write("in", data)
            options = ["--type", kind, "--abs", "1e-3"]
            segmented = self.compress("in", *options, "--segment", "30000")
            piece = 30000 // WIDTHS[kind] * WIDTHS[kind]
            pieces = [self.compress("-", *options, stdin=data[at:at + piece]) for at in range(0, len(data), piece)]
            self.assertGreater(len(pieces), 1)
            self.assertEqual(segmented, b"".join(pieces))
            self.assertEqual(self.compress("-", *options, "--segment", "30000", stdin=data), segmented)
            self.assertEqual(self.about(segmented)["frames"], len(pieces))
        self.check_left("in")

    def test_one_segment_or_less_is_one_frame(self):
        data = pack(field(1000), "f32")
        for options in (["--abs", "1e-3"], ["--rel", "1e-3"], ["--lossless"]):
            whole = self.compress("-", "--type", "f32", *options, stdin=data)
            for size in ("4000", "4003", "4001", "4K", "1G", "9T"):
                self.assertEqual(self.compress("-", "--type", "f32", *options, "--segment", size, stdin=data), whole)
            self.assertEqual(self.about(whole)["frames"], 1)
        for size, frames in (("3999", 2), ("2000", 2), ("1999", 3), ("4", 1000)):
            got = self.compress("-", "--type", "f32", "--abs", "0.1", "--segment", size, stdin=data)
            self.assertEqual(self.about(got)["frames"], frames, size)

    def test_three_segments_come_back(self):
        for kind in ("f32", "f64"):
            values = unpack(pack(field(2500), kind), kind)
            self.write("in", pack(values, kind))
            self.succeed("compress", "in", "-o", "frames", "--type", kind, "--abs", "1e-3", "--segment",
                         str(1000 * WIDTHS[kind]))
            self.succeed("decompress", "frames", "-o", "out")
            back = unpack(self.read("out"), kind)
            self.assertEqual(len(back), len(values))
            self.assertLessEqual(max(abs(x - y) for x, y in zip(values, back)), 1e-3)
            self.assertEqual(self.succeed("decompress", "-", "-o", "-", stdin=self.read("frames")), self.read("out"))
            self.assertEqual(self.succeed("decompress", "frames", "-o", "-", "--threads", "3"), self.read("out"))
        self.check_left("in", "frames", "out")

    def test_a_relative_bound_is_relative_to_the_whole_file(self):
        # Pieces of very different range, and one without any finite value: alone they would get other bounds.
        # Segments end where blocks of 32 end, so that no block of the whole is cut.
        values = field(1024) + [100 + x for x in field(1024)] + [float("nan")] * 1024 + [250.0] * 1000
        data = pack(values, "f32")
        self.write("in", data)
        whole = self.compress("in", "--type", "f32", "--rel", "1e-3")
        pieces = self.compress("in", "--type", "f32", "--rel", "1e-3", "--segment", "4096")
        self.assertEqual(self.about(pieces)["frames"], 4)
        self.assertEqual(self.about(pieces)["bound"], self.about(whole)["bound"])
        self.assertEqual(self.about(pieces)["step"], self.about(whole)["step"])
        self.assertEqual(self.succeed("decompress", "-", "-o", "-", stdin=pieces),
                         self.succeed("decompress", "-", "-o", "-", stdin=whole))
        finite = [x for x in unpack(data, "f32") if x == x]
        exact = Fraction(1e-3) * (Fraction(max(finite)) - Fraction(min(finite)))
        self.assertLessEqual(Fraction(self.about(pieces)["bound"]), exact)

    def test_standard_input_that_is_a_file_can_be_read_twice(self):
        self.write("in", b"head" + pack(field(3000), "f32"))
        call = "dd bs=4 count=1 of=/dev/null 2>/dev/null; '%s' compress - -o out --type f32 --rel 1e-3 --segment 4000" % PROGRAM
        done = self.run_program("-c", f"({call}) < in", program="/bin/sh")
        self.assertEqual((done.returncode, done.stderr), (0, b""))
        self.write("rest", pack(field(3000), "f32"))
        self.assertEqual(self.compress("rest", "--type", "f32", "--rel", "1e-3", "--segment", "4000"), self.read("out"))

    def test_a_constant_file_stays_cheap(self):
        self.write("in", pack([2.5] * 3000, "f32"))
        frames = self.compress("in", "--type", "f32", "--rel", "1e-3", "--segment", "4000")
        self.assertLess(len(frames), 1000)
        self.assertEqual(self.succeed("decompress", "-", "-o", "-", stdin=frames), self.read("in"))

    def test_a_relative_bound_on_a_long_pipe_is_refused_with_the_remedy(self):
        self.write("out", b"precious")
        self.refuse(1, ["compress", "-", "-o", "out", "--type", "f32", "--rel", "1e-3", "--segment", "4000"], "'-'", "4000",
                    "--abs", "--segment", "file", stdin=bytes(4004))
        self.succeed("compress", "-", "-o", "new", "--type", "f32", "--rel", "1e-3", "--segment", "4000", stdin=bytes(4000))
        self.check_left("out", "new")
        self.assertEqual(self.read("out"), b"precious")

    def test_an_element_that_is_cut_off_at_the_end(self):
        self.write("in", bytes(10001))
        for source, data in (("in", b""), ("-", bytes(10001))):
            self.refuse(1, ["compress", source, "-o", "out", "--type", "f32", "--abs", "1", "--segment", "1000"],
                        f"'{source}' has 10001 bytes", "f32", stdin=data)
        self.check_left("in")

    def test_threads_do_not_change_a_byte(self):
        data = pack(field(300000), "f32")
        self.write("in", data)
        for options in (["--abs", "1e-4"], ["--rel", "1e-4", "--segment", "500000"], ["--abs", "1e-4", "--row-length", "500"]):
            one = self.compress("in", "--type", "f32", *options)
            for threads in ("0", "2", "5"):
                self.assertEqual(self.compress("in", "--type", "f32", *options, "--threads", threads), one)
            values = self.succeed("decompress", "-", "-o", "-", stdin=one)
            self.assertEqual(self.succeed("decompress", "-", "-o", "-", "--threads", "0", stdin=one), values)

    def test_verbose_counts_frames(self):
        self.write("in", pack(field(3000), "f32"))
        done = self.run_program("compress", "in", "-o", "out", "--type", "f32", "--abs", "0.25", "-v", "--segment", "4000")
        self.assertEqual(done.returncode, 0)
        self.assertIn(b"frames 3", done.stderr)
        self.assertIn(b"bound 0.25", done.stderr)


class Inspect(CommandLine):
    def test_totals(self):
        self.write("in", pack(field(2500), "f32"))
        self.succeed("compress", "in", "-o", "whole", "--type", "f32", "--abs", "0.25", "--max-abs", "2")
        self.succeed("compress", "in", "-o", "frames", "--type", "f32", "--abs", "0.25", "--max-abs", "2", "--segment", "4096")
        whole, frames = (json.loads(self.succeed("inspect", name, "--json")) for name in ("whole", "frames"))
        self.assertEqual(list(whole), INSPECT_KEYS)
        self.assertEqual(list(frames), INSPECT_KEYS)
        self.assertEqual((whole["frames"], frames["frames"]), (1, 3))
        for key in ("version", "type", "codec", "count", "bound", "step", "row_length", "contributions", "magnitude",
                    "raw_blocks", "exact_sums", "checksummed"):
            self.assertEqual(whole[key], frames[key], key)
        self.assertEqual((frames["codec"], frames["row_length"], frames["count"]), ("fle", 0, 2500))
        self.assertEqual(frames["frame_bytes"], len(self.read("frames")))
        self.assertAlmostEqual(frames["ratio"], 10000 / len(self.read("frames")))
        text = self.succeed("inspect", "frames").decode()
        self.assertRegex(text, r"\ncodec +fle\n")
        self.assertRegex(text, r"\nframes +3\n")

    def test_what_differs_from_frame_to_frame(self):
        data = pack(field(1000), "f32")
        parts = [self.succeed("compress", "-", "-o", "-", "--type", "f32", *options, stdin=data)
                 for options in (["--abs", "0.25"], ["--abs", "0.5", "--row-length", "100", "--no-checksum"])]
        self.write("frames", parts[0] + parts[1])
        about = json.loads(self.succeed("inspect", "frames", "--json"))
        self.assertEqual((about["bound"], about["step"], about["row_length"], about["codec"]), (0.5, None, None, "fle"))
        self.assertEqual((about["count"], about["checksummed"]), (2000, False))
        self.assertIn("differs", self.succeed("inspect", "frames").decode())
        raw = self.succeed("compress", "-", "-o", "-", "--type", "f32", "--codec", "raw", stdin=data)
        self.write("frames", parts[0] + raw)
        self.assertIsNone(json.loads(self.succeed("inspect", "frames", "--json"))["codec"])

    def test_row_length_and_codec(self):
        self.write("in", pack([x + y for y in field(40) for x in field(200)], "f32"))
        self.succeed("compress", "in", "-o", "plain", "--type", "f32", "--abs", "1e-4")
        self.succeed("compress", "in", "-o", "rows", "--type", "f32", "--abs", "1e-4", "--row-length", "200")
        about = json.loads(self.succeed("inspect", "rows", "--json"))
        self.assertEqual(about["row_length"], 200)
        self.assertLess(about["frame_bytes"], json.loads(self.succeed("inspect", "plain", "--json"))["frame_bytes"])
        self.assertRegex(self.succeed("inspect", "rows").decode(), r"\nrow length +200\n")
        self.assertEqual(self.succeed("decompress", "plain", "-o", "-"), self.succeed("decompress", "rows", "-o", "-"))


class Damaged(CommandLine):
    def setUp(self):
        super().setUp()
        self.write("out", b"precious")
        data = pack(field(3000), "f32")
        self.frames = self.succeed("compress", "-", "-o", "-", "--type", "f32", "--abs", "1e-2", "--segment", "4000",
                                   stdin=data)
        first = self.succeed("compress", "-", "-o", "-", "--type", "f32", "--abs", "1e-2", stdin=data[:4000])
        self.ends = [len(first)]
        for at in (4000, 8000):
            self.ends.append(self.ends[-1] + len(self.succeed("compress", "-", "-o", "-", "--type", "f32", "--abs", "1e-2",
                                                              stdin=data[at:at + 4000])))
        self.assertEqual(self.ends[-1], len(self.frames))

    def refuse_all(self, data, *words):
        self.write("frames", data)
        self.write("good", self.frames)
        for command in (["inspect", "frames"], ["decompress", "frames", "-o", "out"], ["negate", "frames", "-o", "out"],
                        ["add", "good", "frames", "-o", "out"]):
            self.refuse(1, command, f"laconic {command[0]}: ", *words)
        self.check_left("out", "frames", "good")
        self.assertEqual(self.read("out"), b"precious")

    def test_cut_off(self):
        for frame, end in enumerate(self.ends, start=1):
            for length in (end - 1, end - 100, end - (self.ends[0] - 64), end - (self.ends[0] - 63)):
                self.refuse_all(self.frames[:length], f"{'frame %d of ' % frame if frame > 1 else ''}'frames' is no usable")
        self.succeed("inspect", "-", stdin=self.frames[:self.ends[0]])

    def test_something_else_behind_or_between(self):
        for junk in (b"\0", b"lacn", bytes(64), b"lacn" + bytes(60), os.urandom(500)):
            self.refuse_all(self.frames + junk, "frame 4 of 'frames' is no usable frame")
            self.refuse_all(self.frames[:self.ends[0]] + junk + self.frames[self.ends[0]:], "frame 2 of 'frames'")
            self.refuse_all(junk + self.frames, "'frames' is no usable frame")

    def test_a_damaged_byte_in_a_later_frame(self):
        changed = bytearray(self.frames)
        changed[self.ends[1] + 200] ^= 4
        self.refuse_all(bytes(changed), "frame 3 of 'frames'", "corrupt")

    def test_a_pipe_says_so_after_the_frames_that_are_well(self):
        done = self.run_program("decompress", "-", "-o", "-", stdin=self.frames[:-1])
        self.assertEqual(done.returncode, 1)
        self.assertEqual(len(done.stdout), 8000)
        self.refuse(1, ["decompress", "-", "-o", "-"], "frame 2 of '-'", stdin=self.frames[:self.ends[0]] + b"\0")

    def test_frames_of_several_types_are_no_array(self):
        other = self.succeed("compress", "-", "-o", "-", "--type", "f64", "--abs", "1e-2", stdin=bytes(800))
        self.refuse_all(self.frames + other, "frame 4 of 'frames' holds f64", "f32")

    def test_a_header_that_announces_more_than_there_is_takes_no_memory(self):
        raw = bytearray(self.succeed("compress", "-", "-o", "-", "--type", "f32", "--codec", "raw", "--no-checksum",
                                     stdin=bytes(4000)))
        sizes = [at for at in range(0, 57) if raw[at:at + 8] == (4000).to_bytes(8, "little")]
        counts = [at for at in range(0, 57) if raw[at:at + 8] == (1000).to_bytes(8, "little")]
        self.assertTrue(sizes and counts)
        for at, value in ((sizes[0], 1 << 50), (counts[0], 1 << 48)):
            raw[at:at + 8] = value.to_bytes(8, "little")
        for source, stdin in (("frame", b""), ("-", self.frames + raw)):
            self.write("frame", self.frames + raw)
            call = f"ulimit -v 600000; exec '{PROGRAM}' decompress {source} -o out"
            done = self.run_program("-c", call, stdin=stdin, program="/bin/sh")
            self.assertEqual(done.returncode, 1)
            self.assertIn(f"frame 4 of '{source}' is no usable frame: truncated".encode(), done.stderr)
        self.assertEqual(self.read("out"), b"precious")


class Memory(CommandLine):
    def test_an_array_larger_than_memory_passes_through_pipes(self):
        # 256 MiB under a limit that a quarter of it would break.
        limit = "ulimit -v 200000"
        call = (f"{limit}; head -c 268435456 /dev/zero | '{PROGRAM}' compress - -o - --type f32 --abs 1e-3 --segment 8M |"
                f" '{PROGRAM}' decompress - -o - | cksum")
        done = self.run_program("-c", call, program="/bin/sh")
        plain = self.run_program("-c", "head -c 268435456 /dev/zero | cksum", program="/bin/sh")
        self.assertEqual((done.stdout, done.stderr), (plain.stdout, b""))


class Progress(CommandLine):
    def test_a_bar_shows_how_far_compressing_is(self):
        controller, terminal = pty.openpty()
        self.addCleanup(os.close, controller)
        os.set_blocking(controller, False)
        child = subprocess.Popen([PROGRAM, "compress", "-", "-o", "out", "--type", "f32", "--abs", "1", "--segment", "64K"],
                                 stdin=subprocess.PIPE, stderr=terminal, cwd=self.directory)
        os.close(terminal)
        text, started = b"", time.monotonic()
        while b"compressing" not in text and time.monotonic() < started + 30:
            child.stdin.write(bytes(1 << 18))
            child.stdin.flush()
            time.sleep(0.1)
            try:
                text += os.read(controller, 65536)
            except BlockingIOError:
                pass
        appeared = time.monotonic() - started
        child.stdin.close()
        self.assertEqual(child.wait(timeout=60), 0)
        self.assertIn(b"compressing", text)
        self.assertGreater(appeared, 2.0)


if __name__ == "__main__":
    unittest.main()
