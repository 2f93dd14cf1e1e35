"""The imports of the package, followed to the module that defines a name, and the lines that they lead to."""

import ast
from collections.abc import Iterable
from functools import cache
from pathlib import Path

SOURCE = Path(__file__).parents[2] / "src"
TYPES = sorted(file.parent.name for file in SOURCE.glob("openiir/scenarios/*/__init__.py"))
SMALL_TYPES = [name for name in TYPES if (SOURCE / "openiir/scenarios" / name / "run.py").exists()]
"""The small types, of which a run is one file."""


@cache
def modules() -> dict[str, Path]:
    """Return the files of the package's modules by their dotted names; templates are not modules."""
    files = [file for file in SOURCE.rglob("*.py") if "template" not in file.parts]
    return {
        ".".join(file.relative_to(SOURCE).with_suffix("").parts).removesuffix(".__init__"): file
        for file in files
    }


@cache
def tree_of(file: Path) -> ast.Module:
    """Parse a file, once for all tests."""
    return ast.parse(file.read_text(encoding="utf-8"))


@cache
def imports(file: Path) -> frozenset[str]:
    """List the modules whose names a file imports; a re-exported name leads to its own module."""
    found = set()
    for node in ast.walk(tree_of(file)):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            found |= {home_of(node.module, alias.name) for alias in node.names}
    return frozenset(found & modules().keys())


def home_of(module: str, name: str) -> str:
    """Find the module that defines a name which is imported from a module."""
    if f"{module}.{name}" in modules():
        return f"{module}.{name}"
    return _passed_on(module).get(name, module) if module in modules() else module


@cache
def _passed_on(module: str) -> dict[str, str]:
    """Map the names that a package's `__init__` imports to the modules that they come from."""
    file = modules()[module]
    if file.name != "__init__.py":
        return {}
    nodes = [node for node in ast.walk(tree_of(file)) if isinstance(node, ast.ImportFrom) and node.module]
    return {
        alias.asname or alias.name: home_of(node.module or "", alias.name)
        for node in nodes
        for alias in node.names
        if node.module != module
    }


def reached(starts: Iterable[Path], within: str) -> set[str]:
    """Find the modules of a package that the imports of these files lead to, at any remove."""
    found: set[str] = set()
    ahead = [name for file in starts for name in imports(file)]
    while ahead:
        name = ahead.pop()
        if name not in found and f"{name}.".startswith(f"{within}."):
            found.add(name)
            ahead += imports(modules()[name])
    return found


def lines_of(names: Iterable[str]) -> int:
    """Count the lines of modules."""
    return len([line for name in names for line in modules()[name].read_text().splitlines()])
