#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Compresses a field and says what that saved and what it cost: a raw little-endian file (*.f16, *.f32, *.f64), or, without
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
    dtype = {".f16": "<f2", ".f32": "<f4", ".f64": "<f8"}.get(path.suffix)
    if dtype is None:
        raise ValueError(f"{path}: the name must end in .f16, .f32 or .f64")
    if path.stat().st_size % numpy.dtype(dtype).itemsize:
        raise ValueError(f"{path}: its size is no multiple of {numpy.dtype(dtype).itemsize} bytes")
    return numpy.fromfile(path, dtype)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("field", nargs="?", type=Path)
    parser.add_argument("--rel", type=float, default=1e-3, help="error bound as a fraction of the field's range")
    parser.add_argument("--codec", default="fle", choices=[c.name for c in laconic.codecs() if c.keeps_bound],
                        help="how the array becomes bytes (default: fle)")
    parser.add_argument("--threads", type=int, default=1, help="0: as many as there are cores")
    parser.add_argument("--out", type=Path, help="write the frame to this file")
    options = parser.parse_args()
    try:
        field = made_up_field() if options.field is None else read_field(options.field)
        frame = laconic.compress(field, rel=options.rel, codec=options.codec, row_length="auto", threads=options.threads,
                                 checksum=True)
        if options.out is not None:
            options.out.write_bytes(frame)
    except (OSError, ValueError, laconic.Error) as error:
        print(f"compress_field: {error}", file=sys.stderr)
        return 1

    about = laconic.inspect(frame)
    found = laconic.compare(field, laconic.decompress(frame))
    print(f"{about.count} values of {about.dtype} with {about.codec}: {field.nbytes} -> {about.frame_bytes} bytes, "
          f"ratio {field.nbytes / about.frame_bytes:.2f}")
    allowed = options.rel * float(field.max() - field.min()) if field.size else 0.0
    print(f"max error {found.max_abs_error:.3g} of {allowed:.3g} allowed, PSNR {found.psnr:.1f} dB")
    return 0


if __name__ == "__main__":
    sys.exit(main())
