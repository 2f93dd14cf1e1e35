"""Mutation testing: the share of small faults in the source that the mirroring tests detect.

    python benchmarks/mutations.py [--seed 1] [--number 60]

Changes one constant, comparison or operator at a time in a copy of the source and runs the tests that mirror
the file: `tests/kit/a/test_b.py` for `kit/a/b.py`, else those below `tests/kit` that import it, else all of
the nearest folder; then, where all pass, those of the type's folder and the golden runs, which hold what a
type does as a whole. A test that fails or does not end has caught the fault. Texts, annotations, messages of
errors, bounds of input fields and constants under 0.00001 are left alone.
"""

import ast
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from copy import copy
from pathlib import Path
from typing import NamedTuple

from measuring import run_command

ROOT = Path(__file__).resolve().parents[1]
ROOMS = ("kit", "scenarios", "server")
BOUNDS = {"ge", "gt", "le", "lt", "min_length", "max_length", "pattern", "examples"}
TEXT = "Constant(value='"
SECONDS = 300
"""CPU time after which tests are taken not to end."""
PAIRS = "Lt LtE, Gt GtE, Eq NotEq, In NotIn, Is IsNot, And Or, Add Sub, Mult Div, BitAnd BitOr"
OTHER: dict[type, type] = {
    getattr(ast, one): getattr(ast, other)
    for pair in PAIRS.split(", ")
    for one, other in (pair.split(), pair.split()[::-1])
}


class Mutant(NamedTuple):
    """One change of one expression, at byte offsets of its file."""

    file: Path
    line: int
    begin: int
    end: int
    before: str
    after: str

    def __str__(self) -> str:
        return f"{self.file}:{self.line} [{self.before}] -> [{self.after}]"


def change(node: ast.AST) -> ast.AST | None:
    """Return a changed copy of an expression; None if it must not change."""
    made: ast.AST = copy(node)
    match node:
        case ast.Constant(value=bool(value)):
            made.value = not value
        case ast.Constant(value=int(value)):
            made.value = value + 1
        case ast.Constant(value=float(value)) if not 0 < value < 1e-5:
            made.value = value * 1.1 if value else 0.1
        case ast.Compare(ops=[op, *rest]):
            made.ops = [OTHER[type(op)](), *rest]
        case ast.BoolOp(op=op) | ast.BinOp(op=op) if type(op) in OTHER and TEXT not in ast.dump(node):
            made.op = OTHER[type(op)]()
        case _:
            return None
    return made


def list_expressions(node: ast.AST) -> Iterator[ast.AST]:
    """Yield the expressions of a syntax tree that may be changed."""
    match node:
        case ast.JoinedStr() | ast.Raise() | ast.Assert() | ast.Subscript(value=ast.Name(id="Literal")):
            return
        case ast.keyword(arg=name) if name in BOUNDS:
            return
    yield node
    for name, value in ast.iter_fields(node):
        for child in value if isinstance(value, list) else [value]:
            if isinstance(child, ast.AST) and name not in ("annotation", "returns", "decorator_list"):
                yield from list_expressions(child)


def list_mutants(source: Path, path: Path) -> Iterator[Mutant]:
    """Yield every possible change of a file."""
    data = path.read_bytes()
    starts = [0]
    for line in data.splitlines(keepends=True):
        starts.append(starts[-1] + len(line))
    for node in list_expressions(ast.parse(data)):
        if made := change(node):
            begin = starts[node.lineno - 1] + node.col_offset
            end = starts[node.end_lineno - 1] + node.end_col_offset
            before, after = data[begin:end].decode(), f"({ast.unparse(made)})"
            yield Mutant(path.relative_to(source), node.lineno, begin, end, before, after)


def mirroring_tests(file: Path) -> list[Path]:
    """List the tests that are to detect faults of a module."""
    folder = ROOT / "tests" / file.parent
    if (own := folder / f"test_{file.name}").exists():
        return [own]
    importing = f"from {'.'.join(('openiir', *file.with_suffix('').parts))} import"
    room = (ROOT / "tests" / file.parts[0]).rglob("test_*.py")
    if users := sorted(path for path in room if importing in path.read_text()):
        return users
    while not (found := sorted(folder.glob("test_*.py"))):
        folder = folder.parent
    return found


def list_tests(file: Path) -> list[Sequence[Path]]:
    """List the tests to run on a fault of a module, in turns."""
    own = ROOT / "tests" / Path(*file.parts[:2])
    folder = sorted(own.glob("test_*.py")) if file.parts[0] == "scenarios" else []
    return [mirroring_tests(file), *([folder] if folder else []), [ROOT / "tests/golden/test_golden.py"]]


def run_tests(source: Path, tests: Sequence[Path | str]) -> str:
    """Run tests on a copy of the source; return the first that fails, or "" if all pass."""
    command = [sys.executable, "-B", "-m", "pytest", "-x", "-q", "-rfE", "--tb=no", "-p", "no:cacheprovider"]
    limited = ["bash", "-c", f'ulimit -t {SECONDS} && exec "$@"', "--", *command, *tests]
    environment = {**os.environ, "PYTHONPATH": str(source)}
    done = subprocess.run(limited, cwd=ROOT, env=environment, capture_output=True, text=True)
    failed = re.search(r"^(?:FAILED|ERROR) (\S+)", done.stdout, re.MULTILINE)
    return failed[1] if failed else f"status {done.returncode}" if done.returncode else ""


def main(seed: int = 1, number: int = 60) -> None:
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder)
        shutil.copytree(ROOT / "src", source, dirs_exist_ok=True)
        package = source / "openiir"
        files = [path for room in ROOMS for path in [package / room, *sorted((package / room).rglob("*"))]]
        mutants = [m for path in files if path.suffix == ".py" for m in list_mutants(package, path)]
        found = []
        for mutant in random.Random(seed).sample(mutants, number):
            path = package / mutant.file
            data = path.read_bytes()
            path.write_bytes(data[: mutant.begin] + mutant.after.encode() + data[mutant.end :])
            found.append(next(filter(None, (run_tests(source, one) for one in list_tests(mutant.file))), ""))
            path.write_bytes(data)
            print(f"{'caught' if found[-1] else 'SURVIVED'} {mutant} {found[-1]}", flush=True)
        tests = sorted({test.partition("[")[0] for test in found if "::" in test})
        if tests and (failing := run_tests(source, tests)):
            sys.exit(f"{failing} fails without any fault; mend it, and measure anew")
    print(f"{sum(map(bool, found))} of {len(found)} caught")


if __name__ == "__main__":
    run_command(main)
