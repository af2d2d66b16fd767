# SPDX-License-Identifier: BSD-3-Clause
"""laconic stat, dump, diff and export on the golden traces: what they say, that it agrees, and what they refuse."""

import csv
import io
import json
import os
import resource
import shutil
import signal
import subprocess
import unittest

from program import PROGRAM, CommandLine

GOLDEN = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "golden", "trace", "v1")


def golden(name):
    return os.path.join(GOLDEN, name)


class Traces(CommandLine):
    def stat(self, name):
        return json.loads(self.succeed("stat", golden(name), "--json"))

    def dump(self, *arguments):
        return [json.loads(line) for line in self.succeed("dump", *arguments, "--json").decode().splitlines()]

    def test_stat_counts_what_dump_prints(self):
        for name, ranks in (("stencil.trace", 9), ("fan.trace", 8), ("transpose.trace", 8), ("fan-timed.trace", 4)):
            facts = self.stat(name)
            calls = self.dump(golden(name))
            self.assertEqual(facts["ranks"], ranks)
            self.assertEqual(facts["ranks_there"], ranks)
            self.assertTrue(facts["complete"])
            self.assertEqual(facts["calls"], len(calls))
            self.assertEqual(facts["file_bytes"], os.path.getsize(golden(name)))
            self.assertEqual({call["rank"] for call in calls}, set(range(ranks)))
            counts = {}
            for call in calls:
                counts[call["function"]] = counts.get(call["function"], 0) + 1
            self.assertEqual({row["function"]: row["calls"] for row in facts["functions"]}, counts)
            self.assertEqual(sum(row["signatures"] for row in facts["functions"]), facts["signatures"])

    def test_known_counts(self):
        # stencil(): 3 calls, 5 times 4 receives, 4 sends, a wait and a reduction, and the end.
        facts = self.stat("stencil.trace")
        self.assertEqual(facts["calls"], 9 * (3 + 5 * 10 + 1))
        self.assertEqual(facts["grammars"], 9)
        self.assertEqual(facts["texts"]["program"], "stencil")
        self.assertEqual(self.stat("fan-timed.trace")["timing"], "lossless")
        self.assertEqual(self.stat("stencil.trace")["timing"], "mean")
        text = self.succeed("stat", golden("stencil.trace")).decode()
        self.assertIn("486", text)

    def test_dump_of_one_rank_and_of_a_window(self):
        whole = self.dump(golden("fan-timed.trace"), "--rank", "0")
        self.assertEqual([call["call"] for call in whole], list(range(len(whole))))
        window = self.dump(golden("fan-timed.trace"), "--rank", "0", "--from", "4", "--calls", "3")
        self.assertEqual(window, whole[4:7])
        starts = [call["start_ns"] for call in whole]
        self.assertEqual(starts, sorted(starts))
        self.assertTrue(all(300 <= call["duration_ns"] < 370 for call in whole))
        raw = self.succeed("dump", golden("fan-timed.trace"), "--rank", "0", "--raw").decode().splitlines()
        self.assertEqual(len(raw), len(whole))

    def test_a_directory_of_parts_is_read_as_it_lies(self):
        facts = self.stat(".")
        self.assertFalse(facts["complete"])
        self.assertEqual((facts["ranks"], facts["ranks_there"]), (6, 1))
        self.assertEqual(facts["calls"], 3 + 3 * 5 + 1)
        self.assertEqual(self.stat("rank-00000.0000.part")["calls"], facts["calls"])

    def test_diff(self):
        same = golden("fan.trace")
        self.assertIn(b"equal", self.succeed("diff", same, same))
        done = self.run_program("diff", same, golden("fan-timed.trace"), "--json")
        self.assertEqual(done.returncode, 1)
        self.assertFalse(json.loads(done.stdout)["equal"])
        done = self.run_program("diff", same, golden("transpose.trace"), "--json")
        self.assertEqual(done.returncode, 1)
        found = json.loads(done.stdout)
        self.assertEqual((found["rank"], found["call"]), (0, 3))
        self.assertNotEqual(found["first"], found["second"])
        text = self.run_program("diff", same, golden("transpose.trace"))
        self.assertEqual(text.returncode, 1)
        self.assertIn(found["first"], text.stdout.decode())
        self.assertIn(golden("transpose.trace"), text.stdout.decode())
        # Other ranks: there is no call to show.
        done = self.run_program("diff", same, golden("stencil.trace"), "--json")
        self.assertEqual((done.returncode, sorted(json.loads(done.stdout))), (1, ["equal", "text"]))
        self.refuse(1, ["diff", same, "nowhere.trace"], "nowhere.trace")
        self.refuse(2, ["diff", same], "SECOND")

    def test_exports(self):
        name = golden("fan-timed.trace")
        calls = self.dump(name)
        events = json.loads(self.succeed("export", name, "--to", "chrome", "-o", "-"))["traceEvents"]
        spans = [event for event in events if event["ph"] == "X"]
        self.assertEqual(len(spans), len(calls))
        self.assertEqual([(span["tid"], span["name"]) for span in spans], [(c["rank"], c["function"]) for c in calls])
        self.assertAlmostEqual(spans[0]["dur"], calls[0]["duration_ns"] / 1000)
        self.succeed("export", name, "--to", "csv", "-o", "out.csv")
        self.check_left("out.csv")
        rows = list(csv.DictReader(io.StringIO(self.read("out.csv").decode())))
        self.assertEqual([row["function"] for row in rows], [call["function"] for call in calls])
        self.assertEqual([json.loads(row["arguments"]) for row in rows], [call["arguments"] for call in calls])
        self.assertEqual([int(row["duration_ns"]) for row in rows], [call["duration_ns"] for call in calls])
        self.refuse(2, ["export", name, "--to", "word", "-o", "-"], "word", "chrome", "otf2")

    def test_an_archive_is_a_folder_that_was_not_there(self):
        name = golden("fan-timed.trace")
        done = self.run_program("export", name, "--to", "otf2", "-o", "app.otf2")
        if b"built without OTF2" in done.stderr:
            self.assertEqual(done.returncode, 2)
            self.assertIn(b"libopen-trace-format2-dev", done.stderr)
            return
        self.assertEqual(done.returncode, 0, done.stderr)
        self.check_left("app.otf2")
        self.refuse(1, ["export", name, "--to", "otf2", "-o", "app.otf2/"], "app.otf2", "exists")
        self.refuse(2, ["export", name, "--to", "otf2", "-o", "-"], "folder")

    def test_an_export_that_runs_out_of_room_leaves_nothing(self):
        name = golden("grid-lossless.trace")
        if b"built without OTF2" in self.run_program("export", name, "--to", "otf2", "-o", "whole").stderr:
            self.skipTest("built without OTF2")
        sizes = [os.path.getsize(os.path.join(folder, file))
                 for folder, _, files in os.walk(os.path.join(self.directory, "whole")) for file in files]
        self.assertGreater(len(sizes), 12)
        shutil.rmtree(os.path.join(self.directory, "whole"))
        # Files must end somewhere between nothing and the longest one.
        for most in (0, 1, *sorted(set(sizes))[:-1], max(sizes) - 1):
            def lower(most=most):
                # Without this the system ends the program at once.
                signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
                resource.setrlimit(resource.RLIMIT_FSIZE, (most, most))
            with self.subTest(limit=most):
                done = subprocess.run([PROGRAM, "export", name, "--to", "otf2", "-o", "app.otf2"], cwd=self.directory,
                                      capture_output=True, timeout=120, check=False, preexec_fn=lower, restore_signals=False)
                self.assertEqual(done.returncode, 1, done)
                self.assertRegex(done.stderr.decode(), r"\Alaconic export: .*(OTF2|cannot write).*\n\Z")
                self.assertEqual(os.listdir(self.directory), [], "a failed export leaves something behind")

    def test_damaged_and_missing_traces_are_refused(self):
        with open(golden("fan.trace"), "rb") as file:
            whole = file.read()
        self.refuse(1, ["stat", "nowhere.trace"], "nowhere.trace")
        self.refuse(1, ["stat", "."], "part files")
        self.write("short.trace", whole[:30])
        self.refuse(1, ["stat", "short.trace"], "short.trace", "truncated")
        self.write("text.trace", b"To be, or not to be")
        self.refuse(1, ["dump", "text.trace"], "text.trace", "no trace")
        self.write("flipped.trace", whole[:40] + bytes([whole[40] ^ 1]) + whole[41:])
        self.refuse(1, ["stat", "flipped.trace"], "checksum")
        self.write("newer.trace", whole[:4] + b"\x09" + whole[5:])
        self.refuse(1, ["stat", "newer.trace"], "version 9")
        self.refuse(2, ["dump", golden("fan.trace"), "--rank", "8"], "--rank 8", "0 to 7")
        self.write("cut.trace", whole[:-10])
        self.assertFalse(json.loads(self.succeed("stat", "cut.trace", "--json"))["complete"])


if __name__ == "__main__":
    unittest.main()
