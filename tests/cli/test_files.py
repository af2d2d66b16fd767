# SPDX-License-Identifier: BSD-3-Clause
"""compress, decompress, inspect and compare on files, pipes, links and devices: what comes back, and what is on disk."""

import json
import math
import os
import pty
import signal
import stat
import subprocess
import time
import unittest
from fractions import Fraction

from program import PROGRAM, CommandLine, field, pack, unpack


class RoundTrip(CommandLine):
    def test_every_value_is_within_the_absolute_bound(self):
        for kind, bound in (("f32", 1e-3), ("f64", 1e-9), ("f64", 0.5)):
            for count in (0, 1, 31, 32, 33, 2047, 2048, 2049, 10000):
                values = unpack(pack(field(count), kind), kind)
                self.write("in", pack(values, kind))
                self.succeed("compress", "in", "-o", "frame", "--type", kind, "--abs", str(bound))
                self.succeed("decompress", "frame", "-o", "out")
                back = unpack(self.read("out"), kind)
                self.assertEqual(len(back), count)
                for x, y in zip(values, back):
                    self.assertLessEqual(abs(x - y), bound)
        self.check_left("in", "frame", "out")

    def check_relative(self, values, kind, share):
        self.write("in", pack(values, kind))
        self.succeed("compress", "in", "-o", "frame", "--type", kind, "--rel", str(share))
        wanted = Fraction(share) * (Fraction(max(values)) - Fraction(min(values)))
        bound = json.loads(self.succeed("inspect", "frame", "--json"))["bound"]
        # The bound is a double: two roundings may separate it from the exact one.
        self.assertLessEqual(bound, wanted * (1 + Fraction(2) ** -51))
        self.assertGreater(bound, 0.9 * wanted)
        back = unpack(self.succeed("decompress", "frame", "-o", "-"), kind)
        error = max(abs(Fraction(x) - Fraction(y)) for x, y in zip(values, back))
        self.assertLessEqual(error, wanted)
        return error / wanted

    def test_a_relative_bound_is_relative_to_the_range(self):
        for kind in ("f32", "f64"):
            values = unpack(pack(field(5000, amplitude=200.0), kind), kind)
            self.assertGreater(self.check_relative(values, kind, 1e-3), 0.5, "far better than asked for")

    def test_a_relative_bound_survives_a_large_offset(self):
        for offset in (1e9, 1e15):
            values = [offset + math.ulp(offset) * (i * 7919 % 400) for i in range(2000)]
            for share in (0.1, 0.3):
                self.check_relative(values, "f64", share)

    def test_lossless_and_non_finite_values_come_back_bit_for_bit(self):
        for kind in ("f32", "f64"):
            odd = [math.nan, math.inf, -math.inf, -0.0, 0.0, 1e-40, 1e30] + field(100)
            self.write("in", pack(odd, kind))
            self.succeed("compress", "in", "-o", "frame", "--type", kind, "--lossless")
            self.assertEqual(self.succeed("decompress", "frame", "-o", "-"), self.read("in"))
            self.succeed("compress", "in", "-o", "frame", "--type", kind, "--abs", "0.1")
            back = self.succeed("decompress", "frame", "-o", "-")
            width = len(pack([0], kind))
            self.assertEqual(back[: 4 * width], self.read("in")[: 4 * width])

    def test_pipes_give_the_same_bytes_as_files(self):
        data = pack(field(70000), "f32")
        self.write("in", data)
        self.succeed("compress", "in", "-o", "frame", "--type", "f32", "--abs", "1e-4")
        frame = self.succeed("compress", "-", "-o", "-", "--type", "f32", "--abs", "1e-4", stdin=data)
        self.assertEqual(frame, self.read("frame"))
        self.succeed("decompress", "frame", "-o", "out")
        self.assertEqual(self.succeed("decompress", "-", "-o", "-", stdin=frame), self.read("out"))
        self.assertEqual(self.succeed("inspect", "-", "--json", stdin=frame), self.succeed("inspect", "frame", "--json"))
        self.assertLess(len(frame), len(data))

    def test_a_pipe_larger_than_the_first_buffer(self):
        data = os.urandom(20 << 20)
        frame = self.succeed("compress", "-", "-o", "-", "--type", "f64", "--lossless", stdin=data)
        self.assertEqual(self.succeed("decompress", "-", "-o", "-", stdin=frame), data)

    def test_inspect_tells_what_was_asked_for(self):
        self.write("in", pack(field(5000), "f64"))
        self.succeed("compress", "in", "-o", "frame", "--type", "f64", "--abs", "0.25")
        about = json.loads(self.succeed("inspect", "frame", "--json"))
        self.assertEqual((about["type"], about["count"], about["bound"]), ("f64", 5000, 0.25))
        self.assertEqual(about["contributions"], 1)
        self.assertEqual(about["frame_bytes"], len(self.read("frame")))
        self.assertAlmostEqual(about["ratio"], 40000 / len(self.read("frame")))
        self.assertTrue(about["checksummed"])
        text = self.succeed("inspect", "frame").decode()
        self.assertIn("5000 x f64", text)
        self.assertNotIn("\033", text, "colours in a pipe")

    def test_a_checksum_can_be_left_out(self):
        self.write("in", pack(field(100), "f32"))
        self.succeed("compress", "in", "-o", "frame", "--type", "f32", "--abs", "0.25", "--no-checksum")
        self.assertFalse(json.loads(self.succeed("inspect", "frame", "--json"))["checksummed"])
        self.succeed("decompress", "frame", "-o", "-")

    def test_verbose_says_what_was_saved(self):
        self.write("in", pack(field(5000), "f32"))
        done = self.run_program("compress", "in", "-o", "frame", "--type", "f32", "--abs", "0.25", "-v")
        self.assertEqual(done.returncode, 0)
        self.assertIn(b"ratio", done.stderr)


