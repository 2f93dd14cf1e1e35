"""Test the contract that every type keeps, and what is particular to this one."""

import tomllib

import pytest
from new_type import NewTypeStudy

from openiir.plugin import InputError
from openiir.testing import ScenarioContract, run_offline

STUDY = tomllib.loads((NewTypeStudy.reference / "study.toml").read_text("utf-8"))
RUMOUR, PROMOTION, CORRECTION, DEPARTURE = STUDY["event"]


class TestContract(ScenarioContract):
    type = NewTypeStudy


@pytest.fixture
def run(tmp_path):
    """Runs the reference study with these events and settings."""

    def start(name, *events, **config):
        people = str(NewTypeStudy.reference / STUDY["personas"])
        study = STUDY | {"personas": people, "event": list(events), "config": STUDY["config"] | config}
        done = run_offline(study, tmp_path / name)
        return done, NewTypeStudy().metrics(done.log)

    return start


def test_without_posts_nobody_reads_and_nobody_moves(run):
    _, measures = run("silent")
    assert not measures["readers_a_post"].defined and measures["moved"].value == 0


def test_posts_without_pull_move_nobody(run):
    done, measures = run("still", RUMOUR, CORRECTION, temper={"pull": 0.0})
    assert measures["readers_a_post"].value > 5 and measures["moved"].value == 0
    assert len({(row["against"], row["favour"]) for row in done.log.table("sides")}) == 1


def test_a_correction_that_many_read_wins_members_back(run):
    viral = {"members": 400, "temper": {"like": 0.5, "answer": 0.0}}
    _, alone = run("alone", RUMOUR, **viral)
    _, corrected = run("corrected", RUMOUR, CORRECTION, **viral)
    assert corrected["balance"].value < alone["balance"].value


def test_a_promoted_member_changes_no_row(run):
    plain, _ = run("plain", RUMOUR, CORRECTION)
    promoted, _ = run("promoted", RUMOUR, PROMOTION, CORRECTION)
    assert promoted.sections["tables"] == plain.sections["tables"]
    assert promoted.log.members.name(23) == PROMOTION["name"]


def test_an_event_of_a_stranger_is_refused(run):
    with pytest.raises(InputError, match="no member of this run is called 'neighbour-000040'"):
        run("strange", RUMOUR | {"member": "neighbour-000040"})
