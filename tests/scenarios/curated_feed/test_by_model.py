"""Where somebody else answers for a feed user, their words are the user's state, and are remembered."""

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from answered_runs import run_answered

from openiir.core.asking import Answer, OfflineAnswerer, PlacedQuestion
from openiir.core.storage import Log, RunFile
from openiir.kit.items import synthetic
from openiir.plugin import Draw, stance_number
from openiir.scenarios.curated_feed.model.items.item_text import ItemWords, page_words, word_item
from openiir.scenarios.curated_feed.questions.feed_questions import (
    AfterFeed,
    FeedBrowse,
    OpenedItems,
    Stands,
    Survey,
    SurveyReply,
)
from openiir.scenarios.curated_feed.scenario import CuratedFeed
from openiir.scenarios.curated_feed.views import after_run_question, feeds
from openiir.testing import prompt_checks
from openiir.testing.probing import place_after_run

SETS = (
    "config.users=12",
    "config.weeks=2",
    "config.sessions=2",
    "config.topics=2",
    "config.slots=6",
    "config.candidates=6",
    "config.audit_items=8",
    "config.audit_users=3",
    "config.items.per_week=40",
    'config.beside=["none"]',
    "config.evaluate=[]",
    "config.promoted=3",
    "config.ranker=random",
    "model.name=any",
)
BY_MODEL = 'answers.persona={"user-000001" = {"curated_feed.browse" = "model"}}'
"""Of three promoted users a model answers for the second."""
SAID = ("firmly against", "in favour")


class Scripted(OfflineAnswerer):
    """A model that always opens the second item, and gives no usable answer to the survey of week 2."""

    name = label = "model"

    def __init__(self, asked: list[PlacedQuestion]) -> None:
        self.asked = asked

    async def answer(self, asked: PlacedQuestion) -> Answer:
        self.asked.append(asked)
        if isinstance(asked.question, FeedBrowse):
            return self.wrap(OpenedItems(thoughts="The second one will do.", open=(2,)))
        if asked.place.step == 2:
            return Answer(None, self.name, failure="said nothing")
        words = SAID if asked.question.weeks or asked.place.ordinal else SAID[::-1]
        return self.wrap(
            SurveyReply(
                answers=tuple(Stands(number=n, where_you_stand=one) for n, one in enumerate(words, 1))
            )
        )


def run_scripted(folder: Path, *sets: str) -> tuple[RunFile, list[PlacedQuestion]]:
    """A run with the scripted model, and all that it was asked."""
    asked: list[PlacedQuestion] = []
    return run_answered("curated_feed", [*SETS, *sets], folder, Scripted(asked)), asked


@pytest.fixture(scope="module")
def ran(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Log, list[PlacedQuestion]]]:
    run, asked = run_scripted(tmp_path_factory.mktemp("mixed") / "run", BY_MODEL)
    with run:
        yield Log(run), asked


def standings(log: Log, feed: str, week: int) -> list[dict[str, Any]]:
    return [r for r in log.table("standings") if (r["feed"], r["week"]) == (feed, week)]


@pytest.mark.parametrize("feed", ["main", "none"])
def test_the_belief_on_record_is_the_one_that_was_said(
    ran: tuple[Log, list[PlacedQuestion]], feed: str
) -> None:
    log, asked = ran
    kinds = [
        (one.question.kind, one.place.step)
        for one in asked
        if one.place.lane == feed and isinstance(one.question, Survey)
    ]
    assert kinds == [(Survey.kind, 1), (Survey.kind, 1), (Survey.kind, 2)], (
        "before the first week and at each week's end"
    )
    for week in (1, 2):
        rows = standings(log, feed, week)
        assert {(r["persona"], r["belief_by"], r["clicks_by"]) for r in rows} == {
            ("user-000001", "model", "model")
        }
        assert [r["belief"] for r in rows] == pytest.approx([stance_number(one) for one in SAID], abs=2e-6)
        assert [r["first"] for r in rows] == pytest.approx(
            [stance_number(one) for one in SAID[::-1]], abs=2e-6
        )
    last = [one for one in asked if one.place.lane == feed][-1].messages()[-1].text
    assert (
        "1. a steep tax on carbon (last time: firmly against)\n2. strict rent control (last time: in favour)"
        in last
    )


def test_an_article_of_week_1_is_in_a_prompt_of_week_2(ran: tuple[Log, list[PlacedQuestion]]) -> None:
    _, asked = ran
    pages = [one.question for one in asked if isinstance(one.question, FeedBrowse)]
    first = pages[0].page[1].headline
    assert first not in "".join(one.prompt() for one in pages[:1]).split(first, 1)[0]
    assert f'read "{first}"' in "\n".join(pages[1].last) and not pages[0].last
    later = [*(one.prompt() for one in pages[2:]), asked[-1].messages()[-1].text]
    assert any(f'in week 1 you read "{first}"' in prompt for prompt in later)
    assert 'in week 1 you thought: "The second one will do."' in pages[1].prompt()


