# SPDX-License-Identifier: BSD-3-Clause
"""docs/benchmarks/redistribute.md from redistribute.json: tables of the engines, the acceptance figures, and the paper's
study, its conclusions beside what is found here."""
from statistics import geometric_mean

import redistribute_scale
from codec_page import table
from grid_page import BEGIN, END, by_hand, pictures, seconds

LINK_BYTES_PER_S = 1e9 / 8 * 1448 / 1514  # what TCP gets of a gigabit


def row_of(run, engine):
    return next((row for row in run["rows"] if row["engine"].split(" ")[0].split(":")[0] == engine and "median_s" in row),
                None)


def best_of_mpi(run):
    return min((row for row in run["rows"] if row.get("of_mpi")), key=lambda row: row["median_s"], default=None)


def of_part(results, part):
    return [run for run in results["runs"] if run["part"] == part]


def engine_table(runs):
    lines = []
    for run in runs:
        for row in run["rows"]:
            who = [run["mpi"], str(run["ranks"])]
            if "missing" in row:
                lines.append([*who, row["engine"], "-", "-", "-", "-", "-", row["missing"]])
                continue
            lines.append([*who, row["engine"], str(run["repetitions"]), seconds(row["median_s"]), f"{row['ratio_to_best_mpi']:.2f}x",
                          f"{row['staging_bytes'] / 2**20:.1f}", f"{row['wire_bytes'] / 1e6:.1f}", ""])
    return table(["MPI", "ranks", "engine", "n", "time", "/ best of MPI", "staging MiB", "MB in messages", ""], lines)


def targets(results):
    lines = []
    limits = {(2, "mpich"): 0.75, (2, "openmpi"): 0.85, (8, "mpich"): 1.2, (8, "openmpi"): 1.2}
    for run in of_part(results, "memory"):
        own, limit = row_of(run, "auto"), limits[run["ranks"], run["mpi"]]
        if own:
            got = own["ratio_to_best_mpi"]
            lines.append([f"shared memory, {run['ranks']} ranks, {run['mpi']}: auto / best of MPI", f"<= {limit}",
                          f"{got:.2f}", "met" if got <= limit else "**not met**"])
    for run in of_part(results, "network"):
        own = row_of(run, "auto")
        if own and run.get("busiest_bytes"):
            got = own["median_s"] / (run["busiest_bytes"] / LINK_BYTES_PER_S)
            lines.append([f"1 Gbit/s, 4 hosts, {run['mpi']}: auto / the busiest link's bytes", "<= 1.1", f"{got:.2f}",
                          "met" if got <= 1.1 else "**not met**"])
    for lossy in of_part(results, "lossy"):
        raw = next((run for run in of_part(results, "raw") if run["mpi"] == lossy["mpi"]), None)
        if raw and row_of(raw, "auto") and row_of(lossy, "auto"):
            got = row_of(raw, "auto")["median_s"] / row_of(lossy, "auto")["median_s"]
            lines.append([f"1 Gbit/s, 4 hosts, {lossy['mpi']}: raw / with --rel 1e-3 on isabel_velmag", ">= 3",
                          f"{got:.2f}", "met" if got >= 3 else "**not met**"])
    return table(["what", "target", "measured", ""], lines)


def study_table(runs):
    lines = []
    for run in runs:
        times = {name: row_of(run, name) for name in ("per_patch", "per_rank", "batched", "auto")}
        extent, patch = run["paper"]
        greedy_moves = f"{100 * run['paper_moved']:.1f}" if "paper_moved" in run else "-"
        lines.append([f"{extent}^3 / {patch}^3", run["global"], run["patch"], run["placement"], run["mpi"],
                      str(run["repetitions"]), f"{100 * run['moved_bytes'] / run['bytes']:.1f}", greedy_moves,
                      *(seconds(row["median_s"]) if row else "-" for row in times.values())])
    return table(["paper's array / patch", "here", "patch", "placement", "MPI", "n", "moved %", "paper's greedy %", "per_patch", "per_rank", "batched",
                  "auto"], lines)


def simulated_table(runs):
    lines = []
    for run in runs:
        for row in run["rows"]:
            link = row["busiest_bytes"] * 8 / (redistribute_scale.GBIT_PER_S * 1e9)
            messages = row["patch_messages" if row["engine"] == "per_patch" else "rank_messages"]
            lines.append([str(run["ranks"]), run["global"], run["placement"], row["engine"], f"{row['moved_bytes'] / 1e6:.1f}",
                          f"{messages}", f"{1e6 * row['seconds']:.1f}", f"{row['seconds'] / link:.2f}x"])
    return table(["ranks", "array", "placement", "engine", "MB moved", "pairs with a message", "us", "/ busiest link"], lines)


