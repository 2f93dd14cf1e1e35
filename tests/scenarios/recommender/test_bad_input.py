"""What cannot be is refused before anything runs, naming the key and what to do."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from openiir.plugin import InputError
from openiir.runs.prepare import prepare_run
from openiir.runs.settings import Settings
from openiir.runs.study import load_study
from openiir.runs.trust import Trust

OWN = '[[persona]]\nid = "{}"\nname = "Ada"\nbio = "Ada reads."\n'


@pytest.mark.parametrize(
    ("config", "says"),
    [
        (
            {"users": 61},
            r"config.users = 61, but of 60 users of synthetic \d+ have at least 5 training ratings",
        ),
        (
            {"systems": ["nosuch"]},
            r"config.systems 'nosuch': recommender 'nosuch': none is called so; known:",
        ),
        ({"systems": []}, r"systems = \[\]: visits need a recommender"),
        ({"systems": ["random", "random"]}, "two systems have one name"),
        ({"systems": [{"name": "mine", "by": "no_module:mine"}]}, r"config.systems 'mine': .*no_module"),
        (
            {"visitors": {"memory": "sim", "warm_up": "nosuch"}},
            r"config.visitors.warm_up 'first': .* none is called so",
        ),
        (
            {"page": {"only": ["Opera"]}},
            r"config.page.only = \['Opera'\]: no rated item has one of these genres",
        ),
        ({"battery": {"pages": [9]}}, r"battery.pages holds 9, but a visit has 3 pages"),
        ({"held_out": 0.5}, "hold out less than half"),
        (
            {"experiment": "discrimination", "discrimination": {"least": 50}},
            r"and 50 in the test fold \(config.discrimination",
        ),
        ({"data": {"name": "movielens-1m"}}, 'synthetic is for name = "synthetic" alone'),
        ({"visitors": {"mood": "bad"}}, "mood"),
    ],
)
def test_a_study_that_cannot_be_run(
    small: Callable[..., Path], tmp_path: Path, config: Mapping[str, Any], says: str
) -> None:
    trust = Trust(callables=("no_module:mine",))
    with (
        pytest.raises(InputError, match=says),
        prepare_run(load_study(str(small(**config)), trust=trust), tmp_path / "out", Settings()),
    ):
        pass


@pytest.mark.parametrize(
    ("id", "users", "says"),
    [
        ("user-u01", 4, "the persona 'user-u01' is called like a user of the data set; give it another id"),
        ("ada", 0, "users"),
    ],
)
def test_personas_that_cannot_visit(
    small: Callable[..., Path], tmp_path: Path, id: str, users: int, says: str
) -> None:
    (tmp_path / "people.toml").write_text(OWN.format(id))
    with (
        pytest.raises(InputError, match=says),
        prepare_run(
            load_study(str(small({"personas": "people.toml"}, users=users))), tmp_path / "out", Settings()
        ),
    ):
        pass


def test_a_system_that_nobody_declared_is_named_before_the_run(
    openiir: Callable[..., Any], tmp_path: Path
) -> None:
    done = openiir("run", "recommender", "--out", tmp_path / "run", "--set", 'config.systems=["system:ours"]')
    assert done.code == 2 and "add [system.ours]" in done.err and not (tmp_path / "run").exists()


def test_items_that_nobody_rated(openiir: Callable[..., Any], tmp_path: Path) -> None:
    (tmp_path / "films.csv").write_text("id,name\n1,Rain\n2,Sun\n")
    (tmp_path / "study.toml").write_text(
        'type = "recommender"\nname = "bare"\nseed = 1\n[config.data]\nname = "bare"\n'
        'items = { file = "films.csv", key = "id", title = "name" }\n'
    )
    done = openiir("run", tmp_path / "study.toml", "--out", tmp_path / "run")
    assert (
        done.code == 2 and "bare has 2 items and no ratings" in done.err and "config.data.ratings" in done.err
    )
    assert not (tmp_path / "run").exists()