@pytest.mark.parametrize(("policy", "weeks"), [("none", set()), ("window:2", {2})])
def test_what_was_read_is_gone_as_the_policy_has_it(policy: str, weeks: set[int], tmp_path: Path) -> None:
    run, asked = run_scripted(tmp_path / "run", BY_MODEL, f"memory={policy}", "config.beside=[]")
    run.close()
    last = asked[-2].question
    assert isinstance(last, FeedBrowse) and last.week == 2 and last.again
    assert {n for n in (1, 2) if f"in week {n} you" in last.prompt()} == weeks


def test_prompts_tell_facts_as_people_do(ran: tuple[Log, list[PlacedQuestion]]) -> None:
    log, asked = ran
    later = [place_after_run(after_run_question(log, one, "What of rents?"), one) for one in log.personas]
    assert any("in week 1 you read" in line for line in later[1].question.remembered)
    assert not later[0].question.remembered, "nothing is on record of who did what the crowd does"
    for kind in (FeedBrowse, Survey, AfterFeed):
        group = [one for one in (*asked, *later) if isinstance(one.question, kind)]
        found = {w for one in group for w in prompt_checks.find_misplaced_fields(one.question)}
        assert not [
            *found,
            *prompt_checks.find_leaks(group),
            *prompt_checks.find_untold_facts(group),
            *prompt_checks.find_unnatural_text(group),
        ]


def test_a_shadow_is_asked_in_words_and_moves_nothing(tmp_path: Path) -> None:
    plain, _ = run_scripted(tmp_path / "plain")
    shadowed, asked = run_scripted(tmp_path / "shadowed", "answers.shadow=model")
    with plain, shadowed:
        for table in ("impressions", "topics", "products"):
            one, other = (Log(run).columns(table) for run in (plain, shadowed))
            assert all(np.array_equal(one[name], other[name]) for name in one)
        assert set(Log(shadowed).columns("standings")["belief_by"]) == {"offline"}
    assert {one.question.kind for one in asked} == {FeedBrowse.kind} and all(
        one.question.page for one in asked
    )


def test_measures_and_the_table_show_both_apart(ran: tuple[Log, list[PlacedQuestion]]) -> None:
    log, _ = ran
    found = {name: one.value for name, one in CuratedFeed().metrics(log).items()}
    assert (found["users.by_model"], found["users.by_offline"]) == (1, 11)
    moved = 0.9 + 0.6
    assert found["drift.by_model"] == pytest.approx(np.hypot(moved, moved), abs=1e-5)
    whole = (found["drift.by_model"] + 11 * found["drift.by_offline"]) / 12
    assert whole == pytest.approx(found["drift"])
    assert found["click_rate.by_model"] == pytest.approx(1 / 6)
    assert (found["click_rate.by_model"] + 11 * found["click_rate.by_offline"]) / 12 == pytest.approx(
        found["click_rate"]
    )
    assert found["none/drift.by_offline"] == 0 and found["none/drift.by_model"] == found["drift.by_model"]
    assert "main (random), answered by model" in [row[0] for row in feeds(log).rows]


def test_no_two_items_of_a_page_have_the_same_words() -> None:
    items = synthetic(Draw(3, "items"), 400, ["climate"])
    items = type(items)(items.topics, items.theta, np.full(400, 0.5), np.zeros(400), items.arrival)

    def words(item: int, again: int) -> ItemWords:
        return word_item(items, item, again=again)

    for start in range(0, 400, 20):
        page = page_words(words, range(start, start + 20))
        assert len({one.headline for one in page}) == len({one.text for one in page}) == 20


@pytest.mark.parametrize(
    ("numbers", "words"), [((1,), "each number from 1 to 2"), ((1, 1), "each number"), ((2, 1), "")]
)
def test_a_survey_is_answered_on_every_topic(
    ran: tuple[Log, list[PlacedQuestion]], numbers: tuple[int, ...], words: str
) -> None:
    from openiir.core.asking import question_schema, read_reply
    from openiir.core.errors import UnusableAnswer

    question: Callable[..., Any] = next(one.question for one in ran[1] if isinstance(one.question, Survey))
    answers = question_schema(question)["properties"]["answers"]
    assert (answers["minItems"], answers["maxItems"], answers["items"]["properties"]["number"]["enum"]) == (
        2,
        2,
        [1, 2],
    )
    reply = json.dumps(
        {"thoughts": "", "answers": [{"number": n, "where_you_stand": "undecided"} for n in numbers]}
    )
    if words:
        with pytest.raises(UnusableAnswer, match=words):
            read_reply(reply, question)
    else:
        assert [one.number for one in read_reply(reply, question).answers] == [2, 1]
