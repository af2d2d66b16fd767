#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""tests/python/test_trace.py on a program that is recorded now: what the package reads is what `laconic dump` prints.

usage: test_python.py RANKS FLAVOUR LAUNCHER PRELOAD LACONIC PROGRAM       with PYTHONPATH as the package's tests have it
"""
import os
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
from test_trace import Job  # noqa: E402


def main(arguments):
    if len(arguments) != 6:
        print(__doc__)
        return 2
    with tempfile.TemporaryDirectory() as folder:
        job = Job(arguments[1:], folder)
        done = job.run(int(arguments[0]), timing="lossless")
        assert done.returncode == 0, done.stderr
        environment = dict(os.environ, LACONIC_PROGRAM=job.laconic, LACONIC_TRACES=str(job.trace))
        return subprocess.run([sys.executable, "-B", "-m", "pytest", "-q", "-p", "no:cacheprovider", "-k", "app.trace",
                               str(HERE.parent / "python" / "test_trace.py")], env=environment, check=False, timeout=400).returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
