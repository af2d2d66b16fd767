# SPDX-License-Identifier: BSD-3-Clause
"""The golden files against tools/decode_stream.py, and the page it was written from: same elements, same refusals."""
import ctypes
import ctypes.util
import json
import random
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import golden


def reference_hash():
    """XXH3-64 as others compute it, or None."""
    try:
        import xxhash
        return lambda data, seed: xxhash.xxh3_64_intdigest(data, seed)
    except ImportError:
        name = ctypes.util.find_library("xxhash")
    if name is None:
        return None
    function = ctypes.CDLL(name).XXH3_64bits_withSeed
    function.restype, function.argtypes = ctypes.c_uint64, [ctypes.c_char_p, ctypes.c_size_t, ctypes.c_uint64]
    return lambda data, seed: function(data, len(data), seed)


def run(*arguments):
    return subprocess.run([sys.executable, "-B", golden.ROOT / "tools" / "decode_stream.py", *arguments],
                          capture_output=True, text=True)


class decoder(unittest.TestCase):
    def test_agrees_with_the_index(self):
        for entry in golden.index(golden.STREAM):
            with self.subTest(entry["file"]):
                self.assertIsNone(golden.disagreement(golden.STREAM, entry))

    def test_index_names_every_file(self):
        listed = {entry["file"] for entry in golden.index(golden.STREAM)}
        self.assertEqual(listed | {"index.json"}, set(golden.contents(golden.STREAM)))

    def test_examples_of_the_page_are_golden_files(self):
        page = (golden.ROOT / "docs/format/stream.md").read_text()
        dumps = re.findall(r"^    0000  .*\n(?:    [0-9a-f]{4}  .*\n)*", page, re.MULTILINE)
        examples = []
        for dump in dumps:
            # Three spaces end the bytes of a line.
            lines = [re.match(r"    [0-9a-f]{4}  ((?:[0-9a-f]{2} ?)+)(?:  |$)", line)[1] for line in dump.splitlines()]
            examples.append(bytes.fromhex("".join(lines)))
        names = ["f32_example.lac", "f32_example_rows.lac"]
        self.assertEqual(examples, [(golden.STREAM / name).read_bytes() for name in names])

    def test_program(self):
        entry = next(e for e in golden.index(golden.STREAM) if e["file"] == "f32_frames_4.lac")
        with tempfile.TemporaryDirectory() as scratch:
            raw = Path(scratch) / "raw"
            done = run(golden.STREAM / entry["file"], "--json", "--output", raw)
            self.assertEqual(done.returncode, 0, done.stderr)
            about = json.loads(done.stdout)
            self.assertEqual((about["xxh3_64"], len(about["frames"])), (entry["xxh3_64"], entry["frames"]))
            self.assertEqual(f"{golden.xxh3_64(raw.read_bytes()):016x}", entry["xxh3_64"])
        done = run(golden.STREAM / "f32_example_rows.lac", "--explain")
        self.assertIn("row length 40", done.stdout)
        done = run(golden.STREAM / "malformed" / "rate_padding_3.lac")
        self.assertEqual((done.returncode, done.stdout), (1, ""))
        self.assertRegex(done.stderr, r"byte 77: the padding of the rate bytes is not zero")
        self.assertEqual(run().returncode, 2)
        self.assertEqual(run(golden.STREAM / "absent.lac").returncode, 2)

    def test_hash(self):
        reference = reference_hash()
        if reference is None:
            self.skipTest("neither python3-xxhash nor libxxhash")
        dice = random.Random(1)
        for size in [*range(300), 511, 512, 1023, 1024, 1025, 1088, 2047, 2049, 3000]:
            data, seed = dice.randbytes(size), dice.choice([0, 1, dice.getrandbits(64)])
            self.assertEqual(golden.xxh3_64(data, seed), reference(data, seed), (size, seed))


if __name__ == "__main__":
    unittest.main()