class Compare(CommandLine):
    KEYS = ["n", "max_abs_error", "psnr", "nrmse", "range", "nonfinite_mismatches"]

    def test_known_errors(self):
        for kind in ("f32", "f64"):
            self.write("a", pack([0.0, 1.0, 2.0, 4.0], kind))
            self.write("b", pack([0.0, 1.5, 2.0, 4.0], kind))
            got = json.loads(self.succeed("compare", "a", "b", "--type", kind, "--json"))
            self.assertEqual(list(got), self.KEYS)
            self.assertEqual((got["n"], got["max_abs_error"], got["range"]), (4, 0.5, 4.0))
            self.assertAlmostEqual(got["nrmse"], 0.25 / 4)
            self.assertAlmostEqual(got["psnr"], 20 * math.log10(4 / 0.25))
            self.assertEqual(got["nonfinite_mismatches"], 0)

    def test_identical_data_has_no_finite_psnr(self):
        self.write("a", pack(field(100), "f32"))
        got = json.loads(self.succeed("compare", "a", "-", "--type", "f32", "--json", stdin=self.read("a")))
        self.assertEqual(list(got), self.KEYS)
        self.assertIsNone(got["psnr"])
        self.assertEqual((got["max_abs_error"], got["nrmse"]), (0, 0))
        self.assertIn(b"infinite", self.succeed("compare", "a", "a", "--type", "f32"))

    def test_non_finite_values_that_changed_are_counted(self):
        self.write("a", pack([math.nan, math.inf, 1.0, math.nan], "f64"))
        self.write("b", pack([math.nan, -math.inf, 1.0, 0.0], "f64"))
        got = json.loads(self.succeed("compare", "a", "b", "--type", "f64", "--json"))
        self.assertEqual(got["nonfinite_mismatches"], 2)
        self.assertEqual(got["max_abs_error"], 0)

    def test_empty_arrays(self):
        self.write("a", b"")
        got = json.loads(self.succeed("compare", "a", "a", "--type", "f32", "--json"))
        self.assertEqual(list(got), self.KEYS)
        self.assertEqual(got["n"], 0)


