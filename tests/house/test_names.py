"""Public names have one meaning in the whole package, and functions are named by verbs or nouns."""

import ast
import re
from collections import Counter
from pathlib import Path

import pytest
from import_graph import tree_of

SOURCE = Path(__file__).parents[2] / "src" / "openiir"
TEMPLATE = SOURCE / "cli" / "template"
FUNCTION = ast.FunctionDef | ast.AsyncFunctionDef

MOST_PARTICIPLES = 3
"""Names of functions and methods that are a participle alone, each once however many types override it. Lower
it whenever one is renamed; never raise it."""

IRREGULAR = set(
    "bound bought brought built caught chosen done drawn fed felt found given gone heard held hidden kept "
    "known laid led "
    "left lent lost made meant met paid said seen sent shown sold spent spoken stood sung swept taken taught "
    "thought told "
    "understood written".split()
)
NO_PARTICIPLES = {"embed", "feed", "need", "seed", "speed"}


@pytest.fixture(scope="module")
def trees():
    return [tree_of(path) for path in sorted(SOURCE.rglob("*.py")) if TEMPLATE not in path.parents]


def is_participle(name: str) -> bool:
    """Whether a name is one word that says what was done to something: `found`, `_rated`."""
    word = name.strip("_")
    return word in IRREGULAR or bool(re.fullmatch(r"[a-z]+ed", word) and word not in NO_PARTICIPLES)


def is_property(node: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    return any(ast.unparse(mark).endswith("property") for mark in node.decorator_list)


def test_a_class_name_has_one_meaning(trees):
    names = Counter(
        node.name
        for tree in trees
        for node in tree.body
        if isinstance(node, ast.ClassDef) and not node.name.startswith("_")
    )
    twice = sorted(name for name, count in names.items() if count > 1)
    assert not twice, f"another public class has this name; say whose it is in the name: {', '.join(twice)}"


def test_functions_are_named_by_verbs_or_nouns(trees):
    found = {
        node.name
        for tree in trees
        for node in ast.walk(tree)
        if isinstance(node, FUNCTION) and is_participle(node.name) and not is_property(node)
    }
    assert len(found) <= MOST_PARTICIPLES, (
        f"{len(found)} functions are named by a participle alone, {MOST_PARTICIPLES} were left; "
        f"say what the new one does or gives: {', '.join(sorted(found))}"
    )
    assert len(found) == MOST_PARTICIPLES, f"lower MOST_PARTICIPLES to {len(found)}"


def test_participles_are_told_from_verbs_and_nouns():
    assert all(map(is_participle, ("found", "_rated", "told", "asked")))
    assert not any(map(is_participle, ("load", "seed", "ranked_items", "find", "read", "embed")))
