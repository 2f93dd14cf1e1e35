"""What share and price of agents do in whole runs, and what they must not do."""

import json

import numpy as np
import pytest

from openiir.plugin import InputError
from openiir.runs.study import load_study
from openiir.scenarios.open_web.config import OpenWebConfig
from openiir.scenarios.open_web.measures import web_measures
from openiir.scenarios.open_web.views import draw_curve, list_readings, map_spaces, show_summary
from openiir.testing import run_offline

BOTH = ("shares=[0.8]", 'prices=[0.01, "as people"]')


def columns_of(log, table, arm, *left_out):
    found = log.columns(table)
    own = found["arm"] == arm
    return {name: column[own].tolist() for name, column in found.items() if name not in ("arm", *left_out)}


def test_arms_are_named_by_share_and_price():
    config = OpenWebConfig(shares=(0.5, 0.125), prices=(0.015, "as people"))
    assert config.list_arms() == {
        "human": (0.0, 0.015),
        "12.5% at 1.5%": (0.125, 0.015),
        "50% at 1.5%": (0.5, 0.015),
        "12.5% as people": (0.125, "as people"),
        "50% as people": (0.5, "as people"),
    }


def test_a_price_changes_publishers_and_no_reader(play):
    log = play(*BOTH).log
    assert columns_of(log, "looked", "80% at 1%") == columns_of(log, "looked", "80% as people")
    weeks = [columns_of(log, "weeks", arm) for arm in ("80% at 1%", "80% as people")]
    assert weeks[0]["stayed"] == weeks[1]["stayed"] and weeks[0]["views"] == weeks[1]["views"]
    assert weeks[0]["survivors"][-1] < weeks[1]["survivors"][-1]


def test_without_an_economy_readers_are_as_they_were(play):
    log, without = play(*BOTH).log, play(*BOTH, "economy.publishers=0").log
    for arm in ("human", "80% at 1%"):
        assert columns_of(log, "looked", arm) == columns_of(without, "looked", arm)
    found = web_measures(without)
    assert found["human/stayed"].defined and not any("survivors" in name for name in found)
    assert not draw_curve(without).lines["price 0.01"]


def test_measures_are_those_of_the_tables(play):
    log = play("shares=[0.3, 0.8]", "prices=[0.01]").log
    found, looked = web_measures(log), log.columns("looked")
    people = log.study["config"]["people"]
    for arm in ("human", "30% at 1%", "80% at 1%"):
        own = looked["arm"] == arm
        assert found[f"{arm}/stayed"].value == pytest.approx(1 - looked["left"][own].sum() / people)
        last = own & (looked["step"] == 30)
        by_agents = looked["writer"][last] >= people
        assert found[f"{arm}/contamination"].value == pytest.approx(by_agents.mean())
        row = [one for one in log.table("weeks") if one["arm"] == arm][-1]
        assert row["stayed"] == pytest.approx(found[f"{arm}/stayed"].value)
        assert found[f"{arm}/survivors"].value == row["survivors"]
    rows = {row["arm"]: row for row in log.table("weeks") if row["step"] == 30}
    paid = {arm: np.mean([row["paid"] for row in log.table("weeks") if row["arm"] == arm]) for arm in rows}
    assert found["human/paid"].value == pytest.approx(paid["human"])
    ratio = np.log(rows["80% at 1%"]["survivors"] / rows["human"]["survivors"])
    ratio /= np.log(paid["80% at 1%"] / paid["human"])
    assert found["80% at 1%/elasticity"].value == pytest.approx(ratio)
    assert found["human/contamination"].value == 0 and "human/elasticity" not in found
    assert not found["human/trust_gap"].defined
    assert 0.3 < found["tipping_point"].value < 0.8


def test_who_left_is_not_asked_again_and_writes_no_more(play):
    log = play(*BOTH).log
    looked = log.columns("looked")
    own = looked["arm"] == "80% at 1%"
    gone = dict(
        zip(looked["member"][own & looked["left"]], looked["step"][own & looked["left"]], strict=True)
    )
    assert len(gone) > 60
    for member, step, writer in zip(*(looked[k][own] for k in ("member", "step", "writer")), strict=True):
        assert step <= gone.get(member, 30)
        assert writer < 0 or step <= gone.get(writer, 30)


def test_views_hold_what_measures_hold(play):
    log = play(*BOTH).log
    found, table = web_measures(log), show_summary(log)
    rows = {row[0]: dict(zip(table.names, row, strict=True)) for row in table.rows}
    assert rows["80% at 1%"]["survivors"] == pytest.approx(found["80% at 1%/survivors"].value, abs=5e-4)
    curve = draw_curve(log).lines
    assert curve["price 0.01"][0] == curve["price as people"][0] == (0, found["human/survivors"].value)
    matrix = map_spaces(log)
    assert matrix.rows[0] == "human" and set(matrix.cells[0]) == {1.0}
    mine = list_readings(log, agent="teo-brandt")
    assert {one.heading for one in mine} == {"human", "80% at 1%", "80% as people"}
    assert {one.agent for one in mine} == {"teo-brandt"}


@pytest.mark.parametrize(
    ("keys", "words"),
    [
        (("people=100",), "240 are personas, or write"),
        (("shares=[0.5, 0.5]",), "has a value twice"),
        (("prices=[0.5, 0.5]",), "has a value twice"),
        (("shares=[0.0]",), "greater than 0"),
        (('prices=["free"]',), "as people"),
    ],
)
def test_bad_input_is_named(keys, words):
    with pytest.raises(InputError, match=words):
        load_study("open_web", [f"config.{key}" for key in keys]).check()


def test_a_world_without_documents_is_refused(tmp_path):
    study = {"type": "open_web", "config": {"rounds": 1}}
    with pytest.raises(InputError, match="world"):
        run_offline(study, tmp_path / "run")


def test_a_change_of_price_of_attention_reaches_the_run(tmp_path):
    """Summaries that come at once take views away from then on."""
    sets = ["config.people=1200", "config.shares=[0.2]", "config.prices=[0.01]", "config.rounds=12"]
    change = "change=" + json.dumps([{"step": 7, "set": {"visits.summaries": 1.0}}]).replace(
        ": ", "="
    ).replace('"', "'")
    done = run_offline(
        "open_web",
        tmp_path / "run",
        *sets,
        "config.visits.summaries=0.0",
        change.replace("'step'", "step").replace("'set'", "set"),
    )
    views = [row["views"] for row in done.log.table("weeks") if row["arm"] == "human"]
    done.run.close()
    assert np.mean(views[:6]) == pytest.approx(0.15, abs=0.015)
    assert np.mean(views[6:]) == pytest.approx(0.08, abs=0.015)
