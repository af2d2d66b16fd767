# SPDX-License-Identifier: BSD-3-Clause
"""The files that are generated: wrappers per chapter, constants, names for readers without MPI, the coverage page."""
from . import declare, wrapper

NOTICE = "// SPDX-License-Identifier: BSD-3-Clause\n// Written by tools/gen_mpi.py from src/mpi/api: edit those.\n"


def chapter_file(table, chapter, declared):
    """The wrappers of a chapter for an MPI that declares these functions; "" when it declares none of them."""
    functions = [f for f in table.functions if f.chapter == chapter and f.name in declared]
    if not functions:
        return ""
    parts = [NOTICE + '#include "preload/wrapping.hpp"\n']
    parts += [f"#undef {f.name}" for f in functions]
    parts.append("\nnamespace record = laconic::record;\n\nextern \"C\" {\n")
    # MPICH declares these in mpi.h and defines them in its Fortran library only, where it does at all.
    parts += [f"#pragma weak P{f.name}" for f in functions if any(p.kind.name == "f08_status" for p in f.parameters)]
    parts.append("")
    for function in functions:
        parts += [wrapper.assertion(function), wrapper.Wrapper(function, table).text(), ""]
    parts.append("}")
    return "\n".join(parts) + "\n"


def handle_kinds(table):
    """The kinds that name a class of opaque objects, in the order of their numbers."""
    return [kind for kind in table.kinds.values() if kind.form == "handle" and kind.list_name == kind.name]


# Functions without an error code (see jumped_to_from_fortran in src/preload/fortran.hpp).
JUMPED_TO = {"MPI_Aint_add", "MPI_Aint_diff", "MPI_Pcontrol", "MPI_Wtick", "MPI_Wtime"}


def fortran_file(table, declared):
    """PMPI entry points that Fortran libraries of MPIs call directly (see src/preload/fortran.hpp)."""
    # Conversions of handles are the binding's own business, not the program's.
    functions = [f for f in table.functions if f.name in declared and f.chapter not in ("convert", "mpich")]
    parts = [NOTICE + '#include "preload/fortran.hpp"\n']
    parts += [f"#undef P{f.name}" for f in functions]
    used = ("called_from_fortran", "jumped_to_from_fortran", "next_function")
    parts.append("\n" + "".join(f"using laconic::preload::{name};\n" for name in used) + '\nextern "C" {\n')
    for f in functions:
        arguments = declare.argument_list(f)
        came = "jumped_to_from_fortran" if f.name in JUMPED_TO else "called_from_fortran"
        parts.append(f"{declare.result_type(f)} P{f.name}({declare.parameter_list(f)}) {{\n"
                     f"    if ({came}(__builtin_return_address(0))) return {f.name}({arguments});\n"
                     f'    static const auto next = next_function<decltype(&P{f.name})>("P{f.name}");\n'
                     f"    return next({arguments});\n}}")
    parts.append("}")
    return "\n".join(parts) + "\n"


def constants_file(table, names):
    """C++ tables from an MPI's integer constants to the numbers of constants.api; `names` is what that mpi.h mentions."""
    handles = {kind.name for kind in handle_kinds(table)} | {"request"}
    out = [NOTICE]
    for name, (_, members) in table.lists.items():
        if name not in handles:
            rows = ", ".join(f"{{{m}, {i}}}" for i, m in enumerate(members) if m in names)
            out.append(f"inline constexpr named_constant {name}[] = {{{rows}}};")
    return "\n".join(out) + "\n"


def handles_file(table, names):
    """C++ that enters an MPI's predefined handles into the tables of objects."""
    out = [NOTICE + "void fill_all() {"]
    for kind in handle_kinds(table):
        if kind.c_type.startswith("MPI") and kind.c_type not in names:
            continue
        null, members = table.lists[kind.name]
        bits = f"reinterpret_bits(static_cast<{kind.c_type}>({{}}))"
        if null in names:
            out.append(f"    set_null<object::{kind.name}>({bits.format(null)});")
        out += [f"    add_predefined<object::{kind.name}>({bits.format(m)}, {i});"
                for i, m in enumerate(members) if m in names]
    return "\n".join(out) + "\n}\n"


