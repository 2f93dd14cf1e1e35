"""The page of signatures, made of the source: `python tests/house/signatures.py` writes it anew."""

import ast
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

sys.path.append(str(Path(__file__).parents[1] / "shared"))
from import_graph import SOURCE, home_of, modules, tree_of

PAGE = SOURCE.parent / "docs" / "reference" / "signatures.md"
HEAD = """# Signatures

Every public name of the rooms that a plug-in imports, with what its docstring says of shapes, units, ranges
and errors. [The plug-in interface](plugin.md) says how these work together, and
[What is in the kit](kit.md) what for. `python tests/house/signatures.py` makes this page of the source.

`Floats`, `Ints` and `Bools` are NumPy arrays of float64, int64 and bool. A function marked `@Statistic`
returns a float, NaN where it is undefined; its `.measure(...)` takes the same arguments and returns a
`Measure`, which has the reason. A class that lists fields takes them as arguments; a `Record`, and what
derives from it, takes them by name alone.

```python
import numpy as np
from openiir.kit.clicks import ClickModel, SlateReading
from openiir.kit.statistics import mean_interval
from openiir.plugin import Draw, Ranking

model, users, slots = ClickModel(model="cascade"), np.arange(50), 3
attraction = model.attraction(agreement=np.zeros((50, slots)), quality=np.array([1.0, 0.0, -1.0]))
reading = SlateReading(model, Draw(seed=1, purpose="my-type.reading"), users, slots)
clicks = np.zeros((50, slots), dtype=bool)
for position in range(1, slots + 1):
    looks, _ = reading.look(position)
    clicks[:, position - 1] = reading.click(position, looks, attraction[:, position - 1])
    reading.go_on(position, looks, clicks[:, position - 1])
shares = [("all", f"place {n + 1}", share) for n, share in enumerate(clicks.mean(axis=0))]
found = Ranking.of(shares, tag="clicks")
assert found.rows[0].item == "place 1" and clicks.sum(axis=1).max() == 1
assert mean_interval([0.3, 0.5, 0.4], bounds=(0, 1)).bounded
```
"""
Function = ast.FunctionDef | ast.AsyncFunctionDef


def write_page() -> str:
    """Write the page: a section for each room, with the names that are imported from it."""
    kit = sorted(name for name in modules() if name.startswith("openiir.kit."))
    text, told = HEAD, set[tuple[str, str]]()
    for room in ("openiir.plugin", "openiir.plugin.arguments", *kit, "openiir.testing"):
        homes = {name: home for name, home in sorted(list_names(room)) if (home, name) not in told}
        told |= {(home, name) for name, home in homes.items()}
        if entries := "\n".join(line for name, home in homes.items() for line in describe(home, name)):
            text += f"\n## {room}\n\n{say(ast.get_docstring(tree_of(modules()[room])))}\n{entries}\n"
    return text


def list_names(room: str) -> Iterator[tuple[str, str]]:
    """Yield the public names of a room, and the modules that define them; all names without an `__all__`."""
    tree = tree_of(modules()[room])
    own = {name: node for name, node, _ in definitions(tree.body)}
    listed = ast.literal_eval(own["__all__"].value) if "__all__" in own else own
    for name in (name for name in listed if not name.startswith("_")):
        yield name, room if name in own else home_of(room, name)


def definitions(body: Sequence[ast.stmt]) -> Iterator[tuple[str, ast.stmt, str]]:
    """Yield what statements define: names, their nodes, and docstrings, which follow a value."""
    for node, after in zip(body, [*body[1:], ast.Pass()], strict=True):
        if isinstance(node, Function | ast.ClassDef):
            yield node.name, node, say(ast.get_docstring(node))
        elif isinstance(node, ast.Assign | ast.AnnAssign):
            target = node.target if isinstance(node, ast.AnnAssign) else node.targets[0]
            words = after.value if isinstance(after, ast.Expr) else None
            yield ast.unparse(target), node, say(words.value if isinstance(words, ast.Constant) else "")


def describe(module: str, name: str) -> Iterator[str]:
    """Yield the lines on a public name and its members; none on a value of the kit without a docstring."""
    for found, node, words in definitions(tree_of(modules()[module]).body):
        if found == name and (words or "openiir.kit." not in module):
            yield from ("", f"### `{sign(node)}`", "", words)
            members = list(list_members(node)) if isinstance(node, ast.ClassDef) else []
            yield from ["", *members] if members else []


def list_members(node: ast.ClassDef) -> Iterator[str]:
    """Yield a line on each public field and method of a class, and on `__init__`."""
    for name, member, words in definitions(node.body):
        overrides = isinstance(member, Function) and bool(node.bases) and not words
        if name == "__init__" or not (name.startswith("_") or overrides or isinstance(member, ast.Assign)):
            yield f"- `{sign(member)}`" + (f": {words}" if words else "")


def sign(node: ast.stmt) -> str:
    """Write the signature of a function or class, or a value with its type, on one line."""
    if isinstance(node, ast.ClassDef):
        bases = ", ".join(map(ast.unparse, node.bases))
        return f"class {node.name}({bases})" if bases else f"class {node.name}"
    if not isinstance(node, Function):
        line = " ".join(ast.unparse(node).split())
        return line if len(line) <= 160 else line.partition(" = ")[0]
    marks = [f"@{name} " for one in node.decorator_list if (name := ast.unparse(one)) != "staticmethod"]
    own = [one for one in node.args.args[:1] if one.arg in ("self", "cls")]
    arguments = (
        ast.unparse(node.args).removeprefix(own[0].arg).removeprefix(", ") if own else ast.unparse(node.args)
    )
    returns = f" -> {ast.unparse(node.returns)}" if node.returns else ""
    waits = "async " if isinstance(node, ast.AsyncFunctionDef) else ""
    return f"{''.join(marks)}{waits}{node.name}({arguments}){returns}"


def say(words: str | None) -> str:
    """Put a docstring on one line."""
    return " ".join((words or "").split())


if __name__ == "__main__":
    PAGE.write_text(write_page(), encoding="utf-8")
