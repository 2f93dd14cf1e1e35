"""A pilot asks a model first, changes nothing, and makes the forecast nearer than a rehearsal alone."""

import asyncio
from collections import Counter
from dataclasses import dataclass
from os.path import commonprefix
from typing import ClassVar

import pytest
from pydantic import Field

from openiir.core.errors import InputError
from openiir.core.llm import tokens_for_words
from openiir.core.storage import RunFile
from openiir.plugin import Question, Record
from openiir.runs.engine import Watcher, resume
from openiir.runs.execute import LocalOptions, RunOrder, pilot_studies
from openiir.runs.forecast import Forecast, forecast_by_pilot
from openiir.runs.forecast.prefixes import BLOCK, PrefixShares
from openiir.runs.forecast.transfer import move_reply
from openiir.runs.prepare import prepare_run
from openiir.runs.settings import Settings, load_settings
from openiir.runs.study import load_study


class Picked(Record):
    text: str
    picks: tuple[str, ...] = Field(max_length=2)
    rank: int = Field(ge=1, le=3)


@dataclass(frozen=True)
class Pick(Question[Picked]):
    ids: tuple[str, ...]
    story: str = "Which of these?"
    kind: ClassVar[str] = "pilot.pick"

    def prompt(self):
        return self.story

    def allowed(self):
        return {"picks": self.ids}

    def offline(self, draw):
        return Picked(text="No.", picks=(), rank=1)


DIALOGUES = (
    'answers="model"',
    "model.name=standin",
    "config.dialogues=3",
    "config.turns=4",
    "config.judge.dialogues=2",
    'config.systems=["attribute"]',
)


def piloted(study, sets, folder, settings, size):
    """Pilots a study; gives the forecasts without and with the pilot, and the calls that it made."""
    with prepare_run(load_study(str(study), sets), folder, settings) as run:
        told: list[Forecast] = []
        asyncio.run(forecast_by_pilot(run, settings, size, Watcher(), told.append))
        return *told, list(run.calls())


def test_a_pilot_is_the_beginning_of_the_run(by_model, served, sit, tmp_path):
    settings = load_settings(served(malformed=0.3)[1])
    _, forecast, calls = piloted(by_model, (), tmp_path / "piloted", settings, 2)
    assert {call.place.step for call in calls} == {1, 2}
    with RunFile.open(tmp_path / "piloted") as run:
        assert (len(run.steps()), run.state("status")) == (2, "stopped")
    content = asyncio.run(resume(tmp_path / "piloted", settings, Watcher()))
    assert content == sit(by_model, tmp_path / "at once", settings)
    with RunFile.open(tmp_path / "piloted") as run:
        made = run.usage()
    assert abs(forecast.calls.total() / made["calls"] - 1) < 0.25
    assert abs(forecast.prompt_tokens / made["prompt_tokens"] - 1) < 0.25
    low, high = forecast.replies
    assert 0 < low <= made["reply_tokens"] <= high
    assert 0 < forecast.seconds[0] <= forecast.seconds[1] < 60


def test_where_a_step_is_the_run_some_of_its_lanes_are_the_pilot(served, sit, tmp_path):
    settings = load_settings(served()[1])
    without, forecast, calls = piloted("conversational", DIALOGUES, tmp_path / "piloted", settings, 4)
    lanes = {call.place.lane for call in calls}
    assert len(lanes) == 4 and "main" not in lanes
    assert "4 of 9 lanes" in forecast.basis and "conversational.judge" in forecast.note
    with RunFile.open(tmp_path / "piloted") as run:
        assert len(run.steps()) == 1, "the step with the dialogues is not committed"
    content = asyncio.run(resume(tmp_path / "piloted", settings, Watcher()))
    assert content == sit("conversational", tmp_path / "at once", settings, *DIALOGUES)
    with RunFile.open(tmp_path / "piloted") as run:
        made = Counter(call.place.lane != "main" for call in run.calls())[True]
        kept = [call for call in run.calls() if call.place.lane in lanes]
    assert kept == calls
    dialogues = {kind: n for kind, n in forecast.calls.items() if kind != "conversational.judge"}
    offline = {kind: n for kind, n in without.calls.items() if kind != "conversational.judge"}
    assert abs(sum(dialogues.values()) / made - 1) < 0.25 < abs(sum(offline.values()) / made - 1)


def test_a_limit_that_ends_a_pilot_leaves_a_forecast(by_model, served, tmp_path):
    settings = load_settings(served()[1])
    settings = settings.model_copy(update={"limits": settings.limits.model_copy(update={"calls": 3})})
    _, forecast, calls = piloted(by_model, (), tmp_path / "run", settings, 5)
    assert len(calls) == 3 and forecast.calls.total() > 3


def test_a_study_that_asks_no_model_has_no_pilot(evening, tmp_path):
    with pytest.raises(InputError, match="asks no model"):
        piloted(evening(), (), tmp_path / "run", Settings(), 1)
    assert not (tmp_path / "run").exists()


def test_a_pilot_keeps_its_folder_and_says_what_it_forecasts(by_model, served, tmp_path, capsys):
    local = LocalOptions(served()[1])
    (folder,) = pilot_studies([str(by_model)], RunOrder(tmp_path / "run"), local, 1)
    said = capsys.readouterr().err
    assert folder == tmp_path / "run" and (folder / "run.db").is_file()
    assert "assumes that a model lets happen what the behaviour models do" in said
    assert "forecast by a pilot (steps 1 to 1) and rehearsals of the rest: " in said
    assert "prompt tokens that begin as any earlier prompt did: " in said


def test_a_moved_reply_keeps_its_words_and_its_positions():
    asked = Pick(("a", "b", "c"))
    picked = Picked(text="Well.", picks=("c", "a"), rank=3)
    assert move_reply(picked, asked, Pick(("p", "q", "r", "s"))) == picked.model_copy(
        update={"picks": ("r", "p")}
    )
    assert move_reply(picked, asked, Pick(("x", "y"))) == picked.model_copy(update={"picks": ("x",)})
    assert move_reply(picked, asked, Pick(("c", "b", "a"))) == picked


def test_a_reply_without_a_choice_says_nothing_where_there_is_one():
    assert move_reply(Picked(text="", picks=("a",), rank=1), Pick(("a",)), Pick(("p", "q"))) is None


def test_shares_of_prompts_are_those_of_a_naive_count():
    told: list[tuple[str, str]] = []
    shares, beginnings = PrefixShares(), []
    for n in range(60):
        asker = f"a{n % 3}"
        text = " ".join(f"w{k if k < 20 * (n % 5) else k * n}" for k in range(100))
        again, earlier = shares.add(("main", asker, "pilot.pick"), text)
        last = [one for asker_then, one in told if asker_then == asker][-1:]
        assert again == (commonprefix([text, *last]) if last else "")
        assert earlier == tokens_for_words(max((_blocks(text, one) for _, one in told), default=0))
        beginnings.append(earlier)
        told.append((asker, text))
    assert len(set(beginnings)) > 3


def _blocks(one, other):
    """Words of the whole blocks at the beginning that two texts share."""
    pairs = [a == b for a, b in zip(one.split(), other.split(), strict=False)]
    same = pairs.index(False) if False in pairs else len(pairs)
    return same // BLOCK * BLOCK
