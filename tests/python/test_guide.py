# SPDX-License-Identifier: BSD-3-Clause
"""docs/guide/python.md and examples/python run as they stand."""

import subprocess
import sys
from pathlib import Path

import pytest

import laconic
from fields import smooth
from guide import run_page

EXAMPLE = Path(__file__).parents[2] / "examples/python/compress_field.py"


def test_page(tmp_path):
    assert run_page("python.md", tmp_path)["python"] >= 5


def run_example(*arguments):
    return subprocess.run([sys.executable, "-B", EXAMPLE, *arguments], capture_output=True, text=True, check=False)


def test_example_with_a_field_of_its_own():
    done = run_example()
    assert done.returncode == 0, done.stderr
    assert "max error" in done.stdout


@pytest.mark.parametrize("suffix, dtype, codec", [("f32", "float32", "fle"), ("f64", "float64", "szx"),
                                                  ("f16", "float16", "fle")])
def test_example_with_a_file(tmp_path, suffix, dtype, codec):
    field = smooth(10_000, dtype)
    path = tmp_path / f"field.{suffix}"
    field.tofile(path)
    done = run_example(str(path), "--rel", "1e-2", "--codec", codec, "--out", str(tmp_path / "field.lac"))
    assert done.returncode == 0, done.stderr
    about = laconic.inspect((tmp_path / "field.lac").read_bytes())
    assert (about.dtype, about.codec) == (dtype, codec)
    assert about.count == 10_000 and about.checksummed and f"{about.frame_bytes}" in done.stdout


def test_example_says_what_is_wrong(tmp_path):
    (tmp_path / "odd.f32").write_bytes(b"12345")
    for arguments in ((str(tmp_path / "odd.f32"),), (str(tmp_path / "none.f32"),), ("--rel", "-1")):
        done = run_example(*arguments)
        assert done.returncode == 1 and done.stderr.startswith("compress_field: ") and done.stderr.count("\n") == 1
