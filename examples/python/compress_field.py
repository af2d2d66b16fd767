#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Compresses a field and says what that saved and what it cost: a raw little-endian file (*.f32, *.f64), or, without
one, a field made up on the spot. With --out the frame is kept; `laconic decompress` reads it, too."""

import argparse
import sys
from pathlib import Path

import numpy

import laconic


def made_up_field():
    """A wave packet over a rough floor, 512 x 512."""
    x, y = numpy.meshgrid(numpy.linspace(-3, 3, 512), numpy.linspace(-3, 3, 512))
    floor = 0.01 * numpy.sin(40 * x) * numpy.cos(37 * y)
    return (numpy.exp(-x * x - y * y) * numpy.sin(8 * x) + floor).astype("float32")


def read_field(path):
    dtype = {".f32": "<f4", ".f64": "<f8"}.get(path.suffix)
    if dtype is None:
        raise ValueError(f"{path}: the name must end in .f32 or .f64")
    if path.stat().st_size % numpy.dtype(dtype).itemsize:
        raise ValueError(f"{path}: its size is no multiple of {numpy.dtype(dtype).itemsize} bytes")
    return numpy.fromfile(path, dtype)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("field", nargs="?", type=Path)
    parser.add_argument("--rel", type=float, default=1e-3, help="error bound as a fraction of the field's range")
    parser.add_argument("--out", type=Path, help="write the frame to this file")
    options = parser.parse_args()
    try:
        field = made_up_field() if options.field is None else read_field(options.field)
        frame = laconic.compress(field, rel=options.rel, checksum=True)
        if options.out is not None:
            options.out.write_bytes(frame)
    except (OSError, ValueError) as error:
        print(f"compress_field: {error}", file=sys.stderr)
        return 1

    about = laconic.inspect(frame)
    found = laconic.compare(field, laconic.decompress(frame))
    print(f"{about.count} values of {about.dtype}: {field.nbytes} -> {about.frame_bytes} bytes, "
          f"ratio {field.nbytes / about.frame_bytes:.2f}")
    print(f"max error {found.max_abs_error:.3g} of {about.bound:.3g} allowed, PSNR {found.psnr:.1f} dB")
    return 0


if __name__ == "__main__":
    sys.exit(main())
