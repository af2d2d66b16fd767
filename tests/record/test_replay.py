#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""laconic export --to smpi on recorded programs: SimGrid's smpirun replays the actions to the end, and slower on a slower
network.

usage: test_replay.py RANKS FLAVOUR LAUNCHER PRELOAD LACONIC PROGRAM       smpirun is on PATH
"""
import re
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
from test_trace import Job  # noqa: E402

PLATFORM = """<?xml version='1.0'?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1">
  <cluster id="c" prefix="h" suffix="" radical="0-15" speed="1Gf" bw="{}" lat="50us"/>
</platform>
"""


def simulated_seconds(folder, ranks, actions, bandwidth):
    (folder / "platform.xml").write_text(PLATFORM.format(bandwidth))
    (folder / "hosts").write_text("".join(f"h{i}\n" for i in range(16)))
    # smpirun is given a list of files: one for all ranks.
    (folder / "app.list").write_text(f"{actions}\n")
    done = subprocess.run(["smpirun", "-np", str(ranks), "-platform", "platform.xml", "-hostfile", "hosts", "-replay", "app.list"],
                          cwd=folder, text=True, capture_output=True, timeout=200, check=False)
    said = done.stdout + done.stderr
    found = re.search(r"Simulation time ([\d.]+)", said)
    assert done.returncode == 0 and found, said
    return float(found[1])


def main(arguments):
    if len(arguments) != 6:
        print(__doc__)
        return 2
    ranks = int(arguments[0])
    with tempfile.TemporaryDirectory() as name:
        job, folder = Job(arguments[1:], name), Path(name)
        done = job.run(ranks, timing="none")
        assert done.returncode == 0, done.stderr
        actions = folder / "app.replay"
        job.ask("export", str(job.trace), "--to", "smpi", "-o", str(actions))
        lines = actions.read_text().splitlines()
        by_rank = {rank: [line.split()[1:] for line in lines if line.split()[0] == str(rank)] for rank in range(ranks)}
        assert all(calls[0] == ["init"] and calls[-1] == ["finalize"] for calls in by_rank.values())
        sends = sum(call[0] in ("send", "isend") for calls in by_rank.values() for call in calls)
        receives = sum(call[0] in ("recv", "irecv") for calls in by_rank.values() for call in calls)
        assert sends == receives > 0, (sends, receives)
        fast, slow = (simulated_seconds(folder, ranks, actions, bandwidth) for bandwidth in ("125MBps", "1MBps"))
        assert 0 < fast < slow, (fast, slow)
    print("test_replay: simulated to the end")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
