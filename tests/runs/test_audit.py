"""An audit moves every declared key, finds the dead ones, and says what it could not try."""

import json
from typing import Annotated, Any, ClassVar, Literal

import pytest
from pydantic import Field

from openiir.core.errors import InputError, OpeniirError
from openiir.core.records import Record
from openiir.core.toml import validate_record
from openiir.plugin import Measure
from openiir.runs.audit import audit_keys, run_controls
from openiir.runs.audit.values import TEXT, list_trials
from openiir.runs.study import load_study
from openiir.runs.types import list_types

BUILT_IN = {listed.name for listed in list_types() if listed.origin.split()[0] == "openiir"}
BY_CONTRACT = {
    "asymmetric_memory",
    "coordination_emergent",
    "feedback_outage",
    "multi_generational",
    "open_web",
    "social_media",
    "tiered_capability",
    "twin_ecosystem",
}
"""Types that the contract tests audit with a small study of theirs."""


@pytest.mark.parametrize("name", sorted(BUILT_IN - BY_CONTRACT))
def test_no_built_in_type_has_a_dead_key(name):
    found = audit_keys(load_study(name), workers=2 if name == "panel" else 1)
    assert found and [f"{v.key} ({v.status}): {v.words}" for v in found if v.status != "acts"] == []


@pytest.mark.parametrize("name", sorted(BUILT_IN - BY_CONTRACT))
def test_the_controls_of_built_in_types_hold(name):
    assert [
        f"{one.control.says}: {one.words}" for one in run_controls(load_study(name)) if not one.holds
    ] == []


# Values


class Stop(Record):
    way: Literal["foot", "boat"] = "foot"
    minutes: int = Field(5, ge=0, le=600)


class Rest(Record):
    hours: float = Field(8.0, gt=0, lt=24)
    bed: str | None = None


class Journey(Record):
    title: str = Field("over the hills", min_length=3, max_length=30)
    code: str = Field("a1", pattern="^[a-z][0-9]$", examples=["b2"])
    stops: tuple[Stop, ...] = (Stop(), Stop(way="boat"))
    rest: Rest | None = Rest()
    nap: Rest | None = None
    detours: dict[Annotated[str, Field(pattern="^[a-z]+$")], Stop] = {"east": Stop(), "west": Stop(minutes=9)}
    days: frozenset[Literal["mon", "tue"]] = frozenset({"mon"})
    names: tuple[str, ...] = ("one", "two")
    weights: dict[str, float] = {"wind": 0.5}
    wet: bool = False
    few: int = Field(3, multipleOf=3, ge=0)
    crowd: int = Field(200, ge=1, le=10_000_000)
    over: float = Field(0.0, ge=-1, le=1)
    either: int | Literal["auto"] = "auto"
    porters: int | dict[str, int] = 5
    model_config: ClassVar = {"arbitrary_types_allowed": True}


HELD = Journey().model_dump(mode="json")
FOUND = list_trials(Journey, HELD)
LEAVES = {
    *(
        "title",
        "code",
        "stops",
        "stops[].way",
        "stops[].minutes",
        "rest",
        "rest.hours",
        "rest.bed",
        "nap",
        "nap.hours",
    ),
    *("detours", *(f"detours.{way}.{key}" for way in ("east", "west") for key in ("way", "minutes"))),
    *("nap.bed", "days", "names", "weights", "wet", "few", "crowd", "over", "either", "porters"),
}


def values(key: str) -> list[Any]:
    return [trial.value for trial in FOUND[key]]


def test_every_declared_key_is_found_with_values_to_try():
    assert set(FOUND) == LEAVES
    assert {key for key in FOUND if not FOUND[key]} == {"nap.hours", "nap.bed"}, "the study has no nap"


def test_each_value_differs_from_what_holds_and_changes_nothing_else():
    for key, tried in FOUND.items():
        for trial in tried:
            applied = trial.apply_to(HELD)
            assert applied != HELD, trial
            assert {name for name in applied if applied[name] != HELD[name]} == {
                key.split(".")[0].split("[")[0]
            }


