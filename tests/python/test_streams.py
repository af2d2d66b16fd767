# SPDX-License-Identifier: BSD-3-Clause
"""Writer and Reader: an array in pieces of any size comes back in pieces of any size, through memory, files and pipes;
what targets and sources do wrong comes through, and damage is an error."""

import io
import os
import threading

import numpy
import pytest
from hypothesis import given
from hypothesis import strategies as st

import laconic
from fields import DTYPES, bits, check_bound, smooth

TYPES = [*DTYPES, "float16"]


def written(a, cuts=(), **keywords):
    target = io.BytesIO()
    with laconic.Writer(target, **{"abs": 1e-2, **keywords}) as writer:
        for piece in numpy.split(a, sorted(cuts)):
            writer.write(piece)
    assert (writer.values_in, writer.bytes_out) == (a.size, len(target.getvalue()))
    return target.getvalue()


@given(st.sampled_from(TYPES), st.integers(0, 3000), st.lists(st.integers(0, 3000), max_size=5),
       st.sampled_from([1, 700, 2048, 10**6]), st.lists(st.integers(0, 2000), max_size=4))
def test_pieces(dtype, count, cuts, segment, reads):
    if segment == 1:
        count %= 50
    a = smooth(count, dtype)
    cuts = [cut % (count + 1) for cut in cuts]
    data = written(a, cuts, segment_values=segment)
    assert data == b"".join(laconic.compress(a[i:i + segment], abs=1e-2) for i in range(0, max(count, 1), segment))
    whole = laconic.decompress(data)
    check_bound(a, whole, 1e-2 * (1 + (dtype == "float16") * 1e-3))

    reader = laconic.Reader(io.BytesIO(data))
    parts = [reader.read(n) for n in reads]
    done = 0
    for n, part in zip(reads, parts):
        assert len(part) == min(n, count - done) and part.dtype == dtype
        done += len(part)
    parts.append(reader.read())
    assert numpy.array_equal(bits(numpy.concatenate(parts)), bits(whole))
    assert reader.read().size == 0 and reader.read(5).dtype == dtype and list(reader) == []

    frames = list(laconic.Reader(io.BytesIO(data)))
    assert [f.size for f in frames] == [min(segment, count - i) for i in range(0, max(count, 1), segment)]
    assert numpy.array_equal(bits(numpy.concatenate(frames)), bits(whole))


def test_iteration_goes_on_where_read_stopped():
    a = smooth(1000)
    reader = laconic.Reader(io.BytesIO(written(a, segment_values=300)))
    assert reader.dtype == "float64"
    sizes = [reader.read(100).size, *(part.size for part in reader)]
    assert sizes == [100, 200, 300, 300, 100]


@pytest.mark.parametrize("keywords", [
    {"codec": "szx"}, {"codec": "raw"}, {"lossless": True, "abs": None}, {"threads": 3, "checksum": True},
    {"row_length": 50}, {"max_abs": 1e6}])
def test_options(keywords):
    a = smooth(10_000, "float32")
    data = written(a, [123, 4567], segment_values=3000, **keywords)
    size = laconic.frame_size(data)
    about = laconic.inspect(data[:size])
    assert about.count == 3000 and about.codec == keywords.get("codec", "fle")
    assert about.checksummed == keywords.get("checksum", False)
    assert about.row_length == keywords.get("row_length", 0)
    check_bound(a, laconic.Reader(io.BytesIO(data), threads=2).read(), 1e-2)
    out = numpy.empty(a.shape, "float32")
    assert laconic.decompress(data, out, threads=2) is out
    check_bound(a, out, 1e-2)


@pytest.mark.parametrize("dtype, expected", [
    ("f4", "float32"), (numpy.float16, "float16"), (numpy.dtype("float64"), "float64"), ("bfloat16", "bfloat16")])
def test_an_empty_array(dtype, expected):
    target = io.BytesIO()
    with laconic.Writer(target, abs=1e-2, dtype=dtype):
        pass
    assert laconic.inspect(target.getvalue()).dtype == expected
    reader = laconic.Reader(io.BytesIO(target.getvalue()))
    assert reader.dtype == expected and reader.read().size == 0
    with pytest.raises(laconic.InvalidArgument, match="dtype="):
        laconic.Writer(io.BytesIO(), abs=1e-2).close()


