# SPDX-License-Identifier: BSD-3-Clause
"""What an mpi.h declares: the compiler's preprocessor flows in, the names of functions and constants come out."""
import re
import subprocess

FUNCTION = re.compile(r"(?<![\w])(?P<result>[A-Za-z_]\w*[\s*]+(?:[A-Za-z_]\w*[\s*]+)*)(?P<name>MPIX?_\w+)\s*\((?!\*)")


def preprocess(compiler, flags, macros):
    """The text of #include <mpi.h> after the preprocessor; with `macros` the definitions instead of the text."""
    command = [*compiler, *flags, "-E", *(["-dM"] if macros else ["-P"]), "-x", "c", "-"]
    return subprocess.run(command, input="#include <mpi.h>\n", capture_output=True, text=True, check=True).stdout


def without_attributes(text):
    """The text without __attribute__((...)), whose parentheses would look like declarations."""
    out, position = "", 0
    for match in re.finditer(r"__attribute__\s*\(", text):
        if match.start() < position:
            continue
        out += text[position:match.start()]
        depth, position = 1, match.end()
        while depth:
            depth += (text[position] == "(") - (text[position] == ")")
            position += 1
    return out + text[position:]


def declared_functions(text):
    """The MPI_ and MPIX_ functions that preprocessed text declares, typedefs of function types left out."""
    names = set()
    for statement in re.split(r"[;{}]", without_attributes(text)):
        match = FUNCTION.search(statement)
        if match and "typedef" not in statement:
            names.add(match["name"])
    return names


def read_header(compiler, flags):
    """(declared functions, every MPI name that the text or a macro mentions)."""
    text, macros = preprocess(compiler, flags, False), preprocess(compiler, flags, True)
    defined = re.findall(r"#define (MPIX?_\w+)(?:\([^)]*\))? ?(.*)", macros)
    # Open MPI keeps names that MPI 3.0 removed, as macros that do not compile.
    gone = {name for name, value in defined if "REMOVED" in value}
    names = (set(re.findall(r"\bMPIX?_\w+", text)) | {name for name, _ in defined}) - gone
    return declared_functions(text), names
