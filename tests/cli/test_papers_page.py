# SPDX-License-Identifier: BSD-3-Clause
"""The page of the papers' figures from small made-up measurements: a figure has the paper's shape or says what differs,
how it was measured, and on which machine. No hosts are needed."""

import contextlib
import importlib.util
import io
import sys
import tempfile
import unittest
from pathlib import Path
from types import SimpleNamespace
from unittest import mock

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tools"))

import bench_papers  # noqa: E402
import papers_page  # noqa: E402

MACHINE = {"processor": "a processor", "cores": 2, "load": 0.1, "date": "2026-01-02"}
PLOTS = importlib.util.find_spec("matplotlib") is not None


class ToldBed:
    """Hosts that answer at once, and keep what they were asked."""
    asked = []

    def __init__(self, *_, **__):
        pass

    def __enter__(self):
        return self

    def __exit__(self, *_):
        pass

    def bench(self, mpi, op, algorithms, field, size, options):
        self.asked.append((size, algorithms, options))
        return {"rows": [{"algorithm": name} for name in algorithms]}


class Measuring(unittest.TestCase):
    def measured(self, quick=False):
        ToldBed.asked = []
        arguments = SimpleNamespace(quick=quick, build=None, data=None, mpi="mpich")
        with (mock.patch.multiple(bench_papers, Bed=ToldBed, field_of=lambda name, data: name),
              contextlib.redirect_stderr(io.StringIO())):
            points = bench_papers.measure_all(bench_papers.EXPERIMENTS, arguments)
        return points, ToldBed.asked

    def test_every_point_has_three_repetitions_or_more(self):
        def given(asked):
            return {options[options.index("--repetitions") + 1] for _, _, options in asked}

        points, asked = self.measured()
        self.assertEqual(len(points), len(asked))
        self.assertEqual(given(asked), {3, 15})
        self.assertEqual(given(self.measured(quick=True)[1]), {1})

    def test_slow_rows_end_where_a_call_takes_many_seconds(self):
        _, asked = self.measured()
        self.assertEqual({size for size, rows, _ in asked if "cpr_p2p:zfp_abs" in rows}, {"28M", "78M"})


class Papers(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="laconic-papers-")
        self.addCleanup(folder.cleanup)
        self.out = Path(folder.name)

    def results(self, **times):
        points = []
        for one in bench_papers.EXPERIMENTS:
            for hosts, _, _, field, size in bench_papers.points([one], False):
                rows = [{"algorithm": name, "median_s": times.get(name, 0.1), "compress_s": 0.03, "decompress_s": 0.02,
                         "combine_s": 0.001, "wait_s": 0.08 if name == "ring_raw" else 0.001} for name in one.rows]
                points.append({"experiment": one.name, "op": one.op, "hosts": hosts, "ranks": hosts, "field": field,
                               "rel": one.rel, "size": size, "rows": rows})
        return {"machine": MACHINE, "mpi": "mpich", "dilation": 2, "points": points}

    def test_every_figure_has_its_verdict(self):
        page = papers_page.page(self.results(c_coll=0.05, homcomp_f=0.02, argm=0.01, pairwise=0.02, ring=0.02), self.out)
        headings = [line[3:] for line in page.splitlines() if line.startswith("## ")]
        starts = [*(f"C-Coll, figure {n}:" for n in (7, 8, 9, 10, 11, 12, 13, 16)), "hZCCL and ghZCCL:",
                  *(f"Thesis, figure 7.{n}:" for n in (2, 3, 4))]
        self.assertEqual([heading.startswith(start) for heading, start in zip(headings, starts)], [True] * 12)
        self.assertEqual(len(headings), 12)
        self.assertIn("c_coll reaches 2.00 to 2.00 times", page)
        self.assertIn("| C-Coll, figure 11: against compression in every message, by size | yes |", page)
        if PLOTS:
            self.assertIn("</svg>", (self.out / "papers-11.svg").read_text("utf-8"))

    def test_another_shape_is_called_so(self):
        page = papers_page.page(self.results(c_coll=0.2), self.out)
        self.assertIn("| C-Coll, figure 11: against compression in every message, by size | **no** |", page)
        # One of the rows that it is compared with is faster, others are much slower.
        page = papers_page.page(self.results(c_coll=0.05, cpr_p2p=0.04), self.out)
        self.assertIn("| C-Coll, figure 11: against compression in every message, by size | **no** |", page)
        # The step before the last, which is two stages, is slower than the one before.
        page = papers_page.page(self.results(ring_raw=0.3, cpr_p2p=0.1, c_coll=0.1), self.out)
        self.assertIn("| C-Coll, figure 10: step by step | **no** |", page)

    def test_what_was_not_measured_is_left_out(self):
        results = self.results()
        results["points"] = [p for p in results["points"] if p["experiment"] == "steps"]
        page = papers_page.page(results, self.out)
        self.assertIn("figure 7:", page)
        self.assertNotIn("figure 8:", page)


if __name__ == "__main__":
    unittest.main()
