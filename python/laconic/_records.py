# SPDX-License-Identifier: BSD-3-Clause
"""What inspect() and compare() return: the fields of frame_info and comparison in codec.hpp, in their order."""

from typing import NamedTuple


class FrameInfo(NamedTuple):
    """What a frame says about itself, plus what a walk over its blocks counts."""

    version: int
    dtype: str  # numpy's name of the element type
    count: int  # elements
    bound: float  # |x - y| <= bound; for a sum plus half an ulp for its one rounding
    step: float  # quantisation step
    contributions: int  # how many compressed arrays were summed into this frame
    magnitude: int  # no quantised value exceeds this
    frame_bytes: int
    blocks: int  # blocks of 32 elements
    zero_blocks: int  # blocks that take one byte
    raw_blocks: int  # blocks that carry uncompressed values
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
