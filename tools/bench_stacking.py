# SPDX-License-Identifier: BSD-3-Clause
"""Image stacking (examples/stacking) by every allreduce of `laconic info --algorithms` at three bounds: the programs of
this build go in; docs/benchmarks/stacking.json, the page stacking.md and a picture per bound, with every row's stack
and its error, come out. All of it runs on 4 emulated hosts (tools/netbed).
"""
import argparse
import json
import subprocess
import sys
from pathlib import Path

from codec_page import table
from emulated_hosts import ROOT, SCRATCH, Bed, run, this_machine
from grid_page import by_hand, seconds

RANKS = 4
BOUNDS = ("1e-2", "1e-3", "1e-4")
WITH_CODEC = ["cpr_p2p:zfp_abs", "cpr_p2p:zfp_rate"]  # rows of the papers that are no row of the table
FULL = ("601x301", 24, 41)
QUICK = ("192x128", 8, 9)


def rows_of(build):
    listed = json.loads(run([build / "bin/laconic", "info", "--algorithms", "--json"]))["algorithms"]
    names = [row["name"] for row in listed if row["operation"] == "allreduce" and row["name"] != "stock"]
    published = {row["name"]: f"{row['schedule']}/{row['payload']}:{row['codec']}" for row in listed
                 if row["operation"] == "allreduce"}
    at = names.index("cpr_p2p") + 1
    return names[:at] + WITH_CODEC + names[at:], published


class Example:
    """examples/stacking: once to compute the images on this machine, then on hosts for times and pictures."""

    def __init__(self, build, mpi, size):
        self.build, self.mpi, (self.grid, self.shots, self.panels) = build, mpi, size
        self.program = build / f"bin/stacking-{mpi}"
        self.images = Path(SCRATCH.name) / "images"
        self.here = [build / f"mpiexec-{mpi}", RANKS, self.program]
        self.count = 0

    def stack(self, launcher, arguments):
        """The table of one run, and the folder of its pictures."""
        self.count += 1
        out = Path(SCRATCH.name) / f"run{self.count}"
        table_file = out / "table.json"
        # Status 3, a value beyond its bound, is a result, too: zfp_rate keeps none.
        done = subprocess.run([str(w) for w in [*launcher, *arguments, "--out", out, "--json", table_file]],
                              stdout=subprocess.DEVNULL, check=False)
        if done.returncode not in (0, 3):
            raise subprocess.CalledProcessError(done.returncode, "stacking")
        return json.loads(table_file.read_text(encoding="utf-8")), out

    def compute(self):
        return self.stack(self.here, ["--grid", self.grid, "--shots", self.shots, "--panels", self.panels, "--save",
                                      self.images, "--repetitions", 1])

    def saved(self):
        return ["--dims", f"{self.grid}x{self.panels}", *sorted(self.images.glob("partial-*.f32"))]

    def there(self, bed):
        if self.mpi not in bed.machines:
            bed.calibrate(self.mpi)  # `auto` decides by it
        machine = bed.machines[self.mpi]
        return [*bed.launcher(self.mpi, {"LACONIC_MACHINE": machine} if machine else {}), self.program]

    def times(self, bed, rows, rel, repetitions):
        return self.stack(self.there(bed), ["--rel", rel, "--scope", "contribution", "--repetitions", repetitions, "--algorithms",
                                    ",".join(rows), *self.saved()])[0]

    def picture(self, bed, row, rel):
        return self.stack(self.there(bed), ["--rel", rel, "--scope", "contribution", "--repetitions", 1, "--algorithms",
                                            row, *self.saved()])


def measure(arguments, size):
    example = Example(arguments.build, arguments.mpi, size)
    rows, published = rows_of(arguments.build)
    example.compute()
    bounds = []
    with Bed(RANKS, "1gbit", build=arguments.build) as bed:
        for rel in BOUNDS:
            print(f"bench_stacking: {rel}", file=sys.stderr, flush=True)
            found = example.times(bed, rows, rel, 1 if arguments.quick else arguments.repetitions)
            found["rel"] = rel
            bounds.append(found)
        parts = {rel: [(row, *example.picture(bed, row, rel)) for row in rows] for rel in BOUNDS}
    results = {"machine": this_machine(), "mpi": bounds[0]["mpi"], "published": published,
               "bounds": [dict(b, pictures=None) for b in bounds]}
    return results, parts


