# SPDX-License-Identifier: BSD-3-Clause
"""Runs a program twice, plain and under the recorder: a launcher, a preload library and a program flow in, the calls of
every rank flow out. The program must end alike and print the same both times."""
import os
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent.parent / "tools"))
import side_log  # noqa: E402

SECONDS = 120


class Run:
    """What one traced run left: `ranks` are the calls by rank, `others` the logs of processes without one (spawned)."""

    def __init__(self, flavour, status, ranks, others):
        self.flavour, self.status, self.ranks, self.others = flavour, status, ranks, others

    def calls(self, rank, *names):
        return [call for call in self.ranks[rank] if call.name in names]

    def one(self, rank, name, **arguments):
        """The only call of that name with these arguments."""
        found = [call for call in self.calls(rank, name)
                 if all(call.arguments.get(key) == value for key, value in arguments.items())]
        assert len(found) == 1, f"rank {rank}: {len(found)} calls of {name} with {arguments}:\n" + "\n".join(
            map(str, self.calls(rank, name)))
        return found[0]


def launch(launcher, ranks, program, arguments, preload="", log="", more=None, spawning=False):
    """The finished process: output and status. `more`: further variables for the ranks. `spawning`: the variables are
    options of Open MPI's mpiexec, which hands them on to processes that the program starts."""
    settings = []
    if preload:
        before = [preload] + ([p for p in os.environ.get("LACONIC_TEST_PRELOAD", "").split(":") if p])
        settings = ["env", "LD_PRELOAD=" + ":".join(before), f"LACONIC_TRACE_LOG={log}"]
        settings += [f"{name}={value}" for name, value in (more or {}).items()]
        if spawning:
            settings = [word for setting in settings[1:] for word in ("-x", setting)]
    environment = dict(os.environ, LACONIC_MPI_SECONDS=str(SECONDS))
    return subprocess.run([launcher, str(ranks), *settings, program, *arguments], env=environment, text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=SECONDS + 30, check=False)


def trace(flavour, launcher, preload, program, ranks, arguments=(), same=True, spawning=False):
    """Runs the program and reads its logs."""
    with tempfile.TemporaryDirectory() as folder:
        arguments = [argument.replace("FOLDER", folder) for argument in arguments]
        plain = launch(launcher, ranks, program, arguments)
        log = os.path.join(folder, "log")
        traced = launch(launcher, ranks, program, arguments, preload, log, spawning=spawning)
        if same:
            assert plain.returncode == 0, f"the program fails without the recorder:\n{plain.stderr}"
            assert plain.returncode == traced.returncode, (
                f"status {plain.returncode} without and {traced.returncode} under the recorder:\n"
                f"{plain.stderr}\n{traced.stderr}")
            assert plain.stdout == traced.stdout, "the program prints something else under the recorder"
        by_rank = {int(path.stem[5:]): side_log.read_log(path) for path in Path(log).glob("rank-*.log")}
        others = [side_log.read_log(path) for path in sorted(Path(log).glob("pid-*.log"))]
        return Run(flavour, traced.returncode, by_rank, others)
