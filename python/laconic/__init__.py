# SPDX-License-Identifier: BSD-3-Clause
"""laconic: error-bounded compression of float arrays, and sums of compressed arrays. Examples: docs/guide/python.md."""

from . import _laconic
from ._api import add, compare, compress, decompress, engine, engines, inspect, use_engine
from ._errors import (Corrupt, Error, InvalidArgument, InvalidBound, InvalidType, Mismatch, OutputTooSmall, Truncated,
                      Unsupported)
from ._records import Comparison, FrameInfo

__version__ = _laconic.version()

__all__ = ["Comparison", "Corrupt", "Error", "FrameInfo", "InvalidArgument", "InvalidBound", "InvalidType", "Mismatch",
           "OutputTooSmall", "Truncated", "Unsupported", "add", "compare", "compress", "decompress", "engine",
           "engines", "inspect", "use_engine"]

# A wrong LACONIC_FORCE_ISA is an error here, not another engine than the one that was asked for.
_laconic.check_engine()