def objects_file(table):
    """The classes of handles, in the order of their numbers; needs no mpi.h."""
    names = [kind.name for kind in handle_kinds(table)]
    return (NOTICE + "enum class object : unsigned char { " + ", ".join(names) + " };\n"
            + f"inline constexpr unsigned object_classes = {len(names)};\n")


def names_file(table):
    """The function table as data for readers without MPI: src/mpi/function_table.cpp includes it."""
    out = [NOTICE]
    list_numbers = {name: i for i, name in enumerate(table.lists)}
    for name, (_, members) in table.lists.items():
        rows = ", ".join(f'"{m}"' for m in members)
        out.append(f"constexpr std::array<std::string_view, {len(members)}> list_{name}{{{{{rows}}}}};" if members else
                   f"constexpr std::array<std::string_view, 0> list_{name}{{}};")
    rows = ", ".join(f'{{"{name}", list_{name}}}' for name in table.lists)
    out.append(f"constexpr std::array<constant_list, {len(table.lists)}> all_lists{{{{{rows}}}}};")
    for function in table.functions:
        rows = []
        for p in function.parameters:
            if p.kind.form == "none":
                continue
            number = list_numbers.get(p.kind.list_name, -1)
            if p.kind.form == "error":
                number = list_numbers["error_class"]
            flags = ", ".join("true" if flag else "false"
                              for flag in (p.recorded_before, p.recorded_after, bool(p.length), bool(p.conditions)))
            rows.append(f'{{"{p.name}", "{p.kind.name}", form::{p.kind.form}, {flags}, {number}}}')
        out.append(f"constexpr std::array<parameter_info, {len(rows)}> of_{function.number}{{{{{', '.join(rows)}}}}};"
                   if rows else f"constexpr std::array<parameter_info, 0> of_{function.number}{{}};")
    rows = []
    for function in table.functions:
        returned = "form::none" if function.returns is None else f"form::{function.returns.form}"
        number = -1 if function.returns is None else list_numbers.get(function.returns.list_name, -1)
        rows.append(f'    {{{function.number}, "{function.name}", "{function.since}", "{function.chapter}", '
                    f'{"true" if function.returns is None else "false"}, {returned}, {number}, of_{function.number}}}')
    out.append(f"constexpr std::array<function_info, {len(rows)}> all_functions{{{{\n" + ",\n".join(rows) + "}};")
    return "\n".join(out) + "\n"


# Functions that an MPI's Fortran library carries out itself: no C function is called that a wrapper could stand before.
# Attributes of Fortran and procedures that are Fortran's have no form in C.
WITHIN_FORTRAN = {
    "mpich": ["MPI_Attr_get", "MPI_Attr_put", "MPI_Comm_get_attr", "MPI_Comm_set_attr", "MPI_Type_get_attr",
              "MPI_Type_set_attr", "MPI_Win_get_attr", "MPI_Win_set_attr"],
    "openmpi": ["MPI_Aint_add", "MPI_Aint_diff", "MPI_Attr_get", "MPI_Attr_put", "MPI_Comm_create_errhandler",
                "MPI_Comm_create_keyval", "MPI_Comm_get_attr", "MPI_Comm_set_attr", "MPI_Errhandler_create",
                "MPI_File_create_errhandler", "MPI_Keyval_create", "MPI_Type_create_keyval", "MPI_Type_get_attr",
                "MPI_Type_match_size", "MPI_Type_set_attr", "MPI_Win_create_errhandler", "MPI_Win_create_keyval",
                "MPI_Win_get_attr", "MPI_Win_set_attr"]}
