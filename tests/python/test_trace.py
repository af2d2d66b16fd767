# SPDX-License-Identifier: BSD-3-Clause
"""laconic.open_trace(): what `laconic stat` and `laconic dump` print, as Python values and as arrays. LACONIC_PROGRAM is
the command line; LACONIC_TRACES names more traces, separated by colons.

The golden traces are of made-up signatures; those in traces/ were recorded: messages, communicators and data are
tests/record/prog_p2p.c, prog_comm.c (4 ranks, Open MPI) and prog_data.c (3 ranks, MPICH)."""

import json
import os
import pathlib
import subprocess

import hypothesis
import numpy
import pytest
from hypothesis import strategies

import laconic

GOLDEN = pathlib.Path(__file__).parents[1] / "golden/trace/v1"
RECORDED = sorted((pathlib.Path(__file__).parent / "traces").glob("*.trace"))
RECORDED += [pathlib.Path(path) for path in os.environ.get("LACONIC_TRACES", "").split(":") if path]
TRACES = [*sorted(GOLDEN.glob("*.trace")), GOLDEN / "rank-00000.0000.part", GOLDEN, *RECORDED]
MESSAGES, COMMUNICATORS = (RECORDED[0].with_name(name) for name in ("messages.trace", "communicators.trace"))
every_trace = pytest.mark.parametrize("path", TRACES, ids=lambda path: path.name)
recorded_trace = pytest.mark.parametrize("path", RECORDED, ids=lambda path: path.name)


def ask(*arguments):
    return subprocess.run([os.environ["LACONIC_PROGRAM"], *map(str, arguments)], check=True, capture_output=True, text=True,
                          timeout=300).stdout


@every_trace
def test_stat_is_that_of_the_command(path):
    with laconic.open_trace(path) as trace:
        expected = json.loads(ask("stat", path, "--json"))
        assert trace.stat() == expected
        assert set(trace.functions.values()) == {row["function"] for row in expected["functions"]}


@every_trace
def test_calls_are_those_of_the_command(path):
    dumped = [json.loads(line) for line in ask("dump", path, "--json").splitlines()]
    trace = laconic.open_trace(path)
    assert list(trace.ranks) == sorted({call["rank"] for call in dumped})
    for rank in trace.ranks:
        expected = [call for call in dumped if call["rank"] == rank]
        calls = list(trace.rank(rank))
        assert len(calls) == len(trace.rank(rank)) == len(expected)
        for call, line in zip(calls, expected):
            status = line["arguments"].pop("result", "MPI_SUCCESS")
            assert (call.function, call.arguments, call.status) == (line["function"], line["arguments"], status)
            assert call.thread == line.get("thread", 0)
            assert call.start == line.get("start_ns")
            assert call.end == (line["start_ns"] + line["duration_ns"] if "start_ns" in line else None)


def bytes_of(name, arguments):
    """What simple calls of the golden traces move: (sent, received)."""
    sizes = {"MPI_DOUBLE": 8, "MPI_INT": 4, "MPI_BYTE": 1}
    count = arguments.get("count")
    if not isinstance(count, int) or arguments.get("datatype") not in sizes:
        return None
    size = count * sizes[arguments["datatype"]]
    peer = arguments.get("dest", arguments.get("source"))
    if name in ("MPI_Send", "MPI_Isend"):
        return (size if isinstance(peer, int) else 0), 0
    if name == "MPI_Recv" and isinstance(peer, int):
        return 0, arguments["status"].get("bytes", size)
    return (size, size) if name == "MPI_Allreduce" else None


@every_trace
def test_columns_are_the_calls(path):
    trace = laconic.open_trace(path)
    checked = 0
    for rank in trace.ranks:
        calls, columns = list(trace.rank(rank)), trace.rank(rank).columns()
        assert columns.function.dtype == "uint32" and columns.sent.dtype == "uint64"
        assert [trace.functions[number] for number in columns.function] == [call.function for call in calls]
        assert columns.thread.tolist() == [call.thread for call in calls]
        if calls[0].start is None:
            assert columns.start is None and columns.duration is None
        else:
            assert columns.start.tolist() == [call.start for call in calls]
            assert (columns.start + columns.duration).tolist() == [call.end for call in calls]
        assert (columns.bytes == columns.sent + columns.received).all()
        for call, sent, received in zip(calls, columns.sent.tolist(), columns.received.tolist()):
            expected = bytes_of(call.function, call.arguments) if call.status == "MPI_SUCCESS" else None
            if expected is not None:
                assert (sent, received) == expected, call
                checked += 1
    assert checked or path not in RECORDED or "MPI_Allreduce" not in trace.functions.values()


