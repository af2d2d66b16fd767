# SPDX-License-Identifier: BSD-3-Clause
"""Pages of the benchmarks on emulated hosts from small made-up measurements: verdicts and tables hold the numbers of the
JSON, a point measured again takes the place of the old one, and what was written by hand stays. No hosts are needed."""

import contextlib
import copy
import importlib.util
import io
import json
import sys
import tempfile
import unittest
from dataclasses import astuple
from pathlib import Path
from types import SimpleNamespace

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tools"))

import bench_collectives  # noqa: E402
import bench_grid  # noqa: E402
import bench_stacking  # noqa: E402
import collectives_page  # noqa: E402
import emulated_hosts  # noqa: E402
import grid_page  # noqa: E402
import row_colours  # noqa: E402

MACHINE = {"processor": "a processor", "cores": 2, "load": 0.1, "date": "2026-01-02"}
PLOTS = importlib.util.find_spec("matplotlib") is not None


def grid_row(name, seconds, **more):
    return {"algorithm": name, "ran": name, "forced": None, "median_s": seconds, "min_s": seconds, "ratio": 5.0,
            "speedup_vs_stock": 0.1 / seconds, "predicted_s": seconds * 1.1, "sent_bytes_per_rank": 1, "max_error": 0,
            "bound": 0, "same_bits": True} | more


def grid_point(size="1M", part="grid", **more):
    """stock 100 ms, forced 80 ms, our raw ring 90 ms, homcomp_f 20 ms, auto the same."""
    rows = [grid_row("stock", 0.1), grid_row("ring_raw", 0.09), grid_row("c_coll", 0.04), grid_row("homcomp_f", 0.02),
            grid_row("auto", 0.0202, ran="homcomp_f"), grid_row("stock, ring", 0.08, forced="ring", predicted_s=None)]
    return {"part": part, "op": "allreduce", "mpi": "openmpi", "hosts": 8, "rate": "1gbit", "cores": 0,
            "field": "isabel_velmag", "rel": "1e-3", "size": size, "bytes": bench_grid.bytes_of(size), "assumed_ratio": 6.0,
            "repetitions": 3, "date": "2026-01-02", "processor": "a processor", "load": 0.1, "rows": rows} | more


def change(point, name, **more):
    point = copy.deepcopy(point)
    next(row for row in point["rows"] if row["algorithm"] == name).update(more)
    return point


class Folder(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="laconic-pages-")
        self.addCleanup(folder.cleanup)
        self.out = Path(folder.name)

    def section(self, page, heading):
        return page.split(f"## {heading}", 1)[1].split("\n## ", 1)[0]


