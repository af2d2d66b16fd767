# SPDX-License-Identifier: BSD-3-Clause
"""The codec's targets: measured rows go in; one line per figure (what, target, measured, met) comes out.
A figure that was not measured, e.g. of an engine that the machine lacks, is neither met nor missed.
"""
import math
import statistics

OPERATIONS = ("compress", "decompress", "add", "fused")
TO_MEMCPY = {"avx512": (1.4, 1.5, 1.5, 1.0), "avx2": (1.1, 1.3, 1.0, 0.7)}


def geometric_mean(values):
    return math.exp(statistics.fmean(math.log(v) for v in values))


def is_float(results, name):
    return next(f["type"] == "f32" for f in results["fields"] if f["name"] == name)


class Figures:
    """Collects the lines."""

    def __init__(self, results):
        self.results, self.lines = results, []
        self.main = results["main_bound"]

    def engine_rows(self, engine, threads=1):
        return [row for row in self.results["engines"]
                if (row["engine"], row["rel"], row["threads"]) == (engine, self.main, threads)]

    def codec_rows(self, codec, rel=None):
        return {row["field"]: row for row in self.results["codecs"]
                if row["codec"] == codec and row["rel"] == (rel or self.main)}

    def line(self, what, target, measured, met):
        self.lines.append((what, target, measured, "met" if met else "**not met**"))

    def absent(self, what, target, why):
        self.lines.append((what, target, why, "-"))

    def speeds(self):
        for engine, targets in TO_MEMCPY.items():
            rows = self.engine_rows(engine)
            for operation, target in zip(OPERATIONS, targets):
                what, goal = f"{engine}: {operation} / memcpy, median over the fields", f">= {target}"
                if not rows:
                    self.absent(what, goal, "not on this machine")
                    continue
                ratios = [row[f"{operation}_gbps"] / row["memcpy_gbps"] for row in rows]
                median = statistics.median(ratios)
                self.line(what, goal, f"{median:.2f} ({min(ratios):.2f} to {max(ratios):.2f})", median >= target)

    def threads(self):
        best = self.results["machine"]["engines"][-1]
        one = {row["field"]: row for row in self.engine_rows(best)}
        two = self.engine_rows(best, 2)
        for operation in OPERATIONS:
            what = f"{best}: {operation}, two threads / one, each to its memcpy"
            gains = [(row[f"{operation}_gbps"] / row["memcpy_gbps"])
                     / (one[row["field"]][f"{operation}_gbps"] / one[row["field"]]["memcpy_gbps"])
                     for row in two if row["field"] in one]
            if not gains:
                self.absent(what, ">= 1.6", "not measured")
                continue
            median = statistics.median(gains)
            self.line(what, ">= 1.6", f"{median:.2f} ({min(gains):.2f} to {max(gains):.2f})", median >= 1.6)

    def ratios(self):
        best = self.results["machine"]["engines"][-1]
        rows = self.engine_rows(best)
        floats = [row["ratio"] for row in rows if is_float(self.results, row["field"])]
        if floats:
            mean = geometric_mean(floats)
            self.line("fle: ratio, geometric mean of the float fields", ">= 8.0", f"{mean:.2f}", mean >= 8)
        gains = {row["field"]: row["ratio"] / row["fz_light_ratio"] for row in rows if row.get("fz_light_ratio")}
        if gains:
            least = min(gains, key=gains.get)
            below = sum(gain < 1.15 for gain in gains.values())
            self.line("fle: ratio / that of fZ-light's layout, every field", ">= 1.15",
                      f"{gains[least]:.3f} ({least}) to {max(gains.values()):.2f}; {below} of {len(gains)} below",
                      below == 0)

    def bias(self):
        off = {field: abs(row["mean_error_over_bound"]) for field, row in self.codec_rows("fle").items()
               if row["mean_error_over_bound"] is not None}
        if off:
            most = max(off, key=off.get)
            above = sorted(field for field, value in off.items() if value > 0.02)
            told = f"; above: {', '.join(above)}" if above else ""
            self.line("fle: \\|mean error\\| / bound, every field", "<= 0.02",
                      f"at most {off[most]:.3g} ({most}){told}", not above)

    def promise(self):
        kept = [row for row in self.results["codecs"] if row["codec"] != "zfp_rate"]
        broken = sum(row["violations"] for row in kept) + sum(row["violations"] for row in self.results["engines"])
        values = sum(row["values"] for row in kept) + sum(row["values"] for row in self.results["engines"])
        self.line("violations of the bound, all codecs that promise it, all fields, bounds, engines", "0",
                  f"{broken} of {values / 1e9:.1f} billion values", broken == 0)

    def szx(self):
        rows = self.codec_rows("szx")
        if not rows:
            return
        for operation, target in (("compress", 3.3), ("decompress", 5.7)):
            speeds = [row[f"{operation}_gbps"] for row in rows.values()]
            median = statistics.median(speeds)
            self.line(f"szx: {operation}, GB/s, median over the fields", f">= {target}",
                      f"{median:.2f} ({min(speeds):.2f} to {max(speeds):.2f})", median >= target)
        gains = {field: row["published_bytes"] / row["frame_bytes"] for field, row in rows.items()
                 if row["published_bytes"]}
        if gains:
            least = min(gains, key=gains.get)
            self.line("szx: ratio / that of the published layout, every field", ">= 1",
                      f"{gains[least]:.2f} ({least}) to {max(gains.values()):.2f}", gains[least] >= 1)

    def chunking(self):
        for codec, what in (("szx", "szx: chunks of 5120 against one chunk, larger by"),
                            ("fle", "fle: chunks of 2048 against 65536, larger by"),
                            ("fle-rows", "fle with rows: chunks of 2048 against 65536, larger by")):
            loss = {field: row["frame_bytes"] / row["long_chunk_bytes"] - 1
                    for field, row in self.codec_rows(codec).items() if row["long_chunk_bytes"]}
            if not loss:
                continue
            most = max(loss, key=loss.get)
            told = f"median {100 * statistics.median(loss.values()):.2f} %, at most {100 * loss[most]:.2f} % ({most})"
            if codec == "fle-rows":
                self.absent(what, "(none set)", told)
            else:
                self.line(what, "<= 1.5 %", told, loss[most] <= 0.015)


def summary(results):
    """[(what, target, measured, verdict)]"""
    figures = Figures(results)
    for part in (figures.speeds, figures.threads, figures.ratios, figures.bias, figures.promise, figures.szx,
                 figures.chunking):
        part()
    return figures.lines
