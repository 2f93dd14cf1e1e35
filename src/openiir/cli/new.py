"""`openiir new`: write a plug-in package from a template, with names derived from the type's name."""

import importlib.util
import inspect
import keyword
import re
import sys
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Annotated

import typer

from openiir.cli.options import command_app
from openiir.core.errors import InputError
from openiir.runs.terminal import print_result
from openiir.runs.types import find_type, list_types

app = command_app()
TEMPLATES = Path(__file__).parent / "template"
LONGEST = 40
_NAME = re.compile(r"[A-Za-z][A-Za-z0-9]*(?:[ _-][A-Za-z0-9]+)*")
_KEPT = (
    ({*keyword.kwlist, *keyword.softkwlist, *sys.stdlib_module_names}, "Python keeps for itself"),
    ({"sitecustomize", "usercustomize", "conftest"}, "Python or pytest imports by itself"),
    ({"test", "tests", "src", "study"}, "the package needs itself"),
)
"""Names that no module of a plug-in can have, and why."""
_LEFT_OUT = {"__pycache__", ".pytest_cache", ".mypy_cache", ".ruff_cache"}
_PARTS = ("__init__.py", "config.py", "scenario.py", "README.md", "reference")
"""What the folder of a type has that can be copied under a new name."""
_CONTRACT = '''"""Test the contract that every type keeps."""

from new_type import NewTypeStudy

from openiir.testing import ScenarioContract


class TestContract(ScenarioContract):
    type = NewTypeStudy
    small = True
'''
"""Tests of a copied type."""
_CREDIT = """Begun from the type {} of openiir {}. The figures below are that type's, and its benchmarks and
examples are in openiir's repository; runs of this type draw their random numbers under its own name, as with
another seed.
"""
"""What the README of a copied type says first."""


@dataclass(frozen=True)
class TypeNames:
    """Names of a new scenario type: in studies, as a Python module, and in its classes."""

    type: str
    """Name in studies and on the command line, such as rumour-mill."""
    module: str
    """Name of the Python module, such as rumour_mill."""
    prefix: str
    """Beginning of the names of its classes, such as RumourMill."""

    def fill_template(self, text: str) -> str:
        """Replace the placeholder names in the text of a template."""
        return (
            text.replace("new-type", self.type)
            .replace("new_type", self.module)
            .replace("NewType", self.prefix)
        )


def derive_names(name: str) -> TypeNames:
    """Derive a type's names from the typed one; InputError for one that is unusable or taken."""
    if not _NAME.fullmatch(name) or len(name) > LONGEST:
        raise InputError(
            f"{name!r} cannot name a type; use up to {LONGEST} letters and digits, a letter first, "
            "with single hyphens between words, such as rumour-mill"
        )
    words = re.split(r"[ _-]", name)
    type_, module = "-".join(words).lower(), "_".join(words).lower()
    for names, why in _KEPT:
        if module in names:
            raise InputError(f"{name!r} would make the Python module {module!r}, which {why}; add a word")
    taken = {listed.name: listed.origin for listed in list_types()}
    if type_ in taken:
        raise InputError(f"there is a type {type_!r} already, from {taken[type_]}; choose another name")
    if importlib.util.find_spec(module) is not None:
        raise InputError(f"a Python module {module!r} is installed already; choose another name")
    return TypeNames(type_, module, "".join(word[:1].upper() + word[1:].lower() for word in words))


def fill_template(template: Path, names: TypeNames) -> dict[str, bytes]:
    """Read the files of a template by their path, under the new names."""
    return {
        names.fill_template(str(path.relative_to(template))): names.fill_template(
            path.read_text(encoding="utf-8")
        ).encode()
        for path in _list_files(template)
    }


