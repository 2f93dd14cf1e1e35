"""What was met first is recalled where it is relevant, by the memory policy of the study or the persona."""

import asyncio
from collections.abc import Sequence
from pathlib import Path

import pytest
from answered_runs import run_answered

from openiir.core.asking import Answer, OfflineAnswerer, PlacedQuestion
from openiir.core.errors import InputError
from openiir.runs.interviews import interview
from openiir.runs.settings import Settings
from openiir.runs.study import load_study
from openiir.scenarios.conversational.views.interviewing import INTERVIEW
from openiir.testing.offline import run_offline

PLANTED = "The Quito ledger shows that language models should not replace human assessors."
ROUNDS = (
    '{name="opening", goal="Everyone says where they stand.", turns=3, until=["everyone-spoke"]}',
    '{name="last words", goal="Everyone says whether language models should replace assessors.", '
    'turns=3, until=["final-stances"]}',
)
PANEL = (
    'cast=["wen-zhao", "nora-feld", "dmitri-vance"]',
    "world.dimensions=16",
    "config.passages=2",
    f"config.shape={{round=[{', '.join(ROUNDS)}]}}",
)
VISITS = (
    "config.users=1",
    "config.visitors.persona=false",
    "config.page.most=3",
    "config.page.exits=false",
    "config.data.synthetic={users=60, items=90}",
    'config.systems=["ease"]',
)


class Planting(OfflineAnswerer):
    """Answers offline under a model's name; the first panelist to speak says what is planted."""

    name = label = "model"

    def __init__(self, asked: list[PlacedQuestion]) -> None:
        self.asked = asked

    async def answer(self, asked: PlacedQuestion) -> Answer:
        first = asked.question.kind == "panel.speak" and not any(
            one.question.kind == "panel.speak" for one in self.asked
        )
        self.asked.append(asked)
        answer = await super().answer(asked)
        return (
            self.wrap(answer.reply.model_copy(update={"text": PLANTED})) if first and answer.reply else answer
        )


def asked_in(study: str, sets: Sequence[str], folder: Path) -> list[PlacedQuestion]:
    """All that a model is asked in a study."""
    asked: list[PlacedQuestion] = []
    run_answered(study, ["answers=model", "model.name=any", *sets], folder / "run", Planting(asked)).close()
    return asked


@pytest.mark.parametrize(("policy", "remembered"), [("episodic", True), ("window:2", False), ("none", False)])
def test_what_a_panelist_heard_in_the_first_round(policy: str, remembered: bool, tmp_path: Path) -> None:
    asked = [
        one
        for one in asked_in("panel", [*PANEL, f"memory={policy}"], tmp_path)
        if one.question.kind == "panel.speak"
    ]
    speaker = asked[0].place.asker
    last = [one.question for one in asked if one.question.closing and one.place.asker != speaker]
    assert len(last) == 2
    assert all(any(PLANTED in note for note in question.notes) == remembered for question in last)
    assert all(
        sum(PLANTED in line for line in question.prompt().splitlines() if line.startswith("- ")) == remembered
        for question in last
    )


@pytest.mark.parametrize(("policy", "remembered"), [("episodic", True), ("window:2", False), ("none", False)])
def test_what_a_visitor_took_on_the_first_page(policy: str, remembered: bool, tmp_path: Path) -> None:
    asked = asked_in("recommender", [*VISITS, f"memory={policy}"], tmp_path)
    (third,) = [
        one.question for one in asked if one.question.kind == "recommender.act" and one.question.page == 3
    ]
    assert ("On the first page you took" in third.prompt()) == remembered
    assert any("On the second page you took" in line for line in third.visit) == (policy != "none")
    assert not any(one.question.kind == "recommender.reflect" for one in asked), (
        "none of these policies reflects"
    )


