# SPDX-License-Identifier: BSD-3-Clause
"""Datasets written and read through h5py: within the bound, smaller, fill values and NaN as they were; what the filter
does not suit passes or is refused."""

import struct

import h5py
import numpy
import pytest

import laconic
from landscape import check_bound, landscape
from laconic.hdf5 import FILTER_ID, filter_options


def write(path, field, options, **more):
    more.setdefault("chunks", tuple(min(64, n) for n in field.shape))
    with h5py.File(path, "w") as file:
        file.create_dataset("x", data=field, compression=options[0], compression_opts=options[1], **more)


def read(path):
    """(values, stored bytes, whether every chunk went through the filter)"""
    with h5py.File(path) as file:
        x = file["x"]
        chunks = [x.id.get_chunk_info(i) for i in range(x.id.get_num_chunks())]
        return x[...], x.id.get_storage_size(), all(chunk.filter_mask == 0 for chunk in chunks)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("checksum", [False, True])
@pytest.mark.parametrize("fill", [None, -9999.5, numpy.nan, 0.0, 0.1])
def test_absolute(path, dtype, checksum, fill):
    field = landscape(dtype)
    write(path, field, filter_options(abs=1e-2, checksum=checksum), fillvalue=fill)
    values, stored, filtered = read(path)
    check_bound(field, values, 1e-2)
    assert filtered and stored * 2 < field.nbytes
    if fill:
        assert numpy.array_equal(values == values.dtype.type(fill), field == field.dtype.type(fill))


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("keywords", [{"abs": 1e-2}, {"rel": 1e-3}])
def test_a_dataset_of_fill_values_only(path, dtype, keywords):
    write(path, numpy.full(10_000, -1.5, dtype), filter_options(**keywords), fillvalue=-1.5, chunks=(5000,))
    values, stored, _ = read(path)
    assert (values == -1.5).all() and stored < 2000


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("fill", [-9999.5, 9.969209968386869e36, 3e38, numpy.nan, numpy.inf])
@pytest.mark.parametrize("keywords", [{"abs": 1e-2}, {"rel": 1e-3}])
def test_a_mask_costs_little(path, dtype, fill, keywords):
    """Half of the field is missing. The other half keeps its bound, relative to its own range, and all shrinks."""
    y, x = numpy.meshgrid(numpy.linspace(0, 5, 256), numpy.linspace(0, 5, 256))
    field = (20 * numpy.sin(x * y)).astype(dtype)
    mask = numpy.sin(3 * x) * numpy.cos(4 * y) > 0
    field[mask] = fill
    write(path, field, filter_options(**keywords), fillvalue=fill, chunks=(128, 256))
    values, stored, filtered = read(path)
    assert values[mask].tobytes() == field[mask].tobytes() and filtered
    for rows in (slice(0, 128), slice(128, 256)):
        before, after = field[rows][~mask[rows]], values[rows][~mask[rows]]
        bound = keywords.get("abs") or keywords["rel"] * float(numpy.ptp(before.astype("float64"))) * (1 + 1e-15)
        check_bound(before, after, bound)
    assert stored * 3 < field.nbytes


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("value", [0.0, 2.5])
def test_large_chunks_of_one_value(path, dtype, value):
    """Next to no bytes, and they can be read."""
    field = numpy.full(1_000_000, value, dtype)
    for codec in (codec.name for codec in laconic.codecs() if codec.available and codec.keeps_bound):
        write(path, field, filter_options(abs=1e-3, codec=codec), chunks=(1_000_000,))
        values, _, filtered = read(path)
        assert filtered or codec == "raw"
        check_bound(field, values, 1e-3)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_relative_is_relative_to_the_chunk(path, dtype):
    field = numpy.repeat([1.0, 1000.0], 1000).astype(dtype) * numpy.sin(numpy.arange(2000)).astype(dtype)
    write(path, field, filter_options(rel=1e-3), chunks=(1000,))
    values, stored, _ = read(path)
    for part in (slice(0, 1000), slice(1000, 2000)):
        check_bound(field[part], values[part], 1e-3 * float(numpy.ptp(field[part].astype("float64"))))
    assert stored * 2 < field.nbytes


def test_lossless(path):
    field = landscape("float64")
    write(path, field, filter_options(lossless=True), fillvalue=-9999.5)
    assert read(path)[0].tobytes() == field.tobytes()


@pytest.mark.parametrize("shape, chunks", [((1,), (1,)), ((33,), (7,)), ((5, 6, 7), (2, 6, 3)), ((3000,), (4096,))])
def test_chunks_of_any_shape(path, shape, chunks):
    field = numpy.cumsum(numpy.ones(shape), axis=-1)
    write(path, field, filter_options(abs=1e-3), chunks=chunks, maxshape=(None,) * len(shape))
    check_bound(field, read(path)[0], 1e-3)
    with h5py.File(path, "r+") as file:
        file["x"].resize(tuple(n + 5 for n in shape))
        file["x"][-1] = 7.0
    values = read(path)[0]
    assert (numpy.abs(values[-1] - 7) <= 1e-3).all()
    check_bound(field, values[tuple(slice(0, n) for n in shape)], 2e-3)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("bound", [0.4, 1e-3])
