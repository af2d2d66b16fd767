# SPDX-License-Identifier: BSD-3-Clause
"""laconic plan: what it prints for people and for programs, the pictures it draws, and what it refuses."""

import json
import struct
import unittest

from program import CommandLine

CUBE = ["--global", "1000x1000x1000", "--patch", "32x32x32", "--ranks", "1024"]


class Plan(CommandLine):
    def plan(self, *arguments):
        return json.loads(self.succeed("plan", *arguments, "--json"))

    def test_figures_of_the_papers_first_case(self):
        report = self.plan(*CUBE)
        self.assertEqual(report["placement"], "optimal")
        self.assertEqual(report["grid"], [16, 8, 8])
        self.assertLessEqual(report["moved_fraction"], 0.277)
        self.assertEqual(report["moved_bytes"], round(report["moved_fraction"] * 8e9))
        self.assertEqual((report["patches_min"], report["patches_max"]), (32, 32))
        self.assertTrue(report["proven_optimal"])
        self.assertLessEqual(report["max_receive_bytes"], report["receive_limit_bytes"])
        self.assertGreater(report["volume_imbalance"], 1)
        self.assertGreater(report["messages"], report["rank_messages"])
        self.assertGreater(report["plan_seconds"], 0)
        greedy = self.plan(*CUBE, "--placement", "greedy")
        self.assertEqual((greedy["patches_min"], greedy["patches_max"]), (9, 75))

    def test_text_and_pareto(self):
        text = self.succeed("plan", *CUBE, "--placement", "balanced").decode()
        self.assertIn("31.53 %", text)
        rows = self.plan("--global", "100x100", "--patch", "7x7", "--ranks", "16", "--pareto")["rows"]
        self.assertEqual([row["placement"] for row in rows[:3]], ["greedy", "balanced", "optimal 1"])
        moved = [row["moved_bytes"] for row in rows[2:]]
        self.assertEqual(moved, sorted(moved, reverse=True))
        self.assertGreaterEqual(moved[-1], rows[0]["moved_bytes"])

    def test_pictures(self):
        flat = ["--global", "200x300", "--patch", "75x75", "--grid", "2x3"]
        for name, arguments in (("plan.png", flat), ("pareto.png", [*flat, "--pareto"])):
            done = self.run_program("plan", *arguments, "--png", name)
            if b"built without libpng" in done.stderr:
                self.skipTest("no libpng")
            self.assertEqual(done.returncode, 0, done.stderr)
            header = self.read(name)[:24]
            self.assertEqual(header[:8], b"\x89PNG\r\n\x1a\n")
            width, height = struct.unpack(">II", header[16:])
            self.assertTrue(200 < width < 2000 and 200 < height < 2000)
        self.refuse(2, ["plan", *CUBE, "--png", "cube.png"], "--png", "3")
        self.check_left("plan.png", "pareto.png")

    def test_boxes_and_owners_from_files(self):
        self.write("boxes.txt", b"# rank lower upper\n0 0 0 8 4\n1 0 4 8 8\n")
        self.write("owners.txt", b"0 1\n1 0\n")
        ask = ["--global", "8x8", "--patch", "4x4", "--ranks", "2", "--boxes", "boxes.txt"]
        report = self.plan(*ask, "--placement", "given", "--owners", "owners.txt", "--element-bytes", "1")
        self.assertEqual(report["moved_bytes"], 32)
        explicit = self.plan(*ask, "--placement", "explicit", "--owners", "owners.txt", "--element-bytes", "1")
        self.assertEqual((explicit["placement"], explicit["moved_bytes"]), ("given", 32))
        self.write("gap.txt", b"0 0 0 8 4\n1 0 5 8 8\n")
        self.refuse(2, ["plan", *ask[:-1], "gap.txt"], "--boxes", "(0, 4)")
        self.write("bad.txt", b"0 0 0 8\n")
        self.refuse(1, ["plan", *ask[:-1], "bad.txt"], "bad.txt:1", "4 numbers")
        self.refuse(1, ["plan", *ask[:-1], "none.txt"], "none.txt")
        self.refuse(2, ["plan", *ask, "--placement", "given"], "--owners")
        self.refuse(2, ["plan", *ask, "--placement", "explicit"], "--owners")

    def test_node_size_and_between_nodes_weigh_what_leaves_a_node(self):
        ask = ["--global", "64x64", "--patch", "7x7", "--ranks", "8"]
        self.assertIsNone(self.plan(*ask)["between_nodes_bytes"])
        one, eight = (self.plan(*ask, "--node-size", "4", "--between-nodes", weight) for weight in ("1", "8"))
        self.assertEqual(one["moved_bytes"], self.plan(*ask)["moved_bytes"])
        self.assertLess(eight["between_nodes_bytes"], one["between_nodes_bytes"])
        self.assertGreater(eight["moved_bytes"], one["moved_bytes"])

        def cost(report, weight):
            return report["moved_bytes"] + (weight - 1) * report["between_nodes_bytes"]

        self.assertLess(cost(eight, 8), cost(one, 8))
        default = self.plan(*ask, "--node-size", "4")
        self.assertEqual([default[key] for key in ("moved_bytes", "between_nodes_bytes")],
                         [eight[key] for key in ("moved_bytes", "between_nodes_bytes")])
        self.assertEqual(self.plan(*ask, "--node-size", "8")["between_nodes_bytes"], 0)
        greedy = self.plan(*ask, "--node-size", "4", "--placement", "greedy")
        self.assertGreater(greedy["between_nodes_bytes"], 0)
        apart = self.plan(*ask, "--node-size", "1")
        self.assertEqual(apart["between_nodes_bytes"], apart["moved_bytes"])
        self.assertIn("between nodes", self.succeed("plan", *ask, "--node-size", "4").decode())
        self.refuse(2, ["plan", *ask, "--node-size", "0"], "--node-size", "0")
        self.refuse(2, ["plan", *ask, "--node-size", "4", "--between-nodes", "1001"], "--between-nodes", "1001")

    def test_by_elements_evens_the_volume_instead_of_the_number(self):
        ask = ["--global", "64x64", "--patch", "7x7", "--ranks", "8"]
        patches, elements = (self.plan(*ask, "--by", by) for by in ("patches", "elements"))
        self.assertEqual((patches["by"], elements["by"]), ("patches", "elements"))
        self.assertEqual(self.plan(*ask)["moved_bytes"], patches["moved_bytes"])
        self.assertEqual((patches["patches_min"], patches["patches_max"]), (12, 13))
        self.assertLess(elements["volume_imbalance"], patches["volume_imbalance"])
        self.assertGreater(elements["patches_imbalance"], patches["patches_imbalance"])
        # Whole patches: above the mean by less than the largest of them.
        self.assertLess(elements["volume_max_bytes"], elements["volume_mean_bytes"] + 7 * 7 * 8)
        self.assertEqual((patches["proven_optimal"], elements["proven_optimal"]), (True, False))

    def test_exact_goes_on_where_the_search_would_end(self):
        ask = ["--global", "2000x2000", "--patch", "7x11", "--ranks", "6000", "--node-size", "50"]
        ended, exact = self.plan(*ask), self.plan(*ask, "--exact")
        self.assertEqual((ended["proven_optimal"], exact["proven_optimal"]), (False, True))

        def cost(report):
            return report["moved_bytes"] + 7 * report["between_nodes_bytes"]

        self.assertLess(cost(exact), cost(ended))
        self.assertLess(cost(ended), 1.005 * cost(exact))

    def test_refusals(self):
        patch = ["--patch", "2x2"]
        self.refuse(2, ["plan", "--global", "8x8", *patch], "--ranks")
        self.refuse(2, ["plan", "--global", "8x8", "--ranks", "4"], "--patch")
        self.refuse(2, ["plan", "--global", "8x", *patch, "--ranks", "4"], "--global", "8x")
        self.refuse(2, ["plan", "--global", "8x-8", *patch, "--ranks", "4"], "-8")
        self.refuse(2, ["plan", "--global", "8x0", *patch, "--ranks", "4"], "extent 0")
        self.refuse(2, ["plan", "--global", "2x2x2x2x2", "--patch", "1x1x1x1x1", "--ranks", "4"], "5 dimensions")
        self.refuse(2, ["plan", "--global", "9999999999x9999999999", *patch, "--ranks", "4"], "2^60")
        self.refuse(2, ["plan", "--global", "99999999999999999999", "--patch", "1", "--ranks", "4"], "2^63")
        self.refuse(2, ["plan", "--global", "8x8", "--patch", "9x2", "--ranks", "4"], "patch extent 9")
        self.refuse(2, ["plan", "--global", "8x8", *patch, "--ranks", "0"], "--ranks")
        self.refuse(2, ["plan", "--global", "8x8", *patch, "--ranks", "67"], "67 ranks")
        self.refuse(2, ["plan", "--global", "8x8", *patch, "--grid", "2x3", "--ranks", "4"], "6 blocks")
        self.refuse(2, ["plan", "--global", "8x8", *patch, "--grid", "9x1"], "9 blocks", "dimension 0")
        self.refuse(2, ["plan", "--global", "8x8", *patch, "--ranks", "4", "--placement", "best"], "best", "greedy")
        self.refuse(2, ["plan", "--global", "8x8", *patch, "--ranks", "4", "--balance", "0.5"], "balance 0.5")
        self.refuse(2, ["plan", "--global", "8x8", *patch, "--ranks", "4", "--by", "weight"], "weight")
        self.check_left()


if __name__ == "__main__":
    unittest.main()
