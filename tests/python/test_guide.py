# SPDX-License-Identifier: BSD-3-Clause
"""docs/guide/python.md, examples/python and examples/trace run as they stand."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import laconic
from fields import smooth
from guide import run_page

EXAMPLES = Path(__file__).parents[2] / "examples"
EXAMPLE = EXAMPLES / "python/compress_field.py"
TRACES = Path(__file__).parent / "traces"


def test_page(tmp_path):
    # The page's trace: of tests/record/prog_p2p.c, 4 ranks.
    shutil.copy(TRACES / "messages.trace", tmp_path / "app.trace")
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


def run_on_trace(name, *arguments):
    return subprocess.run([sys.executable, "-B", EXAMPLES / "trace" / name, *map(str, arguments)], capture_output=True,
                          text=True, check=False)


def test_top_functions_are_those_with_most_time():
    done = run_on_trace("top_functions.py", TRACES / "messages.trace", "--most", "3")
    assert done.returncode == 0, done.stderr
    rows = [line.split()[0] for line in done.stdout.splitlines()[3:]]
    with laconic.open_trace(TRACES / "messages.trace") as trace:
        times = {row["function"]: row["durations"]["count"] * row["durations"]["mean_ns"] for row in trace.stat()["functions"]}
    assert rows == sorted(times, key=times.get, reverse=True)[:3] and "slowest rank" in done.stdout
    statistics = run_on_trace("top_functions.py", TRACES / "data.trace").stdout
    assert "MPI_Win_allocate" in statistics and "slowest rank" not in statistics


def test_message_sizes_add_up():
    done = run_on_trace("message_sizes.py", TRACES / "messages.trace")
    assert done.returncode == 0, done.stderr
    with laconic.open_trace(TRACES / "messages.trace") as trace:
        sent = sum(int((trace.rank(rank).columns().sent > 0).sum()) for rank in trace.ranks)
        largest = int(trace.communication_matrix().max())
    lines = done.stdout.splitlines()
    assert lines[0].startswith(f"messages: {sent},")
    assert sum(int(line.split()[4]) for line in lines if "up to" in line) == sent
    assert f"{largest} B" in lines[lines.index("point to point, the busiest pairs") + 1] or largest >= 1024
    assert "nothing point to point" in run_on_trace("message_sizes.py", TRACES / "data.trace").stdout


@pytest.mark.parametrize("name", ["top_functions.py", "message_sizes.py"])
def test_what_is_no_trace_is_said(name, tmp_path):
    (tmp_path / "odd.trace").write_bytes(b"odd")
    for path in (tmp_path / "odd.trace", tmp_path / "none.trace"):
        done = run_on_trace(name, path)
        assert done.returncode == 1 and done.stderr.startswith(name[:-3] + ": ") and path.name in done.stderr