class Grid(Folder):
    def page(self, *points):
        return grid_page.page({"machine": MACHINE, "points": list(points)}, self.out)

    def test_a_good_decision_and_a_bad_one(self):
        page = self.page(grid_point("64K"), grid_point("1M"))
        self.assertIn("| all | 2 | 2 of 2 | 0 | +1 % | +1 % | 2 of 2 | 0 |", page)
        bad = change(change(grid_point("4M"), "auto", median_s=0.03), "auto", speedup_vs_stock=0.9)
        page = self.page(grid_point("1M"), bad)
        self.assertIn("| all | 2 | 1 of 2 | 1 | +26 % | +50 % | 1 of 2 | 1 |", page)
        self.assertIn("| allreduce 4 MB, 8 hosts, 1 Gbit/s | homcomp_f | 30.00 ms | homcomp_f | 20.00 ms | +50 % | - | +11 % |",
                      page)

    def test_the_best_row_is_chosen_in_other_repetitions_than_it_is_compared_in(self):
        def rows(auto):
            times = {"stock": [9, 9, 9, 9], "c_coll": [1, 2, 1, 2], "binomial": [2, 1, 2, 1], "auto": auto}
            runs = {"c_coll": "ring", "auto": "ring"}
            return [grid_row(name, 1, ran=runs.get(name, name), times_s=values, warm_up_s=[4]) for name, values in times.items()]

        # Neither c_coll nor binomial is faster, whichever was in a half.
        even = bench_grid.auto_compared(rows([2, 2, 2, 2]))
        self.assertAlmostEqual(even["auto_vs_best"], 0)
        self.assertEqual(even["auto_vs_best_range"], [0, 0])
        self.assertEqual(even["auto_first"], 1)
        self.assertAlmostEqual(bench_grid.auto_compared(rows([3, 3, 3, 3]))["auto_vs_best"], 0.5)
        self.assertAlmostEqual(bench_grid.auto_compared(rows([2, 4, 2, 4]))["auto_vs_itself"], 1)
        self.assertEqual(bench_grid.auto_compared(rows([2])), {})
        told = grid_point("1M", auto_vs_best=0.2, auto_vs_itself=0.19)
        self.assertIn("| +20 % | +19 % | -80 % |", self.page(told))

    def test_intervals_of_medians(self):
        # Between the 2nd and the 9th of ten, the 40th and the 61st of a hundred: 95 % and a little more.
        self.assertEqual(bench_grid.interval([1 + i for i in range(1, 11)][::-1]), [2, 9])
        self.assertEqual(bench_grid.interval([1 + i for i in range(1, 101)]), [40, 61])
        self.assertEqual(bench_grid.interval([3, 1, 2]), [0, 2])
        beyond = grid_point("1M", auto_vs_best=0.2, auto_vs_best_range=[0.06, 0.3], auto_vs_stock_range=[0.04, 0.5])
        near = grid_point("4M", auto_vs_best=0.2, auto_vs_best_range=[0.04, 0.3], auto_vs_stock_range=[0.02, 0.5])
        self.assertRegex(self.page(beyond, near), r"\| all \| 2 \| 0 of 2 \| 1 \| [^|]* \| [^|]* \| [^|]* \| 1 \|")

    def test_forced_algorithms_count_for_the_crossover_only(self):
        slow = change(grid_point("64K"), "homcomp_f", median_s=0.09)
        slow = change(slow, "c_coll", median_s=0.095)
        page = self.page(slow, grid_point("1M"))
        self.assertIn("64K: 0.89x (ring_raw), 1M: 4.00x (homcomp_f) | 1 MB |", self.section(page, "From where"))
        self.assertIn("| all | 2 | 2 of 2 |", page)

    def test_the_crossover_of_allreduce_has_a_target(self):
        def verdict(*points):
            return self.section(self.page(*points), "From where").strip().splitlines()[-1]

        def slow(size):
            return change(change(grid_point(size), "homcomp_f", median_s=0.2), "c_coll", median_s=0.2)

        target = "Target: a crossover of at most 256 KB for allreduce: "
        self.assertEqual(verdict(slow("64K"), grid_point("256K")), target + "met (256 KB).")
        self.assertEqual(verdict(grid_point("64K"), grid_point("1M")), target + "met (at most 64 KB).")
        self.assertEqual(verdict(slow("256K"), grid_point("1M")), target + "**not met** (1 MB).")
        self.assertEqual(verdict(slow("64K"), slow("1M")), target + "**not met** (none).")
        # The other operations have none.
        self.assertIn("| bcast | ", verdict(grid_point("1M", op="bcast")))

    def test_predictions(self):
        off = change(grid_point("1M"), "homcomp_f", predicted_s=0.01)
        page = self.page(off)
        self.assertIn("2 of 3 (67 %) were predicted within 20 %", page)
        self.assertIn("| 1 Gbit/s | homcomp_f | 0.50 |", page)

    def test_noise_and_one_core(self):
        noise = change(grid_point("1M", "noise", field="noise"), "auto", median_s=0.09, ran="ring_raw")
        cores = grid_point("64M", "one_core", hosts=4, cores=1, field="hit_u")
        page = self.page(grid_point(), noise, cores, dict(cores, rate="2.5gbit"))
        self.assertIn("on 0 of 1 points", self.section(page, "Incompressible"))
        self.assertIn("| ring_raw | +12 % |", self.section(page, "Incompressible"))
        self.assertEqual(self.section(page, "One core").count("| 4.00x |"), 2)
        self.assertIn("| 4.00x | 3.2x | met | 3.96x (homcomp_f) | 2.00x |", page)
        slower = change(change(cores, "homcomp_f", median_s=0.04), "auto", median_s=0.05, ran="hzccl")
        self.assertIn("| 2.00x | 3.2x | **not met** | 1.60x (hzccl) |", self.page(grid_point(), slower))

    def test_a_new_measurement_replaces_the_old_one(self):
        def opened():
            return emulated_hosts.Store(self.out / "grid.json", "points", bench_grid.key_of)

        store, points = opened(), list(bench_grid.plan())
        self.assertEqual(len({astuple(point)[1:] for point in points}), len(points))
        for point, seconds in ((points[0], 1.0), (points[1], 2.0), (points[0], 3.0)):
            store.keep(dict(point.__dict__, rows=[], seconds=seconds))
        again = opened().points
        self.assertEqual([p["seconds"] for p in again.values()], [3.0, 2.0])
        self.assertEqual(list(again), [astuple(point) for point in points[:2]])
        self.assertTrue(all(p["date"] for p in again.values()))

    def test_what_is_written_by_hand_stays_and_plots_are_there(self):
        page = self.page(grid_point("1K"), grid_point("1M"))
        (self.out / "grid.md").write_text(page.replace("<!-- by hand: end -->", "Words.\n<!-- by hand: end -->"), "utf-8")
        self.assertIn("Words.\n<!-- by hand: end -->", self.page(grid_point()))
        if PLOTS:
            self.assertIn("</svg>", (self.out / "grid-model.svg").read_text("utf-8"))
        else:
            self.assertIn("no plots", page)


