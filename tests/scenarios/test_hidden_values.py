"""No question holds what its answerer could not know: whole runs are asked again with such values changed.

Held-out labels are turned round on their scale, so that each changes but the middle one.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields, replace
from functools import cached_property, partial
from importlib import import_module
from typing import Any

import numpy as np
import pytest
from prompts_asked import asked_in

from openiir.core.asking import PlacedQuestion
from openiir.kit.items import DataSet, Ratings, split
from openiir.scenarios.conversational.behaviour.needs import NeedSampler
from openiir.scenarios.conversational.model.taste import UserTaste
from openiir.scenarios.conversational.run import setup as conversational
from openiir.scenarios.curated_feed.questions.feed_questions import FeedBrowse
from openiir.scenarios.curated_feed.run import impressions
from openiir.scenarios.curated_feed.run import setup as feed
from openiir.scenarios.recommender.model import attraction
from openiir.scenarios.recommender.run import data as recommender
from openiir.scenarios.recommender.run import visit_questions
from openiir.scenarios.recommender.run.study_context import StudyContext
from openiir.testing.probing import pick_evenly
from openiir.testing.prompt_checks import messages_sent, unusable_replies

FEED = (
    *"config.users=30 config.promoted=3 config.weeks=2 config.topics=3 config.evaluate=[]".split(),
    'config.beside=["random", "none"]',
)
TALKS = (
    *"config.dialogues=3 config.turns=6 config.judge.dialogues=1".split(),
    'config.systems=["attribute", "prompted"]',
    "config.data.synthetic={users=30, items=60}",
)
BY_RATINGS = (*TALKS, 'config.needs={source="ratings", stars=3.0}')
FEW = ("config.users=2", "config.data.synthetic={users=60, items=90}", 'config.systems=["ease"]')
VISITS = (*FEW, "config.page={most=5, exits=false}", "config.judge.visits=1")
TASKS = tuple(
    (
        "recommender",
        (
            *FEW,
            "config.visitors.persona=false",
            f"config.experiment={experiment}",
            f"config.{experiment}={{{sizes}}}",
        ),
    )
    for experiment, sizes in (
        ("discrimination", "least=2, items=4, negatives=[1]"),
        ("rating", "unknown=true, items=4"),
        ("coherence", "requests=1"),
    )
)
RATED = (("recommender", VISITS), *TASKS, ("conversational", TALKS), ("conversational", BY_RATINGS))
"""Studies whose data have ratings held out."""
COHERENCE = import_module("openiir.scenarios.recommender.run.experiments.coherence")
EXEMPT: Sequence[tuple[Any, str, str]] = (
    (
        UserTaste,
        "stars",
        "what a user makes of an item that it has not had yet is its held-out rating of that one item",
    ),
    (
        NeedSampler,
        "_liked_mask",
        'needs of source = "ratings" are drawn around held-out items that their user liked',
    ),
    (COHERENCE, "_draw_wishes", "what a visitor asks for are the genres of a held-out item that it liked"),
)
"""Where a held-out label may act: as what its own user wants, or makes of that very item."""
Change = Callable[[pytest.MonkeyPatch], None]


def messages(
    asked: Mapping[str, Sequence[PlacedQuestion]], wrong: Mapping[str, Sequence[str]]
) -> dict[str, list[Any]]:
    """All that is sent of each question, by kind: both forms, the schema and the repairs of wrong replies."""
    return {kind: [messages_sent(one, wrong[kind]) for one in group] for kind, group in asked.items()}


def records(asked: Mapping[str, Sequence[PlacedQuestion]]) -> dict[str, list[Any]]:
    """By kind, the place, facts and dispositions, and the offline reply of each question."""
    return {
        kind: [
            (
                one.place,
                [getattr(one.question, f.name) for f in fields(one.question) if f.name != "behaviour"],
                one.question.offline(one.draw),
            )
            for one in group
        ]
        for kind, group in asked.items()
    }


def wrong_replies(asked: Mapping[str, Sequence[PlacedQuestion]]) -> dict[str, list[str]]:
    """By kind, a few replies that have to be repaired."""
    return {kind: pick_evenly(unusable_replies(group[:1]), 4) for kind, group in asked.items()}


def assert_blind(
    monkeypatch: pytest.MonkeyPatch,
    study: str,
    sets: Sequence[str],
    plain: dict[str, list[PlacedQuestion]],
    change: Change,
) -> None:
    """Both records, and all that is sent, are the same in a run with the values changed."""
    wrong = wrong_replies(plain)
    with monkeypatch.context() as patch:
        change(patch)
        found = asked_in(study, sets)
        assert_same(records(found), records(plain))
        assert_same(messages(found, wrong), messages(plain, wrong))


def assert_untold(
    monkeypatch: pytest.MonkeyPatch,
    study: str,
    sets: Sequence[str],
    plain: dict[str, list[PlacedQuestion]],
    change: Change,
) -> None:
    """All that is sent is the same where replies are kept: the behaviour model's own would change."""
    wrong = wrong_replies(plain)
    replies = {one.place: one.question.offline(one.draw) for group in plain.values() for one in group}
    with monkeypatch.context() as patch:
        change(patch)
        assert_same(messages(asked_in(study, sets, replies), wrong), messages(plain, wrong))


def assert_same(found: Mapping[str, Any], before: Mapping[str, Any]) -> None:
    assert [kind for kind in before if found.get(kind) != before[kind]] == [], (
        "questions of these kinds have changed"
    )
    assert found.keys() == before.keys()


