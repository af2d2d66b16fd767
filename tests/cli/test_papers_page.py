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

    def test_points_carry_their_machine_day_and_mpi(self):
        with mock.patch.object(bench_papers, "this_machine", return_value=MACHINE):
            points, _ = self.measured()
        self.assertTrue(all(point["machine"] == MACHINE and point["mpi"] == "mpich" for point in points))

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
                rows = [{"algorithm": name, "times_s": [0.1] * 3, "median_s": times.get(name, 0.1), "compress_s": 0.03, "decompress_s": 0.02,
                         "combine_s": 0.001, "copy_s": 0, "wait_s": 0.08 if name == "ring_raw" else 0.001} for name in one.rows]
                points.append({"experiment": one.name, "op": one.op, "hosts": hosts, "ranks": hosts * one.ranks_per_host,
                               "field": field, "rel": one.rel, "size": size, "mpi": "mpich", "machine": MACHINE, "rows": rows})
        return {"points": points}

    def change(self, results, experiment, name, sizes=None, **more):
        """Sets parts of a row, in some points of an experiment or all."""
        for point in results["points"]:
            if point["experiment"] == experiment and (sizes is None or point["size"] in sizes):
                next(row for row in point["rows"] if row["algorithm"] == name).update(more)
        return results

    def page(self, results):
        """Without its pictures, which take a while."""
        with mock.patch.object(papers_page, "pictures", return_value=""):
            return papers_page.page(results, self.out)

    def told(self, results, start):
        """The verdict on a figure and what differs, of the table that begins the page."""
        page = self.page(results)
        cells = next(line for line in page.splitlines() if line.startswith(f"| {start}:")).split(" | ")
        self.assertIn({"yes": "**Same shape.**", "in part": "**Same shape, in part**: ", "**no**": "**Not the same shape**: "}[cells[1]]
                      + cells[2].removesuffix("|").strip(), page)
        return cells[1], cells[2].removesuffix("|").strip()

    def test_every_figure_has_its_verdict(self):
        page = papers_page.page(self.results(c_coll=0.05, homcomp_f=0.02, argm=0.01, pairwise=0.02, ring=0.02), self.out)
        headings = [line[3:] for line in page.splitlines() if line.startswith("## ")]
        starts = [*(f"C-Coll, figure {n}:" for n in (7, 8, 9, 10, 11, 12, 13, 16)), "hZCCL and ghZCCL:",
                  *(f"Thesis, figure 7.{n}:" for n in (2, 3, 4))]
        self.assertEqual([heading.startswith(start) for heading, start in zip(headings, starts)], [True] * 12)
        self.assertEqual(len(headings), 12)
        self.assertIn("c_coll is 2.00 times as fast as the library's allreduce, cpr_p2p 1.00, homcomp_f 5.00.", page)
        self.assertIn("| C-Coll, figure 11: against compression in every message, by size | yes |", page)
        self.assertIn("\n7 of 12 figures have the paper's shape.\n", page)
        if PLOTS:
            self.assertIn("</svg>", (self.out / "papers-11.svg").read_text("utf-8"))

    def test_the_codec_has_to_be_the_largest_part(self):
        self.assertEqual(self.told(self.results(), "C-Coll, figure 7")[0], "yes")
        waits = self.change(self.results(), "steps", "cpr_p2p", wait_s=0.051)
        self.assertEqual(self.told(waits, "C-Coll, figure 7"),
                         ("**no**", "compressing and decompressing are not the largest part of DI's time"))

    def test_less_waiting_has_to_save_time(self):
        figure = "C-Coll, figure 9"

        def measured(median, wait):
            results = self.change(self.results(), "steps_scatter", "cpr_p2p", wait_s=0.04)
            return self.change(results, "steps_scatter", "c_coll", median_s=median, wait_s=wait)

        self.assertEqual(self.told(measured(0.1, 0.01), figure)[0], "yes")
        page = self.page(measured(0.12, 0.01))
        self.assertIn("ND waits 40 % of its time. With Overlap waiting falls 4.0 times, but the stage takes 20 % longer. From ND to "
                      "Overlap at 678M: wait -30.0 ms, compress +0.0 ms, decompress +0.0 ms, combine +0.0 ms, copy +0.0 ms, other +50.0 ms;", page)
        self.assertEqual(self.told(measured(0.12, 0.01), figure)[0], "**no**")
        self.assertEqual(self.told(measured(0.1, 0.04), figure), ("**no**", "waiting hardly falls"))
        once = self.change(measured(0.1, 0.01), "steps_scatter", "c_coll", ["278M"], median_s=0.11)
        self.assertIn("more than 3 % at 278M", self.told(once, figure)[1])

    def test_compression_at_every_hop_must_not_gain(self):
        """C-Coll says so of every figure that has CPR-P2P; c_coll is ahead here, and the verdict is still no."""
        faster = {"c_coll": 0.05, "cpr_p2p": 0.08}
        for figure in (11, 12, 13):
            self.assertEqual(self.told(self.results(**faster), f"C-Coll, figure {figure}"),
                             ("**no**", "cpr_p2p, compressing at every hop, gains, too (1.25 times as fast as the library)"))
            self.assertEqual(self.told(self.results(c_coll=0.05), f"C-Coll, figure {figure}"), ("yes", ""))
        self.assertEqual(self.told(self.results(**faster), "C-Coll, figure 16"),
                         ("**no**", "scatter: cpr_p2p, compressing at every hop, gains, too (1.25 times as fast as the library); bcast: cpr_p2p, compressing at every hop, gains, too (1.25 times as fast as the library)"))
        self.assertEqual(self.told(self.results(c_coll=0.05), "C-Coll, figure 16"), ("yes", ""))
        ahead = self.change(self.results(c_coll=0.05), "bcast", "cpr_p2p", ["78M"], median_s=0.04)
        self.assertEqual(self.told(ahead, "C-Coll, figure 16"),
                         ("**no**", "bcast: cpr_p2p, compressing at every hop, gains, too (1.00 to 2.50 times as fast as the library), and is ahead of c_coll at 78M"))
        slow = self.change(self.results(c_coll=0.05), "scatter", "c_coll", ["128M"], median_s=0.2)
        self.assertIn("scatter: c_coll is not faster than the library at 128M", self.told(slow, "C-Coll, figure 16")[1])

    def test_times_that_grow_faster_than_the_data_are_told(self):
        results = self.change(self.results(c_coll=0.002), "scatter", "stock", ["28M"], median_s=0.01)
        page = self.page(self.change(results, "scatter", "stock", ["128M"], median_s=0.2))
        self.assertIn("The library's scatter takes 10.00 ms at 28M and 0.100 s at 78M: 10.0 times as long for 2.8 times the data.", page)
        self.assertEqual(page.count("as long for"), 1)

    def test_short_buffers_have_to_be_slower_and_long_ones_faster(self):
        figure = "Thesis, figure 7.2"
        fast = self.results(homcomp=0.05, homcomp_f=0.04, argm=0.02)
        self.assertEqual(self.told(fast, figure), ("**no**", "the shortest buffers are not slower than with MPI_Allreduce "
                                                   "(homcomp 2.00 at 256K, homcomp_f 2.50 at 256K and argm 5.00 at 256K)"))
        growing = self.change(fast, "thesis_sizes", "homcomp", ["256K"], median_s=0.08)
        self.assertEqual(self.told(growing, figure)[0], "**no**")
        for experiment in ("thesis_sizes", "argm_sizes"):
            crossing = self.change(growing, experiment, "stock", ["256K"], median_s=0.01)
        self.assertEqual(self.told(crossing, figure), ("yes", ""))
        self.assertIn("slower at 256K", self.page(crossing))
        late = self.change(crossing, "argm_sizes", "argm", ["64M"], median_s=0.1)
        self.assertEqual(self.told(late, figure),
                         ("**no**", "the longest buffers are not faster than with MPI_Allreduce (argm 1.00 at 64M)"))

    def test_what_these_hosts_cannot_show_is_no_whole_yes(self):
        results = self.results(homcomp=0.05, homcomp_f=0.04, argm=0.02)
        self.assertEqual(self.told(results, "Thesis, figure 7.3"),
                         ("in part", "the paper's fall-off, with 64 GPUs, is not reached with 8 hosts"))
        self.assertIn("figures have the paper's shape, 1 of them as far as these hosts go.", self.page(results))
        slow = self.change(results, "argm_nodes", "argm", median_s=0.2)
        self.assertEqual(self.told(slow, "Thesis, figure 7.3"),
                         ("**no**", "slower than MPI_Allreduce on these few hosts already: argm, 2 ranks each"))

    def test_one_size_is_enough_to_differ(self):
        behind = self.change(self.results(homcomp_f=0.02, argm=0.01), "argm_walk", "argm", ["4M"], median_s=0.03)
        self.assertEqual(self.told(behind, "Thesis, figure 7.4"), ("**no**", "argm is slower than homcomp_f at 4M"))
        less = self.change(self.results(hzccl=0.08), "doc", "hzccl", compress_s=0.01)
        self.assertEqual(self.told(less, "hZCCL and ghZCCL")[0], "yes")
        more = self.change(less, "doc", "hzccl", ["78M"], compress_s=0.04)
        self.assertEqual(self.told(more, "hZCCL and ghZCCL"), ("**no**", "codec and sums take no less time than DOC's at 78M"))
        slow = self.change(self.results(hzccl=0.08), "doc", "hzccl", ["28M"], compress_s=0.01, median_s=0.1)
        self.assertIn("homomorphic sums are no faster at 28M", self.told(slow, "hZCCL and ghZCCL")[1])
        waits = self.change(self.results(), "steps", "ring_raw", ["278M"], wait_s=0.001)
        self.assertEqual(self.told(waits, "C-Coll, figure 7"), ("**no**", "DI waits no less than AD at 278M"))
        once = self.change(self.results(c_coll=0.05), "steps_gather", "c_coll", ["78M"], median_s=0.11)
        self.assertEqual(self.told(once, "C-Coll, figure 8"), ("**no**", "ND is slower than DI at 78M"))
        self.assertEqual(self.told(self.results(), "C-Coll, figure 8"), ("**no**", "ND gains nothing over DI"))
        last = self.change(self.results(c_coll=0.05), "baselines", "c_coll", ["128M"], median_s=0.1)
        self.assertEqual(self.told(last, "C-Coll, figure 11"), ("**no**", "c_coll is not faster than the library at 128M"))

    def test_another_shape_is_called_so(self):
        self.assertEqual(self.told(self.results(c_coll=0.2), "C-Coll, figure 11")[0], "**no**")
        # One of the rows that it is compared with is faster, others are much slower.
        self.assertIn("is ahead of c_coll everywhere", self.told(self.results(c_coll=0.05, cpr_p2p=0.04), "C-Coll, figure 11")[1])
        # The step before the last, which is two stages, is slower than the one before.
        self.assertEqual(self.told(self.results(ring_raw=0.3, cpr_p2p=0.1, c_coll=0.1), "C-Coll, figure 10"),
                         ("**no**", "at 678M ND (0.200 s) is slower than DI (0.100 s)"))
        # Each step is an improvement, and yet the ring without compression is faster at one size.
        slow = self.results(ring_raw=0.3, cpr_p2p=0.2)
        for experiment, name in (("steps_scatter", "cpr_p2p"), ("steps_gather", "c_coll"), ("steps", "c_coll")):
            self.change(slow, experiment, name, median_s=0.08)
        self.assertEqual(self.told(slow, "C-Coll, figure 10"), ("yes", ""))
        self.change(slow, "steps", "ring_raw", ["28M"], median_s=0.07)
        self.assertEqual(self.told(slow, "C-Coll, figure 10"), ("**no**", "Overlap is no faster than AD at 28M"))

    def section(self, results, start):
        return self.page(results).split(f"## {start}:", 1)[1].split("\n## ", 1)[0]

    def test_a_figure_says_how_it_was_measured(self):
        results = self.results()
        for start, told in (
                ("C-Coll, figure 10", "allreduce, reduce_scatter and allgather on marmousi_wave, --rel 1e-3; 28M, 78M, 128M, 278M and "
                                      "678M; 4 hosts with 1 rank each, MPICH; medians of 3 runs."),
                ("C-Coll, figure 12", "allreduce on marmousi_wave, --rel 1e-3; 28M (the paper's series goes on to 678 MB, left out to "
                                      "save time); 2, 4 and 8 hosts with 1 rank each, MPICH; "),
                ("C-Coll, figure 13", "allreduce on isabel_velmag, cesm_PRECT, cesm_T, eraint_u and marmousi_wave, --rel 1e-4; 78M; "),
                ("C-Coll, figure 16", "scatter and bcast on marmousi_wave, --rel 1e-3; 28M, 78M, 128M, 278M and 678M; 4 hosts with "
                                      "1 rank each, MPICH; medians of 3 runs."),
                ("hZCCL and ghZCCL", "allreduce on hit_u, --rel 1e-3; 28M, 78M and 128M; "),
                ("Thesis, figure 7.4", "allreduce on walk, --rel 1e-4; 256K, 1M, 4M, 16M and 64M (the paper's series goes on to 2 GB, "
                                       "left out to save time); 4 hosts with 2 ranks each, MPICH; ")):
            self.assertIn(f"\n\nMeasured: {told}", self.section(results, start))
        self.assertIn("678M are 678 * 2^20 bytes", self.page(results))

    def test_a_figure_says_of_how_many_runs_its_medians_are(self):
        def runs(results, experiment, count, sizes=None):
            for name in bench_papers.BASELINES:
                self.change(results, experiment, name, sizes, times_s=[0.1] * count)
            return results

        self.assertIn("MPICH; one run each, not medians.", self.section(runs(self.results(), "nodes", 1), "C-Coll, figure 12"))
        results = runs(self.results(), "baselines", 1, ["28M", "78M"])
        self.assertIn("; one run at 28M and 78M, medians of 3 runs at 128M, 278M and 678M.", self.section(results, "C-Coll, figure 11"))
        # The row with the fewest counts.
        fewer = self.change(self.results(), "nodes", "c_coll", times_s=[0.1])
        self.assertIn("one run each, not medians.", self.section(fewer, "C-Coll, figure 12"))

    def test_a_cell_without_a_number_is_explained(self):
        results = self.results()
        self.assertNotIn("not measured at", self.page(results))
        for point in results["points"]:
            if point["size"] == "128M":
                point["rows"] = [row for row in point["rows"] if row["algorithm"] not in bench_papers.SLOW]
        self.assertIn("cpr_p2p:zfp_abs and cpr_p2p:zfp_rate were not measured at 128M, where a call takes many seconds.",
                      self.section(results, "C-Coll, figure 11"))

    def test_machines_and_days_are_told_apart(self):
        results = self.results()
        page = self.page(results)
        self.assertIn("Measured on a processor (2 cores, 2026-01-02);", page)
        self.assertEqual(page.count("a processor"), 1)
        for point in results["points"]:
            if point["experiment"] in ("baselines", "nodes"):
                point["machine"] = MACHINE | {"processor": "another", "date": "2026-03-04", "load": 2.5}
            if point["experiment"] == "argm_walk":
                point["machine"] = MACHINE | {"date": "2026-01-03"}
        page = self.page(results)
        self.assertIn("Measured on a processor (2 cores, 2026-01-02 to 2026-01-03) and another (2 cores, 2026-03-04); ", page)
        self.assertIn("0.1 to 2.5.", page)
        self.assertIn("Times of different machines cannot be compared.", page)
        self.assertRegex(page, r"\| C-Coll, figure 11:[^|]*\|[^|]*\|[^|]*\| another \(2 cores, 2026-03-04\) \|")
        self.assertRegex(page, r"\| C-Coll, figure 7:[^|]*\|[^|]*\|[^|]*\| a processor \(2 cores, 2026-01-02\) \|")
        self.assertIn("medians of 3 runs; another (2 cores, 2026-03-04).", self.section(results, "C-Coll, figure 12"))
        self.assertIn("medians of 3 runs; a processor (2 cores, 2026-01-03).", self.section(results, "Thesis, figure 7.4"))

    def test_what_was_not_measured_is_left_out(self):
        results = self.results()
        results["points"] = [p for p in results["points"] if p["experiment"] == "steps"]
        page = self.page(results)
        self.assertIn("figure 7:", page)
        self.assertNotIn("figure 8:", page)


if __name__ == "__main__":
    unittest.main()
