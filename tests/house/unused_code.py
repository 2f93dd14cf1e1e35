"""Code that no command, type, example or page of the docs reaches: `make lint` runs this by vulture.

Tests and benchmarks do not count as use, nor does `__all__`: what only they name goes or moves to them. Names
that a page of the docs has in backquotes count as used, except on the page of signatures. Fields of classes
are left out, since records are written and read by the names of their fields.
"""

import ast
import re
import sys
import tomllib
from pathlib import Path

from vulture import Vulture

ROOT = Path(__file__).parents[2]
BLOCK = re.compile(r"^```python\n(.*?)^```", re.MULTILINE | re.DOTALL)
NAMED = re.compile(r"`([^`\n]+)`")
EXPORTED = re.compile(r"^__all__ = \[.*?\]$", re.MULTILINE | re.DOTALL)
CALLED_BY_DECORATORS = ["@*validator*", "@*.command", "@*.callback", "@*.register", "@pytest.*", "@routes.*"]
ALLOWED = {
    "__getattr__": "Python calls it for names of a module that are imported late",
    "__dir__": "Python calls it for the names of a module",
    "model_config": "pydantic reads it",
    "list_commands": "click calls it",
    "format_commands": "click calls it",
    "occupations": "benchmarks and tests compare the posterior of occupations with people's",
    "process_redirect": "websockets calls it",
    "construct_mapping": "PyYAML calls it",
    "deep": "PyYAML passes it to construct_mapping",
    "max_refresh": "rich reads it",
    "behave": "tests change what a stand-in does between two requests",
}
"""Names that are used where vulture does not look, by the reason; at most 20."""


def field_lines(path: Path) -> set[int]:
    """Lines that declare a field: `name: type` in the body of a class."""
    classes = (
        node for node in ast.walk(ast.parse(path.read_text("utf-8"))) if isinstance(node, ast.ClassDef)
    )
    return {part.lineno for node in classes for part in node.body if isinstance(part, ast.AnnAssign)}


def find_unused_code() -> list[str]:
    """A line for each name of the package that is neither used nor allowed, and for each needless
    allowance."""
    finder = Vulture(ignore_decorators=CALLED_BY_DECORATORS)
    for path in sorted([*(ROOT / "src").rglob("*.py"), *(ROOT / "examples").rglob("*.py")]):
        if not {"template", "tests"} & set(path.relative_to(ROOT).parts):
            code = EXPORTED.sub(lambda found: "\n" * found[0].count("\n"), path.read_text("utf-8"))
            finder.scan(code, filename=path)
    for page in [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"), *(ROOT / "src").rglob("README.md")]:
        text = page.read_text("utf-8")
        finder.scan("\n".join(BLOCK.findall(text)), filename=page)
        if page.name not in ("changes.md", "signatures.md"):
            finder.used_names |= {name for code in NAMED.findall(text) for name in re.findall(r"\w+", code)}
    points = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["entry-points"]
    finder.scan("\n".join(place.partition(":")[2] for group in points.values() for place in group.values()))
    unused = [
        item
        for item in finder.get_unused_code()
        if (ROOT / "src") in Path(item.filename).parents and item.typ != "import"
    ]
    found = [
        f"{item.filename.relative_to(ROOT)}:{item.first_lineno}: {item.message}"
        for item in unused
        if item.name not in ALLOWED and item.first_lineno not in field_lines(item.filename)
    ]
    needless = sorted(ALLOWED.keys() - {item.name for item in unused})
    return [*found, *(f"{name} is used: take it out of ALLOWED" for name in needless)]


if __name__ == "__main__":
    sys.exit("\n".join(find_unused_code()) or None)
