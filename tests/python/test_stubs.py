# SPDX-License-Identifier: BSD-3-Clause
"""The stubs say what the modules say: the same names, the same parameters of the same kinds with the same defaults, the
same classes, fields and bases."""

import ast
import dataclasses
import importlib
import inspect
import re
from pathlib import Path

import pytest

import laconic
import laconic.hdf5

MODULES = {"__init__.pyi": laconic, "hdf5.pyi": laconic.hdf5}
FOLDER = Path(laconic.__file__).parent


def stub(name):
    return ast.parse((FOLDER / name).read_text())


def parameters_of_stub(node):
    """[(name, kind, default as text or None)]"""
    a = node.args
    positional = [None] * (len(a.args) - len(a.defaults)) + a.defaults
    found = [(p.arg, "positional", d) for p, d in zip(a.args, positional)]
    found += [(p.arg, "keyword", d) for p, d in zip(a.kwonlyargs, a.kw_defaults)]
    return [(name, kind, None if default is None else ast.unparse(default)) for name, kind, default in found]


def parameters_of(function):
    kinds = {inspect.Parameter.POSITIONAL_OR_KEYWORD: "positional", inspect.Parameter.KEYWORD_ONLY: "keyword"}
    return [(p.name, kinds[p.kind], None if p.default is p.empty else repr(p.default))
            for p in inspect.signature(function).parameters.values()]


def public_names(module):
    names = getattr(module, "__all__", None) or [n for n, v in vars(module).items() if not n.startswith("_") and (
        getattr(v, "__module__", None) == module.__name__ or n.isupper())]
    return set(names)


def names_of_stub(tree):
    names = {n.name for n in tree.body if isinstance(n, (ast.FunctionDef, ast.ClassDef))}
    names |= {n.target.id for n in tree.body if isinstance(n, ast.AnnAssign)}
    return {n for n in names if not n.startswith("_")}


@pytest.mark.parametrize("name", MODULES)
def test_names(name):
    assert names_of_stub(stub(name)) == public_names(MODULES[name])


@pytest.mark.parametrize("name", MODULES)
def test_functions(name):
    definitions = {}
    for node in stub(name).body:
        if isinstance(node, ast.FunctionDef):
            definitions.setdefault(node.name, []).append(parameters_of_stub(node))
    assert definitions
    for function, overloads in definitions.items():
        actual = parameters_of(getattr(MODULES[name], function))
        for declared in overloads:
            assert [p[:2] for p in declared] == [p[:2] for p in actual], function
            for (_, _, default), (parameter, _, expected) in zip(declared, actual):
                # An overload may make a parameter with a default a required one.
                assert default == expected or (default is None and len(overloads) > 1), (function, parameter)
        assert actual in overloads, f"no overload of {function} has all defaults"


def check_methods(node, actual):
    declared = {n.name: n for n in node.body if isinstance(n, ast.FunctionDef)}
    public = {n for n in vars(actual) if not n.startswith("_")} - {n.target.id for n in node.body
                                                                    if isinstance(n, ast.AnnAssign)}
    assert public - {"code", "name"} == {n for n in declared if not n.startswith("_")}
    for name, method in declared.items():
        if method.decorator_list:
            assert isinstance(vars(actual)[name], property)
        else:
            assert parameters_of_stub(method) == parameters_of(vars(actual)[name]), (actual, name)


@pytest.mark.parametrize("name", MODULES)
def test_classes(name):
    for node in stub(name).body:
        if not isinstance(node, ast.ClassDef) or node.name.startswith("_"):
            continue
        actual = getattr(MODULES[name], node.name)
        fields = [n.target.id for n in node.body if isinstance(n, ast.AnnAssign)]
        if hasattr(actual, "_fields"):
            assert tuple(fields) == actual._fields
            hints = {n.target.id: ast.unparse(n.annotation) for n in node.body if isinstance(n, ast.AnnAssign)}
            assert hints == {k: v.__name__ for k, v in actual.__annotations__.items()}
            check_methods(node, actual)
        else:
            assert ([ast.unparse(b) for b in node.bases] or ["object"]) == [b.__name__ for b in actual.__bases__]
            assert all(hasattr(actual, field) for field in fields)
            check_methods(node, actual)


def test_records_hold_what_the_header_says():
    include = Path(__file__).parents[2] / "include/laconic"
    header = "".join((include / name).read_text() for name in ("codec.hpp", "arithmetic.hpp"))
    for struct, record, renamed in (("frame_info", laconic.FrameInfo, {"type": "dtype"}),
                                    ("comparison", laconic.Comparison, {}),
                                    ("quantised_array", laconic.QuantisedArray, {"type": "dtype"})):
        body = header.split(f"struct {struct} {{")[1].split("\n};")[0]
        members = [line.split("//")[0] for line in body.splitlines()]
        declared = [member.split("=")[0].split()[-1] for member in members if "=" in member]
        assert [renamed.get(n, n) for n in declared] == [n for n in fields_of(record) if n != "integers"]
    header = header.split("struct codec_description {")[1].split("};")[0]
    assert re.findall(r"(\w+);", header) == list(laconic.CodecInfo._fields)


def fields_of(record):
    return getattr(record, "_fields", None) or [f.name for f in dataclasses.fields(record)]


def test_codes_are_those_of_the_header():
    header = (Path(__file__).parents[2] / "include/laconic/status.hpp").read_text()
    for kind in vars(laconic).values():
        if isinstance(kind, type) and issubclass(kind, laconic.Error) and kind is not laconic.Error:
            assert f" {kind.name} = {kind.code}," in header


def test_the_package_is_typed():
    assert (FOLDER / "py.typed").exists()
    assert importlib.import_module("laconic").__version__ == \
        (Path(__file__).parents[2] / "VERSION").read_text().strip()
