"""Where somebody else decides for searchers, their choices decide what reaches the platform."""

from collections.abc import Iterator

import pytest
from answered_runs import run_answered

from openiir.core.asking import Answer, OfflineAnswerer, PlacedQuestion
from openiir.core.storage import Log
from openiir.scenarios.feedback_outage import FeedbackOutage
from openiir.scenarios.feedback_outage.questions import OpenedResults, SearchPage

SETS = (
    "config.rounds=65",
    "config.searchers=4",
    "config.queries=10",
    "event.0.share=1.0",
    "answers=model",
    "model.name=any",
)
"""The cast of the reference study alone: its choices are all that there is."""


class Hurried(OfflineAnswerer):
    """A model that takes any answer off the page, and else opens the first two results."""

    name = label = "model"

    def __init__(self, asked: list[PlacedQuestion]) -> None:
        self.asked = asked

    async def answer(self, asked: PlacedQuestion) -> Answer:
        assert isinstance(asked.question, SearchPage)
        self.asked.append(asked)
        return self.wrap(OpenedResults(thoughts="Quick.", open=() if asked.question.answer else (1, 2)))


@pytest.fixture(scope="module")
def ran(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Log, list[PlacedQuestion]]]:
    """A run of the cast alone with the hurried model, and all that it was asked."""
    asked = list[PlacedQuestion]()
    folder = tmp_path_factory.mktemp("hurried") / "run"
    with run_answered("feedback_outage", SETS, folder, Hurried(asked)) as run:
        yield Log(run), asked


def test_pages_answer_in_one_arm_while_clicks_are_out(ran: tuple[Log, list[PlacedQuestion]]) -> None:
    answered = {(one.place.lane, one.place.step) for one in ran[1] if one.question.answer}
    assert answered == {("readers", step) for step in range(21, 61)}
    shown = next(one.question for one in ran[1] if one.question.answer)
    assert shown.answer in shown.page[0], "the answer is that of the first result"


def test_what_people_open_is_what_arrives(ran: tuple[Log, list[PlacedQuestion]]) -> None:
    clicks = [row for row in ran[0].table("signals") if row["channel"] == "click"]
    for row in clicks:
        out = 21 <= row["step"] < 61
        if row["arm"] == "readers":
            assert row["arrived"] == (0 if out else 8), "two results each, or none"
        elif not out or row["arm"] == "control":
            assert row["arrived"] == row["given"] == 8
    assert {row["opened"] for row in ran[0].table("feedback_outage_searched")} == {0, 2}


def test_the_fault_loses_what_readers_held_back(ran: tuple[Log, list[PlacedQuestion]]) -> None:
    """What they would have opened is the click model's guess, and each round that has one is lost whole."""
    rows = [row for row in ran[0].table("signals") if row["channel"] == "click" and 21 <= row["step"] < 61]
    by = {arm: {row["step"]: row for row in rows if row["arm"] == arm} for arm in ("fault", "readers")}
    for step, row in by["fault"].items():
        assert row["arrived"] == (0 if by["readers"][step]["given"] else 8)
    assert FeedbackOutage().metrics(ran[0])["readers/lost"].value == 1.0


def test_searchers_remember_what_they_did_in_their_arm(ran: tuple[Log, list[PlacedQuestion]]) -> None:
    told = {
        arm: " ".join(words for one in ran[1] if one.place.lane == arm for words in one.question.remembered)
        for arm in ("control", "readers")
    }
    assert "read the page's own answer and opened nothing." in told["readers"]
    assert "page's own answer" not in told["control"] and " and opened " in told["control"]
    first = [one for one in ran[1] if one.place.step == 1]
    assert len(first) == 12 and not any(one.question.remembered for one in first)
