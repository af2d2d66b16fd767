# SPDX-License-Identifier: BSD-3-Clause
"""The cost model beside the simulation: simulated rows and the table of their codecs go in; the seconds that `laconic
predict` says for the same network, codecs and ranks come out, as "predicted" in every row that the model has. Nothing
is fitted: every number is one that the simulation was given.
"""
import json
import math
import os
import subprocess
import tempfile
from pathlib import Path

WORKS = ("compress", "decompress", "add", "fused")
# What takes no time in the simulation, as the largest rate that a machine file may name.
AT_ONCE_GB_S = 1e6
LATENCY_US = 2
OPERATIONS = ("allreduce", "bcast", "allgather", "scatter")
MACHINE = """\
version = 4
[intra_node]
latency_us = {latency}
bandwidth_gb_s = {bandwidth:.6g}
overhead_us = 0
exchange_factor = 1
processor_us_per_mb = 0
[inter_node]
latency_us = {latency}
bandwidth_gb_s = {bandwidth:.6g}
overhead_us = 0
exchange_factor = 1
processor_us_per_mb = 0
[host]
injection_gb_s = {bandwidth:.6g}
cores = 1
[memory]
add_gb_s = {add:.6g}
copy_gb_s = {at_once:g}
scan_gb_s = {at_once:g}
[engine]
lanes_raw = 32
lanes_compressed = 8
call_us = 0
call_raw_us = 0
message_us = 0
"""


class Codec:
    """A line of codecs.txt: GB/s, 0 for what it cannot do, and ratios of sums of 1, 2, 4 ... contributions."""

    def __init__(self, words):
        numbers = [float(word) for word in words]
        self.speeds, self.plain_sum, self.ratios = dict(zip(WORKS, numbers)), numbers[4], numbers[5:]

    def growth(self, ranks):
        """Bits per value and doubling that lead from the share of one contribution to that of all: the model's line
        through both ends of the table.
        """
        doublings = math.log2(ranks)
        last = self.ratios[min(math.ceil(doublings), len(self.ratios) - 1)]
        return 32 * (1 / last - 1 / self.ratios[0]) / doublings


def codecs_of(lines):
    table = {}
    for line in lines:
        words = line.split("#")[0].split()
        if words:
            table[words[0]] = Codec(words[1:])
    return table


def machine(codec, bandwidth_gbit_s, cores):
    """A machine file as `laconic calibrate` writes it; every rate holds at all ratios."""
    text = MACHINE.format(latency=LATENCY_US, bandwidth=bandwidth_gbit_s / 8, add=codec.plain_sum * cores,
                          at_once=AT_ONCE_GB_S)
    # A table of rates needs no more than the works that this codec does; the other codec's rows are not looked at.
    for name in ("fle", "szx"):
        text += f"[codec.{name}]\nsize_factor = 1\nratio = [1]\n"
        text += "".join(f"{work}_gb_s = [{speed * cores:.6g}]\n" for work, speed in codec.speeds.items() if speed)
    return text + "".join(f"[stock.{op}]\nbytes = [1]\nfactor = [1]\n" for op in OPERATIONS)


def question(row, codec):
    """Arguments of `laconic predict` for a simulated row."""
    return ("--op", row["op"], "--bytes", str(row["bytes"]), "--ranks", str(row["ranks"]), "--nodes",
            str(row["ranks"]), "--ratio", str(codec.ratios[0]), "--growth", f"{codec.growth(row['ranks']):.6g}",
            "--segment-bytes", str(row["segment"]), "--codec-threads", "1", "--json")


def fastest_stock(rows):
    """The rows of the fastest stock algorithm of every point, by identity: the model knows only one, the best."""
    best = {}
    for row in rows:
        point = tuple(row[key] for key in ("group", "op", "bytes", "ranks", "bandwidth", "cores", "codec"))
        if row["algorithm"].startswith("stock") and row["seconds"] < best.get(point, {"seconds": math.inf})["seconds"]:
            best[point] = row
    return {id(row) for row in best.values()}


def add_predictions(results, program):
    """Sets "predicted" in the rows that the model has, and "in_turn" in stock ones: the sum of the parts that the model
    takes to overlap. False, and nothing is set, when the program is not there.
    """
    if not program.exists():
        return False
    codecs = codecs_of(results["codecs"])
    stock = fastest_stock(results["rows"])
    environment = {name: value for name, value in os.environ.items() if not name.startswith("LACONIC_")}
    known = {}
    with tempfile.TemporaryDirectory(prefix="laconic-model") as folder:
        file = Path(folder) / "machine.toml"
        for row in results["rows"]:
            codec = codecs[row["codec"]]
            asked = (machine(codec, row["bandwidth"], row["cores"]), question(row, codec))
            if asked not in known:
                file.write_text(asked[0], encoding="ascii")
                answer = subprocess.run([program, "predict", *asked[1], "--machine", file], capture_output=True,
                                        text=True, check=True, env=environment)
                known[asked] = {one["algorithm"]: one for one in json.loads(answer.stdout)["rows"]}
            if id(row) in stock:
                found = known[asked]["stock"]
                row["in_turn"] = found["latency_s"] + found["wire_s"] + found["combine_s"]
            else:
                found = known[asked].get(row["algorithm"])
            if found:
                row["predicted"] = found["seconds"]
    return True
