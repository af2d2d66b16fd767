# SPDX-License-Identifier: BSD-3-Clause
"""HDF5_PLUGIN_PATH names the folder with the filter that was built; without it every test would fail, but not say
why."""

import os

import h5py
import pytest

import laconic.hdf5


def pytest_configure():
    assert os.environ.get("HDF5_PLUGIN_PATH"), "set HDF5_PLUGIN_PATH to build/lib/hdf5/plugins"
    assert h5py.h5z.filter_avail(laconic.hdf5.FILTER_ID), "HDF5 does not find the filter"


@pytest.fixture
def path(tmp_path):
    return tmp_path / "test.h5"
