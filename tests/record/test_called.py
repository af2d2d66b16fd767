#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Every function that mpi.h declares was called by a test program, recorded, and came out of the trace as it went in, and
one call of it at least was successful: the lists that the tests trace.* left, together, are what the header declares, less
what exceptions.txt gives a reason for.

usage: test_called.py FLAVOUR PRELOAD LACONIC COMPILER FLAG... -- LIST=PROGRAM...
"""
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
import called  # noqa: E402
from mpi_table import header, outputs  # noqa: E402


def main(arguments):
    if "--" not in arguments or arguments.index("--") < 4:
        print(__doc__)
        return 2
    split = arguments.index("--")
    flavour, preload, laconic, *command = arguments[:split]
    declared, _ = header.read_header(command[:1], command[1:])
    uncalled, refused = (set(outputs.read_exceptions(called.EXCEPTIONS, flavour, kind)) for kind in ("uncalled", "refused"))
    recorded, done, faults = set(), set(), []
    for pair in arguments[split + 1:]:
        path, _, program = pair.partition("=")
        try:
            functions = called.read(path, preload, laconic, program)
            recorded |= set(functions)
            done |= {name for name, how in functions.items() if how == "done"}
        except called.ListError as error:
            faults.append(str(error))
    if not faults:
        for names, what in ((declared - recorded - uncalled, "declared and never recorded"),
                            (recorded - done - refused, "recorded, but never a call that succeeded"),
                            (recorded & uncalled, "recorded, although exceptions.txt has them as uncalled"),
                            (refused - (recorded - done), "in exceptions.txt as refused, but they are not"),
                            (uncalled - declared, "in exceptions.txt, but not declared"),
                            (recorded - declared, "recorded, but not declared")):
            if names:
                faults.append(f"{len(names)} functions are {what}: {', '.join(sorted(names))}")
    if faults:
        print("\n".join(faults))
        return 1
    print(f"{flavour}: {len(recorded)} of {len(declared)} functions recorded, {len(done)} of them with success")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
