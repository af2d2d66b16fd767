# SPDX-License-Identifier: BSD-3-Clause
"""laconic-<flavour> bench collective under its mpiexec: what it prints, and that ranks fail together."""

import json
import math
import os
import random
import subprocess
import sys
import unittest
from pathlib import Path

from program import Ranks, pack

sys.path.insert(0, str(Path(__file__).parents[2] / "tools"))
import bench_collectives  # noqa: E402
import emulated_hosts  # noqa: E402

LAUNCHER, PROGRAM = sys.argv.pop(1), sys.argv.pop(1)
ROW_KEYS = ["algorithm", "median_s", "speedup_vs_stock", "sent_bytes_per_rank", "max_error", "bound"]


class CollectiveBench(Ranks):
    launcher = LAUNCHER

    def setUp(self):
        super().setUp()
        self.field = self.file("field", [math.sin(0.01 * i) for i in range(5000)])

    def bench(self, ranks, *arguments):
        return self.launch(ranks, PROGRAM, "bench", "collective", "--type", "f32", "--bytes", "40K", "--repetitions", "2",
                           *arguments)

    def uneven(self, odd_rank, ordinary, odd):
        """Rank `odd_rank` of two gets other arguments."""
        script = ('if [ "${PMI_RANK:-$OMPI_COMM_WORLD_RANK}" = "$0" ]; then exec "$1" bench collective --type f32 --bytes 40K '
                  '--abs 1e-3 $3; else exec "$1" bench collective --type f32 --bytes 40K --abs 1e-3 $2; fi')
        return self.launch(2, "/bin/sh", "-c", script, str(odd_rank), PROGRAM, ordinary, odd)

    def complaints(self, run):
        return [line for line in run.stderr.splitlines() if line.startswith("laconic")]

    def check_rows(self, report, names):
        self.assertEqual([row["algorithm"] for row in report["rows"]], names)
        for row in report["rows"]:
            self.assertEqual(list(row)[:len(ROW_KEYS)], ROW_KEYS)
            self.assertLessEqual(row["max_error"], row["bound"], row)
            self.assertTrue(row["same_bits"])
            self.assertEqual(len(row["times_s"]), report["repetitions"])
            self.assertEqual(len(row["warm_up_s"]), 7 if row["algorithm"] == "auto" else 3)
            self.assertEqual(min(row["times_s"]), row["min_s"])

    def test_prints_what_scripts_rely_on(self):
        names = ["stock", "ring_raw", "per_hop", "homomorphic", "fused"]
        for scope in ("result", "contribution"):
            run = self.bench(3, "--data", self.field, "--rel", "1e-3", "--scope", scope, "--json", "--algorithms",
                             ",".join(names))
            self.assertEqual(run.returncode, 0, run.stderr)
            report = json.loads(run.stdout)
            self.assertEqual([report[key] for key in ("op", "ranks", "bytes")], ["allreduce", 3, 40956])
            self.check_rows(report, names)
            self.assertLess(report["rows"][4]["sent_bytes_per_rank"], report["rows"][1]["sent_bytes_per_rank"])

    def test_says_how_many_bytes_ran(self):
        for op, asked, ran in (("allreduce", "43", 36), ("bcast", "4", 12), ("allgather", "43", 36), ("scatter", "35", 24),
                               ("reduce_scatter", "36", 36)):
            command = (PROGRAM, "bench", "collective", "--op", op, "--bytes", asked, "--data", self.field, "--type", "f32",
                       "--abs", "1e-3", "--algorithms", "ring_raw", "--repetitions", "1")
            run = self.launch(3, *command, "--json")
            self.assertEqual(run.returncode, 0, run.stderr)
            self.assertEqual(json.loads(run.stdout)["bytes"], ran, op)
            self.assertIn(f"3 ranks, buffers of {ran} B of f32, ", self.launch(3, *command).stdout)

    def test_bounds_of_uncompressed_rows_suit_the_reduction(self):
        data = self.file("factors", [100 + 50 * math.sin(0.01 * i) for i in range(5000)])
        names = ["stock", "ring_raw", "recursive_doubling_raw"]
        bounds = {}
        for reduction in ("sum", "max", "prod"):
            run = self.bench(3, "--data", data, "--abs", "1e-3", "--reduction", reduction, "--json", "--algorithms",
                             ",".join(names))
            self.assertEqual(run.returncode, 0, run.stderr)
            report = json.loads(run.stdout)
            self.check_rows(report, names)
            bounds[reduction] = {row["bound"] for row in report["rows"]}
        self.assertEqual(bounds["max"], {0})
        # A float has 24 digits: a sum of up to 450 and a product of up to 3.4e6, each rounded twice.
        self.assertLess(max(bounds["sum"]), 1e-4)
        self.assertLess(max(bounds["prod"]), 1.0)

    def test_elements_of_16_bits(self):
        values = [math.sin(0.01 * i) for i in range(5000)]
        for kind in ("f16", "bf16"):
            path = os.path.join(self.folder.name, kind)
            with open(path, "wb") as out:
                out.write(pack(values, kind))
            command = (PROGRAM, "bench", "collective", "--data", path, "--type", kind, "--bytes", "20K", "--repetitions", "2")
            for op in ("allreduce", "reduce", "reduce_scatter", "allgather", "gather", "scatter", "bcast", "alltoall"):
                run = self.launch(3, *command, "--op", op, "--rel", "3e-2", "--json")
                self.assertEqual(run.returncode, 0, run.stderr)
                report = json.loads(run.stdout)
                self.assertEqual([report[key] for key in ("op", "type", "bytes")], [op, kind, 20478])
                self.check_rows(report, [row["algorithm"] for row in report["rows"]])
                self.assertTrue({"stock", "auto"} <= {row["algorithm"] for row in report["rows"]})
                # Sums are rounded to what the type holds; a check in the type itself would see nothing of that.
                if op == "allreduce":
                    self.assertGreater(report["rows"][0]["max_error"], 1e-4)
            run = self.launch(2, *command, "--rel", "3e-2", "--reduction", "avg", "--algorithms", "stock,ring_raw,homcomp_f",
                              "--json")
            self.assertEqual(run.returncode, 0, run.stderr)
            self.check_rows(json.loads(run.stdout), ["stock", "ring_raw", "homcomp_f"])
            run = self.launch(2, *command, "--abs", "1e-2", "--algorithms", "stock,cpr_p2p:szx")
            self.assertEqual((run.returncode, len(self.complaints(run))), (2, 1), run.stderr)
            self.assertIn("'cpr_p2p:szx': ", run.stderr)
            self.assertIn("f32", run.stderr)

    def test_the_table_explains_itself(self):
        text = self.bench(2, "--data", self.field, "--abs", "1e-3", "--algorithms", "stock,auto").stdout
        self.assertRegex(text, r"\nauto \(\w+\) +[0-9.e-]+ +[0-9.]+x ")
        self.assertIn("\nvs stock: median of stock's time / this one's in the same repetition; codec, wait: of rank 0", text)

    def test_predicts_for_a_machine(self):
        machine = os.path.join(self.folder.name, "machine.toml")
        with open(machine, "w", encoding="ascii"):
            pass  # all of it as built in
        rows = ["--data", self.field, "--rel", "1e-3", "--json", "--algorithms", "stock,ring_raw,homcomp_f,auto"]
        told = json.loads(self.bench(2, *rows, "--machine", machine).stdout)
        self.assertGreater(told["assumed_ratio"], 2)
        predicted = {row["algorithm"]: row["predicted_s"] for row in told["rows"]}
        self.assertTrue(all(0 < seconds < 1 for seconds in predicted.values()), predicted)
        self.assertEqual(predicted["auto"], predicted[told["rows"][3]["ran"]])
        silent = json.loads(self.bench(2, *rows).stdout)
        forced = json.loads(self.bench(2, *rows[:-1], "stock:recursive_doubling,ring_raw", "--machine", machine).stdout)
        self.assertEqual(forced["assumed_ratio"], told["assumed_ratio"])
        self.assertIsNone(forced["rows"][0]["predicted_s"])
        self.assertEqual(forced["rows"][1]["predicted_s"], predicted["ring_raw"])
        self.assertEqual([silent["assumed_ratio"], *(row["predicted_s"] for row in silent["rows"])], [None] * 5)

    def test_every_operation_and_row(self):
        for op in ("allreduce", "reduce", "reduce_scatter", "allgather", "gather", "scatter", "bcast", "alltoall"):
            run = self.bench(3, "--op", op, "--data", self.field, "--rel", "1e-3", "--json")
            self.assertEqual(run.returncode, 0, run.stderr)
            report = json.loads(run.stdout)
            self.assertEqual(report["op"], op)
            self.check_rows(report, [row["algorithm"] for row in report["rows"]])
            self.assertTrue({"stock", "auto", "c_coll"} <= {row["algorithm"] for row in report["rows"]})
            everywhere = ["stock", "ring_raw", "auto"]
            run = self.bench(3, "--op", op, "--data", self.field, "--rel", "1e-3", "--json", "--algorithms", ",".join(everywhere))
            self.assertEqual(run.returncode, 0, run.stderr)
            report = json.loads(run.stdout)
            self.check_rows(report, everywhere)
            rows = report["rows"]
            straight = op in ("gather", "scatter", "alltoall")
            self.assertEqual(rows[1]["ran"], "pairwise_raw" if straight else "ring_raw")
            self.assertEqual(rows[1]["ratio"], 1)

    def test_forces_algorithms_of_mpi(self):
        """Each row by its own algorithm, and stock by the library's choice, whatever runs beside it."""
        generator = random.Random(1)
        noise = self.file("noise", [generator.uniform(-1, 1) for _ in range(5000)])
        # Of these two sums are added in another order.
        op, algorithms = (("reduce_scatter", ["stock:pairwise", "stock:recursive_doubling"]) if PROGRAM.endswith("mpich") else
                          ("allreduce", ["stock:ring", "stock:recursive_doubling"]))
        names = ["stock", *algorithms, "ring_raw"]
        errors = {name: set() for name in names}
        for order in (names, names[::-1], ["stock"]):
            run = self.bench(4, "--op", op, "--data", noise, "--abs", "1e-3", "--json", "--algorithms", ",".join(order))
            self.assertEqual(run.returncode, 0, run.stderr)
            report = json.loads(run.stdout)
            self.check_rows(report, order)
            for row in report["rows"]:
                self.assertEqual(row["ran"], "ring_raw" if row["algorithm"] == "ring_raw" else "stock")
                errors[row["algorithm"]].add(row["max_error"])
        self.assertEqual([len(found) for found in errors.values()], [1] * len(names), errors)
        self.assertNotEqual(errors[algorithms[0]], errors[algorithms[1]])

    def test_benchmarks_force_what_there_is(self):
        """Every name in the tables of tools/emulated_hosts.py."""
        flavour = PROGRAM.rsplit("-", 1)[1]
        wanted = {}
        for table in (emulated_hosts.FORCED, emulated_hosts.ALSO_FORCED):
            for (mpi, op), names in table.items():
                for name in names if mpi == flavour else ():
                    counts = ["--with-counts"] if name.endswith(emulated_hosts.WITH_COUNTS) else []
                    wanted.setdefault((op, *counts), []).append("stock:" + name.removesuffix(emulated_hosts.WITH_COUNTS))
        self.assertGreater(len(wanted), 4)
        for (op, *counts), names in wanted.items():
            names = ["stock", *names]
            run = self.bench(4, "--op", op, "--data", self.field, "--rel", "1e-3", "--json", "--algorithms", ",".join(names), *counts)
            self.assertEqual(run.returncode, 0, run.stderr)
            self.check_rows(json.loads(run.stdout), names)

    def test_the_page_names_every_row(self):
        """Those with tables and those without make up `laconic info --algorithms`; a codec of its own is no other row."""
        said = subprocess.check_output([Path(PROGRAM).with_name("laconic"), "info", "--algorithms", "--json"])
        rows = {(row["operation"], row["name"]) for row in json.loads(said)["algorithms"]}
        shown = [(op, name) for op, names in bench_collectives.ROWS.items() for name in names if ":" not in name]
        left_out = [(op, name) for op, names in bench_collectives.LEFT_OUT.items() for name in names]
        self.assertEqual(set(shown) & set(left_out), set())
        self.assertEqual({*shown, *left_out}, rows)

    def test_says_which_algorithms_can_be_forced(self):
        mpich = PROGRAM.endswith("mpich")
        cases = [(["--op", "alltoall"], "stock:nonsense", ["stock:nonsense", "MPI_Alltoall", "stock:pairwise"]),
                 (["--op", "alltoall"], "stock:air", ["stock:air", "stock:pairwise"]),
                 (["--op", "gather", "--with-counts"], "stock:ring", ["MPI_Gatherv", "stock:linear" if mpich else "no variable"])]
        cases += [(["--op", "bcast"], "stock:binomial@64K", ["MPI_Bcast", "leave out '@64K'"])] if mpich else [
            (["--op", "bcast"], "stock:pipeline@x", ["stock:pipeline@x", "'x'"]),
            (["--op", "bcast"], "stock:pipeline@3000000000", ["3000000000", "2G"])]
        for arguments, name, words in cases:
            run = self.bench(2, *arguments, "--data", self.field, "--abs", "1", "--algorithms", name)
            self.assertEqual(run.returncode, 2, (name, run.stderr))
            self.assertEqual(len(self.complaints(run)), 1, (name, run.stderr))
            for word in words:
                self.assertIn(word, run.stderr)
        # Only where they are named before MPI starts.
        run = self.bench(2, "--data", self.field, "--abs", "1", "--algorithm", "stock:recursive_doubling")
        self.assertEqual(run.returncode, 2, run.stderr)

    def test_forms_with_counts(self):
        for op in ("reduce_scatter", "allgather", "gather", "scatter", "alltoall"):
            run = self.bench(3, "--op", op, "--data", self.field, "--rel", "1e-3", "--json", "--with-counts", "--algorithms",
                             "stock,ring_raw,auto")
            self.assertEqual(run.returncode, 0, run.stderr)
            report = json.loads(run.stdout)
            self.assertTrue(report["with_counts"])
            self.check_rows(report, ["stock", "ring_raw", "auto"])
        counted = ("--op", "gather", "--data", self.field, "--rel", "1e-3", "--json", "--with-counts")
        run = self.bench(2, *counted)
        self.assertEqual(run.returncode, 0, run.stderr)
        rows = [row["algorithm"] for row in json.loads(run.stdout)["rows"]]
        self.assertIn("pairwise", rows)
        self.assertNotIn("binomial_raw", rows)
        run = self.bench(2, *counted, "--algorithms", "stock,binomial_raw")
        self.assertEqual(run.returncode, 2, run.stderr)
        self.assertIn("--algorithms: 'binomial_raw': ranks of a tree", run.stderr)
        run = self.bench(2, "--op", "bcast", "--data", self.field, "--rel", "1e-3", "--with-counts")
        self.assertEqual(run.returncode, 2, run.stderr)
        self.assertIn("--with-counts: bcast has no form", run.stderr)

    def test_an_infinite_value_leaves_the_bound_a_number(self):
        values = [math.sin(0.01 * i) for i in range(5000)]
        values[77] = math.inf
        run = self.bench(2, "--data", self.file("inf", values), "--abs", "1e-3", "--json", "--algorithms", "stock,fused")
        self.assertEqual(run.returncode, 0, run.stderr)
        self.check_rows(json.loads(run.stdout), ["stock", "fused"])

    def test_complains_once_when_all_ranks_fail(self):
        for arguments, code in ((["--data", "/nonexistent", "--abs", "1"], 1),
                                (["--data", self.field, "--abs", "1", "--algorithms", "nonsense"], 2),
                                (["--data", self.field, "--abs", "1", "--algorithms", "fused,fused"], 2),
                                (["--data", self.field, "--abs", "1", "--algorithm", "auto", "--algorithms", "stock"], 2),
                                (["--data", self.field, "--abs", "1", "--bogus"], 2)):
            run = self.bench(2, *arguments)
            self.assertEqual(run.returncode, code, (arguments, run.stderr))
            self.assertEqual(len(self.complaints(run)), 1, (arguments, run.stderr))

    def test_one_failing_rank_ends_all(self):
        good = "--data " + self.field
        for odd, code, word, ranks in (("--data /nonexistent", 1, "/nonexistent", (1,)),
                                       (good + " --bogus", 2, "bogus", (0, 1)),
                                       (good + " --algorithms fused", 2, "different options", (1,))):
            for rank in ranks:
                run = self.uneven(rank, good, odd)
                self.assertEqual(run.returncode, code, (odd, rank, run.stderr))
                complaints = self.complaints(run)
                self.assertEqual(len(complaints), 1, (odd, rank, run.stderr))
                self.assertIn(word, complaints[0])

    def test_ranks_with_different_variables_end_together(self):
        machine = os.path.join(self.folder.name, "machine.toml")
        with open(machine, "w", encoding="ascii"):
            pass
        script = ('[ "${PMI_RANK:-$OMPI_COMM_WORLD_RANK}" = 0 ] && export "$0"; exec "$1" bench collective --type f32 '
                  '--bytes 40K --abs 1e-3 --algorithms ring_raw,homcomp_f --data "$2"')
        for variable in ("CHECK=on", "RANKS_PER_NODE=1", "CODEC_THREADS=2", "MACHINE=" + machine):
            run = self.launch(2, "/bin/sh", "-c", script, "LACONIC_" + variable, PROGRAM, self.field)
            self.assertEqual((run.returncode, len(self.complaints(run))), (2, 1), (variable, run.stderr))
            self.assertIn("different options", run.stderr)

    def test_examples_of_the_program_are_its_own(self):
        helped = subprocess.run([PROGRAM, "--help"], capture_output=True, text=True, timeout=60, check=True)
        examples = helped.stdout.split("\nExamples:\n")[1].splitlines()
        name = os.path.basename(PROGRAM)
        commands = [line.split(name, 1)[1].split(" --")[0].split() for line in examples]
        self.assertEqual(commands[-1], ["COMMAND"])
        self.assertEqual([command[0] for command in commands[:-1]], ["calibrate", "bench", "audit"])
        for command in commands[:-1]:
            run = subprocess.run([PROGRAM, *command, "--help"], capture_output=True, text=True, timeout=60, check=False)
            self.assertEqual(run.returncode, 0, run.stderr)

    def test_the_launcher_of_another_mpi_is_named(self):
        other = {"OMPI_COMM_WORLD_SIZE": "2", "OMPI_COMM_WORLD_RANK": "0"} if PROGRAM.endswith("mpich") else \
            {"PMI_SIZE": "2", "PMI_RANK": "0"}
        environment = {key: value for key, value in os.environ.items() if not key.startswith(("LACONIC_", "OMPI_", "PMI"))}
        for rank, code, lines in (("0", 2, 1), ("1", 0, 0)):
            other[list(other)[1]] = rank
            run = subprocess.run([PROGRAM, "bench", "collective", "--type", "f32", "--abs", "1", "--data", self.field],
                                 capture_output=True, text=True, timeout=60, env=environment | other, check=False)
            self.assertEqual((run.returncode, run.stdout, run.stderr.count("\n")), (code, "", lines), run.stderr)
            self.assertEqual("was started by the mpiexec of" in run.stderr, lines == 1)


if __name__ == "__main__":
    unittest.main()