def test_a_visitor_reflects_by_its_policy(tmp_path: Path) -> None:
    kinds = {
        one.question.kind
        for one in asked_in(
            "recommender",
            [*VISITS, "memory=episodic+reflection", "config.visitors.reflection=false"],
            tmp_path,
        )
    }
    assert "recommender.reflect" in kinds


def test_a_user_of_dialogues_is_asked_afterwards(tmp_path: Path) -> None:
    ran = run_offline(
        "conversational",
        tmp_path,
        "config.dialogues=1",
        'config.systems=["random", "oracle"]',
        "config.judge.dialogues=0",
    )
    ((persona, answer, _),) = asyncio.run(
        interview(ran.folder, "all", "Which movie were you looking for?", Settings())
    )
    assert answer.reply is not None and answer.reply.answer.startswith(
        "What I told the services bears on that: "
    )
    question = INTERVIEW.question(ran.log, persona, "What did the oracle offer?")
    assert "random and oracle" in question.part
    assert {line.split(":")[0] for line in question.remembered} >= {
        "you said to oracle",
        "oracle said",
        "the dialogue with random ended",
    }
    ran.run.close()


def test_a_persona_goes_before_the_study_and_the_study_is_hashed_with_it() -> None:
    plain, named = load_study("panel"), load_study("panel", ["memory=none"])
    assert {p.memory for p in named.personas} == {"none"} and named.document() == plain.document()
    assert {p.memory for p in load_study("panel", ["memory=full"]).personas} == {"full"}
    assert {p.memory for p in load_study("recommender", ["config.users=3", "memory=window:9"]).personas} == {
        "window:9"
    }


def test_a_policy_that_is_none_is_refused_with_those_there_are() -> None:
    with pytest.raises(
        InputError, match=r"study.toml memory: no memory policy is called 'window'; write none, window:N"
    ):
        load_study("panel", ["memory=window"])


@pytest.mark.parametrize("study", ["panel", "curated_feed", "conversational"])
def test_reflection_is_refused_where_nobody_is_asked_to(study: str) -> None:
    with pytest.raises(InputError, match=r"never asked what they have learnt; name .episodic."):
        load_study(
            study, ["memory=episodic+reflection", *(["config.promoted=1"] if study == "curated_feed" else [])]
        )


SHARED = ("memory=shared:everybody",)
"""One memory for all."""


@pytest.mark.parametrize("study", ["recommender", "conversational"])
def test_one_memory_for_all_is_refused_where_agents_live_apart(study: str) -> None:
    with pytest.raises(
        InputError, match=r"live apart from each other and share nothing; name another policy"
    ):
        load_study(study, ["memory=shared:everybody", "config.users=3"] if study == "recommender" else SHARED)


def test_panelists_with_one_memory_recall_each_others_thoughts(tmp_path: Path) -> None:
    spoke = [
        one.question
        for one in asked_in("panel", [*PANEL, *SHARED, "cast=['wen-zhao', 'nora-feld']"], tmp_path)
        if one.question.kind == "panel.speak"
    ]
    notes = [note for question in spoke for note in question.notes]
    assert any(" remembers: " in note for note in notes)
    heard = [note for note in notes if " said" in note and " remembers: " not in note]
    assert heard, "what all heard is everybody's own"


def test_readers_of_a_feed_with_one_memory_are_told_of_each_others_pages(tmp_path: Path) -> None:
    small = (
        "config.users=12 config.weeks=2 config.sessions=2 config.topics=2 config.slots=6 config.candidates=6 "
        "config.audit_items=8 config.audit_users=3 config.items.per_week=40 config.beside=[] "
        "config.evaluate=[] config.promoted=3"
    )
    asked = asked_in("curated_feed", [*small.split(), *SHARED], tmp_path)
    pages = [one.question for one in asked if one.question.kind == "curated_feed.browse"]
    assert any(" remembers: " in note for page in pages for note in page.remembered)
    assert not any(" remembers: " in note for page in pages for note in page.last), (
        "the last visit is one's own"
    )
