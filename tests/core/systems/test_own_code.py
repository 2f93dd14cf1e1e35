"""Code of a study's own: where it raised, and how long it was at work."""

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from openiir.core.errors import OwnCodeFailed
from openiir.core.systems.own_code import OwnCodeTimes, call_own

OWN = """\
import json
from openiir.core.grid import quantise

def reads(text):
    return json.loads(text)

def rounds(value):
    return quantise(value, span="wide")

def leaves(value):
    raise SystemExit(value)

class Model:
    def __call__(self, users):
        return deeper(users)

def deeper(users):
    return users.missing

"""


@pytest.fixture
def own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    (tmp_path / "own_code_here.py").write_text(OWN)
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.delitem(sys.modules, "own_code_here", raising=False)
    return __import__("own_code_here")


@pytest.mark.parametrize(
    ("name", "values", "line"),
    [
        ("reads", ["{"], 5),  # raised within the standard library
        ("rounds", [1.0], 8),  # within the platform
        ("leaves", [3], 11),
        ("Model()", [3], 18),
        ("reads", [], 4),  # never entered: where it is defined
        ("Model", [3], 13),
        ("Model()", [], 13),
    ],
)
def test_the_innermost_line_of_its_own_is_named(own: Any, name: str, values: list[Any], line: int) -> None:
    function = own.Model() if name == "Model()" else getattr(own, name)
    with pytest.raises(
        OwnCodeFailed, match=rf"own thing raised \w+: .* at .*own_code_here.py, line {line}; mend it there"
    ):
        call_own("thing", function, *values)


def test_what_has_no_file_is_reported_without_one() -> None:
    with pytest.raises(OwnCodeFailed, match=r"raised TypeError: .*takes.*; mend it there"):
        call_own("thing", len)
    with pytest.raises(OwnCodeFailed, match=r"JSONDecodeError: .* at .*json.*\.py, line"):
        call_own("thing", json.loads, "{")


def test_the_slowest_is_named_once_it_is_slow() -> None:
    clock = [0.0]
    times = OwnCodeTimes(lambda: clock[0])

    def work(what: str, seconds: float) -> None:
        with times.timing(what):
            clock[0] += seconds

    work("ranker 'a:b'", 4.0)
    assert str(times) == ""
    work("recommender 'c:d'", 7.0)
    clock[0] += 10.0
    with times.timing("ranker 'a:b'"), times.timing("ranker 'a:b'"):  # two threads at once
        clock[0] += 2.0
        assert str(times) == "own recommender 'c:d': 7 s of 23 s so far"
        clock[0] += 2.0
        assert str(times) == "own ranker 'a:b': 8 s of 25 s so far", "also while it is at work"
    assert str(times) == "own ranker 'a:b': 8 s of 25 s so far"
