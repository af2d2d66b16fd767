# SPDX-License-Identifier: BSD-3-Clause
from typing import SupportsFloat

FILTER_ID: int

def filter_options(
    *,
    abs: SupportsFloat | None = None,
    rel: SupportsFloat | None = None,
    lossless: bool = False,
    checksum: bool = False,
    codec: str = "fle",
    rows: bool = False,
) -> tuple[int, tuple[int, ...]]: ...
