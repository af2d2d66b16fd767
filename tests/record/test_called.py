#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Every function that mpi.h declares was called by a test program, recorded, and came out of the trace as it went in, and
one call of it at least was successful: the lists that the tests trace.* left, together, are what the header declares, less
what exceptions.txt gives a reason for.

usage: test_called.py FLAVOUR PRELOAD LACONIC COMPILER FLAG... -- LIST=PROGRAM...
       test_called.py rules
"""
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
import called  # noqa: E402
from mpi_table import header, outputs  # noqa: E402


def read_lists(pairs, *tools):
    """(recorded functions, those of them with a call that succeeded, faults of lists)."""
    recorded, done, faults = set(), set(), []
    for path, program in pairs:
        try:
            functions = called.read(path, *tools, program)
        except called.ListError as error:
            faults.append(str(error))
            continue
        recorded |= set(functions)
        done |= {name for name, how in functions.items() if how == "done"}
    return recorded, done, faults


def differences(declared, recorded, done, uncalled, refused):
    """What does not agree, a sentence each."""
    found = ((declared - recorded - uncalled, "declared and never recorded"),
             (recorded - done - refused, "recorded, but never with success"),
             (recorded & uncalled, "recorded, although exceptions.txt has them as uncalled"),
             (refused - (recorded - done), "not refused, although exceptions.txt has them as refused"),
             (uncalled - declared, "in exceptions.txt, but not declared"),
             (recorded - declared, "recorded, but not declared"))
    return [f"{len(names)} functions are {what}: {', '.join(sorted(names))}" for names, what in found if names]


class Rules(unittest.TestCase):
    def test_lists_of_other_builds_do_not_count(self):
        with tempfile.TemporaryDirectory() as folder:
            path, program = Path(folder) / "lists" / "one", Path(folder) / "program"
            program.write_text("one", encoding="utf-8")
            self.assertIn("is not there", read_lists([(path, program)])[2][0])
            called.leave(path, {"MPI_A": "done", "MPI_B": "refused"}, program)
            self.assertEqual(read_lists([(path, program)]), ({"MPI_A", "MPI_B"}, {"MPI_A"}, []))
            program.write_text("another", encoding="utf-8")
            self.assertIn("another build", read_lists([(path, program)])[2][0])
            called.forget(path)
            self.assertIn("is not there", read_lists([(path, program)])[2][0])

    def test_every_difference_is_named(self):
        declared = {"MPI_A", "MPI_B", "MPI_C"}
        self.assertEqual(differences(declared, {"MPI_A", "MPI_B"}, {"MPI_A"}, {"MPI_C"}, {"MPI_B"}), [])
        for recorded, done, uncalled, refused, word in (
                ({"MPI_A", "MPI_B"}, {"MPI_A", "MPI_B"}, set(), set(), "1 functions are declared and never recorded: MPI_C"),
                (declared, {"MPI_A", "MPI_B"}, set(), set(), "never with success: MPI_C"),
                (declared, declared, {"MPI_B"}, set(), "as uncalled: MPI_B"),
                (declared, declared, set(), {"MPI_B"}, "as refused: MPI_B"),
                (declared, declared, {"MPI_D"}, set(), "but not declared: MPI_D"),
                (declared | {"MPI_D"}, declared | {"MPI_D"}, set(), set(), "recorded, but not declared: MPI_D")):
            self.assertIn(word, "\n".join(differences(declared, recorded, done, uncalled, refused)))

    def test_a_call_counts_as_done_or_refused(self):
        finalize = called.side_log.signature_of("MPI_Finalize")
        self.assertEqual(called.functions_of([finalize]), {"MPI_Finalize": "done"})
        refused = finalize[:-1] + b"\3"
        self.assertEqual(called.functions_of([refused]), {"MPI_Finalize": "refused"})
        self.assertEqual(called.functions_of([refused, finalize]), {"MPI_Finalize": "done"})
        self.assertEqual(called.functions_of([finalize, refused]), {"MPI_Finalize": "done"})


def main(arguments):
    if arguments == ["rules"]:
        suite = unittest.defaultTestLoader.loadTestsFromTestCase(Rules)
        return 0 if unittest.TextTestRunner().run(suite).wasSuccessful() else 1
    if "--" not in arguments or arguments.index("--") < 4:
        print(__doc__)
        return 2
    split = arguments.index("--")
    flavour, preload, laconic, *command = arguments[:split]
    declared, _ = header.read_header(command[:1], command[1:])
    uncalled, refused = (set(outputs.read_exceptions(called.EXCEPTIONS, flavour, kind)) for kind in ("uncalled", "refused"))
    recorded, done, faults = read_lists([pair.split("=", 1) for pair in arguments[split + 1:]], preload, laconic)
    # With a list missing the rest would say what is not so.
    faults = faults or differences(declared, recorded, done, uncalled, refused)
    if faults:
        print("\n".join(faults))
        return 1
    print(f"{flavour}: {len(recorded)} of {len(declared)} functions recorded, {len(done)} of them with success")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
