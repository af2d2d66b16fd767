# SPDX-License-Identifier: BSD-3-Clause
"""What inspect(), compare() and codecs() return: the fields of frame_info, comparison and codec_description in
codec.hpp, in their order."""

from typing import NamedTuple


class FrameInfo(NamedTuple):
    """What a frame says about itself, plus what a walk over its blocks counts."""

    version: int
    codec: str
    dtype: str  # numpy's name of the element type
    count: int  # elements
    # |x - y| <= bound; for a sum plus half an ulp for its one rounding. 16-bit types: before the rounding to the type.
    # 0 for zfp_rate: none.
    bound: float
    step: float  # fle: quantisation step; zfp_rate: bits per value
    row_length: int  # fle: values of a row, for row prediction; 0: predicted along the array alone
    contributions: int  # how many compressed arrays were summed into this frame
    magnitude: int  # fle: no quantised value exceeds this
    frame_bytes: int
    blocks: int  # fle: blocks of 32 elements
    zero_blocks: int  # fle: blocks without a payload
    raw_blocks: int  # fle: blocks that carry uncompressed values
    exact_sums: bool  # False: some raw values were added with rounding, in the order the sum was taken
    checksummed: bool


class Comparison(NamedTuple):
    """How far one array is from another. Non-finite values count in nonfinite_mismatches and nowhere else."""

    n: int
    max_abs_error: float
    mean_error: float  # signed
    psnr: float  # 20 log10(range / RMSE) in dB; inf for identical arrays
    nrmse: float  # RMSE / range
    range: float  # largest minus smallest finite value of the first array
    nonfinite_mismatches: int


class CodecInfo(NamedTuple):
    """A way in which arrays become bytes."""

    id: int  # in frames
    name: str  # for compress(codec=...)
    summary: str
    keeps_bound: bool
    adds: bool  # frames can be added without decompressing them
    available: bool  # in this build
