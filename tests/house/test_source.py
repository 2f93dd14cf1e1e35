"""The house's own rules about its source."""

import ast
import re
from functools import cache
from pathlib import Path

import pytest
from import_graph import tree_of

ROOT = Path(__file__).parents[2]
SOURCE = ROOT / "src" / "openiir"
TEMPLATE = SOURCE / "cli" / "template"
FILES = sorted(p for p in SOURCE.rglob("*.py") if "__pycache__" not in p.parts)
OURS = [p for p in FILES if TEMPLATE not in p.parents]
BANNED = {
    "util",
    "utils",
    "common",
    "helper",
    "helpers",
    "manager",
    "managers",
    "misc",
    "stuff",
    "base",
    "lib",
}
MOST_LINES, MOST_OF_A_FUNCTION = 350, 60


def name_of(path):
    return str(path.relative_to(SOURCE))


def assert_none(offences):
    """Offences are pairs of a file and what is wrong with it."""
    assert not (found := [f"{name_of(path)}: {offence}" for path, offence in offences]), "\n".join(found)


def nodes_of(files=FILES):
    return ((path, node) for path in files for node in walked(path))


@cache
def walked(path):
    return tuple(ast.walk(tree_of(path)))


def test_a_file_is_read_in_one_sitting():
    lengths = ((path, len(path.read_text(encoding="utf-8").splitlines())) for path in FILES)
    assert_none((path, f"{n} lines; find the second idea in it") for path, n in lengths if n > MOST_LINES)


def test_a_function_fits_a_screen():
    functions = ((p, n) for p, n in nodes_of() if isinstance(n, ast.FunctionDef | ast.AsyncFunctionDef))
    lengths = ((path, node.name, (node.end_lineno or 0) - node.lineno + 1) for path, node in functions)
    assert_none((path, f"{name} has {n} lines") for path, name, n in lengths if n > MOST_OF_A_FUNCTION)


DECIDING = {"core", "kit", "plugin", "scenarios"}
FREE = {"core/grid.py", "core/seeds.py", "scenarios/multi_generational/model/credibility/corpus.py"}
"""Files with sorts of their own: the two that round, and one whose scores are on the grid."""
READERS = {"measures", "statistics", "storage"}
"""Rooms that only read what is logged."""
SORTS = {"argsort", "lexsort", "argpartition", "argmax", "argmin", "nanargmax", "nanargmin"}
DRAWS = {"uniform", "normal", "gumbel"}


def test_floats_are_rounded_before_they_rank_or_meet_a_draw():
    rooms = {path: path.relative_to(SOURCE).parts for path in FILES if name_of(path) not in FREE}
    deciding = [path for path, of in rooms.items() if of[0] in DECIDING and not READERS & set(of)]
    nodes = [(path, node) for path, node in nodes_of(deciding)]
    assert_none(
        (path, f"line {node.lineno}: call order_by, first_largest or first_smallest")
        for path, node in nodes
        if isinstance(node, ast.Call) and methods_called([node]) & SORTS
    )
    assert_none(
        (path, f"line {node.lineno}: call chance or happens")
        for path, node in nodes
        if isinstance(node, ast.Compare) and methods_called(ast.walk(node)) & DRAWS
        if "quantise(" not in ast.unparse(node)
    )


def methods_called(nodes):
    calls = (node.func for node in nodes if isinstance(node, ast.Call))
    return {function.attr for function in calls if isinstance(function, ast.Attribute)}


def test_names_say_what_is_inside():
    parts = {part for p in FILES for part in (*p.relative_to(SOURCE).parent.parts, p.stem)}
    assert not parts & BANNED


def test_nothing_is_left_for_later():
    later = re.compile(r"\b(TODO|FIXME|XXX|HACK)\b|NotImplementedError|not implemented yet")
    assert_none(
        (path, "something is left for later") for path in FILES if later.search(path.read_text("utf-8"))
    )


def test_floats_are_added_alike_on_every_python():
    assert_none(
        (
            path,
            f"line {node.lineno}: the built-in sum rounds floats differently since Python 3.12; add floats "
            f"by "
            "math.fsum, statistics.fmean or in arrays, whole numbers by openiir.plugin.int_sum",
        )
        for path, node in nodes_of([path for path in FILES if name_of(path) != "core/sums.py"])
        if isinstance(node, ast.Name) and node.id == "sum"
    )


