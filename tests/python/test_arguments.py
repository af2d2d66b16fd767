# SPDX-License-Identifier: BSD-3-Clause
"""What the functions take, and how they refuse the rest: the class, the code, and a message with the remedy."""

import array
import copy
import ctypes
import mmap
import os
import pickle
import subprocess
import sys

import numpy
import pytest

import laconic
from fields import DTYPES, check_bound, smooth

FIELD = smooth(1000, "float32")
FRAME = laconic.compress(FIELD, abs=1e-3)


def refuse(kind, code, call, *words):
    with pytest.raises(kind) as caught:
        call()
    assert type(caught.value) is kind
    assert (caught.value.code, caught.value.name) == code
    for word in words:
        assert word in str(caught.value), str(caught.value)


ARGUMENT, BOUND, UNSUPPORTED, MISMATCH = (
    (1, "invalid_argument"), (2, "invalid_bound"), (6, "unsupported"), (7, "mismatch"))


def test_everything_with_a_buffer(tmp_path):
    expected = laconic.compress(FIELD, abs=1e-3)
    path = tmp_path / "field"
    path.write_bytes(FIELD.tobytes())
    with open(path, "r+b") as file, mmap.mmap(file.fileno(), 0) as mapped:
        for a in (array.array("f", FIELD.tolist()), memoryview(FIELD), memoryview(mapped).cast("f"),
                  (ctypes.c_float * 1000)(*FIELD.tolist()), memoryview(FIELD.tobytes()).cast("f"),
                  FIELD.reshape(10, 100), numpy.memmap(path, "float32", "r")):
            assert laconic.compress(a, abs=1e-3) == expected
            del a
    read_only = FIELD.copy()
    read_only.flags.writeable = False
    assert laconic.compress(read_only, abs=1e-3) == expected
    scalar = laconic.decompress(laconic.compress(numpy.float64(2.5), lossless=True))
    assert scalar.tolist() == [2.5]


