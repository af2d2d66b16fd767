# SPDX-License-Identifier: BSD-3-Clause
"""open_trace(): what an MPI program did, call by call or as numpy arrays (docs/guide/traces.md). numpy is imported when
the first array is made."""

import os
from typing import Any, NamedTuple

from . import _laconic
from ._errors import InvalidArgument, InvalidType
from ._settings import integer_of


class Call(NamedTuple):
    """One call. Times are in nanoseconds, and None where the trace keeps none of single calls."""

    function: str
    arguments: dict  # by the names of the MPI standard: numbers, names of constants, lists, statuses as dicts
    thread: int  # threads of the process, by their first call
    start: Any
    end: Any
    status: str  # MPI_SUCCESS, an error class, or "not returned"


class Columns(NamedTuple):
    """The calls of one rank, an element each."""

    function: Any  # uint32; Trace.functions has the names
    thread: Any  # uint32
    start: Any  # uint64, ns; None without times of single calls
    duration: Any
    sent: Any  # uint64: bytes that the call hands over to be sent
    received: Any  # uint64: bytes that came with it, or with requests that it completed
    bytes: Any  # sent + received


def _array(memory, dtype):
    import numpy

    return None if memory is None else numpy.frombuffer(memory, dtype)


class RankTrace:
    """The calls of one rank: iterate for a Call each, or take all as columns()."""

    def __init__(self, reader, rank):
        self._reader, self._rank, self._count = reader, rank, reader.count_of(rank)

    @property
    def rank(self):
        return self._rank

    def __len__(self):
        return self._count

    def __iter__(self):
        calls = self._reader.calls_of(self._rank)
        return (Call._make(call) for call in calls)

    def columns(self):
        """All calls as numpy arrays, decoded without the GIL; 32 bytes a call, 48 with times."""
        function, thread, start, duration, sent, received = self._reader.columns_of(self._rank)
        sent, received = _array(sent, "uint64"), _array(received, "uint64")
        return Columns(_array(function, "uint32"), _array(thread, "uint32"), _array(start, "uint64"),
                       _array(duration, "uint64"), sent, received, sent + received)

    def __repr__(self):
        return f"<laconic.RankTrace: rank {self._rank}, {self._count} calls>"


class Trace:
    """A trace that is open. Nothing is unfolded: a loop of 10^6 turns takes as much memory as one of 10."""

    def __init__(self, path):
        self._path = os.fspath(path)
        if not isinstance(self._path, str):
            raise InvalidType(f"path {path!r}: give a str or an os.PathLike of one")
        self._reader = _laconic.TraceReader(self._path)

    def _open(self):
        if self._reader is None:
            raise InvalidArgument(f"the trace '{self._path}' is closed; open it again")
        return self._reader

    @property
    def ranks(self):
        """The ranks whose calls are there: all, unless the program crashed."""
        return self._open().ranks()

    @property
    def functions(self):
        """{number: name} of the functions that were called."""
        return self._open().functions()

    def stat(self):
        """What `laconic stat --json` prints: sizes, and calls and durations by function."""
        return self._open().stat()

    def rank(self, rank):
        """The calls of one rank."""
        return RankTrace(self._open(), integer_of("rank", rank, 0, 2**32 - 1))

    def communication_matrix(self, what="bytes"):
        """How much was sent point to point: uint64, [sender, receiver], ranks of MPI_COMM_WORLD. what: bytes or messages.
        Reads all calls of all ranks."""
        if what not in ("bytes", "messages"):
            raise InvalidArgument(f"what={what!r}; give 'bytes' or 'messages'")
        messages, sizes, _ = self._open().matrix()
        side = self.stat()["ranks"]
        return _array(sizes if what == "bytes" else messages, "uint64").reshape(side, side)

    def close(self):
        """Lets go of the file's bytes. Iterators that are under way go on."""
        self._reader = None

    def __enter__(self):
        self._open()
        return self

    def __exit__(self, kind, error, trace):
        self.close()

    def __repr__(self):
        return f"<laconic.Trace: {self._path}{', closed' if self._reader is None else ''}>"


def open_trace(path):
    """Opens a trace, a part file, or a directory of part files, which a program that crashed, or still runs, has left.

    The bytes may come from anywhere: damaged ones are an error (Corrupt, Truncated, Unsupported), never a crash.
    """
    return Trace(path)
