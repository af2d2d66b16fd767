# SPDX-License-Identifier: BSD-3-Clause
"""Reads src/mpi/api/*.api (notation: README.md there) into kinds, lists of constants and functions, large forms included."""
import re
from dataclasses import dataclass, field, replace
from pathlib import Path

LARGE_OFFSET = 1024
FORMS = ("integer", "rank", "handle", "request", "buffer", "address", "status", "string", "named", "flags", "pointer",
         "error", "none")


class TableError(Exception):
    """A line of the table that breaks its rules; the text names file and line."""


@dataclass(frozen=True)
class Kind:
    name: str
    form: str
    c_type: str
    large_type: str
    list_name: str
    number: int


@dataclass(frozen=True)
class Parameter:
    name: str
    direction: str  # "in", "out" or "inout"
    kind: Kind
    length: str  # an expression; "" for a scalar
    conditions: tuple
    of: str  # the object this value belongs to; "" for the first of the call
    large_only: bool

    @property
    def recorded_before(self):
        """Inputs, and buffers whatever their direction: their identity is known before the call."""
        return self.direction != "out" or (self.kind.form == "buffer" and self.kind.c_type != "base")

    @property
    def recorded_after(self):
        """Outputs, and numbers that the call changes: those stand on both sides."""
        return not self.recorded_before or (self.direction == "inout" and self.kind.form == "integer")


@dataclass(frozen=True)
class Function:
    number: int
    since: str
    name: str
    chapter: str
    returns: Kind  # None: an error code
    parameters: tuple
    large: bool = False
    has_large: bool = False


@dataclass
class Table:
    kinds: dict = field(default_factory=dict)
    lists: dict = field(default_factory=dict)  # name -> (null constant, [constant...])
    functions: list = field(default_factory=list)
    chapters: dict = field(default_factory=dict)  # name -> title


def logical_lines(path):
    """(line number, text) of what a file says: comments dropped, indented lines joined to the one before."""
    lines = []
    for number, text in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        text = text.split("#", 1)[0].rstrip()
        if not text:
            continue
        if text[0] == " " and lines:
            lines[-1][1] += " " + text.strip()
        else:
            lines.append([number, text])
    return [(number, text) for number, text in lines]


def read_kinds(path):
    kinds = {}
    for number, text in logical_lines(path):
        text, _, list_name = text.partition(" list ")
        columns = re.split(r"\s{2,}", re.sub(r"^kind\s+(\S+)\s+(\S+)\s+", r"\1  \2  ", text).strip())
        name, form, c_type = columns[:3]
        if form not in FORMS:
            raise TableError(f"{path}:{number}: form '{form}' is none of {', '.join(FORMS)}")
        kinds[name] = Kind(name, form, c_type, columns[3] if len(columns) > 3 else c_type, list_name.strip() or name,
                           len(kinds))
    return kinds


def read_lists(path):
    lists = {}
    for _, text in logical_lines(path):
        words = text.split()
        name, rest, null = words[1], words[2:], ""
        if rest[:1] == ["null"]:
            null = "" if rest[1:2] == [] else rest[1]
            rest = rest[2:]
        lists[name] = (null, rest)
    return lists


PARAMETER = re.compile(r"(?P<name>\w+):(?P<direction><>|>)?(?P<kind>\w+)(?:\[(?P<length>.+?)\](?=$|[?@!]))?"
                       r"(?P<conditions>\?[^@!]+)?(?:@(?P<of>[\w\[\]]+))?(?P<large>!large)?$")


def split_words(text):
    """Words of a line; blanks inside brackets and parentheses do not part them."""
    words, depth, word = [], 0, ""
    for char in text + " ":
        depth += (char in "[(") - (char in "])")
        if char == " " and depth == 0:
            if word:
                words.append(word)
            word = ""
        else:
            word += char
    return words


def read_parameter(text, kinds, where):
    match = PARAMETER.match(text)
    if not match or match["kind"] not in kinds:
        raise TableError(f"{where}: '{text}' is no parameter (name:[direction]kind[length][?condition][@of])")
    direction = {None: "in", ">": "out", "<>": "inout"}[match["direction"]]
    conditions = tuple((match["conditions"] or "?")[1:].split("&")) if match["conditions"] else ()
    return Parameter(match["name"], direction, kinds[match["kind"]], match["length"] or "", conditions, match["of"] or "",
                     bool(match["large"]))


HEAD = re.compile(r"(?P<number>\d+) (?P<since>\S+) (?P<name>\w+)(?P<large> \+c)?(?: -> (?P<returns>\w+))? ?:(?P<rest>.*)$")


def read_chapter(path, kinds):
    """The functions of a chapter in the order of the file, large forms behind their plain ones."""
    functions, by_name = [], {}
    for number, text in logical_lines(path):
        where = f"{path}:{number}"
        match = HEAD.match(text)
        if not match:
            raise TableError(f"{where}: no function (NUMBER SINCE NAME [+c] [-> KIND] : PARAMETER...)")
        words = split_words(match["rest"])
        parameters = ()
        if words[:1] == ["="]:
            if words[1] not in by_name:
                raise TableError(f"{where}: {words[1]} is no earlier function of this chapter")
            parameters, words = by_name[words[1]], words[2:]
        parameters += tuple(read_parameter(word, kinds, where) for word in words)
        by_name[match["name"]] = parameters
        if not 0 < int(match["number"]) < LARGE_OFFSET:
            raise TableError(f"{where}: number {match['number']} is not between 1 and {LARGE_OFFSET - 1}")
        plain = Function(int(match["number"]), match["since"], match["name"], path.stem,
                         kinds[match["returns"]] if match["returns"] else None,
                         tuple(p for p in parameters if not p.large_only), has_large=bool(match["large"]))
        functions.append(plain)
        if plain.has_large:
            functions.append(replace(plain, number=plain.number + LARGE_OFFSET, since="4.0", name=plain.name + "_c",
                                     parameters=parameters, large=True, has_large=False))
    return functions


def read_table(folder):
    """The whole table; raises TableError when a number or a name stands twice."""
    folder = Path(folder)
    table = Table(read_kinds(folder / "kinds.api"), read_lists(folder / "constants.api"))
    for path in sorted(folder.glob("*.api")):
        if path.name in ("kinds.api", "constants.api"):
            continue
        title = re.search(r"^# (?!SPDX)(.*?)\. The notation", path.read_text(encoding="utf-8"), re.MULTILINE)
        table.chapters[path.stem] = title[1] if title else path.stem
        table.functions += read_chapter(path, table.kinds)
    table.functions.sort(key=lambda function: function.number)
    for field_name in ("number", "name"):
        seen = set()
        for function in table.functions:
            value = getattr(function, field_name)
            if value in seen:
                raise TableError(f"{folder}: {field_name} {value} stands twice")
            seen.add(value)
    return table
