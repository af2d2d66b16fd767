# SPDX-License-Identifier: BSD-3-Clause
"""A field that has everything a filter can get wrong, the promise it is held against, and how HDF5's tools are run."""

import subprocess
from fractions import Fraction

import numpy


def landscape(dtype="float32", shape=(200, 300)):
    """A smooth field with a hole of fill values, single missing points, and values that are not finite."""
    y, x = numpy.meshgrid(*(numpy.linspace(0, 5, n) for n in shape), indexing="ij")
    field = (20 * numpy.sin(x * y) + 0.1 * numpy.cos(40 * x)).astype(dtype)
    field[50:120, 80:200] = -9999.5
    field[::17, ::13] = -9999.5
    field[3, 5], field[4, 7], field[150, 250] = numpy.nan, numpy.inf, -0.0
    return field


def check_bound(x, y, bound):
    finite = numpy.isfinite(x)
    assert x.dtype == y.dtype and x.shape == y.shape
    assert x[~finite].tobytes() == y[~finite].tobytes(), "a value that is not finite has changed"
    limit = Fraction(float(bound))
    worst = numpy.abs(x[finite].astype("longdouble") - y[finite])
    for i in numpy.argsort(worst)[-50:]:
        assert abs(Fraction(float(x[finite][i])) - Fraction(float(y[finite][i]))) <= limit


def run_tool(*command, fails=False):
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, check=False, timeout=120)
    assert done.returncode >= 0, f"{command} ended by signal {-done.returncode}"
    if not fails:
        assert done.returncode == 0, f"{command}: {done.stdout}{done.stderr}"
    return done