def test_through_a_pipe():
    a = smooth(100_000, "float32")
    read_end, write_end = os.pipe()
    failures = []

    def produce():
        try:
            # Unbuffered, so that the pipe takes some of the bytes at a time.
            with open(write_end, "wb", buffering=0) as file, \
                    laconic.Writer(file, abs=1e-4, segment_values=30_000) as writer:
                for i in range(0, a.size, 7777):
                    writer.write(a[i:i + 7777])
        except BaseException as failure:
            failures.append(failure)

    thread = threading.Thread(target=produce)
    thread.start()
    with open(read_end, "rb", buffering=0) as file:
        check_bound(a, laconic.Reader(file).read(), 1e-4)
    thread.join()
    assert not failures


def test_through_a_file(tmp_path):
    a = smooth(100_000, "float16")
    with open(tmp_path / "field.lac", "wb") as file, laconic.Writer(file, abs=1e-2, segment_values=30_000) as writer:
        for part in numpy.array_split(a, 7):
            writer.write(part)
    with open(tmp_path / "field.lac", "rb") as file:
        y = numpy.concatenate(list(laconic.Reader(file)))
    check_bound(a, y, 1e-2)
    assert (tmp_path / "field.lac").stat().st_size == writer.bytes_out


def test_through_callables():
    a = smooth(5000)
    frames = []
    with laconic.Writer(frames.append, abs=1e-3, segment_values=2000) as writer:
        writer.write(a)
    assert [laconic.inspect(frame).count for frame in frames] == [2000, 2000, 1000]
    source = io.BytesIO(b"".join(frames))
    check_bound(a, laconic.Reader(lambda n: source.read(min(n, 7))).read(), 1e-3)
    source.seek(0)
    check_bound(a, laconic.Reader(lambda n: bytearray(source.read(n))).read(), 1e-3)


def test_what_writers_refuse():
    for keywords in ({"rel": 1e-3},):
        with pytest.raises(TypeError):
            laconic.Writer(io.BytesIO(), **keywords)
    with pytest.raises(laconic.InvalidBound):
        laconic.Writer(io.BytesIO())
    for keywords, kind in (({"row_length": "auto"}, laconic.InvalidArgument), ({"dtype": "i4"}, laconic.InvalidType),
                           ({"dtype": "nonsense"}, laconic.InvalidType), ({"codec": "x"}, laconic.InvalidArgument),
                           ({"segment_values": 0}, laconic.InvalidArgument), ({"threads": -1}, laconic.InvalidArgument)):
        with pytest.raises(kind):
            laconic.Writer(io.BytesIO(), abs=1e-3, **keywords).write(smooth(10))
    with pytest.raises(laconic.InvalidType, match="target is str"):
        laconic.Writer("name", abs=1e-3)
    writer = laconic.Writer(io.BytesIO(), abs=1e-3, dtype="float32")
    with pytest.raises(laconic.Mismatch, match="float64.*float32"):
        writer.write(smooth(10))
    with pytest.raises(laconic.InvalidType):
        writer.write([1.0])
    writer.write(smooth(10, "float32"))
    writer.close()
    writer.close()
    with pytest.raises(laconic.InvalidArgument, match="closed"):
        writer.write(smooth(10, "float32"))


class Full(io.RawIOBase):
    def writable(self):
        return True

    def write(self, data):
        raise OSError(28, "No space left on device")


class Narrow(io.RawIOBase):
    """Takes 100 bytes at a time."""

    def __init__(self):
        super().__init__()
        self.data = b""

    def writable(self):
        return True

    def write(self, data):
        self.data += bytes(data[:100])
        return min(len(data), 100)


def test_targets_that_take_some_of_the_bytes():
    target, a = Narrow(), smooth(10_000)
    with laconic.Writer(target, abs=1e-3) as writer:
        writer.write(a)
    check_bound(a, laconic.decompress(target.data), 1e-3)
    target.write = lambda data: None
    with pytest.raises(BlockingIOError):
        with laconic.Writer(target, abs=1e-3) as writer:
            writer.write(a)


