# SPDX-License-Identifier: BSD-3-Clause
"""The text of docs/benchmarks/papers.md: measured experiments go in; what papers_figures.py makes of them comes out, with
how it was measured and, where matplotlib is installed, a plot. Only the block between the two marks is written by hand;
it is carried over.
"""
from codec_page import table
from grid_page import by_hand, pictures
from papers_figures import figures


def verdict(figure):
    if figure.differs:
        return f"**Not the same shape**: {'; '.join(figure.differs)}."
    return f"**Same shape, in part**: {figure.beyond}." if figure.beyond else "**Same shape.**"


def overview(made):
    same = [figure for figure in made if figure.same]
    part = sum(bool(figure.beyond) for figure in same)
    cells = [[f.title, "**no**" if f.differs else "in part" if f.beyond else "yes", "; ".join(f.differs or [f.beyond])] for f in made]
    return (f"{len(same)} of {len(made)} figures have the paper's shape{f', {part} of them as far as these hosts go' if part else ''}.\n\n"
            + table(["figure", "same shape", "what differs"], cells))


def page(results, out):
    made = list(figures(results))
    machine = results["machine"]
    plots = pictures("papers_plots", results, out)
    text = "".join(f"\n## {f.title}\n\nThe paper: {f.paper}\n\nHere: {f.here} {verdict(f)}\n"
                   + (f"\n![{f.title}]({f.name})\n" if f"({f.name})" in plots else "")
                   + f"\n{table(f.rows[0], f.rows[1:])}" for f in made)
    return f"""# The papers' figures, run again

`./dev bench papers` measures this and writes this page. {machine['date']}, {machine['processor']}, {machine['cores']} cores, load
{machine['load']:.1f}. 4 emulated hosts (`tools/netbed`) unless said otherwise, links of 10 Gbit/s, one core and one rank each; all run
{results['dilation']:g} times slower than that (more with more hosts or ranks), because this machine has {machine['cores']} cores, and
times are divided by it. {results['mpi']}, medians, time of the slowest rank, --rel 1e-3, scope contribution, marmousi_wave (as the
seismic waves of C-Coll) unless said otherwise. `compress` to `wait` are means of rank 0; what a row polls between portions counts as
`compress`, and `other` is what MPI's calls take (copies into sockets and out of them) and the wait for the slowest rank. The papers
ran on 100 Gbit/s and more, on up to 128 nodes, with codecs of their time: compare shapes, not numbers. Image stacking (C-Coll, figures 17 and 18) has [a page of its own](stacking.md).

{overview(made)}
{by_hand(out / "papers.md")}
{text}{'' if plots.startswith(chr(10) + '!') or not made else plots}"""
