# SPDX-License-Identifier: BSD-3-Clause
"""Random frames, and the same frames damaged: every engine writes and reads the same, the independent decoder gets the
same elements, and both accept or both refuse. LACONIC_GOLDEN_SEED tries others than the usual ones.
"""
import os
import tempfile
import unittest
from pathlib import Path

import golden

SEEDS = os.environ.get("LACONIC_GOLDEN_SEED", "1 2 3").split()
FRAMES = 250


class random_frames(unittest.TestCase):
    def test_are_read_alike(self):
        for seed in SEEDS:
            with tempfile.TemporaryDirectory() as scratch:
                written = {}
                for engine in golden.make_golden("--engines").split():
                    golden.make_golden("--random", seed, FRAMES, Path(scratch) / engine, engine=engine)
                    written[engine] = golden.contents(Path(scratch) / engine)
                    self.assertEqual(len(written[engine]), 2 * FRAMES + 1)
                    differ = [name for name, data in written[engine].items() if written["scalar"].get(name) != data]
                    self.assertEqual(differ, [], f"{engine} and scalar, seed {seed}")
                made = Path(scratch) / "scalar"
                found = [golden.disagreement(made, entry) for entry in golden.index(made)]
                self.assertEqual([one for one in found if one], [], f"seed {seed}")


if __name__ == "__main__":
    unittest.main()
