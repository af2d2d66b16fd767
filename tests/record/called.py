# SPDX-License-Identifier: BSD-3-Clause
"""Lists of the functions that tests of the trace saw recorded: a test leaves one, test_called.py joins them. A list begins
with the digest of what it was made with (preload library, laconic, program, test, table), so that one of an earlier build
is told from one of this build; a line NAME done|refused follows for each function, done if any call was."""
import hashlib
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent.parent / "tools"))
import side_log  # noqa: E402
from mpi_table import table as tables  # noqa: E402

EXCEPTIONS = HERE / "exceptions.txt"


class ListError(Exception):
    """A list that says nothing about this build; the text says why."""


def digest(*files):
    together = hashlib.sha256()
    for file in (*files, HERE / "test_trace.py", *sorted(side_log.API.glob("*.api"))):
        together.update(hashlib.sha256(Path(file).read_bytes()).digest())
    return together.hexdigest()


def functions_of(signatures):
    """{name: "done" or "refused"} of these calls."""
    table = tables.read_table(side_log.API)
    decoder, values = side_log.Decoder(table), {f.name for f in table.functions if f.returns is not None}
    found = {}
    for signature in signatures:
        call = decoder.decode(signature)
        # MPI_Abort does not return.
        done = call.name in values or call.result in ("MPI_SUCCESS", "unfinished")
        if done or call.name not in found:
            found[call.name] = "done" if done else "refused"
    return found


def forget(path):
    Path(path).unlink(missing_ok=True)


def leave(path, functions, *files):
    lines = [digest(*files), *(f"{name} {how}" for name, how in sorted(functions.items()))]
    Path(path).parent.mkdir(parents=True, exist_ok=True)
    Path(path).write_text("\n".join(lines) + "\n", encoding="utf-8")


def read(path, *files):
    """The list as functions_of gave it."""
    if not Path(path).exists():
        raise ListError(f"{path} is not there: run its test (ctest -R '^trace[.]'), which leaves it when it passes")
    made_with, *lines = Path(path).read_text(encoding="utf-8").splitlines()
    if made_with != digest(*files):
        raise ListError(f"{path} is of another build: run its test again (ctest -R '^trace[.]')")
    return dict(line.split() for line in lines)
