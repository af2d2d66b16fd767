# SPDX-License-Identifier: BSD-3-Clause
"""One colour and one marker for every row, in all pictures of the collectives: what a picture calls a line goes in, how
it is drawn comes out. People with any colour vision tell apart the colours of rows that one picture shows.
"""
import re

UNCOMPRESSED = ("#aaaaaa", "v")
ROWS = {"stock": ("#444444", "X"), "ring_raw": UNCOMPRESSED, "pairwise_raw": UNCOMPRESSED, "binomial_raw": UNCOMPRESSED,
        "rabenseifner_raw": UNCOMPRESSED, "recursive_doubling_raw": UNCOMPRESSED,
        "cpr_p2p": ("#E69F00", "<"), "c_coll": ("#D55E00", "^"), "hzccl": ("#56B4E9", "s"), "homcomp": ("#332288", "p"),
        "homcomp_f": ("#0072B2", "o"), "argm": ("#8C510A", "d"), "rabenseifner": ("#661100", "D"),
        "recursive_doubling": ("#DDCC77", "h"), "ring": ("#117733", ">"), "pairwise": ("#C51B7D", "P"),
        "auto": ("#009E73", "*")}
OTHER = ("#000000", ".")  # what is no row, such as a sum of two
LINES = ("-", "--", ":", "-.")


def row_of(label):
    """The row that a label names, e.g. c_coll of "bcast c_coll", stock of "stock: ring"; None where it names none."""
    return next((word for word in re.findall(r"\w+", label) if word in ROWS), None)


def colour(label):
    return ROWS.get(row_of(label), OTHER)[0]


def marker(label):
    return ROWS.get(row_of(label), OTHER)[1]


def variant(label):
    """What a label says beyond its row: a codec, an operation, a layout. A row in brackets is the whole of it."""
    row = row_of(label)
    return "" if row is None or label.endswith(f"({row})") else label.replace(row, "", 1).strip(" ,:")


def styles(labels):
    """How pyplot's plot() draws the lines of one picture: a row has its colour, a variant its dashes."""
    variants = list(dict.fromkeys(map(variant, labels)))
    return {label: {"color": colour(label), "marker": marker(label),
                    "linestyle": LINES[variants.index(variant(label)) % len(LINES)]} for label in labels}
