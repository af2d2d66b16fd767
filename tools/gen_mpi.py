#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Writes what follows from the table of MPI functions (src/mpi/api, notation in its README.md).

usage:
  gen_mpi.py wrappers FOLDER COMPILER [FLAG...]   wrap_CHAPTER.cpp for every chapter, fortran.cpp, constants.inc, handles.inc for the mpi.h that
                                                  COMPILER finds with these flags
  gen_mpi.py names FOLDER                         function_names.inc and objects.inc: they need no mpi.h
  gen_mpi.py symbols COMPILER [FLAG...]           the names that the preload library must export, one per line
  gen_mpi.py missing COMPILER [FLAG...]           functions that mpi.h declares and the table lacks; status 1 if any
  gen_mpi.py page NAME=INCLUDE_FOLDER[,...]...    the coverage page on standard output
A file whose text would not change is left alone, so that nothing is compiled again.
"""
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
from mpi_table import header, outputs, table as tables  # noqa: E402

ROOT = Path(__file__).resolve().parent.parent
API = ROOT / "src" / "mpi" / "api"
EXCEPTIONS = ROOT / "tests" / "record" / "exceptions.txt"


def write(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    if not path.exists() or path.read_text(encoding="utf-8") != text:
        path.write_text(text, encoding="utf-8")


def wrappers(table, folder, *command):
    declared, names = header.read_header(command[:1], command[1:])
    for chapter in table.chapters:
        text = outputs.chapter_file(table, chapter, declared)
        write(Path(folder) / f"wrap_{chapter}.cpp", text or outputs.NOTICE + "// This MPI declares none of them.\n")
    write(Path(folder) / "fortran.cpp", outputs.fortran_file(table, declared))
    write(Path(folder) / "constants.inc", outputs.constants_file(table, names))
    write(Path(folder) / "handles.inc", outputs.handles_file(table, names))


def names(table, folder):
    write(Path(folder) / "function_names.inc", outputs.names_file(table))
    write(Path(folder) / "objects.inc", outputs.objects_file(table))


def symbols(table, *command):
    declared, _ = header.read_header(command[:1], command[1:])
    print("\n".join(sorted(f.name for f in table.functions if f.name in declared)))


def missing(table, *command):
    declared, _ = header.read_header(command[:1], command[1:])
    lacking = sorted(declared - {f.name for f in table.functions})
    print("\n".join(lacking) if lacking else f"all {len(declared)} declared functions are in the table")
    return 1 if lacking else 0


def page(table, *headers):
    declared_by = {}
    for argument in headers:
        name, _, folders = argument.partition("=")
        declared_by[name] = header.read_header(["cc"], ["-I" + folder for folder in folders.split(",")])[0]
    print(outputs.coverage_page(table, declared_by, EXCEPTIONS), end="")


COMMANDS = {"wrappers": wrappers, "names": names, "symbols": symbols, "missing": missing, "page": page}


def main(arguments):
    if not arguments or arguments[0] not in COMMANDS:
        print(__doc__)
        return 0 if arguments[:1] in (["-h"], ["--help"]) else 2
    try:
        return COMMANDS[arguments[0]](tables.read_table(API), *arguments[1:]) or 0
    except tables.TableError as error:
        print(f"gen_mpi.py: {error}", file=sys.stderr)
        return 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