def test_numbers_stay_within_their_bounds_and_reach_them():
    for key in ("stops[].minutes", "few", "crowd", "over", "rest.hours"):
        for trial in FOUND[key]:
            validate_record(Journey, trial.apply_to(HELD), key)
    assert {-1.0, 1.0} <= set(values("over")) and {0, 6} <= set(values("few"))
    assert max(values("crowd")) <= 2_000, "what counts users also costs"
    assert min(values("rest.hours")) < 0.01 and max(values("rest.hours")) > 23.9
    assert all(isinstance(value, int) for value in values("stops[].minutes"))


def test_each_kind_of_key_has_its_values():
    assert values("wet") == [True]
    assert values("stops[].way") == ["boat", "foot"], "of the first stop and of the second"
    assert values("rest") == [None] and values("nap") == [{}]
    assert values("rest.bed") and None not in values("rest.bed")
    assert values("code")[0] == "b2" and f"over the hills {TEXT}" in values("title")
    assert ["tue"] in values("days") and [] in values("days") and ["mon", "tue"] in values("days")
    assert ["two", "one"] in values("names") and {"wind": 1.0} in values("weights")
    assert 1 in values("either") and "auto" not in values("either")
    assert 6 in values("porters"), "a number where a table is allowed as well"
    assert [HELD["stops"][0]] in values("stops")
    assert {"east": HELD["detours"]["east"]} in values("detours") and 10 in values("detours.west.minutes")


# Verdicts


@pytest.fixture
def audited(evening):
    def go(tables="[config]\nsteps = 2", top=""):
        return {verdict.key: verdict for verdict in audit_keys(load_study(str(evening(top, tables))))}

    return go


def test_a_key_that_does_nothing_is_dead(audited):
    found = audited()
    assert {key: verdict.status for key, verdict in found.items()} == {
        "topic": "acts",
        "steps": "acts",
        "warmth": "acts",
        "free": "dead",
    }
    assert found["warmth"].step == 1 and found["warmth"].tried == "warmth = 0.0"
    assert found["steps"].step == 3, "a longer evening differs once the other is over"
    assert "none of 2 values" in found["free"].words


def test_models_are_not_asked(audited):
    model = (
        '[model]\nname = "nobody serves it"\n[[change]]\nstep = 2\nset = { "answers.default" = "model" }\n'
        "[config]\nsteps = 2"
    )
    assert audited(model, 'answers = "model"')["warmth"].status == "acts"


class Draughty(Record):
    """The parlour's keys, one that acts where another is set, one that breaks the evening, one without a
    place."""

    topic: str = "Ropes should be checked every day"
    steps: int = Field(2, ge=1, le=100)
    warmth: float = Field(0.5, ge=0, le=1)
    window: bool = False
    draught: float = Field(0.3, ge=0, le=1)
    guests: int = Field(3, ge=0, le=9)
    rest: Rest | None = None


class Counted(Record):
    bins: int = Field(4, ge=1, le=64)
    wide: bool = False
    unused: int = 1


@pytest.fixture
def draughty(parlour, monkeypatch):
    """The parlour with a window, a table of guests, and measures that can be set."""
    inner = parlour.Parlour.schedule

    async def schedule(self, stage):
        assert stage.config.guests > 2, "the table is too small"
        draught = stage.config.draught if stage.config.window else 0.0
        if stage.config.rest is not None:
            await stage.ask("moderator", parlour.Rate(0.5, 0))
        stage.config = stage.config.model_copy(update={"warmth": max(0.0, stage.config.warmth - draught)})
        async for step in inner(self, stage):
            yield step

    def metrics(self, log):
        by = log.measuring
        return {"bins": Measure(float(by.bins if by.wide else 1))}

    monkeypatch.setattr(parlour.Parlour, "Config", Draughty)
    monkeypatch.setattr(parlour.Parlour, "Measuring", Counted)
    monkeypatch.setattr(parlour.Parlour, "schedule", schedule)
    monkeypatch.setattr(parlour.Parlour, "metrics", metrics)
    return lambda **attributes: [
        monkeypatch.setattr(parlour.Parlour, name, value) for name, value in attributes.items()
    ]


