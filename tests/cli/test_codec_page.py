# SPDX-License-Identifier: BSD-3-Clause
"""tools/bench_codec.py in quick mode on two small fields: page, JSON and plots are there, the tables hold the numbers
of the JSON, and what was written by hand stays. Without matplotlib the page must say that it has no plots."""

import importlib.util
import json
import os
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from program import PROGRAM, field, pack

SCRIPT = Path(__file__).resolve().parents[2] / "tools" / "bench_codec.py"
PLOTS = ["codec-throughput.svg", "codec-ratio.svg", "codec-rate-distortion.svg"]
SOAK = [{"codec": "fle", "engine": "avx2", "seed": 7, "f32": {"values": 1234567, "violations": 0}, "values": 1234567,
         "violations": 0, "seconds": 12.5}]


def cells(page, heading):
    """Rows of the first table below a heading, as lists of texts."""
    part = page.split(f"## {heading}\n", 1)[1].split("\n## ", 1)[0]
    lines = re.search(r"(?:^\|.*\n)+", part, re.MULTILINE)[0].splitlines()
    return [[cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]] for line in lines]


class CodecPage(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        directory = tempfile.TemporaryDirectory(prefix="laconic-page-")
        cls.addClassCleanup(directory.cleanup)
        cls.out = Path(directory.name) / "out"
        data = Path(directory.name) / "data"
        data.mkdir()
        cls.out.mkdir()
        (data / "waves_60x100.f32").write_bytes(pack(field(6000), "f32"))
        (data / "swell_60x100.f64").write_bytes(pack(field(6000, amplitude=3.0), "f64"))
        (cls.out / "soak.json").write_text(json.dumps(SOAK), encoding="utf-8")
        cls.script("--quick", "--data", data)
        cls.results = json.loads((cls.out / "codec.json").read_text(encoding="utf-8"))
        cls.page = (cls.out / "codec.md").read_text(encoding="utf-8")

    @classmethod
    def script(cls, *arguments):
        environment = {k: v for k, v in os.environ.items() if not k.startswith("LACONIC_")}
        done = subprocess.run([sys.executable, "-B", SCRIPT, "--program", PROGRAM, "--out", cls.out, *arguments],
                              capture_output=True, text=True, check=False, env=environment)
        assert done.returncode == 0, done.stderr

    def rows_by(self, key):
        return {(row["field"], row["rel"], row[key]): row for row in self.results["codecs"]}

    def test_every_field_bound_and_codec_is_measured(self):
        rows = self.rows_by("codec")
        for name in ("waves", "swell (f64)"):
            for rel in ("1e-2", "1e-3", "1e-4"):
                for codec in ("fle", "fle-rows", "szx", "raw"):
                    self.assertEqual(rows[name, rel, codec]["field"], name)
        self.assertEqual({field["row_length"] for field in self.results["fields"]}, {100})

    def test_tables_hold_the_numbers_of_the_json(self):
        rows = self.rows_by("codec")
        for heading, show in (("Compression ratio", lambda row: f"{row['ratio']:.2f}"),
                              ("Throughput of compression, GB/s", lambda row: f"{row['compress_gbps']:.2f}"),
                              ("Throughput of decompression, GB/s", lambda row: f"{row['decompress_gbps']:.2f}")):
            shown = cells(self.page, heading)
            head, seen = shown[0], 0
            for line in shown[2:]:
                for codec, cell in zip(head[2:], line[2:]):
                    row = rows.get((line[0], line[1], codec))
                    if row and head[:2] == ["field", "rel"]:
                        self.assertEqual(cell, show(row), (heading, line[:2], codec))
                        seen += 1
            self.assertGreaterEqual(seen, 2 * 3 * 3, heading)

    def test_the_summary_says_met_or_not(self):
        lines = cells(self.page, "Targets")[2:]
        self.assertGreater(len(lines), 10)
        for line in lines:
            self.assertEqual(len(line), 4, line)
            self.assertIn(line[3], ("met", "**not met**", "-"))
        kept = next(line for line in lines if line[0].startswith("violations"))
        self.assertTrue(kept[2].startswith("0 of "), kept)

    def test_plots_are_there_or_missed(self):
        if importlib.util.find_spec("matplotlib"):
            for name in PLOTS:
                self.assertIn("</svg>", (self.out / name).read_text(encoding="utf-8"))
                self.assertIn(f"({name})", self.page)
        else:
            self.assertIn("no plots", self.page)

    def test_the_soak_has_its_section(self):
        self.assertIn("## The promise at length\n", self.page)
        self.assertIn("| fle | avx2 | 7 | 1,234,567 / 0 |", self.page)

    def test_what_is_written_by_hand_stays(self):
        page = self.out / "codec.md"
        page.write_text(self.page.replace("Nothing was written yet.", "Memory does."), encoding="utf-8")
        self.script("--page-only")
        again = page.read_text(encoding="utf-8")
        self.assertEqual(again, self.page.replace("Nothing was written yet.", "Memory does."))


if __name__ == "__main__":
    unittest.main()
