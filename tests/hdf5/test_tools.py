# SPDX-License-Identifier: BSD-3-Clause
"""The HDF5 tools find the filter by HDF5_PLUGIN_PATH alone: h5repack compresses and decompresses, h5dump shows; and the
page of the guide runs."""

import h5py
import numpy
import pytest

from guide import run_page
from landscape import check_bound, landscape, run_tool
from laconic.hdf5 import FILTER_ID, filter_options


def plain(path, dtype="float32", chunks=None):
    with h5py.File(path, "w") as file:
        file.create_dataset("group/x", data=landscape(dtype), fillvalue=-9999.5, chunks=chunks)
        file.create_dataset("counts", data=numpy.arange(1000), chunks=chunks and chunks[:1])
    return path


def argument(flag, **keywords):
    identifier, values = filter_options(**keywords)
    return "UD=" + ",".join(str(v) for v in (identifier, flag, len(values), *values))


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_repack_there_and_back(tmp_path, dtype):
    source, small, back = plain(tmp_path / "a.h5", dtype), tmp_path / "b.h5", tmp_path / "c.h5"
    run_tool("h5repack", "-l", "group/x:CHUNK=64x64", "-f", "group/x:" + argument(0, abs=1e-2), source, small)
    assert small.stat().st_size * 2 < source.stat().st_size
    with h5py.File(small) as file:
        check_bound(landscape(dtype), file["group/x"][...], 1e-2)
        assert str(FILTER_ID) in file["group/x"]._filters
        compressed = file["group/x"][...]
        assert ((compressed == -9999.5) == (landscape(dtype) == -9999.5)).all()
    run_tool("h5repack", "-f", "NONE", small, back)
    with h5py.File(back) as file:
        assert file["group/x"][...].tobytes() == compressed.tobytes()
        assert not file["group/x"]._filters


def test_repack_all_datasets_with_an_optional_filter(tmp_path):
    source, small = plain(tmp_path / "a.h5", chunks=(64, 64)), tmp_path / "b.h5"
    run_tool("h5repack", "-f", argument(1, rel=1e-4, checksum=True), source, small)
    with h5py.File(small) as file:
        assert numpy.array_equal(file["counts"][...], numpy.arange(1000))
        assert file["group/x"].id.get_chunk_info(0).filter_mask == 0


def test_dump(tmp_path):
    source, small = plain(tmp_path / "a.h5"), tmp_path / "b.h5"
    run_tool("h5repack", "-l", "group/x:CHUNK=64x64", "-f", "group/x:" + argument(0, abs=1e-2), source, small)
    header = run_tool("h5dump", "-pH", "-d", "group/x", small).stdout
    assert f"FILTER_ID {FILTER_ID}" in header and "laconic" in header
    values = run_tool("h5dump", "-d", "group/x", "-s", "0,0", "-c", "1,4", small).stdout
    assert "-9999.5" in values


def test_a_damaged_chunk_is_an_error_of_the_tool(tmp_path):
    source, small = plain(tmp_path / "a.h5"), tmp_path / "b.h5"
    run_tool("h5repack", "-l", "group/x:CHUNK=64x64", "-f", "group/x:" + argument(0, abs=1e-2, checksum=True), source,
             small)
    with h5py.File(small) as file:
        info = file["group/x"].id.get_chunk_info(0)
    data = bytearray(small.read_bytes())
    data[info.byte_offset + info.size // 2] ^= 1
    small.write_bytes(data)
    done = run_tool("h5dump", "--enable-error-stack", "-d", "group/x", small, fails=True)
    assert done.returncode != 0 and "laconic" in done.stderr


def test_page(tmp_path):
    ran = run_page("hdf5.md", tmp_path)
    assert ran["python"] >= 1 and ran["sh"] >= 1