# Removed by MPI 3.0: this mpi.h does not declare them, the Fortran library offers them nevertheless.
REMOVED_BUT_IN_FORTRAN = {
    "openmpi": ["MPI_Address", "MPI_Errhandler_get", "MPI_Errhandler_set", "MPI_Type_extent", "MPI_Type_hindexed",
                "MPI_Type_hvector", "MPI_Type_lb", "MPI_Type_struct", "MPI_Type_ub"]}


def read_exceptions(path, flavour, kind):
    """{name: reason} of the functions of an MPI that are `kind`, uncalled or refused, in tests/record/exceptions.txt."""
    found, reason = {}, None
    for line in path.read_text(encoding="utf-8").splitlines():
        if line.startswith("    "):
            found.update(dict.fromkeys(line.split(), reason) if reason else {})
        elif line and not line.startswith("#"):
            of, how, words = line.split(maxsplit=2)
            reason = words if (of, how) == (flavour, kind) else None
    return found


def exceptions_text(exceptions, flavour, kind):
    """Sentences: which functions, why."""
    by_reason = {}
    for name, reason in read_exceptions(exceptions, flavour, kind).items():
        by_reason.setdefault(reason, []).append(f"`{name}`")
    return "; ".join(f"{', '.join(names)} ({reason})" for reason, names in by_reason.items())


def coverage_page(table, declared_by, exceptions):
    """docs/guide/trace-coverage.md: every function, and which MPI declares it; `exceptions` is the file of those that no test
    program calls, or not with success."""
    flavours = list(declared_by)
    total = {flavour: len(declared_by[flavour]) for flavour in flavours}
    out = ["# What the tracer covers", "",
           "Every function that `mpi.h` declares, its large-count form included. Written by `tools/gen_mpi.py page`; the tests "
           "`mpi_table.*` compare the table with both headers and the preload libraries with the table.", "",
           "| MPI | functions declared | wrapped |", "|---|---|---|"]
    names = {f.name for f in table.functions}
    out += [f"| {flavour} | {total[flavour]} | {len(declared_by[flavour] & names)} |" for flavour in flavours]
    past = "; ".join(f"{flavour}: " + ", ".join(f"`{name}`" for name in WITHIN_FORTRAN[flavour])
                     for flavour in flavours)
    undeclared = "; ".join(f"{flavour}: " + ", ".join(f"`{name}`" for name in REMOVED_BUT_IN_FORTRAN[flavour])
                           for flavour in flavours if flavour in REMOVED_BUT_IN_FORTRAN)
    out += ["", "From Fortran the same functions are seen, through `mpif.h`, `mpi` and `mpi_f08`, except those that the MPI's "
            f"Fortran library carries out itself ({past}) and those that its `mpi.h` does not declare ({undeclared}; its "
            "extensions, `MPIX_`).",
            "", "Conversions of handles (`MPI_*_c2f`, `MPI_*_f2c`) are macros in the `mpi.h` of MPICH, except those of files and "
            "statuses: they call nothing, and nothing is recorded.",
            "", "Test programs in C (`tests/record`) call every declared function under the recorder, and the compressed trace has the "
            "calls as the side log has them (`ctest -R '^trace\\.'`; `trace.called.*` compares what those tests saw with what "
            "`mpi.h` declares). Exceptions, from `tests/record/exceptions.txt`:", ""]
    kinds = (("uncalled", "not called"), ("refused", "called, and refused each time, which is what is recorded"))
    out += [f"* {flavour}, {words}: {text}" for flavour in flavours for kind, words in kinds
            if (text := exceptions_text(exceptions, flavour, kind))]
    for chapter, title in table.chapters.items():
        out += ["", f"## {title}", "", "| number | function | since | " + " | ".join(flavours) + " |",
                "|---|---|---|" + "---|" * len(flavours)]
        for f in table.functions:
            if f.chapter == chapter:
                marks = " | ".join("yes" if f.name in declared_by[flavour] else "" for flavour in flavours)
                out.append(f"| {f.number} | `{f.name}` | {f.since} | {marks} |")
    return "\n".join(out) + "\n"