def test_a_fill_value_among_the_data(path, dtype, bound):
    """Other values are within the bound of the fill value, or decode to it: they must not turn into it."""
    field = (numpy.arange(5000) * 0.013 % 3).astype(dtype)
    field[::7] = 1.0001
    fill = field[0]
    write(path, field, filter_options(abs=bound), chunks=(1000,), fillvalue=fill)
    values = read(path)[0]
    check_bound(field, values, bound)
    assert numpy.array_equal(values == fill, field == fill)
    with_nan = field.copy()
    filter_mark = 0x7FC1ACF1 if dtype == "float32" else 0x7FF81AC01ACF1F11
    with_nan.view(f"u{with_nan.itemsize}")[1::10] = filter_mark
    write(path, with_nan, filter_options(abs=bound), chunks=(1000,), fillvalue=fill)
    values = read(path)[0]
    check_bound(with_nan, values, bound)
    assert numpy.array_equal(values == fill, with_nan == fill)
    # A fill value that is no element, but what an element decodes to without the filter's care.
    write(path, field, filter_options(abs=bound), chunks=(1000,))
    decoded = next(value for value in read(path)[0] if value != 0 and value not in field)
    write(path, field, filter_options(abs=bound), chunks=(1000,), fillvalue=decoded)
    values = read(path)[0]
    check_bound(field, values, bound)
    assert decoded not in values


@pytest.mark.parametrize("dtype", ["int32", "float16", ">f4", ">f8", "S5", [("a", "f4")]])
def test_other_types_pass(path, dtype):
    field = numpy.zeros(1000, dtype)
    field[:100] = numpy.ones(100).astype(dtype) if dtype != [("a", "f4")] else (1.0,)
    write(path, field, filter_options(abs=1e-3))
    values, _, filtered = read(path)
    assert values.tobytes() == field.tobytes() and not filtered


def mandatory(path, dtype, options):
    creation = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
    creation.set_chunk((100,))
    creation.set_filter(options[0], 0, options[1])
    with h5py.File(path, "w") as file:
        stored_type, space = h5py.h5t.py_create(numpy.dtype(dtype)), h5py.h5s.create_simple((1000,))
        x = h5py.h5d.create(file.id, b"x", stored_type, space, creation)
        h5py.Dataset(x)[...] = numpy.random.default_rng(1).normal(size=1000).astype(dtype)


def test_mandatory_filters(path):
    """A mandatory filter never passes: other types are refused, and noise is stored although it grows."""
    with pytest.raises((ValueError, OSError)):
        mandatory(path, "int32", filter_options(abs=1e-3))
    mandatory(path, "float64", filter_options(lossless=True))
    values, stored, filtered = read(path)
    assert filtered and stored > values.nbytes
    assert numpy.array_equal(values, numpy.random.default_rng(1).normal(size=1000))


def test_noise_is_stored_as_it_is(path):
    field = numpy.random.default_rng(1).normal(size=4096)
    write(path, field, filter_options(lossless=True), chunks=(1024,))
    values, stored, filtered = read(path)
    assert values.tobytes() == field.tobytes() and stored == field.nbytes and not filtered


def test_filters_behind_are_fine_and_filters_before_are_refused(path):
    field = landscape()
    write(path, field, filter_options(abs=1e-2), fletcher32=True)
    check_bound(field, read(path)[0], 1e-2)
    with pytest.raises((ValueError, OSError), match="put laconic first"):
        write(path, field, filter_options(abs=1e-2), shuffle=True)


def halves(value):
    return struct.unpack("<II", struct.pack("<d", value))


@pytest.mark.parametrize("values, word", [
    ((), "5 parameters"), ((1,), "5 parameters"), ((1, 0, *halves(1.0), 0, 1, 1), "5 parameters"),
    ((1,) * 20, "5 parameters"),
    ((2, 0, *halves(1.0), 0), "version"), ((1, 2, *halves(1.0), 0), "kind"), ((1, 0, *halves(-1.0), 0), "bound"),
    ((1, 1, *halves(float("nan")), 0), "bound"), ((1, 0, *halves(1.0), 8), "flags"),
    ((1, 0, *halves(1.0), 0, 4), "no error bound"), ((1, 0, *halves(1.0), 0, 99), "codec 99")])
def test_wrong_parameters_are_refused_when_the_dataset_is_created(path, values, word):
    with pytest.raises((ValueError, OSError), match=word):
        write(path, landscape(), (FILTER_ID, values))


