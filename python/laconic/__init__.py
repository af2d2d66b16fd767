# SPDX-License-Identifier: BSD-3-Clause
"""laconic: error-bounded compression of float arrays, sums of compressed arrays, and traces of MPI programs. Examples:
docs/guide/python.md."""

from . import _laconic
from ._api import codecs, compare, compress, decompress, engine, engines, frame_size, inspect, use_engine
from ._arithmetic import QuantisedArray, add, extract, maximum, minimum, negate, quantise, scale, subtract
from ._errors import (Cancelled, Corrupt, Error, InvalidArgument, InvalidBound, InvalidType, Mismatch, OutputTooSmall,
                      Truncated, Unrepresentable, Unsupported)
from ._exchange import Exchange, ExchangeReport, ReadyPatch
from ._plan import Plan, RankPlan, Transfer, plan
from ._records import CodecInfo, Comparison, FrameInfo
from ._streams import Reader, Writer
from ._trace import Call, Columns, RankTrace, Trace, open_trace

__version__ = _laconic.version()

__all__ = ["Call", "Cancelled", "CodecInfo", "Columns", "Comparison", "Corrupt", "Error", "Exchange",
           "ExchangeReport", "FrameInfo", "InvalidArgument", "InvalidBound", "InvalidType", "Mismatch",
           "OutputTooSmall", "Plan", "QuantisedArray", "RankPlan", "RankTrace", "Reader", "ReadyPatch", "Trace",
           "Transfer", "Truncated", "Unrepresentable", "Unsupported", "Writer", "add", "codecs", "compare",
           "compress", "decompress", "engine", "engines", "extract", "frame_size", "inspect", "maximum", "minimum",
           "negate", "open_trace", "plan", "quantise", "scale", "subtract", "use_engine"]

# A wrong LACONIC_FORCE_ISA is an error here, not another engine than the one that was asked for.
_laconic.check_engine()