# What is changed


def turned(ratings: Ratings, where: Any = True) -> Ratings:
    """Ratings turned round on their scale."""
    other = ratings.scale.low + ratings.scale.high - ratings.value
    return replace(ratings, value=np.where(where, other, ratings.value))


def turn_held_out(monkeypatch: pytest.MonkeyPatch) -> None:
    """Held-out labels, in the data set and so in its split; users keep to what they may know of theirs."""
    for module, shares in ((recommender, (0.1, 0.1)), (conversational, (0.0, 0.2))):
        monkeypatch.setattr(module, "load", partial(load_turned, module.load, shares))
    for owner, name, _ in EXEMPT:
        monkeypatch.setattr(owner, name, seeing_true_labels(getattr(owner, name)))


def load_turned(load: Callable[..., DataSet], shares: tuple[float, float], *given: Any) -> DataSet:
    """A data set whose ratings in the test part of the split are turned; a split does not look at values."""
    data = load(*given)
    test = split(data.ratings, 42, *shares).test
    return replace(data, ratings=turned(data.ratings, np.isin(data.ratings.pairs, test.pairs)))


def seeing_true_labels(reader: Any) -> Any:
    """A function, or cached property, of what holds ratings, which sees the labels as they were."""

    def seeing(holder: Any, *given: Any) -> Any:
        if isinstance(holder, StudyContext):
            split = replace(holder.split, test=turned(holder.split.test))
            return reader(replace(holder, split=split), *given)
        true = replace(holder, tastes=replace(holder.tastes, held_out=turned(holder.tastes.held_out)))
        return reader.func(true) if isinstance(reader, cached_property) else reader(true)

    return property(seeing) if isinstance(reader, cached_property) else seeing


def turn_oracle(monkeypatch: pytest.MonkeyPatch) -> None:
    """What the oracle says of each item served, and how likely a click was."""
    cosine = impressions.cosine_to_items
    monkeypatch.setattr(impressions, "cosine_to_items", lambda *given: -cosine(*given))


def turn_crowd(monkeypatch: pytest.MonkeyPatch) -> None:
    """What everybody believes but the promoted users."""
    drawn = feed.first_beliefs

    def others_turned(config: Any, *given: Any) -> Any:
        start = drawn(config, *given)
        start[config.promoted :] *= -1
        return start

    monkeypatch.setattr(feed, "first_beliefs", others_turned)


def swap_targets(monkeypatch: pytest.MonkeyPatch) -> None:
    """Which items would do."""
    made = NeedSampler._wish

    def swapped(self: NeedSampler, number: int, taste: Any, need: Any, targets: Sequence[int]) -> Any:
        others = [(one + 1) % len(self.facets.collection) for one in targets]
        return made(self, number, taste, need, others)

    monkeypatch.setattr(NeedSampler, "_wish", swapped)
    monkeypatch.setattr(conversational, "_draw_needs", conversational._draw_needs.__wrapped__)


def shuffle_fitted(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is expected of items, dealt out anew: where it is a visitor's, what drew most now draws least."""
    of, expected, clicks = (
        attraction.AttractionModel.of,
        UserTaste.expected_rating,
        FeedBrowse.answer_columns.__func__,
    )

    def dealt(rows: Any) -> Any:
        found = np.empty_like(rows)
        np.put_along_axis(found, rows.argsort(axis=1), -np.sort(-rows, axis=1), axis=1)
        return found

    def shuffled(self: attraction.AttractionModel, users: Any) -> attraction.Attraction:
        plain = of(self, users)
        return attraction.Attraction(dealt(plain.pull), dealt(plain.expected))

    monkeypatch.setattr(attraction.AttractionModel, "of", shuffled)
    monkeypatch.setattr(
        UserTaste, "expected_rating", lambda self, item: expected(self, (item + 1) % len(self.tastes.pairs))
    )
    monkeypatch.setattr(conversational, "_draw_needs", conversational._draw_needs.__wrapped__)

    def other_items(cls: Any, columns: Any, draw: Any, behaviour: Any) -> Any:
        items = columns["items"]
        return clicks(cls, {**columns, "items": items - (items > 0)}, draw, behaviour)

    monkeypatch.setattr(FeedBrowse, "answer_columns", classmethod(other_items))


# The tests


@pytest.mark.parametrize(("study", "sets"), RATED)
def test_held_out_labels_reach_no_question_and_fitted_numbers_no_prompt(
    study: str, sets: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(visit_questions, "FAR_MORE", -9.0)  # so that visitors go back to what drew them
    plain = asked_in(study, sets)
    assert_blind(monkeypatch, study, sets, plain, turn_held_out)
    assert_untold(monkeypatch, study, sets, plain, shuffle_fitted)


def test_a_feed_user_knows_no_oracle_no_other_mind_and_no_number_of_an_item(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    plain = asked_in("curated_feed", FEED)
    assert_blind(monkeypatch, "curated_feed", FEED, plain, turn_oracle)
    assert_blind(monkeypatch, "curated_feed", FEED, plain, turn_crowd)
    assert_untold(monkeypatch, "curated_feed", FEED, plain, shuffle_fitted)


def test_nobody_in_a_dialogue_knows_which_items_would_do(monkeypatch: pytest.MonkeyPatch) -> None:
    assert_blind(monkeypatch, "conversational", TALKS, asked_in("conversational", TALKS), swap_targets)