def test_what_targets_raise_comes_through():
    writer = laconic.Writer(Full(), abs=1e-3, segment_values=100)
    with pytest.raises(OSError, match="No space left"):
        writer.write(smooth(1000))
    for call in (lambda: writer.write(smooth(1)), writer.close):
        with pytest.raises(laconic.Error) as caught:
            call()
        assert caught.value.name == "io"
    with pytest.raises(KeyboardInterrupt):
        with laconic.Writer(io.BytesIO(), abs=1e-3) as writer:
            writer.write(smooth(10))
            raise KeyboardInterrupt
    assert writer.bytes_out == 0


def test_progress_of_writers():
    with pytest.raises(laconic.Cancelled):
        writer = laconic.Writer(io.BytesIO(), abs=1e-3, segment_values=200_000, progress=lambda *_: False)
        writer.write(smooth(200_000))
    data = written(smooth(200_000), segment_values=200_000)
    with pytest.raises(laconic.Cancelled):
        laconic.Reader(io.BytesIO(data), progress=lambda *_: False).read()

    def fail(*_):
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        laconic.Writer(io.BytesIO(), abs=1e-3, segment_values=200_000, progress=fail).write(smooth(200_000))


def test_a_call_within_a_call_is_an_error():
    a = smooth(1000)
    writer = laconic.Writer(lambda data: writer.write(a), abs=1e-3, segment_values=1000)
    with pytest.raises(laconic.InvalidArgument, match="one thread at a time"):
        writer.write(a)


def test_sources_that_misbehave():
    data = written(smooth(1000))
    for source, kind in ((lambda n: None, BlockingIOError), (lambda n: "text", laconic.InvalidType),
                         (lambda n: data, laconic.InvalidArgument), (lambda n: 1 // 0, ZeroDivisionError)):
        reader = laconic.Reader(source)
        for call in (reader.read, lambda: next(reader), lambda: reader.dtype):
            with pytest.raises(kind):
                call()
    with pytest.raises(laconic.InvalidType, match="source is int"):
        laconic.Reader(5)
    for n, kind in ((-2, laconic.InvalidArgument), (1.5, laconic.InvalidType)):
        with pytest.raises(kind):
            laconic.Reader(io.BytesIO(data)).read(n)


def test_sequences_that_are_none():
    data = written(smooth(1000), segment_values=300)
    size = laconic.frame_size(data)
    for bad, kind in ((b"", laconic.Truncated), (data[:-1], laconic.Truncated), (data[:size + 10], laconic.Truncated),
                      (data + b"x" * 64, laconic.Corrupt), (b"x" * 64, laconic.Corrupt),
                      (data + laconic.compress(smooth(10, "float32"), abs=1), laconic.Mismatch)):
        reader = laconic.Reader(io.BytesIO(bad))
        for _ in range(2):
            with pytest.raises(kind):
                while reader.read(100).size:
                    pass
        with pytest.raises(kind):
            laconic.decompress(bad)
        with pytest.raises(laconic.Error):
            laconic.decompress(bad, numpy.empty(1000))
    with pytest.raises(laconic.Mismatch, match="1000"):
        laconic.decompress(data, numpy.empty(999))
    with pytest.raises(laconic.Mismatch, match="float64"):
        laconic.decompress(data, numpy.empty(1000, "float32"))
    with pytest.raises((laconic.Corrupt, laconic.Truncated)):
        laconic.inspect(data)


@given(st.data())
def test_hostile_bytes(data):
    good = written(smooth(500, data.draw(st.sampled_from(TYPES))), segment_values=200)
    bad = bytearray(good)
    for _ in range(data.draw(st.integers(1, 4))):
        bad[data.draw(st.integers(0, len(bad) - 1))] = data.draw(st.integers(0, 255))
    bad = bytes(bad[:data.draw(st.integers(0, len(bad)))]) + data.draw(st.binary(max_size=80))
    for call in (lambda: laconic.Reader(io.BytesIO(bad)).read(), lambda: list(laconic.Reader(io.BytesIO(bad))),
                 lambda: laconic.decompress(bad)):
        try:
            call()
        except laconic.Error as error:
            assert error.code in (4, 5, 6, 7)
