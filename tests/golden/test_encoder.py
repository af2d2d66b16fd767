# SPDX-License-Identifier: BSD-3-Clause
"""Golden files made anew on every engine of this machine: not one byte differs from those in the tree."""
import tempfile
import unittest
from pathlib import Path

import golden


class encoder(unittest.TestCase):
    def test_writes_the_same_bytes_as_ever(self):
        expected = golden.contents(golden.STREAM)
        engines = golden.make_golden("--engines").split()
        self.assertIn("scalar", engines)
        for engine in engines:
            with self.subTest(engine), tempfile.TemporaryDirectory() as scratch:
                golden.make_golden(scratch, engine=engine)
                found = golden.contents(Path(scratch))
                self.assertEqual(sorted(found), sorted(expected))
                self.assertEqual([name for name in found if found[name] != expected[name]], [])


if __name__ == "__main__":
    unittest.main()
