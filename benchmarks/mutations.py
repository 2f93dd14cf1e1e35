"""Mutation testing: the share of small faults in the source that the nearest tests detect.

    python benchmarks/mutations.py [--seed 1] [--number 120] [--rooms scenarios/panel ...] [--log FILE]

Draws constants, comparisons, operators and slices of the rooms below, as many of each, changes one at a time in
a copy of the source, and runs the nearest tests there: the golden runs that go through the room, and test files
that import the module or stand in the mirrored folder and use its names. A test that fails, or does not end, has
seen the fault. Left alone are docstrings, annotations, texts, messages of errors, bounds of input fields, and
constants under 0.00001, which guard against rounding. What stands in the log is not run again.
"""

import argparse
import ast
import compileall
import os
import random
import re
import resource
import shutil
import signal
import sys
import tempfile
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib import import_module
from importlib.util import cache_from_source
from pathlib import Path

HERE = Path(__file__).resolve().parents[1]
SOURCE = HERE / "src" / "openiir"
RECORDED = (
    "test_a_recorded_run_replays_to_its_content_hash",
    "test_a_recorded_run_measures_and_shows_what_it_did",
    "test_a_study_is_read_as_it_was_recorded",
)
"""Tests that are run for each golden run."""
ROOMS = {
    "scenarios/panel": "panel by-model llm",
    "scenarios/curated_feed": "feed",
    "scenarios/recommender": "recommender",
    "scenarios/conversational": "conversational",
    "kit/beliefs": "feed panel",
    "kit/dialogue": "conversational",
    "kit/feeds": "feed",
    "kit/items": "recommender conversational",
    "kit/measures": "feed recommender conversational",
    "kit/rankers": "feed recommender",
    "kit/statistics": "feed recommender conversational",
    "core/agents": "panel by-model recommender",
    "core/retrieval": "panel by-model",
    "core/world": "panel by-model",
}
"""Folders of the package to the name prefixes of the golden runs that exercise them."""
KINDS = ("constant", "comparison", "operator", "slice")
OTHER = {
    "<": "<=", "<=": "<", ">": ">=", ">=": ">", "==": "!=", "!=": "==", "in": "not in", "not in": "in",
    "is": "is not", "is not": "is", "and": "or", "or": "and", "+": "-", "-": "+", "*": "/", "/": "*", "//": "*",
    "%": "*", "**": "*", "&": "|", "|": "&", "+=": "-=", "-=": "+=", "*=": "/=", "/=": "*=",
}  # fmt: skip
_OPERATOR = re.compile(rb"not\s+in|is\s+not|<=|>=|==|!=|//|\*\*|[-+*/]=|[-+*/%&|<>]|\b(?:and|or|in|is)\b")
TYPES = {"Annotated", "Literal", "Callable"}
BOUNDS = {"ge", "gt", "le", "lt", "min_length", "max_length", "pattern", "examples"}
FILES, SECONDS = 12, 150
"""Maximum number of test files besides the golden runs, and the CPU seconds that all tests of a mutant may take."""
LOADED = """hypothesis.strategies anyio.pytest_plugin xdist.plugin numpy scipy.sparse.linalg scipy.stats scipy.special pydantic networkx typer rich aiohttp
pyarrow.parquet sklearn.decomposition vaderSentiment.vaderSentiment yaml tomli_w""".split()
"""Modules that most tests import, imported once in advance."""


@dataclass(frozen=True)
class Mutant:
    """One change in one file; begin and end are byte offsets."""

    file: str
    line: int
    kind: str
    begin: int
    end: int
    before: str
    after: str

    def __str__(self) -> str:
        return (
            f"src/openiir/{self.file}:{self.line} {self.kind}@{self.begin} [{self.before}] -> [{self.after}]"
        )