class Collectives(Folder):
    def rows(self, hosts, mpi, op, seconds, date):
        where = {"hosts": hosts, "mpi": mpi, "op": op, "field": "isabel", "bytes": 64, "date": date}
        return [dict(grid_row(name, seconds / gain, compress_s=0, combine_s=0, decompress_s=0, wait_s=0), **where)
                for name, gain in (("stock", 1), ("ring_raw", 1), ("homcomp_f", 4))]

    def test_points_measured_again_replace_the_old_ones_and_others_stay(self):
        before = (self.rows(4, "openmpi", "reduce", 1.0, "2026-01-01") + self.rows(4, "mpich", "reduce", 2.0, "2026-01-01") +
                  self.rows(8, "openmpi", "reduce", 3.0, "2026-01-01"))
        again = self.rows(4, "mpich", "reduce", 5.0, "2026-01-03") + self.rows(4, "mpich", "allreduce", 6.0, "2026-01-03")
        merged = bench_collectives.merged(before, again)
        self.assertEqual([(row["hosts"], row["mpi"], row["op"], row["median_s"]) for row in merged[::3]],
                         [(4, "openmpi", "reduce", 1.0), (4, "mpich", "reduce", 5.0), (4, "mpich", "allreduce", 6.0),
                          (8, "openmpi", "reduce", 3.0)])
        self.assertEqual(len(merged), 12)
        self.assertEqual(collectives_page.dates(merged), "2026-01-01 to 2026-01-03")

    def test_targets_count_our_raw_schedule_apart(self):
        def rows(op, raw, ours):
            """The best stock algorithm takes 100 ms, R is 5: asked are 23.5 ms."""
            where = {"hosts": 4, "mpi": "openmpi", "op": op, "field": "hit_u", "bytes": 64}
            times = {"stock": 0.2, "stock, ring": 0.1, bench_collectives.RAW[op]: raw, bench_collectives.OURS[op]: ours}
            return [where | {"algorithm": name, "median_s": time, "ratio": 5.0} for name, time in times.items()]
        measured = rows("allreduce", 0.12, 0.023) + rows("allgather", 0.09, 0.023) + rows("alltoall", 0.09, 0.03)
        text = collectives_page.targets(collectives_page.Rows({"rows": measured}))
        self.assertIn("Met 2 times, missed 1 times:\n\n- alltoall: 0.67 R (openmpi, 4 hosts, hit_u)\n\n", text)
        self.assertIn("By field: hit_u 2 of 3.\n", text)
        self.assertIn("which is often ahead of it: 1 times.", text)
        self.assertNotIn("differ by up to", text)
        # Another field, in an hour in which stock took twice as long: its 0.045 s are 0.85 R of that alone.
        slower = [row | {"field": "isabel_velmag", "median_s": 2 * row["median_s"]} for row in rows("allreduce", 0.12, 0.0225)]
        text = collectives_page.targets(collectives_page.Rows({"rows": measured + slower}))
        self.assertIn("Met 3 times, missed 1 times", text)
        self.assertIn("differ by up to\n2.0 times (allreduce on 4 hosts, Open MPI: 0.100 to 0.200)", text)
        self.assertIn("met 2 of 4 times.", text)
        self.assertIn("It is 4.44x (Open MPI): met.", text)
        slower[-1]["median_s"] = 0.051
        self.assertIn("It is 3.92x (Open MPI): missed.", collectives_page.targets(collectives_page.Rows({"rows": slower})))

    def test_rows_of_several_machines_are_told_apart(self):
        rows = [{"processor": name, "mpi": "mpich", "op": op} for name, op in (("A", "reduce"), ("A", "bcast"), ("B", "gather"), ("A", "reduce"))]
        self.assertEqual(collectives_page.processors(rows[:2]), "A")
        self.assertEqual(collectives_page.processors(rows), "A, but gather (MPICH): B")
        found = [grid_page.Point(grid_point(processor=name)) for name in "ABA"]
        self.assertEqual(grid_page.processors(found), "A (2 points), B (1 points)")

    def test_rows_beside_the_tables_have_a_line_for_every_call(self):
        rows = [{"ranks_per_host": 2, "mpi": "mpich", "op": "gather", **grid_row(name, at)}
                for name, at in (("stock", 0.1), ("pairwise_raw", 0.09), ("pairwise", 0.02), ("hierarchical", 0.04))]
        text = collectives_page.beside_the_tables({"machine": MACHINE, "field": "hit_u", "size": "4M", "rows": rows})
        self.assertIn("| 2 | MPICH | gather | 0.100 | 90.0 ms | `pairwise` 20.0 ms (5.00x) | `hierarchical` 40.0 ms (2.50x) |", text)
        listed = {name for names in bench_collectives.LEFT_OUT.values() for name in names}
        self.assertLess(bench_collectives.HIERARCHICAL, listed)

    def test_bytes_on_the_wire_are_judged(self):
        wire = {"machine": MACHINE, "field": "hit_u", "size": "4M",
                "rows": [{"mpi": "mpich", "algorithm": "bcast ring", "calls": 11, "claimed": 1_000_000, "counted": counted,
                                              "workspace": 3 << 20} for counted in (1_055_000, 1_070_000)]}
        text = collectives_page.bytes_on_the_wire(wire)
        self.assertIn("Met by 1 of 2.", text)
        self.assertIn("+0.9 %", text)
        self.assertIn("3.0 |", text)
        self.assertIn("hit_u, 4MB a rank", text)

    def test_what_was_measured_otherwise_is_not_mixed(self):
        table = {"settings": {"rel": "1e-3", "scope": "contribution", "repetitions": 3}, "rows": [],
                 "with_cores": {"settings": {"rel": "1e-3", "scope": "contribution", "repetitions": 3, "cores": 1}, "rows": []}}
        wanted = SimpleNamespace(rel="1e-3", repetitions=3, cores=0, out="here")
        self.assertIs(bench_collectives.part_of(table, wanted)[0], table)
        self.assertEqual(bench_collectives.part_of({}, wanted)[0], {})
        wanted.cores = 1
        self.assertIs(bench_collectives.part_of(table, wanted)[0], table["with_cores"])
        with self.assertRaisesRegex(SystemExit, "has no runs that share cores"):
            bench_collectives.part_of({}, wanted)
        wanted.cores = 2
        with self.assertRaisesRegex(SystemExit, "was measured with"):
            bench_collectives.part_of(table, wanted)

    def test_a_field_that_is_asked_for_has_to_be_there(self):
        (self.out / "hit_u_2x2x2.f32").write_bytes(bytes(32))
        wanted = SimpleNamespace(data=self.out, fields=None)
        self.assertEqual([field["name"] for field in bench_collectives.fields_of(wanted)], ["hit_u"])
        wanted.fields = "hit_u,hit_v"
        with self.assertRaisesRegex(SystemExit, "no hit_v_"):
            bench_collectives.fields_of(wanted)
        wanted.data, wanted.fields = self.out / "elsewhere", None
        with self.assertRaisesRegex(SystemExit, "no isabel_velmag_"):
            bench_collectives.fields_of(wanted)


