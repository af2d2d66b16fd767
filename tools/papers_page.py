# SPDX-License-Identifier: BSD-3-Clause
"""The text of docs/benchmarks/papers.md: measured experiments go in; what papers_figures.py makes of them comes out, with
how and where it was measured and, where matplotlib is installed, a plot. Only the block between the two marks is written
by hand; it is carried over.
"""
from bench_papers import EXPERIMENTS, RATE, SLOW
from codec_page import table
from collectives_page import MPIS
from grid_page import by_hand, pictures
from papers_figures import figures
from papers_parts import listed


def distinct(points, key):
    return list(dict.fromkeys(map(key, points)))


def repetitions(points):
    """Of how many runs the medians are: a point has as many as its row with the fewest."""
    def count(point):
        return min(len(row["times_s"]) for row in point["rows"])

    found = distinct(points, count)
    if found == [1]:
        return "one run each, not medians"
    if len(found) == 1:
        return f"medians of {found[0]} runs"
    label = next(key for key in ("size", "hosts", "field") if len(distinct(points, lambda p: p[key])) > 1)
    return ", ".join(f"{'one run' if runs == 1 else f'medians of {runs} runs'} at "
                     + listed(distinct([p for p in points if count(p) == runs], lambda p: str(p[label]))) for runs in found)


def measured_on(points):
    """Machines, with the days on which they measured."""
    found = {}
    for p in points:
        machine = p["machine"]
        found.setdefault((machine["processor"], machine["cores"]), set()).add(machine["date"])
    return listed(f"{name} ({cores} cores, {' to '.join(dict.fromkeys((min(dates), max(dates))))})"
                  for (name, cores), dates in found.items())


def left_out(asked, points):
    """Why cells of the table have no number."""
    missing = [(name, p["size"]) for p in points for name in asked.rows if name not in {row["algorithm"] for row in p["rows"]}]
    if missing:
        names, sizes = (listed(dict.fromkeys(found)) for found in zip(*missing))
        yield f"{names} were not measured at {sizes}{', where a call takes many seconds' if SLOW.issuperset(dict(missing)) else ''}."


def how(figure, everywhere):
    """What was called, with what, on which hosts, how often; on which machine, unless all were on one on one day."""
    experiments = {}
    for p in figure.points:
        experiments.setdefault(p["experiment"], []).append(p)
    calls, notes = {}, []
    for name, points in experiments.items():
        asked = next(one for one in EXPERIMENTS if one.name == name)
        goes_on = f" (the paper's series goes on to {asked.paper_ends}, left out to save time)" if asked.paper_ends else ""
        fields, sizes, hosts = (distinct(points, lambda p: str(p[key])) for key in ("field", "size", "hosts"))
        ranks = points[0]["ranks"] // points[0]["hosts"]
        said = (f" on {listed(fields)}, --rel {points[0]['rel']}; {listed(sizes)}{goes_on}; {listed(hosts)} hosts with {ranks} "
                f"rank{'s' if ranks > 1 else ''} each, {MPIS[points[0]['mpi']]}; {repetitions(points)}")
        if measured_on(points) != everywhere:
            said += f"; {measured_on(points)}"
        calls.setdefault(said, []).append(points[0]["op"])
        notes += left_out(asked, points)
    return " ".join([f"Measured: {'. And '.join(f'{listed(dict.fromkeys(ops))}{said}' for said, ops in calls.items())}.",
                     *dict.fromkeys(notes)])


def verdict(figure):
    if figure.differs:
        return f"**Not the same shape**: {'; '.join(figure.differs)}."
    return f"**Same shape, in part**: {figure.beyond}." if figure.beyond else "**Same shape.**"


def overview(made, everywhere):
    """With a column for machines where there is more than one, or more than one day."""
    same = [figure for figure in made if figure.same]
    part = sum(bool(figure.beyond) for figure in same)
    cells = [[f.title, "**no**" if f.differs else "in part" if f.beyond else "yes", "; ".join(f.differs or [f.beyond])] for f in made]
    head = ["figure", "same shape", "what differs"]
    if any(measured_on(f.points) != everywhere for f in made):
        head, cells = [*head, "measured on"], [[*row, measured_on(f.points)] for row, f in zip(cells, made)]
    return (f"{len(same)} of {len(made)} figures have the paper's shape{f', {part} of them as far as these hosts go' if part else ''}."
            + (" Times of different machines cannot be compared.\n\n" if len(head) > 3 else "\n\n") + table(head, cells))


def page(results, out):
    made = list(figures(results))
    points = [point for figure in made for point in figure.points]
    if not points:
        return "# The papers' figures, run again\n\nNo figure has all that it needs yet; `./dev bench papers` measures it.\n"
    everywhere = measured_on(points)
    loads = [f"{point['machine']['load']:.1f}" for point in points]
    plots = pictures("papers_plots", results, out)
    text = "".join(f"\n## {f.title}\n\nThe paper: {f.paper}\n\n{how(f, everywhere)}\n\nHere: {f.here} {verdict(f)}\n"
                   + (f"\n![{f.title}]({f.name})\n" if f"({f.name})" in plots else "")
                   + f"\n{table(f.rows[0], f.rows[1:])}" for f in made)
    return f"""# The papers' figures, run again

`./dev bench papers` measures this and writes this page. Measured on {everywhere}; load average (15 minutes, this benchmark's
own processes among it) {' to '.join(dict.fromkeys((min(loads, key=float), max(loads, key=float))))}.

- Hosts are emulated (`tools/netbed`), with links of 10 Gbit/s and a core for every rank. Where there are more ranks than this machine
  has cores, links and cores are slowed down by ranks / cores (2 times with 4 ranks on 2 cores), and times are divided by that.
- A time is that of the slowest rank; under each figure stands what was called, and of how many runs a time is the median. Rows are
  named as in the [guide](../guide/collectives.md#algorithms); `stock` is the library's own function. There are fewer hosts than in the
  papers, and mostly shorter buffers: what two cores play in less than half an hour.
- Sizes are those of a rank's buffer (the whole result of allgather, the whole source of scatter), in powers of two:
  678M are 678 * 2^20 bytes. The axes of pictures have MB of 10^6 bytes.
- `--rel 1e-3` keeps the error of each rank's contribution (`--scope contribution`) within 1e-3 of the range of all values.
  `zfp_rate` keeps {RATE} bits of a value instead, as C-Coll's.
- Fields: marmousi_wave are seismic waves, as C-Coll's; hit_u is turbulence; isabel, cesm and eraint are weather and climate; `normal`
  are independent normal values and `walk` is a random walk, both as in the thesis. They are repeated to the size of the buffer.
- `compress`, `decompress`, `combine`, `copy` and `wait` are means of rank 0; `copy` is of values that are not compressed (a
  rank's own part). What a row polls between portions counts as `compress` or `decompress`.
  `other` is the rest of the median: MPI's calls (copies into sockets and out of them) and the wait for the slowest rank.
- The papers ran on 100 Gbit/s and more, on up to 128 nodes or 512 GPUs, with codecs of their time: compare shapes, not numbers. The
  shape is the same where the comparisons hold that are quoted of the paper under the figure, whatever the factor. One of our rows is
  called slower than another, or ahead of it, from a difference of 3 % on.

Image stacking (C-Coll, figures 17 and 18) has [a page of its own](stacking.md).

{overview(made, everywhere)}
{by_hand(out / "papers.md")}
{text}{'' if plots.startswith(chr(10) + '!') or not made else plots}"""
