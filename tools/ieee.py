#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Exact numbers for decode_stream.py: bits of a floating-point format go in, integers m * 2^e come out; and back, with
one rounding to nearest, ties to even, at every place where one is asked for.
"""
from dataclasses import dataclass


@dataclass(frozen=True)
class Format:
    """An IEEE 754 binary format, or bf16, which is one in all but name."""
    name: str
    bytes: int
    exponent_bits: int
    fraction_bits: int

    @property
    def lowest_exponent(self):
        return 2 - (1 << (self.exponent_bits - 1))

    @property
    def infinity(self):
        return ((1 << self.exponent_bits) - 1) << self.fraction_bits

    @property
    def sign(self):
        return 1 << (8 * self.bytes - 1)

    def infinity_of(self, negative):
        return self.infinity | (self.sign if negative else 0)

    @property
    def canonical_nan(self):
        return self.infinity | 1 << (self.fraction_bits - 1)


F16, BF16 = Format("f16", 2, 5, 10), Format("bf16", 2, 8, 7)
F32, F64 = Format("f32", 4, 8, 23), Format("f64", 8, 11, 52)


def number(bits, form):
    """(m, e) with the value m * 2^e, of finite bits."""
    fraction = bits & ((1 << form.fraction_bits) - 1)
    exponent = (bits & form.infinity) >> form.fraction_bits
    m = fraction | 1 << form.fraction_bits if exponent else fraction
    return -m if bits & form.sign else m, form.lowest_exponent + max(exponent, 1) - 1 - form.fraction_bits


def finite(bits, form):
    return bits & form.infinity != form.infinity


def plus(a, b):
    """The exact sum of two numbers (m, e)."""
    e = min(a[1], b[1])
    return (a[0] << (a[1] - e)) + (b[0] << (b[1] - e)), e


def rounded(value, form):
    """The bits of (m, e) in `form`, to nearest, ties to even; zero is +0.0, what vanishes keeps its sign."""
    m, e = abs(value[0]), value[1]
    if m == 0:
        return 0
    exponent = max(e + m.bit_length() - 1, form.lowest_exponent)
    shift = exponent - form.fraction_bits - e
    if shift > 0:
        rest, half = m & ((1 << shift) - 1), 1 << (shift - 1)
        m >>= shift
        m += rest > half or (rest == half and m & 1)
    else:
        m <<= -shift
    bits = min(((exponent - form.lowest_exponent) << form.fraction_bits) + m, form.infinity)
    return bits | form.sign if value[0] < 0 else bits


def is_representable(value, form):
    bits = rounded(value, form)
    return finite(bits, form) and plus(value, number(bits ^ form.sign, form))[0] == 0


def rounded_through(value, forms):
    """`value` rounded to each of `forms` in turn; the bits of the last one."""
    for form in forms[:-1]:
        bits = rounded(value, form)
        if not finite(bits, form):
            return forms[-1].infinity_of(bits & form.sign)
        if bits == form.sign:
            return forms[-1].sign
        value = number(bits, form)
    return rounded(value, forms[-1])


def wrapped(value, bits):
    """Two's complement of so many bits."""
    return (value + (1 << (bits - 1))) % (1 << bits) - (1 << (bits - 1))
