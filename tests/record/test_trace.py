#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The compressed trace against the side log of the same run: the same calls of every rank, byte by byte and in order,
whatever is kept of times.

usage: test_trace.py CASE FLAVOUR LAUNCHER PRELOAD LACONIC PROGRAM
"""
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
import called  # noqa: E402
from trace_run import launch, side_log  # noqa: E402

# The call of the first thread, successful.
FINALIZE = side_log.signature_of("MPI_Finalize")
# Calls that were the same in trace and log, and the file for the list of their functions (called.py).
CALLED = os.environ.get("LACONIC_TEST_CALLED")
same_calls = set()


class Job:
    """One run under the recorder, with a side log and a trace in a folder of its own."""

    def __init__(self, setting, folder):
        self.flavour, self.launcher, self.preload, self.laconic, self.program = setting
        self.folder = Path(folder)
        self.trace, self.parts, self.log = (self.folder / name for name in ("app.trace", "app.trace.parts", "log"))

    def run(self, ranks, *arguments, timing=None, trace=None, spawning=False, **settings):
        more = {"LACONIC_TRACE": str(trace or self.trace), **settings}
        if timing:
            more["LACONIC_TRACE_TIMING"] = timing
        return launch(self.launcher, ranks, self.program, arguments, self.preload, str(self.log), more, spawning)

    def ask(self, *arguments):
        return subprocess.run([self.laconic, *arguments], check=True, stdout=subprocess.PIPE, text=True, timeout=300).stdout

    def facts(self, trace=None):
        return json.loads(self.ask("stat", "--json", str(trace or self.trace)))

    def recorded(self, trace=None):
        """{rank: [(signature, start or None, duration or None)]} of the trace."""
        calls = {}
        for line in self.ask("dump", "--raw", str(trace or self.trace)).splitlines():
            # RANK NUMBER [START ns +DURATION ns] SIGNATURE
            words = line.split()
            times = (int(words[2]), int(words[4])) if len(words) > 3 else (None, None)
            calls.setdefault(int(words[0]), []).append((bytes.fromhex(words[-1]), *times))
        return calls

    def logged(self, until_finalize=True):
        """The same of the side logs. The trace ends with MPI_Finalize; what a program calls behind it is in the log only."""
        logs = {}
        for path in self.log.glob("rank-*.log"):
            calls = logs[int(path.stem[5:])] = []
            for start, end, signature in side_log.read_records(path):
                calls.append((signature, start, end - start))
                if until_finalize and signature == FINALIZE:
                    break
        return logs


def check_equal(recorded, logged, ranks):
    assert sorted(recorded) == sorted(logged) == list(range(ranks)), f"ranks {sorted(recorded)} and {sorted(logged)}"
    for rank in range(ranks):
        got, expected = [call[0] for call in recorded[rank]], [call[0] for call in logged[rank]]
        for number, (one, other) in enumerate(zip(got, expected)):
            assert one == other, f"rank {rank}, call {number}: {one.hex()} in the trace, {other.hex()} in the log"
            same_calls.add(one)
        assert len(got) == len(expected), f"rank {rank}: {len(got)} calls in the trace, {len(expected)} in the log"
        assert expected, f"rank {rank}: an empty log"


def check_times(recorded, logged, mode, is_bounded=True):
    """MPI_Finalize, the last call, is in the trace before it is over."""
    for rank, calls in recorded.items():
        for number, (call, expected) in enumerate(zip(calls[:-1], logged[rank][:-1])):
            where = f"rank {rank}, call {number}, {mode}: {call[1:]} for {expected[1:]}"
            if mode == "lossless":
                assert call[1:] == expected[1:], where
            elif mode == "lossy" and not is_bounded:
                assert call[1] is not None and call[2] >= 0, where
            elif mode == "lossy":
                assert abs(call[2] - expected[2]) <= 0.1 * expected[2] + 1, where
            else:
                assert call[1:] == (None, None), where


def compare(setting, ranks, arguments=(), mode="mean", most_bytes=None, **settings):
    """One run: the trace and the log hold the same. The bytes of its calls: those of the texts differ from run to run, as
    the time at which the run ended is among them and they are deflated."""
    with tempfile.TemporaryDirectory() as folder:
        job = Job(setting, folder)
        done = job.run(ranks, *(a.replace("FOLDER", folder) for a in arguments), timing=mode, **settings)
        where = f"{ranks} ranks, {arguments}, {mode}"
        assert done.returncode == 0, f"{where}: status {done.returncode}:\n{done.stderr}"
        assert "laconic:" not in done.stderr, f"{where}: {done.stderr}"
        left = sorted(path.name for path in job.folder.glob("app.trace*") if ".spawned-" not in path.name)
        assert left == ["app.trace"], f"{where}: left behind: {left}"
        facts = job.facts()
        assert facts["complete"] and facts["ranks"] == facts["ranks_there"] == ranks, facts
        method = settings.get("LACONIC_TRACE_METHOD", "position" if mode == "lossy" else "")
        assert (facts["timing"], facts["timing_method"]) == (mode, method), facts
        recorded, logged = job.recorded(), job.logged()
        check_equal(recorded, logged, ranks)
        # The tolerance of zfp is one for all times.
        check_times(recorded, logged, mode, not method.startswith("zfp"))
        size = job.trace.stat().st_size
        assert most_bytes is None or size <= most_bytes, f"{where}: {size} bytes, more than {most_bytes}"
        return facts["core_bytes"]


def equal(*counts, arguments=(), modes=("mean",)):
    """On each number of ranks with the first mode, on the first number with all of them."""
    def case(setting):
        for mode in modes:
            compare(setting, counts[0], arguments, mode)
        for ranks in counts[1:]:
            compare(setting, ranks, arguments, modes[0])
    return case


# Numbers of ranks that are powers, primes, squares, cubes and none of these.
COUNTS = (1, 2, 3, 5, 8, 16, 25)
# Where a launch takes long.
FEWER = (1, 2, 3, 5, 8, 25)


# The most bytes of a trace without times, whatever the number of ranks.
MOST_BYTES = {"stencil2d": 1500, "stencil3d": 2500, "transpose": 1500, "butterfly": 2000, "fan": 2000, "tree": 2000,
              "anysource": 2000, "tags": 2000}


def patterns(setting):
    """Every pattern on three numbers of ranks, two on all, one on a cube; from where on a trace does not grow."""
    for name, most in MOST_BYTES.items():
        for ranks in COUNTS if name in ("stencil2d", "transpose") else (3, 8, 25):
            compare(setting, ranks, (name, "7", "4"), "none", most)
    compare(setting, 27, ("stencil3d", "7", "4"), "none", MOST_BYTES["stencil3d"])
    at = {ranks: compare(setting, ranks, ("fan", "7", "4"), "none") for ranks in (3, 8, 25)}
    # The number of ranks itself may take a byte more.
    assert max(at.values()) <= min(at.values()) + 1, f"root to everyone: {at} bytes"
    at = {ranks: compare(setting, ranks, ("stencil2d", "7", "4"), "none") for ranks in (9, 25)}
    assert at[25] <= at[9] + 8, f"2-D stencil: {at} bytes"
    at = {turns: compare(setting, 4, ("stencil2d", turns, "4"), "none") for turns in ("10", "1000")}
    assert at["1000"] <= at["10"] + 8, f"iterations of a 2-D stencil: {at} bytes"


def nas(setting):
    """The skeletons of NAS BT and SP, class S: Pilgrim needs 58 and 19 KB on 16 ranks."""
    for name, most in (("bt", 12000), ("sp", 6000)):
        for ranks in (4, 9, 16):
            compare(setting, ranks, (name,), "none", most if ranks == 16 else None)


def spawn(setting):
    """The spawned world has a trace of its own; the logs of its processes are not named by rank."""
    for arguments in ((), ("two",)):
        with tempfile.TemporaryDirectory() as folder:
            job = Job(setting, folder)
            done = job.run(3, *arguments, spawning=True)
            assert done.returncode == 0 and "laconic:" not in done.stderr, done
            check_equal(job.recorded(), job.logged(), 3)
            spawned = list(job.folder.glob("app.trace.spawned-*"))
            assert len(spawned) == 1, spawned
            calls = job.recorded(spawned[0])
            logs = [[each[2] for each in side_log.read_records(path)] for path in sorted(job.log.glob("pid-*.log"))]
            logs = [log[:log.index(FINALIZE) + 1] for log in logs]
            assert sorted(calls) == [0, 1] and sorted(logs) == sorted([call[0] for call in calls[rank]] for rank in calls)


def ports(setting):
    """Parts of the world that find each other. MPICH over UCX has names only, and refuses the rest."""
    for what in ("names", "refusals") if setting[0] == "mpich" else ("names", "ports", "join"):
        for ranks in (2, 3, 5, 8):
            compare(setting, ranks, (what,), "none")


def ends(setting):
    """Programs that do not come to MPI_Finalize leave part files with every call; others into the same file clear them."""
    for how in ("abort", "exit", "kill"):
        with tempfile.TemporaryDirectory() as folder:
            job = Job(setting, folder)
            done = job.run(2, how)
            assert done.returncode != 0
            assert not job.trace.exists(), how
            facts = job.facts(job.parts)
            assert not facts["complete"] and facts["ranks"] == 2, facts
            recorded, logged = job.recorded(job.parts), job.logged(until_finalize=False)
            # The launcher may end a rank before it is up.
            for rank, calls in recorded.items():
                assert [call[0] for call in calls] == [call[0] for call in logged[rank]], f"{how}: rank {rank} differs"
                same_calls.update(call[0] for call in calls)
            assert max(map(len, recorded.values())) > 100, "no rank came to its end"
            for path in job.log.glob("*.log"):
                path.unlink()
            done = job.run(1, "fork")
            assert done.returncode == 0 and not job.parts.exists(), "part files of the run before are still there"
            check_equal(job.recorded(), job.logged(), 1)


def pause(setting):
    for how in ("pause", "info"):
        compare(setting, 2, (how,))


def methods(setting):
    """Lossy times by every method that can be asked for."""
    for method in ("position", "cfg", "hist", "sz", "zfp", "sz_clustered", "zfp_clustered"):
        compare(setting, 3, ("pause", "500"), "lossy", LACONIC_TRACE_METHOD=method)


def memory(setting):
    """More calls than the bound of memory holds: parts, and in all of them together every call. MANY of them take more
    than 2 MiB, at about 95 bytes each."""
    many = "30000"
    for bound, least, most in (("1M", 3, 9), ("64M", 1, 1)):
        with tempfile.TemporaryDirectory() as folder:
            job = Job(setting, folder)
            done = job.run(2, "abort", many, LACONIC_TRACE_MEMORY=bound)
            assert done.returncode != 0 and not job.trace.exists(), done
            parts = len(list(job.parts.glob("rank-00000.*.part")))
            recorded, logged = job.recorded(job.parts), job.logged(until_finalize=False)
            for rank, calls in recorded.items():
                assert [call[0] for call in calls] == [call[0] for call in logged[rank]], f"{bound}: rank {rank} differs"
            assert least <= parts <= most, f"{bound}: {parts} part files of rank 0"
            assert max(map(len, recorded.values())) > int(many), "no rank came to its end"
    for mode in ("mean", "lossless", "lossy"):
        compare(setting, 2, ("pause", many), mode, LACONIC_TRACE_MEMORY="1M")


def refusals(setting):
    """What cannot be done is said once, and the program goes on."""
    with tempfile.TemporaryDirectory() as folder:
        job = Job(setting, folder)
        for more, word in (({"trace": job.folder / "nowhere" / "app.trace"}, "nowhere"),
                           ({"timing": "often"}, "none|mean|lossless|lossy"),
                           ({"timing": "lossy", "LACONIC_TRACE_ERROR": "7"}, "LACONIC_TRACE_ERROR"),
                           ({"timing": "lossy", "LACONIC_TRACE_METHOD": "gzip"}, "position|cfg|hist|sz|zfp"),
                           ({"LACONIC_TRACE_MEMORY": "much"}, "LACONIC_TRACE_MEMORY")):
            done = job.run(2, "pause", **more)
            assert done.returncode == 0, f"{word}: status {done.returncode}:\n{done.stderr}"
            said = [line for line in done.stderr.splitlines() if line.startswith("laconic:")]
            assert len(said) == 1 and word in said[0], done.stderr
            check_equal(job.logged(), job.logged(), 2)
        assert not list(job.folder.glob("app.trace*")), "a refused trace leaves something behind"


def command(setting):
    """laconic trace: the library is found, the launcher told, the status handed on."""
    flavour, wrapper, _, laconic, program = setting
    before, _, after = Path(wrapper).read_text(encoding="utf-8").partition("ranks=$1")
    launcher = after.split("exec ")[1].split()[0]

    def run(*words, how=("pause",), launch=(launcher, "-n", "2"), **variables):
        script = before + 'exec "$@"'
        environment = dict(os.environ, LD_PRELOAD=os.environ.get("LACONIC_TEST_PRELOAD", ""), **variables)
        return subprocess.run(["sh", "-c", script, "sh", laconic, "trace", *words, "--", *launch, program, *how], text=True,
                              cwd=folder, env=environment, capture_output=True, timeout=150, check=False)

    with tempfile.TemporaryDirectory() as folder:
        job = Job(setting, folder)
        done = run("-o", "app.trace", "--timing", "lossless", LACONIC_TRACE_TIMING="none")
        assert (done.returncode, done.stdout, done.stderr) == (0, "", ""), done
        facts = job.facts()
        assert (facts["ranks"], facts["timing"], facts["complete"]) == (2, "lossless", True), facts
        assert facts["texts"]["command"] == f"{program} pause", facts["texts"]
        before_bytes = job.trace.read_bytes()
        # The flag comes before the variable.
        done = run("--memory", "1M", how=("exit", "30000"), LACONIC_TRACE_MEMORY="64M")
        assert done.returncode != 0 and "app.trace.parts" in done.stderr, done
        assert job.trace.read_bytes() == before_bytes and job.facts(job.parts)["ranks"] == 2
        assert len(list(job.parts.glob("rank-00000.*.part"))) > 2, sorted(job.parts.iterdir())
        done = run("--memory", "much")
        assert done.returncode == 2 and "--memory: 'much'" in done.stderr, done
        # A command that says nothing about its MPI: one rank without a launcher.
        done = run("-o", "one.trace", launch=())
        assert done.returncode == 2 and "--mpi" in done.stderr, done
        done = run("-o", "one.trace", "--mpi", flavour, launch=())
        assert done.returncode == 0 and job.facts(job.folder / "one.trace")["ranks"] == 1, done
        done = run("-o", "none.trace", launch=(launcher, "-n", "1", "true"))
        assert done.returncode == 0 and "none.trace" in done.stderr, done
        # A script that starts the launcher, and has libraries of its own to load.
        done = run("-o", "script.trace", launch=(wrapper, "2"))
        assert (done.returncode, done.stdout, done.stderr) == (0, "", ""), done
        assert job.facts(job.folder / "script.trace")["ranks"] == 2
        done = run("--mpi", "mpich" if flavour == "openmpi" else "openmpi")
        assert done.returncode == 2 and f"is of {flavour}" in done.stderr, done


CASES = {"p2p": equal(4, *COUNTS, modes=("none", "mean", "lossless", "lossy")), "comm": equal(4, 5, 8, 16, 25),
         "data": equal(3, *FEWER, arguments=["FOLDER/written"]), "collectives": equal(*FEWER),
         "windows": equal(*FEWER, arguments=["FOLDER/written"]),
         "dynamic": equal(*FEWER), "cuda": equal(2, 1, 3, 5, 8),
         "cuda_plugin": equal(2, 3, arguments=[os.environ.get("LACONIC_TEST_PLUGIN", "")]), "tool": equal(2, 1, 3, 8, modes=("mean", "lossless")), "ports": ports,
         "handles": equal(*FEWER, modes=("lossy", "none")), "threads": equal(2, 1, 3, 5, 8, modes=("lossless",)), "ends": ends,
         "pause": pause, "methods": methods, "memory": memory, "bytes": equal(4, 5, 8, 16), "apart": equal(4), "corners": equal(2, 1, 3, 5),
         "files": equal(2, 1, 3, 5, 8, arguments=["FOLDER/written"]), "rest": equal(*FEWER),
         "large": equal(*FEWER, arguments=["FOLDER/written"]), "command": command, "refusals": refusals,
         "large_collectives": equal(*FEWER), "large_data": equal(*FEWER), "large_windows": equal(*FEWER),
         "large_files": equal(2, 1, 3, 5, 8, arguments=["FOLDER/written"]), "sessions": equal(*FEWER),
         "mpich": equal(2, 1, 5), "old": equal(2, 1, 5, 8),
         "objects": equal(2, 1, 3, 5, 8, arguments=["FOLDER/written"]),
         "fortran": equal(2, 1, 3, 8),
         "mpi4": equal(2, 3, 5, 8, 16, 25), "patterns": patterns, "nas": nas, "spawn": spawn}


def main(arguments):
    if len(arguments) != 6 or arguments[0] not in CASES:
        print(__doc__)
        return 2
    if CALLED:
        called.forget(CALLED)
    CASES[arguments[0]](arguments[1:])
    if CALLED:
        called.leave(CALLED, called.functions_of(same_calls), *arguments[3:])
    print(f"{arguments[0]}: the trace and the log are the same")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
