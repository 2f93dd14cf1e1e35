"""Every command in `openiir --help` does something; what is not built is not listed."""

import ast
import importlib
import inspect
import textwrap

import pytest
import typer
from typer.testing import CliRunner

from openiir.cli.app import app

CONTRACT = set(
    "types run resume replay fork sweep compare audit show inspect ask measure doctor export verify serve "
    "new world claims "
    "data personas trust push pull".split()
)


def leaves(command, road=()):
    if hasattr(command, "commands"):
        for name in sorted(command.list_commands(None)):
            yield from leaves(command.get_command(None, name), (*road, name))
    else:
        yield road, command


LEAVES = list(leaves(typer.main.get_command(app)))
IDS = [" ".join(road) for road, _ in LEAVES]


def body_of(command):
    (tree,) = ast.parse(textwrap.dedent(inspect.getsource(inspect.unwrap(command.callback)))).body
    return [n for n in tree.body if not (isinstance(n, ast.Expr) and isinstance(n.value, ast.Constant))]


def test_commands_bear_the_names_that_checks_and_pages_use():
    assert {road[0] for road, _ in LEAVES} <= CONTRACT
    assert {"types", "run", "resume", "replay", "show", "ask", "measure", "doctor", "new"} <= {
        r[0] for r, _ in LEAVES
    }


@pytest.mark.parametrize(("road", "command"), LEAVES, ids=IDS)
def test_a_command_calls_what_does_its_work(road, command):
    """Its body calls functions of its file, or that its file imports; one that only raises or passes is a
    stub."""
    brought = vars(importlib.import_module(f"openiir.cli.{road[0]}"))
    called = {
        node.func.id
        for statement in body_of(command)
        for node in ast.walk(statement)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
    }
    worker = [brought[name] for name in sorted(called & brought.keys()) if inspect.isfunction(brought[name])]
    assert worker, f"openiir {' '.join(road)} calls nothing that does its work"
    for function in worker:
        source = textwrap.dedent(inspect.getsource(function))
        (tree,) = ast.parse(source).body
        doing = [
            n
            for n in tree.body
            if not isinstance(n, ast.Expr | ast.Pass | ast.Raise)
            or isinstance(getattr(n, "value", None), ast.Call)
        ]
        assert doing, f"{function.__qualname__} is a stub"


@pytest.mark.parametrize(("road", "command"), LEAVES, ids=IDS)
def test_a_command_tells_what_it_does(road, command):
    shown = CliRunner().invoke(app, [*road, "--help"])
    assert shown.exit_code == 0
    first = (command.help or "").strip().splitlines()[0]
    assert len(first.split()) >= 4 and first.split()[0] in shown.output