def test_the_helper_and_the_stored_parameters(path):
    identifier, options = filter_options(abs=0.5, checksum=True)
    assert (identifier, options) == (FILTER_ID, (1, 0, *halves(0.5), 1)) and 256 <= identifier <= 511
    assert filter_options(rel=0.25)[1] == (1, 1, *halves(0.25), 0)
    assert filter_options(lossless=True)[1] == (1, 0, 0, 0, 0)
    assert filter_options(abs=0.5, rows=True, codec="fle")[1] == (1, 0, *halves(0.5), 4)
    assert filter_options(abs=0.5, rows=True, codec="szx", checksum=True)[1] == (1, 0, *halves(0.5), 5, 2)
    for codec in ("zfp_rate", "nonsense", 2):
        with pytest.raises(laconic.InvalidArgument, match="szx"):
            filter_options(abs=0.5, codec=codec)
    for keywords in ({}, {"abs": 0}, {"abs": 1, "rel": 1}):
        with pytest.raises(laconic.InvalidBound):
            filter_options(**keywords)
    write(path, landscape("float64"), (identifier, options), fillvalue=-9999.5)
    with h5py.File(path) as file:
        stored = file["x"]._filters[str(FILTER_ID)]
    assert stored == (1, 0, *halves(0.5), 3, 2, 64 * 64, 0, *halves(-9999.5))


@pytest.mark.parametrize("codec", [c.name for c in laconic.codecs() if c.available and c.keeps_bound])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("fill", [None, -9999.5, numpy.nan])
@pytest.mark.parametrize("keywords", [{"abs": 1e-2}, {"rel": 1e-3, "rows": True}, {"lossless": True, "checksum": True}])
def test_codecs(path, codec, dtype, fill, keywords):
    field = landscape(dtype)
    if fill is not None:
        field[field == -9999.5] = fill
    write(path, field, filter_options(codec=codec, **keywords), fillvalue=fill)
    values, _, _ = read(path)
    bound = keywords.get("abs", 1e-3 * 10100 if "rel" in keywords else 0)
    check_bound(field, values, bound)
    assert numpy.array_equal(values == fill, field == fill)
    with h5py.File(path) as file:
        stored = file["x"]._filters[str(FILTER_ID)]
        frame = file["x"].id.read_direct_chunk((64, 64))[1]
    assert len(stored) == (10 if codec == "fle" and "rows" not in keywords else 12)
    if len(stored) == 12:
        assert stored[10:] == ({c.name: c.id for c in laconic.codecs()}[codec], 64 if "rows" in keywords else 0)
    if frame.startswith(b"lacn"):
        assert laconic.inspect(frame).codec in (codec, "fle")


def test_rows(path):
    y, x = numpy.meshgrid(numpy.linspace(0, 5, 256), numpy.linspace(0, 5, 300), indexing="ij")
    field = (numpy.sin(3 * x) * numpy.cos(2 * y) + 0.01 * numpy.sin(90 * x)).astype("float32")
    sizes = []
    for rows in (False, True):
        write(path, field, filter_options(abs=1e-3, rows=rows), chunks=(64, 300))
        values, stored, filtered = read(path)
        check_bound(field, values, 1e-3)
        sizes.append(stored)
        assert filtered
        with h5py.File(path) as file:
            assert laconic.inspect(file["x"].id.read_direct_chunk((0, 0))[1]).row_length == (300 if rows else 0)
    assert sizes[1] < sizes[0]
    write(path, field.ravel(), filter_options(abs=1e-3, rows=True), chunks=(5000,))
    check_bound(field.ravel(), read(path)[0], 1e-3)
    with h5py.File(path) as file:
        assert laconic.inspect(file["x"].id.read_direct_chunk((0,))[1]).row_length == 0
        assert file["x"]._filters[str(FILTER_ID)][10:] == (1, 0)


def test_a_creation_list_may_be_used_again(path):
    """Type, count and fill value are those of the new dataset, not those of the one before."""
    write(path, landscape("float32"), filter_options(abs=1e-2), fillvalue=-9999.5)
    with h5py.File(path, "r+") as file:
        creation = file["x"].id.get_create_plist()
        creation.set_chunk((50, 50))
        creation.set_fill_value(numpy.array(0.0))
        x = h5py.h5d.create(file.id, b"y", h5py.h5t.IEEE_F64LE, h5py.h5s.create_simple((200, 300)), creation)
        h5py.Dataset(x)[...] = landscape("float64")
        check_bound(landscape("float64"), file["y"][...], 1e-2)
        assert file["y"]._filters[str(FILTER_ID)][4:] == (0, 2, 2500, 0, 0, 0)


def test_a_stored_chunk_is_a_frame(path):
    field = landscape()
    write(path, field, filter_options(abs=1e-2))
    with h5py.File(path) as file:
        frame = file["x"].id.read_direct_chunk((0, 0))[1]
    about = laconic.inspect(frame)
    assert (about.count, about.dtype, about.bound) == (64 * 64, "float32", 1e-2)
