# SPDX-License-Identifier: BSD-3-Clause
"""A function of the table as C++ text: its declaration, and the names of its arguments."""

# C types that are no plain "one value of T": (as an input, as an output, as an input array, as an output array).
SPECIAL = {
    "buffer": ("const void *{n}", "void *{n}", None, None),
    "memory": ("void *{n}", "void *{n}", None, None),
    "base": (None, "void *{n}", None, None),
    "attribute": (None, "void *{n}", None, None),
    "string": ("const char *{n}", "char *{n}", None, None),
    "text": (None, None, "char *{n}[]", None),
    "texts": (None, None, "char **{n}[]", None),
    "triple": (None, None, "int {n}[][3]", None),
    "fints": ("const MPI_Fint *{n}", "MPI_Fint *{n}", None, None),
    "f08_status": ("const MPI_F08_status *{n}", "MPI_F08_status *{n}", None, None),
    "varargs": ("...", None, None, None),
    "MPI_Status": ("const MPI_Status *{n}", "MPI_Status *{n}", None, "MPI_Status {n}[]"),
}


def spaced(c_type, name):
    return c_type + name if c_type.endswith("*") else f"{c_type} {name}"


def declare_parameter(parameter, large):
    """The parameter as C++ declares it."""
    c_type = parameter.kind.large_type if large else parameter.kind.c_type
    is_output, is_array = parameter.direction != "in", bool(parameter.length)
    if c_type in SPECIAL:
        form = SPECIAL[c_type][is_output + 2 * is_array]
        if form is None:
            raise ValueError(f"{parameter.name}: no C type for {parameter.kind.name} in that place")
        return form.format(n=parameter.name)
    mutable = c_type.startswith("mutable ")
    c_type = c_type.removeprefix("mutable ")
    if c_type.startswith("mutable_array "):
        return f"{c_type.removeprefix('mutable_array ')} {parameter.name}[]"
    if is_array:
        return f"{'' if is_output or mutable else 'const '}{c_type} {parameter.name}[]"
    return spaced(c_type, "*" + parameter.name if is_output else parameter.name)


def result_type(function):
    return "int" if function.returns is None else function.returns.c_type


def parameter_list(function):
    return ", ".join(declare_parameter(p, function.large) for p in function.parameters) or "void"


def argument_list(function, replaced=None):
    """What the wrapper passes on; `replaced` maps names of parameters to the text passed in their place."""
    names = [p.name for p in function.parameters if p.kind.c_type != "varargs"]
    return ", ".join((replaced or {}).get(name, name) for name in names)