class Finder:
    """Finds all mutable expressions in a file."""

    def __init__(self, path: Path) -> None:
        self.file = str(path.relative_to(SOURCE))
        self.data = path.read_bytes()
        self.starts = [0]
        for line in self.data.splitlines(keepends=True):
            self.starts.append(self.starts[-1] + len(line))

    def mutants(self, node: ast.AST) -> Iterator[Mutant]:
        match node:
            case ast.JoinedStr() | ast.Raise() | ast.Assert() | ast.Expr(value=ast.Constant()):
                return
            case ast.Subscript(value=ast.Name(id=name)) if name in TYPES:
                return
            case ast.Slice():
                yield from self._slice(node)
                return
            case ast.Constant(value=value) if (after := _change_constant(value)) is not None:
                yield self._made("constant", node, *self._place(node), after)
            case ast.Compare():
                yield from self._between("comparison", node, [node.left, *node.comparators])
            case ast.BoolOp():
                yield from self._between("operator", node, node.values)
            case ast.BinOp() if not any(_is_text(side) for side in (node.left, node.right)):
                yield from self._between("operator", node, [node.left, node.right])
            case ast.AugAssign() if not _is_text(node.value):
                yield from self._between("operator", node, [node.target, node.value])
            case ast.UnaryOp(op=ast.Not()):
                begin = self._place(node)[0]
                yield self._made("operator", node, begin, begin + 3, "")
        for child in _children(node):
            yield from self.mutants(child)

    def _place(self, node: ast.AST) -> tuple[int, int]:
        return self.starts[node.lineno - 1] + node.col_offset, self.starts[
            node.end_lineno - 1
        ] + node.end_col_offset  # type: ignore

    def _made(self, kind: str, node: ast.AST, begin: int, end: int, after: str) -> Mutant:
        line = self.data.count(b"\n", 0, begin) + 1
        return Mutant(self.file, line, kind, begin, end, self.data[begin:end].decode(), after)

    def _between(self, kind: str, node: ast.AST, parts: Sequence[ast.AST]) -> Iterator[Mutant]:
        for left, right in zip(parts, parts[1:], strict=False):
            begin, end = self._place(left)[1], self._place(right)[0]
            found = _OPERATOR.search(self.data[:end], begin)
            after = OTHER.get(" ".join(found[0].decode().split())) if found else None
            if found and after and b"#" not in self.data[begin:end]:
                yield self._made(kind, node, found.start(), found.end(), after)

    def _slice(self, node: ast.Slice) -> Iterator[Mutant]:
        """Yield mutants that move a bound of a slice by one."""
        for bound, by in ((node.lower, "+ 1"), (node.upper, "- 1"), (node.upper, "+ 1")):
            if bound is not None:
                begin, end = self._place(bound)
                yield self._made("slice", bound, begin, end, f"({self.data[begin:end].decode()}) {by}")


def _change_constant(value: object) -> str | None:
    """Return another value for a constant; None if it must not change."""
    if isinstance(value, bool):
        return str(not value)
    if isinstance(value, int):
        return str(value + 1)
    if isinstance(value, float) and not 0 < value < 1e-5:
        return repr(value * 1.1 if value else 0.1)
    return None


def _is_text(node: ast.AST) -> bool:
    return (
        isinstance(node, ast.JoinedStr)
        or isinstance(node, ast.Constant)
        and isinstance(node.value, (str, type(None)))
    )


def _children(node: ast.AST) -> Iterator[ast.AST]:
    """Yield the child nodes, without annotations and bounds of input fields."""
    for field, value in ast.iter_fields(node):
        if field not in ("annotation", "returns", "op", "ops", "ctx"):
            for child in value if isinstance(value, list) else [value]:
                if isinstance(child, ast.AST) and not (
                    isinstance(child, ast.keyword) and child.arg in BOUNDS
                ):
                    yield child