def test_frames_from_everything_with_bytes(tmp_path):
    expected = laconic.decompress(FRAME)
    path = tmp_path / "frame"
    path.write_bytes(FRAME)
    with open(path, "rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as mapped:
        for frame in (FRAME, bytearray(FRAME), memoryview(FRAME), mapped, numpy.frombuffer(FRAME, "uint8"),
                      array.array("B", FRAME)):
            assert numpy.array_equal(laconic.decompress(frame), expected)
            assert laconic.inspect(frame) == laconic.inspect(FRAME)


@pytest.mark.parametrize("dtype, name", [
    ("int16", "int16"), ("int32", "int32"), ("int64", "int64"), ("uint8", "uint8"), ("uint16", "uint16"),
    ("bool", "bool"), ("complex64", "complex64"), ("complex128", "complex128"), ("longdouble", "longdouble"),
    ("object", "object")])
def test_other_types_are_refused_by_name(dtype, name):
    refuse(laconic.InvalidType, ARGUMENT, lambda: laconic.compress(numpy.zeros(4, dtype), abs=1), name, "float32")


@pytest.mark.parametrize("a", [[1.0], 1.0, None, "text", {}, numpy.zeros(3, "M8[s]"), numpy.zeros(3, [("x", "f4")])])
def test_what_is_no_array_is_refused(a):
    refuse(laconic.InvalidType, ARGUMENT, lambda: laconic.compress(a, abs=1), "a ", "float32")


def test_a_type_error_is_what_python_expects():
    for kind in (TypeError, ValueError, laconic.Error, laconic.InvalidArgument):
        with pytest.raises(kind):
            laconic.compress([1.0], abs=1)


@pytest.mark.parametrize("keywords, words", [
    ({}, ["no error bound"]), ({"abs": 1, "rel": 1}, ["abs=1 and rel=1"]),
    ({"abs": 1, "lossless": True}, ["exactly one"]),
    ({"abs": 0}, ["abs=0", "lossless=True"]), ({"abs": -1}, ["abs=-1"]), ({"rel": float("nan")}, ["rel=nan"]),
    ({"rel": float("inf")}, ["rel=inf"]), ({"abs": "x"}, ["abs=x", "number"])])
def test_bounds(keywords, words):
    refuse(laconic.InvalidBound, BOUND, lambda: laconic.compress(FIELD, **keywords), *words)


def test_max_abs():
    large = FIELD * numpy.float32(1e4)
    with_step = [laconic.compress(a, abs=1e-3, max_abs=2e4) for a in (FIELD, large)]
    check_bound(large, laconic.decompress(with_step[1]), 1e-3)
    assert laconic.inspect(laconic.add(*with_step)).contributions == 2
    for keywords in ({"abs": 1, "max_abs": -1}, {"abs": 1, "max_abs": float("nan")}, {"rel": 1, "max_abs": 1}):
        refuse(laconic.InvalidArgument, ARGUMENT, lambda: laconic.compress(FIELD, **keywords), "max_abs")


@pytest.mark.parametrize("dtype", DTYPES)
def test_out(dtype):
    a = smooth(600, dtype)
    frame = laconic.compress(a, abs=1e-3)
    for out in (numpy.empty((20, 30), dtype), array.array("f" if dtype == "float32" else "d", bytes(a.nbytes)),
                memoryview(bytearray(a.nbytes)).cast("f" if dtype == "float32" else "d")):
        assert laconic.decompress(frame, out=out) is out
        check_bound(a, numpy.asarray(out, dtype), 1e-3)


def test_out_that_does_not_fit():
    def into(out):
        return lambda: laconic.decompress(FRAME, out=out)

    refuse(laconic.Mismatch, MISMATCH, into(numpy.empty(999, "float32")), "1000", "999")
    refuse(laconic.Mismatch, MISMATCH, into(numpy.empty(1000, "float64")), "f32", "f64")
    refuse(laconic.InvalidArgument, ARGUMENT, into(numpy.empty(2000, "float32")[::2]), "out", "C-contiguous")
    refuse(laconic.InvalidArgument, ARGUMENT, into(numpy.empty((20, 50), "float32").T), "out", "C-contiguous")
    refuse(laconic.InvalidArgument, ARGUMENT, into(numpy.empty(1000, ">f4")), "byte order")
    refuse(laconic.InvalidArgument, ARGUMENT, into(memoryview(bytes(4000)).cast("f")), "read-only")
    refuse(laconic.InvalidType, ARGUMENT, into(numpy.empty(1000, "int32")), "out", "int32")
    refuse(laconic.InvalidType, ARGUMENT, into([0.0]), "out", "list")
    refuse(laconic.InvalidArgument, ARGUMENT,
           lambda: laconic.decompress(FRAME, numpy.empty(1000, "f4"), shape=1000), "shape")


def test_shape():
    assert laconic.decompress(FRAME, shape=(10, 100)).shape == (10, 100)
    assert laconic.decompress(FRAME, shape=(-1, 5)).shape == (200, 5)
    assert laconic.decompress(FRAME, shape=1000).shape == (1000,)
    refuse(laconic.Mismatch, MISMATCH, lambda: laconic.decompress(FRAME, shape=(3, 7)), "1000", "(3, 7)")


def test_frames_that_are_none():
    for function in (laconic.decompress, laconic.inspect):
        refuse(laconic.InvalidType, ARGUMENT, lambda: function("text"), "frame", "str")
        refuse(laconic.InvalidType, ARGUMENT, lambda: function(None), "frame", "NoneType")
        refuse(laconic.InvalidArgument, ARGUMENT, lambda: function(memoryview(FRAME * 2)[::2]), "bytes(frame)")
        with pytest.raises((laconic.Truncated, laconic.Unsupported, laconic.Corrupt)):
            function(b"not a frame" * 20)
        for length in (0, 1, 63, 64, len(FRAME) - 1):
            with pytest.raises((laconic.Truncated, laconic.Corrupt)):
                function(FRAME[:length])


def test_a_checksum_finds_every_flipped_byte():
    frame = laconic.compress(FIELD, abs=1e-3, checksum=True)
    for position in range(len(frame)):
        damaged = bytearray(frame)
        damaged[position] ^= 0x10
        with pytest.raises((laconic.Truncated, laconic.Unsupported, laconic.Corrupt)):
            laconic.decompress(damaged)


def test_without_one_damage_is_an_error_or_other_values():
    for position in range(len(FRAME)):
        damaged = bytearray(FRAME)
        damaged[position] ^= 0xFF
        try:
            laconic.decompress(damaged)
        except laconic.Error as error:
            assert error.code in (4, 5, 6)


def test_engine_that_is_none():
    refuse(laconic.Unsupported, UNSUPPORTED, lambda: laconic.use_engine("abacus"), "abacus", "scalar")


def test_a_forced_engine_that_is_none_is_an_error_at_import():
    done = subprocess.run([sys.executable, "-B", "-c", "import laconic"], capture_output=True, text=True,
                          env={**os.environ, "LACONIC_FORCE_ISA": "abacus"}, check=False)
    assert done.returncode == 1 and "Unsupported" in done.stderr and "abacus" in done.stderr


def test_errors_travel_between_processes():
    with pytest.raises(laconic.InvalidBound) as caught:
        laconic.compress(FIELD)
    for twin in (pickle.loads(pickle.dumps(caught.value)), copy.copy(caught.value)):
        assert type(twin) is laconic.InvalidBound and str(twin) == str(caught.value) and twin.code == 2


def test_nothing_is_left_held_after_failures():
    data = bytearray(b"x" * 100)
    for call in (lambda: laconic.decompress(data), lambda: laconic.compress(data, abs=1),
                 lambda: laconic.add(data, data), lambda: laconic.compare(data, data)):
        with pytest.raises(laconic.Error):
            call()
    data += b"y"  # BufferError while anything holds the bytes


def test_references_are_balanced():
    counts = []
    for _ in range(2):
        for _ in range(50):
            laconic.decompress(laconic.compress(FIELD[::2], abs=1e-3))
            laconic.compare(FIELD, FIELD)
            laconic.add(FIELD, FRAME)
        counts.append((sys.getrefcount(FIELD), sys.getrefcount(FRAME)))
    assert counts[0] == counts[1]