def sheets(parts, out):
    """A picture per bound: every row's stack above its error, magnified as it says."""
    import matplotlib
    matplotlib.use("agg")
    from matplotlib import pyplot
    from PIL import Image
    for rel, cells in parts.items():
        columns = 5
        lines = -(-(len(cells) + 1) // columns)
        figure, axes = pyplot.subplots(2 * lines, columns, figsize=(2.7 * columns, 3.1 * lines), squeeze=False,
                                     layout="constrained")
        for axis in axes.flat:
            axis.set_axis_off()

        def show(place, image, title, below):
            axis = axes[2 * (place // columns) + below][place % columns]
            axis.imshow(pyplot.imread(image), aspect="auto")
            axis.set_title(title, fontsize=8, loc="left", pad=2)
        show(0, cells[0][2] / "stack_exact.png", "exact sum", 0)
        for place, (row, found, folder) in enumerate(cells, 1):
            got = found["rows"][-1]
            show(place, folder / "stack_compressed.png", f"{row}: bytes / {got['ratio']:.1f}, {got['psnr']:.1f} dB", 0)
            show(place, next(folder.glob("difference_x*.png")), f"its error x {found['difference_scale']:g}", 1)
        figure.suptitle(f"Stacks at --rel {rel}, and their errors", fontsize=10)
        name = out / f"stacking-{rel}.png"
        figure.savefig(name, dpi=80, metadata={"Software": None})
        pyplot.close(figure)
        Image.open(name).convert("RGB").quantize(128).save(name, optimize=True)


def lines_of(bound):
    stock = bound["rows"][0]
    for row in bound["rows"]:
        share = row["max_error"] / row["bound"] if row["bound"] else None
        ran = row.get("ran", "auto")
        name = f"auto ({ran})" if row["algorithm"] == "auto" != ran else row["algorithm"]
        yield [name, seconds(row["median_s"]), f"{stock['median_s'] / row['median_s']:.2f}x",
               f"{row['sent_bytes_per_rank'] / 1e6:.1f}", f"{row['ratio']:.2f}",
               "-" if row["psnr"] is None else f"{row['psnr']:.1f}", f"{row['nrmse']:.1e}", f"{row['max_error']:.2g}",
               "none" if share is None or row["algorithm"].endswith("_rate") else f"{100 * share:.0f} %"]


def page(results, out):
    machine, first = results["machine"], results["bounds"][0]
    text = ""
    for bound in results["bounds"]:
        name = f"stacking-{bound['rel']}.png"
        shown = f"\n![Stacks at {bound['rel']} and their errors]({name})\n" if (out / name).exists() else ""
        text += f"\n## --rel {bound['rel']}\n\n" + table(
            ["row", "time", "gain", "MB sent per rank", "R", "PSNR, dB", "NRMSE", "worst error", "of the guaranteed"],
            lines_of(bound)) + shown
    psnr = {b["rel"]: next(r["psnr"] for r in b["rows"] if r["algorithm"] == "homcomp_f") for b in results["bounds"]}
    names = "; ".join(f"`{name}`: {cell}" for name, cell in results["published"].items() if name not in ("stock", "auto"))
    return f"""# Image stacking by every row

`./dev bench stacking` measures this and writes this page. {machine['date']}, {machine['processor']}, {machine['cores']} cores, load
{machine['load']:.1f}. {first['ranks']} emulated hosts, 1 Gbit/s, {results['mpi']}; {first['partial_images']} partial images of
{first['nx']} x {first['nz']} x {first['panels']} values ({first['bytes'] / 1e6:.1f} MB per rank) from reverse-time migration
([guide](../guide/stacking.md)); scope contribution, as in the literature; medians of {first['repetitions']} interleaved runs. PSNR and NRMSE
are against the exact sum and its range. `cpr_p2p:zfp_rate` (8 bits per value at every bound) keeps no bound.
MB are 10^6 bytes. R: what the row's own schedule would send uncompressed / what it sends, over all ranks; gain: time of `MPI_Allreduce` /
time of the row. MB sent are those of the rank that sends most; of `MPI_Allreduce`, what a ring would send.

Rows are schedule/payload:codec: {names}.
Each host has one rank, so `argm` is `homcomp_f` under another name: as far as their times differ, those of one row may.

C-Coll (figures 17 and 18) reports 42.9, 58.0 and 79.6 dB at absolute bounds of 1e-2, 1e-3 and 1e-4, and 1.5 times the speed of
the library at 1e-2. `homcomp_f` here: {', '.join(f'{value:.1f} dB at {rel}' for rel, value in psnr.items())}.

{by_hand(out / "stacking.md")}
{text}"""


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=Path, default=ROOT / "build")
    parser.add_argument("--out", type=Path, help="default: docs/benchmarks; with --quick build/benchmarks")
    parser.add_argument("--mpi", default="mpich", choices=("mpich", "openmpi"))
    parser.add_argument("--repetitions", type=int, default=3)
    parser.add_argument("--quick", action="store_true", help="small images, one repetition: does it run?")
    parser.add_argument("--page-only", action="store_true", help="page from the last measurement")
    arguments = parser.parse_args()
    out = arguments.out or ROOT / ("build/benchmarks" if arguments.quick else "docs/benchmarks")
    out.mkdir(parents=True, exist_ok=True)
    store = out / "stacking.json"
    if not arguments.page_only:
        results, parts = measure(arguments, QUICK if arguments.quick else FULL)
        store.write_text(json.dumps(results, indent=1) + "\n", encoding="utf-8")
        try:
            sheets(parts, out)
        except ImportError:
            print("bench_stacking: no pictures; matplotlib is not installed", file=sys.stderr)
    if not store.exists():
        sys.exit("bench_stacking: nothing was measured yet")
    (out / "stacking.md").write_text(page(json.loads(store.read_text(encoding="utf-8")), out), encoding="utf-8")
    print(out / "stacking.md")


if __name__ == "__main__":
    main()
