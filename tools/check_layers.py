#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Checks the floors of ARCHITECTURE.md: the #include lines of src/, include/, python/, plugins/ and examples/ go in, one
line per arrow that must not exist comes out, and the exit status is 1 when there is any.

Rules
  * A file includes its own part, and parts on lower floors; never a part above or beside it.
  * Public headers include public headers only; examples, the Python module and plug-ins beside their own files no
    others: they are what a user can write.
  * <mpi.h> is reached, directly or through project headers, only from the parts that speak MPI, from
    include/laconic/collective.hpp and exchange.hpp, and from files of src/cli that carry _mpi in their name: those are compiled once
    per MPI into laconic-mpich and laconic-openmpi, the rest of src/cli once, into the MPI-free `laconic`.
  * CUDA and HIP headers are included only in src/gpu.

usage: check_layers.py [ROOT]      ROOT defaults to the tree this script lies in
"""
import re
import sys
from pathlib import Path

FLOORS = {
    "include": 1,
    "base": 2,
    "mpi": 3,
    "codec": 4, "trace": 4,
    "gpu": 5, "model": 5, "redistribute": 5, "record": 5,
    "collective": 6, "proxy": 6, "report": 6,
    "cli": 7, "preload": 7, "python": 7, "plugins": 7,
}
# Parts that are no folders of src/; they do without the library's internals.
FOLDERS = ("include", "examples", "python", "plugins")
MPI_PARTS = {"mpi", "record", "collective", "preload", "examples"}
MPI_HEADERS = {"include/laconic/collective.hpp", "include/laconic/exchange.hpp"}
# Folders inside parts that do without MPI otherwise.
MPI_FOLDERS = {"src/redistribute/exchange"}
GPU_HEADER = re.compile(r"^(cuda|hip|cub|thrust|nv|device_launch|driver_types)[\w/]*(\.h|\.hpp|\.cuh|/.*)$")
SOURCES = {".h", ".hpp", ".c", ".cpp", ".cu", ".cuh", ".inc"}
INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]', re.MULTILINE)


def part_of(path):
    """The part (a key of FLOORS, or "examples") that a path relative to the root belongs to."""
    if path.parts[0] in FOLDERS:
        return path.parts[0]
    return path.parts[1] if len(path.parts) > 2 else None


def resolve(root, includer, name):
    """The project file that `#include "name"` in `includer` means, relative to the root; None for foreign headers."""
    for folder in (includer.parent, Path("src"), Path("include")):
        candidate = (root / folder / name).resolve()
        if candidate.is_file() and candidate.is_relative_to(root):
            return candidate.relative_to(root)
    return None


def read_tree(root):
    """{file: [(line, name, project file or None)]} for every source file of the checked folders."""
    tree = {}
    for folder in ("src", *FOLDERS):
        for path in sorted((root / folder).rglob("*")):
            if path.suffix not in SOURCES or not path.is_file():
                continue
            text = path.read_text(encoding="utf-8", errors="replace")
            relative = path.relative_to(root)
            tree[relative] = [(text.count("\n", 0, match.start(2)) + 1, match[2],
                               resolve(root, relative, match[2])) for match in INCLUDE.finditer(text)]
    return tree


def chain_to_mpi(tree, start):
    """The includes by which `start` reaches <mpi.h>, as a list of names; None when it does not."""
    seen, queue = {start}, [(start, [])]
    while queue:
        path, chain = queue.pop(0)
        for _, name, target in tree.get(path, ()):
            if target is None and name == "mpi.h":
                return chain + [name]
            if target is not None and target not in seen:
                seen.add(target)
                queue.append((target, chain + [str(target)]))
    return None


def may_use_mpi(path):
    return (part_of(path) in MPI_PARTS or path.as_posix() in MPI_HEADERS or path.parent.as_posix() in MPI_FOLDERS
            or (part_of(path) == "cli" and "_mpi" in path.stem))


def arrow_fault(path, target):
    """Why `path` must not include the project file `target`; None when it may."""
    source, sink = part_of(path), part_of(target)
    if source == sink or sink == "include":
        return None
    if source in FOLDERS:
        return f"{source}/ may include public headers only"
    if sink not in FLOORS:
        return f"{target} belongs to no floor"
    if FLOORS[sink] < FLOORS[source]:
        return None
    word = "up" if FLOORS[sink] > FLOORS[source] else "sideways"
    return f"runs {word}: {source} is on floor {FLOORS[source]}, {sink} on floor {FLOORS[sink]}"


def check(root):
    """All faults of the tree at `root`, as lines of text."""
    root = Path(root).resolve()
    tree = read_tree(root)
    faults = []
    for path, includes in tree.items():
        part = part_of(path)
        if part != "examples" and part not in FLOORS:
            faults.append(f"{path}: lies in no part that tools/check_layers.py knows; add it to FLOORS")
            continue
        for line, name, target in includes:
            fault = arrow_fault(path, target) if target is not None else None
            if target is None and part != "gpu" and GPU_HEADER.match(name):
                fault = "GPU headers belong in src/gpu"
            if fault:
                faults.append(f"{path}:{line}: includes {name}: {fault}")
        chain = None if may_use_mpi(path) else chain_to_mpi(tree, path)
        if chain:
            faults.append(f"{path}: reaches <mpi.h> ({' -> '.join(chain)}); see the rules in tools/check_layers.py")
    if not tree:
        faults.append(f"{root}: no sources found")
    return faults


def main(arguments):
    if len(arguments) > 1 or (arguments and arguments[0].startswith("-")):
        print(__doc__)
        return 0 if arguments[0] in ("-h", "--help") else 2
    faults = check(arguments[0] if arguments else Path(__file__).parent.parent)
    for fault in faults:
        print(fault)
    print(f"check_layers: {len(faults)} faults" if faults else "check_layers: every arrow runs down")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