def ratio_over(runs, above, below):
    found = [above(run) / below(run) for run in runs if above(run) and below(run)]
    return (geometric_mean(found), min(found), max(found), len(found)) if found else None


def conclusions(results):
    lines = []

    def engine(name):
        return lambda run: (row_of(run, name) or {}).get("median_s")

    def cell(found):
        return "-" if found is None else f"{found[0]:.2f} ({found[1]:.2f} to {found[2]:.2f})"
    for where in ("memory", "1 Gbit/s"):
        for mpi in ("openmpi", "mpich"):
            runs = [run for run in of_part(results, "study") if run["where"] == where and run["mpi"] == mpi]
            by = {placement: {tuple(run["paper"]): run for run in runs if run["placement"] == placement}
                  for placement in ("greedy", "balanced", "optimal")}

            def placed(a, b, of=by):
                pairs = [(of[a][key], of[b][key]) for key in of[a] if key in of[b]]
                found = [engine("per_patch")(x) / engine("per_patch")(y) for x, y in pairs
                         if engine("per_patch")(x) and engine("per_patch")(y)]
                return (geometric_mean(found), min(found), max(found)) if found else None
            lines.append([where, mpi, cell(ratio_over(runs, engine("per_rank"), engine("per_patch"))),
                          cell(placed("balanced", "greedy")), cell(placed("optimal", "balanced")),
                          cell(ratio_over(runs, engine("per_patch"), engine("auto")))])
    return table(["where", "MPI", "per_rank / per_patch", "balanced / greedy (per_patch)", "optimal / balanced (per_patch)",
                  "per_patch / auto"], lines)


def page(results, out, before):
    machine = results["machine"]
    study = of_part(results, "study")
    dates = sorted({run.get("date", machine["date"]) for run in results["runs"]})
    date = dates[0] if len(dates) < 2 else f"{dates[0]} to {dates[-1]}"
    text = f"""# Redistribution, measured

`./dev bench redistribute` measures this and writes this page. {date}, {machine['processor']}, {machine['cores']} cores
shared by all ranks. Every row is the median over n interleaved repetitions of the slowest rank's time; "best of MPI" is the
fastest in the same run of what a program could do with MPI alone (per_patch with derived types, per_rank and batches packed
by hand, alltoallw, neighbour and partitioned calls, where the library has them).

## Targets

{targets(results)}
{by_hand(out / 'redistribute.md')}

## 256^3 doubles, patches of 32^3, round robin, memory of this machine

{engine_table(of_part(results, 'memory'))}
## The same over 1 Gbit/s, one rank on each of 4 emulated hosts

{engine_table(of_part(results, 'network'))}
Floats of isabel_velmag, as they are and with --rel 1e-3:

{engine_table(of_part(results, 'raw') + of_part(results, 'lossy'))}
## The paper's study

Robinson et al. (PEARC '24) move six arrays into patches of 32^3 and 64^3 on 1024 to 4096 ranks. Here each stands for itself on
8 ranks (2x2x2), with so many patches that greedy placement moves the part of the array that it moves of theirs on 1024 ranks
(as far as patches have 8 elements a side), cut off at the end where theirs are; up to 32 MB a rank, growing with their extent.
What their conclusions become, geometric means over the {len({(run['global'], run['patch']) for run in study})} that were measured here (and the range):

{conclusions(results)}{pictures('redistribute_plots', results, out)}
"""
    for where in ("memory", "1 Gbit/s"):
        runs = [run for run in study if run["where"] == where]
        if runs:
            text += f"### {'Memory of this machine' if where == 'memory' else 'Eight emulated hosts, ' + where}\n\n"
            text += study_table(runs) + "\n"
    simulated = of_part(results, "simulated")
    if simulated:
        text += f"""### Simulated hosts, {redistribute_scale.GBIT_PER_S} Gbit/s

The library's own engines under SimGrid, one rank a host, floats in patches of 32^3, batches of {redistribute_scale.BATCH}. Only the
network takes time here: neither packing nor the processor's part of a message does.

{simulated_table(simulated)}
"""
    return text
