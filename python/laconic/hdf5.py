# SPDX-License-Identifier: BSD-3-Clause
"""Parameters for the HDF5 filter (plugins/hdf5): an error bound flows in, what h5py and h5repack want to know flows
out. Needs neither h5py nor the filter itself."""

import struct

from ._api import codecs
from ._errors import InvalidArgument
from ._settings import bound_of

# Of the range that The HDF Group leaves to tests (256 to 511), until an identifier is registered.
FILTER_ID = 428

_FORMAT_VERSION = 1
_CHECKSUM = 1
_ROWS = 4


def filter_options(*, abs=None, rel=None, lossless=False, checksum=False, codec="fle", rows=False):
    """(identifier, parameters), for `create_dataset(..., compression=identifier, compression_opts=parameters)`.

    abs, rel, lossless   exactly one, as in laconic.compress(); `rel` is relative to the range of each chunk.
    checksum             every chunk carries a checksum that is verified when it is read.
    codec                the name of one of laconic.codecs() that keeps the bound.
    rows                 predict from the row before, too, where chunks have more than one dimension: mostly smaller.
    """
    kind, value = bound_of(abs, rel, lossless)
    low, high = struct.unpack("<II", struct.pack("<d", value))
    flags = (_CHECKSUM if checksum else 0) | (_ROWS if rows else 0)
    numbers = {known.name: known.id for known in codecs() if known.keeps_bound}
    if codec not in numbers:
        raise InvalidArgument(f"codec={codec!r}; give one of {', '.join(numbers)}")
    # Without a codec earlier builds of the filter understand the parameters as well.
    return FILTER_ID, (_FORMAT_VERSION, kind, low, high, flags, *([] if codec == "fle" else [numbers[codec]]))
