#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""laconic export --to otf2 on recorded programs, read back by otf2-print: every call is there with its times, what was
sent is what was received, and the members of each communicator agree on its collectives.

usage: test_otf2.py CASE FLAVOUR LAUNCHER PRELOAD LACONIC PROGRAM
"""
import json
import re
import subprocess
import sys
import tempfile
from collections import Counter, defaultdict
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
from test_trace import Job  # noqa: E402

REFERENCE = re.compile(r"<(\d+)>")
NUMBER = r"{}: (\w+)"


class Archive:
    """What otf2-print says: events by location, the ranks of each communicator (of both groups, if it has two)."""

    def __init__(self, folder):
        self.rank_of, self.names, self.comms, groups = {}, {}, {}, {}
        for line in self.read(folder, "-G").splitlines():
            kind, _, rest = line.partition(" ")
            number, _, rest = rest.strip().partition(" ")
            if kind == "LOCATION":
                name = re.search(r'Name: "rank (\d+)(?: thread (\d+))?"', rest)
                self.rank_of[int(number)] = (int(name[1]), int(name[2] or 0))
                self.names[int(number)] = int(re.search(r"# Events: (\d+)", rest)[1])
            elif kind == "GROUP":
                members = rest.partition("Members")[2]
                groups[int(number)] = [int(each) for each in re.findall(r"(\d+) \(\"", members)]
            elif kind == "COMM":
                self.comms[int(number)] = [groups[int(REFERENCE.search(rest.partition("Group:")[2])[1])]]
            elif kind == "INTER_COMM":
                self.comms[int(number)] = [groups[int(REFERENCE.search(rest.partition(f"Group {side}:")[2])[1])]
                                           for side in "AB"]
        self.events = defaultdict(list)  # location: [(kind, time, attributes)]
        for line in self.read(folder).splitlines():
            words = line.split(None, 3)
            if len(words) >= 3 and words[1].isdigit():
                self.events[int(words[1])].append((words[0], int(words[2]), words[3] if len(words) > 3 else ""))

    @staticmethod
    def read(folder, *options):
        done = subprocess.run(["otf2-print", "-Werror", *options, str(Path(folder) / "traces.otf2")], text=True,
                              capture_output=True, timeout=300, check=False)
        assert done.returncode == 0 and not done.stderr, done.stderr
        return done.stdout

    def calls(self, location):
        """[(function, start, end)]: events are entered and left one after the other."""
        calls, open_call = [], None
        for kind, time, about in self.events[location]:
            if kind == "ENTER":
                assert open_call is None
                open_call = (re.search(r'Region: "(\w+)"', about)[1], time)
            elif kind == "LEAVE":
                assert re.search(r'Region: "(\w+)"', about)[1] == open_call[0]
                calls.append((*open_call, time))
                open_call = None
            else:
                assert open_call is not None, f"{kind} outside of any call"
                assert open_call[1] <= time
        assert open_call is None
        return calls

    def number(self, about, key):
        found = re.search(NUMBER.format(key), about)[1]
        return int(found) if found.isdigit() else found

    def peer(self, rank, comm, number):
        groups = self.comms[comm]
        if not groups[0]:
            return rank  # MPI_COMM_SELF has no members of its own
        return (groups[-1] if rank in groups[0] else groups[0])[number]

    def messages(self):
        """{(comm, from, to, tag): [lengths]} of what was sent, and of what was received, in the order of each side."""
        sent, received = defaultdict(list), defaultdict(list)
        for location, events in self.events.items():
            rank = self.rank_of[location][0]
            for kind, _, about in events:
                if kind not in ("MPI_SEND", "MPI_ISEND", "MPI_RECV", "MPI_IRECV"):
                    continue
                comm = int(REFERENCE.search(about.partition("Communicator:")[2])[1])
                sends = kind in ("MPI_SEND", "MPI_ISEND")
                peer = self.peer(rank, comm, self.number(about, "Receiver" if sends else "Sender"))
                ends = (rank, peer) if sends else (peer, rank)
                side = sent if sends else received
                side[(comm, *ends, self.number(about, "Tag"))].append(self.number(about, "Length"))
        return sent, received

    def collectives(self):
        """{comm: {rank: [(operation, root)]}}, blocking ones."""
        found = defaultdict(lambda: defaultdict(list))
        for location, events in self.events.items():
            for kind, _, about in events:
                if kind == "MPI_COLLECTIVE_END":
                    comm = int(REFERENCE.search(about.partition("Communicator:")[2])[1])
                    root = self.number(about, "Root")
                    found[comm][self.rank_of[location][0]].append((self.number(about, "Operation"), root))
        return found


def check_calls(archive, dumped, timed):
    by_thread = defaultdict(list)
    for call in dumped:
        by_thread[(call["rank"], call.get("thread", 0))].append(call)
        # Every signature that the recorder writes is understood.
        assert "numbers" not in call["arguments"], call
    assert sorted(by_thread) == sorted(archive.rank_of.values())
    for location, who in archive.rank_of.items():
        calls, expected = archive.calls(location), by_thread[who]
        assert archive.names[location] == len(archive.events[location])
        assert [call[0] for call in calls] == [call["function"] for call in expected], who
        if timed:
            assert [(call[1], call[2]) for call in calls] == [
                (call["start_ns"], call["start_ns"] + call["duration_ns"]) for call in expected], who


def check_requests(archive):
    """Each request is started once and ended at most once, after that, on its rank."""
    started, ended = set(), set()
    for location, events in archive.events.items():
        rank = archive.rank_of[location][0]
        for kind, _, about in events:
            if kind in ("MPI_ISEND", "MPI_IRECV_REQUEST", "NON_BLOCKING_COLLECTIVE_REQUEST"):
                which = (rank, archive.number(about, "Request"))
                assert which not in started, which
                started.add(which)
            elif kind in ("MPI_ISEND_COMPLETE", "MPI_IRECV", "MPI_REQUEST_CANCELLED", "NON_BLOCKING_COLLECTIVE_COMPLETE"):
                which = (rank, archive.number(about, "Request"))
                assert which not in ended, which
                ended.add(which)
    assert ended == started, f"not ended: {sorted(started - ended)[:5]}, not started: {sorted(ended - started)[:5]}"
    return len(started)


def exported(job, name="app.otf2"):
    folder = job.folder / name
    done = subprocess.run([job.laconic, "export", str(job.trace), "--to", "otf2", "-o", str(folder)], text=True,
                          capture_output=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr
    return Archive(folder), done.stderr


def case(ranks, arguments=(), messages=0, collectives=(), timing="lossless", more=None):
    """`messages`: at least so many; `collectives`: some of the operations; `more`: a further check of the archive."""

    def check(setting):
        with tempfile.TemporaryDirectory() as folder:
            job = Job(setting, folder)
            done = job.run(ranks, *(a.replace("FOLDER", folder) for a in arguments), timing=timing)
            assert done.returncode == 0, done.stderr
            archive, said = exported(job)
            assert not said, said
            check_calls(archive, [json.loads(line) for line in job.ask("dump", "--json", str(job.trace)).splitlines()],
                        timing == "lossless")
            check_requests(archive)
            sent, received = archive.messages()
            assert sum(map(len, sent.values())) >= messages, sum(map(len, sent.values()))
            for which in sent.keys() | received.keys():
                assert sent[which] == received[which], f"(comm, from, to, tag) {which}"
            seen = Counter()
            for comm, by_rank in archive.collectives().items():
                groups = archive.comms[comm]
                if not groups[0]:
                    continue
                assert sorted(by_rank) == sorted(sum(groups, [])), f"communicator {comm}: {sorted(by_rank)}"
                operations = [[each[0] for each in by_rank[rank]] for rank in sorted(by_rank)]
                assert all(each == operations[0] for each in operations), f"communicator {comm}: {operations}"
                if len(groups) == 1:
                    assert len(set(map(tuple, by_rank.values()))) == 1, f"communicator {comm}: roots"
                seen.update(operations[0])
            assert set(collectives) <= set(seen), seen
            if more is not None:
                more(archive, ranks)

    return check


def check_bytes(archive, ranks):
    """prog_bytes.c: tags say lengths and ends; the collectives of ranks 0 to 2 move what stands there."""
    sent, _ = archive.messages()
    ends = 0
    for (comm, source, dest, tag), lengths in sent.items():
        if tag < 10000:
            assert lengths == [tag] * len(lengths), f"communicator {comm}, tag {tag}: {lengths}"
        else:
            assert (source, dest) == divmod(tag - 10000, 100), f"communicator {comm}, tag {tag}: {source} to {dest}"
            ends += 1
    # Everyone to everyone, in two communicators of all and in others.
    assert ends > 3 * ranks * ranks
    # Bytes sent and received by operation, as a function of the rank.
    expected = {"BCAST": lambda r: (20, 0) if r == 1 else (0, 20), "GATHER": lambda r: (8, 24 if r == 2 else 0),
                "SCATTER": lambda r: (36 if r == 0 else 0, 12), "ALLGATHER": lambda r: (16, 48),
                "ALLTOALL": lambda r: (72, 72), "ALLGATHERV": lambda r: (4 * r + 4, 24),
                "REDUCE": lambda r: (28, 28 if r == 1 else 0), "REDUCE_SCATTER": lambda r: (24, 4 * r + 4),
                "REDUCE_SCATTER_BLOCK": lambda r: (36, 12), "ALLREDUCE": lambda r: (36, 36),
                "GATHERV": lambda r: (4 * r + 4, 24 if r == 0 else 0), "EXSCAN": lambda r: (16, 16)}
    roots = {"BCAST": 1, "GATHER": 2, "SCATTER": 0, "REDUCE": 1, "GATHERV": 0}
    seen = Counter()
    for location, events in archive.events.items():
        rank = archive.rank_of[location][0]
        for kind, _, about in events:
            operation = archive.number(about, "Operation") if kind == "MPI_COLLECTIVE_END" else None
            if operation in expected:
                found = archive.number(about, "Sent"), archive.number(about, "Received")
                assert found == expected[operation](rank), f"{operation} of rank {rank}: {found}"
                assert archive.number(about, "Root") == roots.get(operation, "NONE"), operation
                seen[operation] += 1
    assert seen == {operation: 3 for operation in expected}, seen


def apart(setting):
    """Operations of communicators that the trace does not explain are left out from their start to their end, and said
    once each."""
    with tempfile.TemporaryDirectory() as folder:
        job = Job(setting, folder)
        done = job.run(4, timing="lossless")
        assert done.returncode == 0, done.stderr
        archive, said = exported(job)
        assert "32 messages and collectives are left out" in said, said
        check_calls(archive, [json.loads(line) for line in job.ask("dump", "--json", str(job.trace)).splitlines()], True)
        assert check_requests(archive) == 0
        sent, received = archive.messages()
        assert not sent and not received, (sent, received)


# A barrier of rank 0 of 65537.
MANY = ("6c616374010100178180040104018e010400010002000102000101000000"
        "0008bd5a5fc7ce332c7f0000e8418333404ec5cf")


def refusals(setting):
    """A folder that is there stays as it is, no half archive is left, and times that are not there are said."""
    with tempfile.TemporaryDirectory() as folder:
        job = Job(setting, folder)
        assert job.run(2, "pause").returncode == 0
        archive, said = exported(job)
        assert "no times" in said and "--timing" in said, said
        assert all(call[2] == call[1] + 1 for location in archive.events for call in archive.calls(location))
        before = sorted(path.name for path in job.folder.iterdir())
        full = job.folder / "full"
        full.write_text("mine")
        for where, word in ((job.folder / "app.otf2", "exists"), (full, "exists"), (job.folder / "no" / "where", "cannot write"),
                            ("-", "folder")):
            done = subprocess.run([job.laconic, "export", str(job.trace), "--to", "otf2", "-o", str(where)], text=True,
                                  capture_output=True, timeout=60, check=False)
            assert done.returncode in (1, 2) and word in done.stderr and done.stderr.count("\n") == 1, done
        full.unlink()
        assert sorted(path.name for path in job.folder.iterdir()) == before
        # Cut in the middle of the times of a rank: the export ends, and leaves nothing.
        damaged = job.folder / "damaged.trace"
        damaged.write_bytes(b"lact\x01\x01")
        done = subprocess.run([job.laconic, "export", str(damaged), "--to", "otf2", "-o", str(job.folder / "new")], text=True,
                              capture_output=True, timeout=60, check=False)
        assert done.returncode == 1 and "damaged.trace" in done.stderr, done
        damaged.unlink()
        many = job.folder / "many.trace"
        many.write_bytes(bytes.fromhex(MANY))
        done = subprocess.run([job.laconic, "export", str(many), "--to", "otf2", "-o", str(job.folder / "new")], text=True,
                              capture_output=True, timeout=60, check=False)
        assert done.returncode == 1 and "65537 ranks" in done.stderr, done
        many.unlink()
        assert sorted(path.name for path in job.folder.iterdir()) == before


CASES = {
    "p2p": case(4, messages=60), "p2p3": case(3, messages=30),
    "comm": case(4, collectives=("CREATE_HANDLE", "DESTROY_HANDLE", "ALLREDUCE", "BCAST", "GATHERV", "SCATTER", "BARRIER")),
    "comm5": case(5, collectives=("BARRIER",)),
    "data": case(3, ["FOLDER/written"]), "threads": case(2, messages=1000), "mpi4": case(2, messages=1),
    "bytes": case(4, more=check_bytes), "bytes5": case(5, more=check_bytes), "refusals": refusals, "apart": apart,
}


def main(arguments):
    if len(arguments) != 6 or arguments[0] not in CASES:
        print(__doc__)
        return 2
    CASES[arguments[0]](arguments[1:])
    print(f"{arguments[0]}: the archive holds what the trace holds")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