def test_what_a_key_needs_beside_it_is_declared(draughty, audited):
    before = audited("")
    assert (before["draught"].status, before["measuring.bins"].status) == ("dead", "dead")
    assert (before["rest.hours"].status, before["measuring.wide"].status) == ("untried", "acts")
    draughty(
        acts_with={
            "draught": {"window": True},
            "rest.hours": {"rest": {"hours": 6.0}},
            "measuring.bins": {"measuring.wide": True},
        }
    )
    found = audited("")
    assert found["draught"].status == found["measuring.bins"].status == "acts"
    assert found["draught"].beside == {"window": True} and found["window"].status == "acts"
    assert found["rest.hours"].status == found["measuring.unused"].status == "dead"
    assert found["measuring.bins"].step is None and "the measure bins is" in found["measuring.bins"].words


def test_a_key_may_need_another_study(draughty, audited, evening):
    windy = evening(tables="[config]\nwindow = true\nsteps = 1", folder="windy")
    draughty(acts_with={"draught": {"study": "windy/study.toml"}}, reference=windy.parent.parent)
    assert audited("")["draught"].status == "acts"


def test_a_question_to_a_model_is_a_difference_and_is_not_asked(draughty, audited, evening):
    model = '[model]\nname = "nobody serves it"\n[answers.persona]\nmoderator = "model"\n[config]\nsteps = 1'
    asking = evening(tables=model, folder="asking")
    draughty(acts_with={"rest": {"study": "asking/study.toml"}}, reference=asking.parent.parent)
    found = audited("")["rest"]
    assert (
        found.status == "acts"
        and "parlour.rate to moderator" in found.words
        and "no such call" in found.words
    )


def test_a_value_that_breaks_a_run_is_a_finding(draughty, audited):
    broken = audited("")["guests"]
    assert (
        broken.status == "fails" and broken.tried == "guests = 2" and "the table is too small" in broken.words
    )


def test_a_value_that_a_study_must_not_have_is_passed_over(draughty, audited):
    def check(self, config, personas):
        if config.guests != 3:
            raise InputError("three guests sit down, no more and no fewer")

    draughty(check=check)
    refused = audited("")["guests"]
    assert refused.status == "untried" and "three guests sit down" in refused.words


def test_the_reference_study_is_made_small(draughty, audited):
    draughty(audited={"steps": 1})
    assert audited("[config]\nsteps = 60")["steps"].step == 2


@pytest.mark.parametrize(
    ("attributes", "words"),
    [
        ({"acts_with": {"drought": {"window": True}}}, "did you mean 'draught'"),
        (
            {"acts_with": {"draught": {"windows": True}}},
            "acts_with of the type 'parlour'.*did you mean 'window'",
        ),
        ({"audited": {"steps": 0}}, "audited of the type 'parlour'.*greater than or equal to 1"),
    ],
)
def test_mistakes_in_what_a_type_declares_are_told(attributes, words, draughty, audited):
    draughty(**attributes)
    with pytest.raises(OpeniirError, match=words):
        audited("")


def test_the_command_tells_and_fails(evening, openiir):
    study = evening(tables="[config]\nsteps = 1")
    told = openiir("audit", study, "--workers", 1)
    assert told.code == 1 and "keys of the type 'parlour' that do nothing: free" in told.err
    assert told.out.splitlines()[-1] == "parlour: 4 keys: 3 acts, 1 dead"
    plain = openiir("audit", study, "--workers", 1, "--format", "json")
    keys = {key["key"]: key for key in json.loads(plain.out)["keys"]}
    assert plain.code == 1 and keys["free"]["status"] == "dead" and keys["warmth"]["step"] == 1
    assert openiir("audit", study, "--format", "toml").code == 2