def sample_mutants(rooms: Sequence[str], seed: int, number: int) -> list[Mutant]:
    """Sample mutants from these folders, equally many of each kind."""
    found: dict[str, list[Mutant]] = {kind: [] for kind in KINDS}
    for room in rooms:
        for path in sorted((SOURCE / room).rglob("*.py")):
            finder = Finder(path)
            for mutant in finder.mutants(ast.parse(finder.data)):
                found[mutant.kind].append(mutant)
    print(
        ", ".join(f"{len(mutants)} {kind}s" for kind, mutants in found.items()), "can be changed", flush=True
    )
    chance = random.Random(seed)
    return [mutant for mutants in found.values() for mutant in chance.sample(mutants, number // len(KINDS))]


def nearest_tests(file: str) -> list[str]:
    """List the golden runs and test files that exercise a module.

    If no test imports the module, all tests of the mirrored folder are listed.
    """
    module = Path(file).with_suffix("")
    parts = module.parent if module.name == "__init__" else module
    name = ".".join(("openiir", *parts.parts))
    inside = rf"from {re.escape(name.rpartition('.')[0])} import [^\n]*\b{parts.name}\b"
    public = re.findall(
        r"^(?:class |(?:async )?def |(?=[A-Z]))(\w{4,})", (SOURCE / file).read_text(), re.MULTILINE
    )
    imports, uses = (
        re.compile(rf"(?:from|import) {re.escape(name)}\b|{inside}"),
        re.compile(rf"\b(?:{'|'.join(public) or '-'})\b"),
    )
    tests = HERE / "tests"
    room = next(room for room in ROOMS if file.startswith(room))
    begin = tuple(ROOMS[room].split())
    runs = [
        path.parent.name
        for path in sorted((tests / "golden").glob("*/run.db"))
        if path.parent.name.startswith(begin)
    ]
    golden = [f"tests/golden/test_golden.py::{test}[{run}]" for test in RECORDED for run in runs]
    folder = tests / module.parent
    while not (files := sorted(folder.glob("test_*.py"))) and folder != tests / room:
        folder = folder.parent
    users = [
        path
        for path in sorted((tests / room.split("/")[0]).rglob("test_*.py"))
        if imports.search(path.read_text())
    ]
    if users:
        files = sorted({*users, *(path for path in files if uses.search(path.read_text()))})
    files.sort(key=lambda path: -len(uses.findall(path.read_text())))
    own = [str(path.relative_to(HERE)) for path in files[:FILES]]
    return [*golden, *own] if room.startswith("scenarios") else [*own, *golden]


class Copy:
    """A copy of the package in which one file at a time is mutated; tests run in forked processes."""

    def __init__(self, folder: Path) -> None:
        self.root, self.output = folder / "src", folder / "output"
        shutil.copytree(HERE / "src", self.root)
        compileall.compile_dir(self.root, quiet=2)
        sys.path.insert(0, str(self.root))
        sys.dont_write_bytecode = True
        os.environ |= {"PYTHONPATH": str(self.root), "PYTHONDONTWRITEBYTECODE": "1"}
        os.chdir(HERE)
        for name in LOADED:
            import_module(name)

    def run(self, tests: Sequence[str]) -> str:
        """Run tests and return the first that fails; "" if all pass."""
        child = os.fork()
        if not child:
            code = 70
            try:
                resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS))
                signal.alarm(20 * SECONDS)
                with self.output.open("w") as file:
                    os.dup2(file.fileno(), 1)
                    os.dup2(file.fileno(), 2)
                words = ["-x", "-q", "-n", "0", "-p", "no:cacheprovider", "--assert=plain", "--tb=no", "-rfE"]
                code = int(import_module("pytest").main([*words, *tests]))
            finally:
                os._exit(code)
        ended = os.waitpid(child, 0)[1]
        found = re.search(r"^(?:FAILED|ERROR) (\S+)", self.output.read_text(errors="replace"), re.MULTILINE)
        return "" if ended == 0 else found[1] if found else f"status {ended}"

    def try_out(self, mutant: Mutant) -> str:
        """Apply a mutant and return the test that detects it; "" if none does."""
        path = self.root / "openiir" / mutant.file
        before = path.read_bytes()
        path.write_bytes(before[: mutant.begin] + mutant.after.encode() + before[mutant.end :])
        Path(cache_from_source(str(path))).unlink(missing_ok=True)  # it is told by time and size alone
        try:
            return self.run(nearest_tests(mutant.file))
        finally:
            path.write_bytes(before)


def run_mutants(mutants: Sequence[Mutant], log: Path | None) -> dict[Mutant, str]:
    """Run all mutants; return the test that detects each."""
    known = dict(line.split("\t") for line in log.read_text().splitlines()) if log and log.exists() else {}
    found = {}
    with tempfile.TemporaryDirectory() as folder:
        copy = Copy(Path(folder))
        for n, mutant in enumerate(mutants, 1):
            if str(mutant) not in known:
                known[str(mutant)] = copy.try_out(mutant)
                if log:
                    with log.open("a") as file:
                        print(mutant, known[str(mutant)], sep="\t", file=file)
            found[mutant] = known[str(mutant)]
            print(f"{n}/{len(mutants)} {mutant}: {found[mutant] or 'SURVIVED'}", flush=True)
        if failing := copy.run(sorted({test.partition("[")[0] for test in found.values() if "::" in test})):
            sys.exit(f"{failing} fails without any fault; mend it, and measure anew")
    return found


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--number", type=int, default=120)
    parser.add_argument("--rooms", nargs="+", default=list(ROOMS), choices=ROOMS)
    parser.add_argument("--log", type=Path)
    options = parser.parse_args()
    found = run_mutants(sample_mutants(options.rooms, options.seed, options.number), options.log)
    by_kind: defaultdict[str, Counter[bool]] = defaultdict(Counter)
    for mutant, test in found.items():
        by_kind[mutant.kind][bool(test)] += 1
    for kind, count in by_kind.items():
        print(f"{kind}: {count[True]} of {count.total()} killed")
    survivors = [mutant for mutant, test in found.items() if not test]
    print(f"{len(found) - len(survivors)} of {len(found)} killed ({1 - len(survivors) / len(found):.0%})")
    for mutant in survivors:
        print(f"  survived: {mutant}")


if __name__ == "__main__":
    main()
