# SPDX-License-Identifier: BSD-3-Clause
"""What the page of simulated collectives asks the cost model: made-up rows go in, and what `laconic predict` says of
them is what can be computed by hand from the network and the codec of the simulation: nothing else may enter it."""

import sys
import unittest
from pathlib import Path

from program import PROGRAM

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tools"))

import scale_model  # noqa: E402
import scale_model_page  # noqa: E402

CODECS = ["# name compress decompress add fused sum ratios", "fle 10 5 20 8 4  16 8 4",
          "szx 2 4 0 0 4  10  # a comment"]
SIZE, RANKS, ALPHA, BETA, SUM = 16_777_216, 4, 2e-6, 8 / 100e9, 1 / 4e9
BLOCK = SIZE / RANKS


def row(algorithm, codec="fle", seconds=1.0, **more):
    return {"group": "large", "op": "allreduce", "algorithm": algorithm, "codec": codec, "cores": 1, "ranks": RANKS,
            "bytes": SIZE, "segment": 524288, "bandwidth": 100, "seconds": seconds} | more


def predicted(*rows):
    results = {"codecs": CODECS, "rows": list(rows)}
    assert scale_model.add_predictions(results, Path(PROGRAM))
    return rows


class Predictions(unittest.TestCase):
    def near(self, found, wanted):
        self.assertLess(abs(found / wanted - 1), 1e-5, (found, wanted))

    def test_nothing_but_the_wire_and_the_additions_is_in_a_raw_ring(self):
        ring, fast = predicted(row("ring_raw"), row("ring_raw", cores=4))
        self.near(ring["predicted"], 3 * BLOCK * (SUM + BETA))
        # Four times as fast, additions hide behind the wire.
        self.near(fast["predicted"], 6 * BLOCK * BETA)

    def test_stock_is_the_best_classic_algorithm_beside_the_fastest_row(self):
        slow, fast = predicted(row("stock: ring", seconds=2.0, cores=4), row("stock: Rabenseifner", cores=4))
        self.assertNotIn("predicted", slow)
        sent = 2 * 3 * BLOCK
        self.near(fast["predicted"], 4 * ALPHA + sent * BETA)
        self.near(fast["in_turn"], 4 * ALPHA + sent * BETA + sent / 2 * SUM / 4)

    def test_codecs_work_at_their_own_speed_on_as_many_cores(self):
        one, four = predicted(row("homcomp_f"), row("homcomp_f", cores=4))
        # One block compressed, three fused, four decompressed; the first and last cell of eight overlap with nothing.
        least = BLOCK * (1 / 10e9 + 3 / 8e9 + 4 / 5e9)
        self.assertLess(least, one["predicted"])
        self.assertLess(one["predicted"], 1.1 * least)
        self.assertLess(abs(4 * four["predicted"] / one["predicted"] - 1), 0.05)

    def test_growth_leads_from_one_contribution_to_all(self):
        fle, szx = scale_model.codecs_of(CODECS).values()
        self.near(1 / 16 + fle.growth(4) * 2 / 32, 1 / 4)
        self.near(1 / 16 + fle.growth(2) * 1 / 32, 1 / 8)
        # Beyond the table the last ratio stays, as it does in the simulation.
        self.near(1 / 16 + fle.growth(16) * 4 / 32, 1 / 4)
        self.assertEqual(szx.growth(4), 0)
        # On a wire this slow nothing else counts. The first half carries sums over 1, 2 and 3, the second one over
        # 4; 2 and 3 stand for the middle of their octave, where the model's log2 is 1.25.
        slow, = predicted(row("homcomp_f", bandwidth=0.1))
        wire = 8 / 0.1e9 * BLOCK
        grown = fle.growth(4) / 32
        self.assertLess(abs(slow["predicted"] / (wire * (1 / 16 + 2 * (1 / 16 + 1.25 * grown) + 3 / 4)) - 1), 0.02)

    def test_a_row_that_the_model_does_not_have_is_left_alone(self):
        known, unknown = predicted(row("c_coll", "szx"), row("no_such_row"))
        self.assertIn("predicted", known)
        self.assertNotIn("predicted", unknown)


class Section(unittest.TestCase):
    def test_counts_and_medians_are_those_of_the_rows(self):
        rows = [row("hzccl", predicted=1.0), row("homcomp_f", predicted=1.3), row("c_coll", "szx", predicted=0.9),
                row("stock: ring", predicted=0.5, in_turn=0.99)]
        text = scale_model_page.section({"rows": rows})
        self.assertIn("| allreduce, 678 MB, by ranks | 4 | 2 | 20.0 % | 0.50 to 1.30 |", text)
        self.assertIn("| all but stock | 3 | 2 | 10.0 % | 0.90 to 1.30 |", text)
        self.assertIn("| stock allreduce | 1 | 0 | 50.0 % | 0.50 to 0.50 |", text)
        self.assertIn("instead of beside them | 1 | 1 | 1.0 % | 0.99 to 0.99 |", text)
        self.assertIn("| homcomp_f (fle) | 1.30 |", text)

    def test_without_the_program_it_says_so(self):
        results = {"codecs": CODECS, "rows": [row("hzccl")]}
        self.assertFalse(scale_model.add_predictions(results, Path("/no/such/program")))
        self.assertIn("Left out", scale_model_page.section(results))


if __name__ == "__main__":
    unittest.main()
