# SPDX-License-Identifier: BSD-3-Clause
"""`pip install .` as a user without a network types it, into an empty folder, and the package that lies there then."""

import os
import subprocess
import sys
from pathlib import Path

SOURCE = Path(__file__).parents[2]
CHECK = """
import laconic, laconic.hdf5, numpy, os, sys
assert laconic.__file__.startswith(sys.argv[1]), laconic.__file__
a = numpy.linspace(0, 1, 10000)
frame = laconic.compress(a, abs=1e-3)
assert laconic.compare(a, laconic.decompress(frame)).max_abs_error <= 1e-3
assert set(os.listdir(os.path.dirname(laconic.__file__))) >= {"py.typed", "__init__.pyi", "hdf5.pyi"}
"""


def run(*command, **options):
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, check=False, **options)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_pip_install(tmp_path):
    variables = {k: v for k, v in os.environ.items() if k != "PYTHONPATH"}
    variables |= {"LACONIC_BUILD_BASE": str(tmp_path / "build"), "PIP_NO_INDEX": "1",
                  "PIP_DISABLE_PIP_VERSION_CHECK": "1"}
    before = set(os.listdir(SOURCE))
    run(sys.executable, "-m", "pip", "install", "--no-build-isolation", "--no-deps", "--root-user-action=ignore",
        "--target", tmp_path / "site", SOURCE, env=variables, cwd=tmp_path)
    assert set(os.listdir(SOURCE)) == before, "the installation left files in the source tree"
    variables["PYTHONPATH"] = str(tmp_path / "site")
    run(sys.executable, "-B", "-c", CHECK, tmp_path / "site", env=variables, cwd=tmp_path)
    dist = next((tmp_path / "site").glob("laconic-*.dist-info"))
    assert f"-{(SOURCE / 'VERSION').read_text().strip()}." in dist.name
    assert "Requires-Dist: numpy" in (dist / "METADATA").read_text()