class Targets(CommandLine):
    def setUp(self):
        super().setUp()
        self.write("in", pack(field(1000), "f32"))

    def compress_to(self, out):
        self.succeed("compress", "in", "-o", out, "--type", "f32", "--abs", "1e-3")

    def test_the_output_may_replace_the_input(self):
        self.compress_to("in")
        self.assertEqual(json.loads(self.succeed("inspect", "in", "--json"))["count"], 1000)
        self.check_left("in")

    def test_permissions_follow_the_umask_and_an_existing_target_keeps_its_own(self):
        old = os.umask(0o027)
        self.addCleanup(os.umask, old)
        self.compress_to("new")
        self.assertEqual(stat.S_IMODE(os.stat(self.path("new")).st_mode), 0o640)
        os.chmod(self.path("new"), 0o604)
        self.compress_to("new")
        self.assertEqual(stat.S_IMODE(os.stat(self.path("new")).st_mode), 0o604)

    def test_a_link_is_written_through(self):
        os.mkdir(self.path("elsewhere"))
        self.write("elsewhere/real", b"old")
        os.symlink("elsewhere/real", self.path("link"))
        self.compress_to("link")
        self.assertTrue(os.path.islink(self.path("link")))
        self.assertEqual(json.loads(self.succeed("inspect", "elsewhere/real", "--json"))["count"], 1000)
        self.assertEqual(os.listdir(self.path("elsewhere")), ["real"])

    def test_a_link_to_nothing_is_written_through(self):
        os.mkdir(self.path("elsewhere"))
        os.symlink("elsewhere/next", self.path("link"))
        os.symlink("real", self.path("elsewhere/next"))
        self.compress_to("link")
        self.assertTrue(os.path.islink(self.path("link")))
        self.assertEqual(sorted(os.listdir(self.path("elsewhere"))), ["next", "real"])
        self.assertEqual(json.loads(self.succeed("inspect", "elsewhere/real", "--json"))["count"], 1000)

    def test_a_link_that_leads_in_a_circle_is_refused(self):
        os.symlink("two", self.path("one"))
        os.symlink("one", self.path("two"))
        self.refuse(1, ["compress", "in", "-o", "one", "--type", "f32", "--abs", "1"], "'one'", "symbolic links")
        self.check_left("in", "one", "two")
        self.assertTrue(os.path.islink(self.path("one")))

    def test_a_limit_on_the_size_of_files_leaves_nothing_behind(self):
        self.write("out", b"precious")
        self.write("big", os.urandom(1 << 16))
        done = self.run_program("-c", f"ulimit -f 8; exec '{PROGRAM}' compress big -o out --type f32 --lossless",
                                program="/bin/sh")
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertIn(b"'out': File too large", done.stderr)
        self.check_left("in", "out", "big")
        self.assertEqual(self.read("out"), b"precious")

    def test_devices_and_named_pipes_stay_what_they_are(self):
        os.mkfifo(self.path("fifo"))
        reader = subprocess.Popen(["cat", self.path("fifo")], stdout=subprocess.PIPE)
        self.addCleanup(reader.wait)
        self.addCleanup(reader.kill)
        self.compress_to("fifo")
        frame = reader.communicate(timeout=60)[0]
        self.assertTrue(stat.S_ISFIFO(os.stat(self.path("fifo")).st_mode))
        self.assertEqual(json.loads(self.succeed("inspect", "-", "--json", stdin=frame))["count"], 1000)
        self.compress_to("/dev/null")
        self.assertTrue(stat.S_ISCHR(os.stat("/dev/null").st_mode))

    def test_the_longest_name_a_file_can_have(self):
        self.compress_to("n" * 255)
        self.check_left("in", "n" * 255)

    def test_a_signal_leaves_nothing_behind(self):
        self.write("out", b"precious")
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGQUIT, signal.SIGXCPU):
            child = subprocess.Popen([PROGRAM, "compress", "-", "-o", "out", "--type", "f32", "--abs", "1"],
                                     stdin=subprocess.PIPE, cwd=self.directory)
            child.stdin.write(b"0000")
            child.stdin.flush()
            deadline = time.monotonic() + 30
            while len(os.listdir(self.directory)) < 3 and time.monotonic() < deadline:
                time.sleep(0.01)
            self.assertEqual(len(os.listdir(self.directory)), 3, "no temporary to clean up: this test tests nothing")
            child.send_signal(number)
            self.assertEqual(child.wait(timeout=60), -number)
            child.stdin.close()
            self.check_left("in", "out")
            self.assertEqual(self.read("out"), b"precious")


class Terminal(CommandLine):
    """With a pseudo-terminal as standard error."""

    def run_on_terminal(self, arguments, feed, output=subprocess.PIPE):
        """feed(pipe, shown) writes the input; shown() is what has appeared on the terminal so far."""
        controller, terminal = pty.openpty()
        self.addCleanup(os.close, controller)
        os.set_blocking(controller, False)
        child = subprocess.Popen([PROGRAM, *arguments], stdin=subprocess.PIPE, stderr=terminal, cwd=self.directory,
                                 stdout=terminal if output is None else output)
        os.close(terminal)
        text = bytearray()

        def shown():
            try:
                while piece := os.read(controller, 4096):
                    text.extend(piece)
            except OSError:
                pass
            return text.decode()

        feed(child.stdin, shown)
        child.stdin.close()
        if child.stdout:
            child.stdout.read()
            child.stdout.close()
        return child.wait(timeout=60), shown()

    def test_progress_appears_only_after_two_seconds(self):
        started = time.monotonic()
        appeared = []

        def until_shown(pipe, shown):
            while not appeared and time.monotonic() < started + 30:
                pipe.write(bytes(1 << 16))
                pipe.flush()
                time.sleep(0.1)
                if "reading" in shown():
                    appeared.append(time.monotonic() - started)

        command = ["compress", "-", "-o", "out", "--type", "f32", "--abs", "1"]
        code, shown = self.run_on_terminal(command, until_shown)
        self.assertEqual(code, 0)
        self.assertTrue(appeared, "no progress in half a minute")
        self.assertGreater(appeared[0], 2.0)
        self.assertIn("\r\033[K", shown, "the line is not wiped")
        self.assertIn("ratio", shown)

    def test_binary_data_does_not_go_to_a_terminal(self):
        code, shown = self.run_on_terminal(["compress", "-", "-o", "-", "--type", "f32", "--abs", "1"],
                                           lambda pipe, shown: None, output=None)
        self.assertEqual(code, 2)
        self.assertIn("terminal", shown)


if __name__ == "__main__":
    unittest.main()