def copy_type(type_: str, names: TypeNames) -> dict[str, bytes]:
    """Read the folder of a built-in type as files of a package by their path, under the new names."""
    scenario = type(find_type(type_))
    module, name = f"openiir.scenarios.{type_}", scenario.__name__
    if scenario.__module__ != f"{module}.scenario":
        raise InputError(f"--from {type_}: only built-in types are copied; copy that package itself")
    folder = Path(inspect.getfile(scenario)).parent
    if missing := [part for part in _PARTS if not (folder / part).exists()]:
        raise InputError(
            f"--from {type_}: its folder lacks {missing[0]}, and a small type has {', '.join(_PARTS)}"
        )
    if getattr(sys.modules[module], name, None) is not scenario:
        raise InputError(f"--from {type_}: {module} does not offer its class under the name {name}")

    title, new_title = (one.replace("_", "-").title() for one in (type_, names.module))
    spelled = rf"(?<!benchmarks/)(?<!pictures/)\b{type_.replace('_', '[_-]')}(?![A-Za-z0-9])"
    if "_" not in type_:  # a plain word, too, which is the type's name in quotes and commands alone
        spelled = rf"(?:(?<=[\"'`])|(?<=openiir run )){spelled}"

    def rename(text: str) -> str:
        text = text.replace(module, names.module).replace(f"`{type_}_", f"`{names.module}_")
        text = re.sub(rf"\b{name}\b", f"{names.prefix}Study", text)
        text = re.sub(rf"\b{name}(?=[A-Z])", names.prefix, text)
        return re.sub(spelled, names.type, text.replace(title, new_title) if "-" in title else text)

    found = {
        f"src/{names.module}/{path.relative_to(folder)}": path.read_bytes() for path in _list_files(folder)
    }
    found |= {
        path: rename(content.decode()).encode()
        for path, content in found.items()
        if path.endswith((".py", ".toml"))
    }
    readme = found.pop(f"src/{names.module}/README.md").decode()
    readme = rename(re.sub(r"!?\[([^]]*)\]\(\.\./[^)]*\)", r"\1", readme.partition("\n")[2]))
    readme = f"# {new_title}\n\n{_CREDIT.format(title, version('openiir'))}{readme}"
    readme = re.sub(r"\]\((?![\w+]+:|#)", f"](src/{names.module}/", readme)
    project = fill_template(TEMPLATES / "society", names)["pyproject.toml"].decode()
    project = re.sub(
        "(?m)^description.*", f'description = "A type of study for openiir, begun from {type_}."', project
    )
    test = names.fill_template(_CONTRACT)
    texts = {"README.md": readme, "pyproject.toml": project, f"tests/test_{names.module}.py": test}
    return found | {path: text.encode() for path, text in texts.items()}


def _list_files(folder: Path) -> list[Path]:
    found = sorted(folder.rglob("*"))
    return [path for path in found if path.is_file() and not _LEFT_OUT.intersection(path.parts)]


@app.command()
def new(
    name: Annotated[str, typer.Argument(help="The type's name, such as rumour-mill.")],
    out: Annotated[Path | None, typer.Option("--out", metavar="DIR", help="Where the package goes.")] = None,
    society: Annotated[
        bool, typer.Option("--society", help="A type with a population, a clock and events.")
    ] = False,
    start: Annotated[
        str, typer.Option("--from", metavar="TYPE", help="A small built-in type, under the new name.")
    ] = "",
) -> None:
    """Write a working plug-in package with its tests."""
    if society and start:
        raise InputError("--society and --from each say what to write; give one of them")
    names = derive_names(name)
    folder = out if out is not None else Path(names.type)
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise InputError(f"{folder} exists and is not empty; name another folder with --out")
    template = TEMPLATES / ("society" if society else "review")
    files = copy_type(start, names) if start else fill_template(template, names)
    try:
        for path, content in files.items():
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            (folder / path).write_bytes(content)
    except OSError as error:
        raise InputError(
            f"{folder} cannot be written: {error.strerror or error}; name another --out"
        ) from None
    print_result(f"wrote {folder}")
    print_result(f"next: pip install -e {folder}   then: openiir run {names.type}   and: pytest {folder}")
