#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The table of MPI functions against what is installed: every function that mpi.h declares is in it, the preload library
exports exactly those, and the coverage page is up to date.

usage: test_table.py FLAVOUR PRELOAD COMPILER [FLAG...]
       test_table.py fortran FLAVOUR PRELOAD FORTRAN_LIBRARY
       test_table.py rules
       test_table.py page PAGE NAME=INCLUDE_FOLDER[,...]...
"""
import subprocess
import sys
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "tools"))
from mpi_table import header, outputs, table as tables  # noqa: E402

ALLOCATOR = {"malloc", "calloc", "realloc", "reallocarray", "free", "posix_memalign", "aligned_alloc", "memalign", "valloc",
             "pvalloc", "mmap", "munmap"}
CUDA = {"cudaMalloc", "cudaMallocPitch", "cudaMallocAsync", "cudaMallocAsync_ptsz", "cudaMallocFromPoolAsync",
        "cudaMallocFromPoolAsync_ptsz", "cudaMallocManaged", "cudaMallocHost", "cudaHostAlloc", "cudaFree", "cudaFreeHost",
        "cudaFreeAsync", "cudaFreeAsync_ptsz", "cuMemAlloc_v2", "cuMemAllocPitch_v2", "cuMemAllocAsync",
        "cuMemAllocAsync_ptsz", "cuMemAllocFromPoolAsync", "cuMemAllocFromPoolAsync_ptsz", "cuMemAllocManaged",
        "cuMemAllocHost_v2", "cuMemHostAlloc", "cuMemFree_v2", "cuMemFreeHost", "cuMemFreeAsync", "cuMemFreeAsync_ptsz"}


def exported(library, which="--defined-only"):
    """Names that a shared library defines, or with --undefined-only those that it wants of others."""
    lines = subprocess.run(["nm", "-D", which, library], capture_output=True, text=True, check=True).stdout
    return {line.split()[-1].split("@")[0] for line in lines.splitlines() if line.strip()}


def check_flavour(library, command):
    table = tables.read_table(ROOT / "src" / "mpi" / "api")
    names = {function.name for function in table.functions}
    declared, _ = header.read_header(command[:1], command[1:])
    assert len(declared) > 400, f"mpi.h seems to declare only {len(declared)} functions"
    assert not declared - names, f"declared but not in the table: {sorted(declared - names)}"
    shown = exported(library)
    wrapped = {name for name in shown if name.startswith(("MPI_", "MPIX_"))}
    assert wrapped == declared, (f"not exported: {sorted(declared - wrapped)}; "
                                 f"exported but not declared: {sorted(wrapped - declared)}")
    rest = {name for name in shown - wrapped if not name.startswith("PMPI_")}
    assert rest == ALLOCATOR | CUDA, f"the library shows {sorted(rest ^ (ALLOCATOR | CUDA))} more or less than allocators"
    print(f"{len(declared)} functions declared, in the table and exported")


def check_fortran(flavour, library, fortran):
    """Every function that the Fortran library offers is, when called from there, a call of a symbol of the preload
    library: of MPI_ in MPICH's mpif.h, of PMPI_ else (src/preload/fortran.hpp)."""
    names = {function.name for function in tables.read_table(ROOT / "src" / "mpi" / "api").functions
             if function.chapter not in ("convert", "mpich")}
    shown, offered, wanted = exported(library), exported(fortran), exported(fortran, "--undefined-only")
    # As mpif.h and the module mpi call them.
    bound = {name for name in names if name.lower() + "_" in offered}
    assert len(bound) > 340, f"{fortran} seems to offer only {len(bound)} functions"
    called = {name for name in wanted if name in names or (name.startswith("P") and name[1:] in names)}
    alone = {name for name in bound if not {name, "P" + name} & called}
    assert alone == set(outputs.WITHIN_FORTRAN[flavour]), f"carried out within Fortran: {sorted(alone)}"
    unseen = {name.removeprefix("P") for name in called - shown}
    assert unseen == set(outputs.REMOVED_BUT_IN_FORTRAN.get(flavour, [])), (
        f"called by {fortran}, not shown by {library}: {sorted(unseen)}")
    alone |= unseen
    print(f"{len(bound)} functions in Fortran, {len(bound - alone)} of them seen")


def check_page(page, headers):
    text = subprocess.run([sys.executable, "-B", str(ROOT / "tools" / "gen_mpi.py"), "page", *headers], capture_output=True,
                          text=True, check=True).stdout
    assert Path(page).read_text(encoding="utf-8") == text, f"{page} is out of date: tools/gen_mpi.py page ... > {page}"


class Rules(unittest.TestCase):
    """What the reader of the table refuses, and what the reader of headers understands."""

    def read(self, line):
        folder = Path(self.enterContext(__import__("tempfile").TemporaryDirectory()))
        for name in ("kinds.api", "constants.api"):
            (folder / name).write_text((ROOT / "src" / "mpi" / "api" / name).read_text(encoding="utf-8"), encoding="utf-8")
        (folder / "some.api").write_text(line, encoding="utf-8")
        return tables.read_table(folder)

    def test_faults_are_named(self):
        for line, word in (("1 1.0 MPI_A : x:nokind", "x:nokind"), ("1 1.0 MPI_A : = MPI_B", "MPI_B"),
                           ("1024 1.0 MPI_A :", "1024"), ("1 1.0 MPI_A :\n1 1.0 MPI_B :", "number 1"),
                           ("1 1.0 MPI_A :\n2 1.0 MPI_A :", "name MPI_A"), ("one MPI_A", "no function")):
            with self.assertRaisesRegex(tables.TableError, word):
                self.read(line)

    def test_large_form_follows(self):
        table = self.read("7 1.0 MPI_A +c : count:count displs:displ[count] only:big!large")
        plain, large = table.functions
        self.assertEqual((large.name, large.number, large.since), ("MPI_A_c", 1031, "4.0"))
        self.assertEqual([p.name for p in plain.parameters], ["count", "displs"])
        from mpi_table import declare
        self.assertEqual(declare.parameter_list(plain), "int count, const int displs[]")
        self.assertEqual(declare.parameter_list(large), "MPI_Count count, const MPI_Aint displs[], MPI_Count only")

    def test_declarations_are_found(self):
        text = ("typedef int (MPI_Handler_function)(int); __attribute__((visibility(\"default\"))) int MPI_One(int a); "
                "extern double MPI_Two(void); int MPI_Three(const int b[], int (*f)(int)) __attribute__((x(1,2)));"
                "MPI_Comm MPI_Four(int); int other(void);")
        self.assertEqual(header.declared_functions(text), {"MPI_One", "MPI_Two", "MPI_Three", "MPI_Four"})


def main(arguments):
    if len(arguments) < 2:
        suite = unittest.defaultTestLoader.loadTestsFromTestCase(Rules)
        return 0 if unittest.TextTestRunner().run(suite).wasSuccessful() else 1
    if arguments[0] == "fortran":
        check_fortran(*arguments[1:])
    elif arguments[0] == "page":
        check_page(arguments[1], arguments[2:])
    else:
        check_flavour(arguments[1], arguments[2:])
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