class Forced(unittest.TestCase):
    def test_rows_say_what_was_forced(self):
        class Told(emulated_hosts.Bed):
            def bench(self, mpi, op, algorithms, field, size, options):
                return {"bytes": 8, "rows": [{"algorithm": name, "counts": "--with-counts" in options} for name in algorithms]}

        rows = Told(4, "1gbit").bench_with_forced("openmpi", "reduce_scatter", ["stock", "ring_raw"], None, "8", [],
                                                  ["butterfly@1K", "ring" + emulated_hosts.WITH_COUNTS])
        self.assertEqual([(row["algorithm"], row["forced"], row["counts"]) for row in rows],
                         [("stock", None, False), ("ring_raw", None, False), ("stock, butterfly@1K", "butterfly@1K", False),
                          ("stock, default, with counts", "default, with counts", True),
                          ("stock, ring, with counts", "ring, with counts", True)])
        self.assertTrue(all(row["bytes"] == 8 for row in rows))

    def test_what_cannot_be_forced_is_left_out(self):
        class Refused(emulated_hosts.Bed):
            def bench(self, mpi, op, algorithms, field, size, options):
                if any(":" in name for name in algorithms):
                    return None
                return {"bytes": 8, "rows": [{"algorithm": name} for name in algorithms]}

        with contextlib.redirect_stderr(io.StringIO()) as said:
            rows = Refused(4, "1gbit").bench_with_forced("openmpi", "bcast", ["stock", "ring_raw"], None, "8", [], ["chain"])
        self.assertEqual([row["algorithm"] for row in rows], ["stock", "ring_raw"])
        self.assertIn("without stock:chain", said.getvalue())