def test_public_names_are_documented():
    assert_none(
        (path, "the module does not say what it is for")
        for path in FILES
        if not ast.get_docstring(tree_of(path))
    )
    public = (
        (path, node)
        for path in FILES
        for node in tree_of(path).body
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef)
        if not (node.name.startswith("_") or (TEMPLATE in path.parents and path.parent.name == "tests"))
    )
    assert_none(
        (path, f"{node.name} has no docstring") for path, node in public if not ast.get_docstring(node)
    )


def test_a_room_says_in_one_sentence_what_belongs_there():
    rooms = [path for path in OURS if path.name == "__init__.py"]
    sentences = ((path, (ast.get_docstring(tree_of(path)) or "").partition("\n\n")[0]) for path in rooms)
    assert_none(
        (path, "no sentence") for path, of in sentences if not of.endswith(".") or len(of.split()) < 3
    )


def test_every_folder_with_code_is_a_room():
    bare = {p.parent for p in OURS if not (p.parent / "__init__.py").exists()}
    assert not bare


def test_packages_from_outside_import_what_outsiders_may():
    example = sorted((ROOT / "examples" / "search-session" / "src").rglob("*.py"))
    assert 300 < len([line for path in example for line in path.read_text("utf-8").splitlines()]) <= 400
    for path in (*TEMPLATE.rglob("*.py"), *example):
        for module in imported(tree_of(path)):
            if module.startswith("openiir"):
                assert module.startswith(("openiir.plugin", "openiir.kit", "openiir.testing")), (
                    f"{path}: {module}"
                )


PRINTS = re.compile(r"(?<![\w.])(print|input|Console|(typer|click)\.\w*echo|sys\.std(out|err)\.write\w*)\(")


def test_one_place_prints():
    ours = [p for p in FILES if p != SOURCE / "runs" / "terminal.py" and SOURCE / "testing" not in p.parents]
    assert not [name_of(p) for p in ours if PRINTS.search(p.read_text("utf-8"))], (
        "print by runs/terminal.py instead"
    )


LOOPS = re.compile(r"asyncio\.run\(|run_until_complete|asyncio\.Runner")
PROCESSES = {"runs/sweep/worker.py", "runs/sweep/rayed.py"}
"""Processes of their own, where no caller's event loop can run."""


def test_one_place_starts_event_loops():
    ours = [p for p in FILES if SOURCE / "testing" not in p.parents and name_of(p) not in PROCESSES]
    assert [name_of(p) for p in ours if LOOPS.search(p.read_text("utf-8"))] == ["runs/edge.py"]


def imported(tree):
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield node.module or ""


def code_lines(path):
    """Lines that hold code: neither blank, nor comment, nor docstring."""
    text = path.read_text(encoding="utf-8")
    held = {
        n for n, line in enumerate(text.splitlines(), 1) if line.strip() and not line.strip().startswith("#")
    }
    for node in ast.walk(ast.parse(text)):
        if (
            isinstance(node, ast.Expr)
            and isinstance(node.value, ast.Constant)
            and isinstance(node.value.value, str)
        ):
            held -= set(range(node.lineno, (node.end_lineno or node.lineno) + 1))
    return len(held)


def test_code_lines_are_counted_as_code(tmp_path):
    file = tmp_path / "x.py"
    file.write_text(
        '"""Doc\n\nmore."""\n\n# comment\nX = 1\n"""About X."""\n\n\ndef f():\n    """Doc."""\n'
        "    return (\n        X)\n"
    )
    assert code_lines(file) == 4


@pytest.mark.parametrize(("template", "most"), [("review", 250), ("society", 250)])
def test_a_reference_plug_in_is_a_small_thing(template, most):
    modules = sorted((TEMPLATE / template / "src" / "new_type").glob("*.py"))
    assert [m.name for m in modules] == ["__init__.py", "metrics.py", "questions.py", "scenario.py"]
    assert 150 <= sum(map(code_lines, modules)) <= most
