"""`openiir new`: write a plug-in package from a template, with names derived from the type's name."""

import importlib.util
import keyword
import re
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from openiir.cli.options import command_app
from openiir.core.errors import InputError
from openiir.runs.terminal import print_result
from openiir.runs.types import list_types

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


@app.command()
def new(
    name: Annotated[str, typer.Argument(help="The type's name, such as rumour-mill.")],
    out: Annotated[Path | None, typer.Option("--out", metavar="DIR", help="Where the package goes.")] = None,
    society: Annotated[
        bool, typer.Option("--society", help="A type with a population, a clock and events.")
    ] = False,
) -> None:
    """Write a working plug-in package with its tests."""
    names = derive_names(name)
    folder = out if out is not None else Path(names.type)
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise InputError(f"{folder} exists and is not empty; name another folder with --out")
    template = TEMPLATES / ("society" if society else "review")
    try:
        for path in sorted(template.rglob("*")):
            if path.is_file() and not _LEFT_OUT.intersection(path.parts):
                target = folder / names.fill_template(str(path.relative_to(template)))
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_text(names.fill_template(path.read_text(encoding="utf-8")), encoding="utf-8")
    except OSError as error:
        raise InputError(
            f"{folder} cannot be written: {error.strerror or error}; name another --out"
        ) from None
    print_result(f"wrote {folder}")
    print_result(f"next: pip install -e {folder}   then: openiir run {names.type}   and: pytest {folder}")