class Colours(unittest.TestCase):
    def test_a_row_has_one_colour_and_a_variant_its_dashes(self):
        labels = ["cpr_p2p", "cpr_p2p:zfp_abs", "DI (cpr_p2p)", "stock: ring", "bcast ring", "ND"]
        drawn = row_colours.styles(labels)
        self.assertEqual([row_colours.row_of(label) for label in labels],
                         ["cpr_p2p", "cpr_p2p", "cpr_p2p", "stock", "ring", None])
        self.assertEqual(len({drawn[label]["color"] for label in labels[:3]}), 1)
        self.assertEqual(drawn["DI (cpr_p2p)"]["linestyle"], drawn["cpr_p2p"]["linestyle"])
        self.assertNotEqual(drawn["cpr_p2p:zfp_abs"]["linestyle"], drawn["cpr_p2p"]["linestyle"])
        colours = {style for name, style in row_colours.ROWS.items() if not name.endswith("_raw")}
        self.assertEqual(len(colours), len([name for name in row_colours.ROWS if not name.endswith("_raw")]))


class Stacking(Folder):
    def test_tables(self):
        row = {"algorithm": "MPI_Allreduce", "median_s": 0.5, "sent_bytes_per_rank": 4e6, "ratio": 1, "max_error": 1e-9,
               "bound": 0, "psnr": 180.0, "nrmse": 1e-9}
        packed = dict(row, algorithm="homcomp_f", median_s=0.1, ratio=5.0, max_error=2e-4, bound=4e-4, psnr=79.7)
        chosen = dict(packed, algorithm="auto", ran="hzccl")
        bound = {"rel": "1e-3", "ranks": 4, "partial_images": 8, "nx": 4, "nz": 3, "panels": 2, "bytes": 96,
                 "repetitions": 3, "rows": [row, packed, chosen, dict(packed, algorithm="auto")]}
        page = bench_stacking.page({"machine": MACHINE, "mpi": "some MPI", "published": {"homcomp_f": "ring/fused:fle"},
                                    "bounds": [bound]}, self.out)
        self.assertIn("| homcomp_f | 0.100 s | 5.00x | 4.0 | 5.00 | 79.7 | 1.0e-09 | 0.0002 | 50 % |", page)
        self.assertIn("| auto (hzccl) | 0.100 s |", page)
        # Of measurements from before that was recorded.
        self.assertIn("| auto | 0.100 s |", page)
        self.assertIn("79.7 dB at 1e-3", page)
        self.assertIn("R: what the row's own schedule would send uncompressed / what it sends", page)
        self.assertNotIn("![", page)


if __name__ == "__main__":
    unittest.main()
