# SPDX-License-Identifier: BSD-3-Clause
"""Chunks and parameters that no writer wrote: reading gives an error, or values where nothing could tell, never a
crash."""

import struct

import h5py
import numpy
import pytest

import laconic
from landscape import landscape
from laconic.hdf5 import FILTER_ID, filter_options

CHUNK = (64, 64)


def write(path, dtype="float32", **keywords):
    with h5py.File(path, "w") as file:
        identifier, options = filter_options(abs=1e-2, **keywords)
        file.create_dataset("x", data=landscape(dtype), chunks=CHUNK, compression=identifier, compression_opts=options,
                            fillvalue=-9999.5)


def first_chunk(path):
    with h5py.File(path) as file:
        return file["x"].id.read_direct_chunk((0, 0))[1]


def read_with(path, chunk):
    """The first chunk's values after its stored bytes were replaced; None where reading failed."""
    with h5py.File(path, "r+") as file:
        file["x"].id.write_direct_chunk((0, 0), chunk)
    with h5py.File(path) as file:
        try:
            return file["x"][:64, :64]
        except OSError as error:
            assert "laconic" in str(error), error
            return None


def test_a_checksum_finds_flipped_bytes_in_the_file(path):
    write(path, checksum=True)
    with h5py.File(path) as file:
        info = file["x"].id.get_chunk_info(0)
    whole = path.read_bytes()
    # The head of 16 bytes with the fill value's mark stands before the frame and its checksum.
    for position in list(range(0, 12)) + list(range(16, info.size, max(1, info.size // 300))):
        damaged = bytearray(whole)
        damaged[info.byte_offset + position] ^= 0x04
        path.write_bytes(damaged)
        with h5py.File(path) as file:
            if 8 <= position < 12:
                file["x"][:64, :64]
                continue
            with pytest.raises(OSError, match="laconic"):
                file["x"][:64, :64]
            assert numpy.isfinite(file["x"][70, 70]), "other chunks are still read"


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_flipped_bytes_without_a_checksum(path, dtype):
    write(path, dtype)
    chunk = first_chunk(path)
    failures = 0
    for position in range(0, len(chunk), max(1, len(chunk) // 400)):
        damaged = bytearray(chunk)
        damaged[position] ^= 0xFF
        failures += read_with(path, bytes(damaged)) is None
    assert failures > 0


@pytest.mark.parametrize("length", [1, 8, 15, 16, 17, 63, 80, 300])
def test_short_chunks(path, length):
    write(path)
    assert read_with(path, first_chunk(path)[:length]) is None


def test_long_chunks_and_noise(path):
    write(path)
    chunk = first_chunk(path)
    assert read_with(path, chunk + b"\0") is None
    generator = numpy.random.default_rng(7)
    for size in (1, 100, 5000):
        assert read_with(path, generator.bytes(size)) is None
        assert read_with(path, chunk[:100] + generator.bytes(size)) is None


def test_frames_of_other_arrays(path):
    write(path)
    for other in (numpy.zeros(64 * 64 - 1, "float32"), numpy.zeros(64 * 64 * 8, "float32"), numpy.zeros(64 * 64),
                  numpy.zeros(2**20, "float32")):
        assert read_with(path, laconic.compress(other, abs=1e-2)) is None
    same = read_with(path, laconic.compress(numpy.full(64 * 64, 2.0, "float32"), abs=1e-2))
    assert (abs(same - 2) <= 1e-2).all()


def test_a_mark_without_a_fill_value(path):
    with h5py.File(path, "w") as file:
        identifier, options = filter_options(abs=1e-2)
        file.create_dataset("x", data=landscape(), chunks=CHUNK, compression=identifier, compression_opts=options)
    assert read_with(path, b"lacf" + bytes(12) + first_chunk(path)) is None


@pytest.mark.parametrize("position, value", [
    (0, 2), (1, 7), (3, 0xFFF00000), (4, 0xFFFFFFFF), (5, 0), (5, 2), (5, 3), (6, 4095), (6, 4097), (6, 0),
    (6, 0xFFFFFFFF), (7, 1), (7, 0x20000000), (7, 0x40000000), (7, 0xFFFFFFFF)])
def test_parameters_that_contradict_the_chunks(path, position, value):
    write(path)
    with h5py.File(path) as file:
        parameters = file["x"]._filters[str(FILTER_ID)]
    stored = struct.pack("<10I", *parameters)
    whole = path.read_bytes()
    assert whole.count(stored) == 1
    changed = list(parameters)
    changed[position] = value
    path.write_bytes(whole.replace(stored, struct.pack("<10I", *changed)))
    with h5py.File(path) as file, pytest.raises(OSError, match="laconic"):
        file["x"][:64, :64]
    with h5py.File(path, "r+") as file:
        try:
            # Optional filters that fail while writing leave the chunk as it is.
            file["x"][:64, :64] = 1.0
            file.flush()
        except OSError:
            pass