@recorded_trace
def test_matrix_is_the_sum_of_the_sends_in_the_world(path):
    trace = laconic.open_trace(path)
    side = trace.stat()["ranks"]
    messages = numpy.zeros((side, side), int)
    others = False
    for rank in trace.ranks:
        for call in trace.rank(rank):
            others |= call.function in ("MPI_Start", "MPI_Startall") or (
                "dest" in call.arguments and call.arguments.get("comm") != "MPI_COMM_WORLD")
            if call.function in ("MPI_Send", "MPI_Isend", "MPI_Ssend", "MPI_Bsend", "MPI_Rsend", "MPI_Sendrecv", "MPI_Issend",
                                 "MPI_Sendrecv_replace", "MPI_Ibsend", "MPI_Irsend") and call.status == "MPI_SUCCESS":
                if isinstance(call.arguments["dest"], int) and call.arguments["comm"] == "MPI_COMM_WORLD":
                    messages[rank, call.arguments["dest"]] += 1
    found = trace.communication_matrix("messages")
    assert found.shape == trace.communication_matrix().shape == (side, side)
    # Persistent requests, and other communicators, send more than these calls.
    assert (found >= messages).all() if others else (found == messages).all()
    assert ((trace.communication_matrix() > 0) <= (found > 0)).all()


def test_matrix_of_a_ring():
    trace = laconic.open_trace(MESSAGES)
    messages, sizes = trace.communication_matrix("messages"), trace.communication_matrix("bytes")
    assert messages.dtype == sizes.dtype == "uint64"
    ring = {(rank, (rank + 1) % 4) for rank in range(4)}
    assert ring <= set(zip(*(ends.tolist() for ends in messages.nonzero())))
    sent = sum(int(trace.rank(rank).columns().sent.sum()) for rank in trace.ranks)
    received = sum(int(trace.rank(rank).columns().received.sum()) for rank in trace.ranks)
    collective = sum(call.function in ("MPI_Allreduce", "MPI_Bcast") for rank in trace.ranks for call in trace.rank(rank))
    assert collective == 0 and sizes.sum() == sent == received > 0


def test_what_a_call_changes_is_there_twice():
    trace = laconic.open_trace(COMMUNICATORS)
    calls = [call for call in trace.rank(1) if call.function == "MPI_Dims_create"]
    assert [call.arguments for call in calls] == [{"nnodes": 4, "ndims": 2, "dims": [0, 0], "dims_after": [2, 2]}]
    failed = [call for call in trace.rank(1) if call.status != "MPI_SUCCESS"]
    assert [(call.function, call.status) for call in failed] == [("MPI_Send", "MPI_ERR_RANK")]
    assert failed[0].arguments["dest"] == 100000


def test_iterators_are_lazy_and_outlive_the_trace():
    with laconic.open_trace(GOLDEN / "stencil.trace") as trace:
        first, second = iter(trace.rank(3)), iter(trace.rank(3))
        assert next(first) == next(second)
        assert "open" not in repr(trace) and "54 calls" in repr(trace.rank(3))
    assert len(list(first)) == 53
    for use in (lambda: trace.ranks, trace.stat, lambda: trace.rank(0), trace.communication_matrix, trace.__enter__):
        with pytest.raises(laconic.InvalidArgument, match="closed"):
            use()


def test_what_is_wrong_is_said(tmp_path):
    with pytest.raises(laconic.Error, match="nowhere.trace") as found:
        laconic.open_trace(tmp_path / "nowhere.trace")
    assert found.value.name == "io"
    whole = (GOLDEN / "fan.trace").read_bytes()
    for name, data, kind in (("short", whole[:30], laconic.Truncated), ("text", b"To be, or not to be", laconic.Corrupt),
                             ("newer", whole[:4] + b"\x09" + whole[5:], laconic.Unsupported),
                             ("flipped", whole[:40] + bytes([whole[40] ^ 1]) + whole[41:], laconic.Corrupt)):
        (tmp_path / name).write_bytes(data)
        with pytest.raises(kind, match=name):
            laconic.open_trace(tmp_path / name)
    trace = laconic.open_trace(str(GOLDEN / "fan.trace"))
    with pytest.raises(laconic.InvalidArgument, match="8"):
        trace.rank(8)
    for rank in (-1, 2**32, "0", 1.0, None):
        with pytest.raises(laconic.InvalidArgument, match="rank.*give an integer"):
            trace.rank(rank)
    assert trace.rank(numpy.int64(1)).rank == 1
    with pytest.raises(laconic.InvalidArgument, match="volume"):
        trace.communication_matrix("volume")
    with pytest.raises(TypeError, match="bytes|str"):
        laconic.open_trace(b"fan.trace")


PARTS = [(GOLDEN / name).read_bytes() for name in ("fan-timed.trace", "stencil.trace", "rank-00000.0000.part")]
PARTS += [path.read_bytes() for path in RECORDED]


@hypothesis.given(strategies.sampled_from(PARTS), strategies.data())
def test_damaged_bytes_never_crash(tmp_path_factory, whole, data):
    at = data.draw(strategies.integers(0, len(whole) - 1))
    damaged = bytearray(whole)
    damaged[at] ^= data.draw(strategies.integers(1, 255))
    path = tmp_path_factory.getbasetemp() / "damaged.trace"
    path.write_bytes(damaged[:data.draw(strategies.integers(at + 1, len(whole)))])
    try:
        with laconic.open_trace(path) as trace:
            for rank in trace.ranks:
                assert len(list(trace.rank(rank))) == len(trace.rank(rank).columns().function)
            trace.communication_matrix()
    except laconic.Error:
        pass
