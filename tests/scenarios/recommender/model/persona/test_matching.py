import asyncio
from dataclasses import replace

import numpy as np
import pytest

from openiir.core.agents.answer_router import AnswerRouter
from openiir.core.asking import Answer, AnswererChoice, OfflineAnswerer
from openiir.plugin import Draw, InputError, Lane
from openiir.scenarios.recommender.behaviour import matching
from openiir.scenarios.recommender.behaviour.matching import match_offline, match_personas, score_candidates
from openiir.scenarios.recommender.model.persona.traits import PersonaCandidate
from openiir.scenarios.recommender.questions.matching import (
    Agree,
    Agreement,
    Agreements,
    DescribeTaste,
    Guess,
    Portrait,
    TasteSummary,
)
from openiir.testing import probing

USERS = {n: f"u{n}" for n in range(11, -1, -1)}
KINDS = ("recommender.taste", "recommender.persona", "recommender.match")


class Told:
    """Answers as a function of the question; a `None` is a failure."""

    name, label, waits = "model", "model:told", False

    def __init__(self, of):
        self.of = of

    async def answer(self, asked):
        return Answer(self.of(asked.question), "model")


def lane_of(answer=None, seed=7):
    choice = AnswererChoice(default="model" if answer else "offline")
    answerers = {"offline": OfflineAnswerer(), **({"model": Told(answer)} if answer else {})}
    lane = Lane("main", AnswerRouter(seed, choice, answerers), None)
    lane.begin(1)
    return lane


def matched(histories, users=USERS, answer=None):
    lane = lane_of(answer)
    asked = []
    lane.answering.watch = lambda batch, answers: asked.extend(batch)
    return asyncio.run(match_personas(lane, "matcher", users, histories)), asked, lane


def plain(found):
    """NaN equal to NaN."""
    return [repr(one) for one in found]


@pytest.mark.parametrize("candidates", [10, 4, 1])
def test_arrays_give_what_asking_gives(histories, candidates, monkeypatch):
    monkeypatch.setattr(matching, "CANDIDATES", candidates)
    found, asked, _ = matched(histories)
    fast = match_offline(USERS, histories, Draw(7, Guess.kind, agent="matcher", step=1))
    assert plain(found) == plain(fast)
    assert sum(one.calls for one in found) == len(asked)


def test_users_are_matched_alike_alone_and_together(histories):
    draw = Draw(7, Guess.kind, agent="matcher", step=1)
    together = match_offline(USERS, histories, draw)
    assert plain(together[:1]) == plain(match_offline({11: "u11"}, histories, draw))


def test_offline_leaves_no_trace(histories):
    _, asked, lane = matched(histories)
    assert asked and not lane.rows.events


def test_calls_are_one_for_taste_one_a_candidate_and_one_a_subset_for_all(histories):
    found, asked, _ = matched(histories, users={8: "u8"})
    assert len({c.persona for c in found[0].candidates}) == len(found[0].candidates) > 1
    kinds = [one.question.kind for one in asked]
    assert [kinds.count(kind) for kind in KINDS] == [1, 10, histories.scored_subsets]
    assert found[0].calls == len(asked) == 1 + 10 + 8


def test_the_highest_score_wins_and_the_first_of_equals(histories):
    def answer(question):
        if isinstance(question, DescribeTaste):
            return TasteSummary(summary="You like what is good.")
        if isinstance(question, Guess):
            return Portrait.of(persona(1 + question.number % 3))
        own = question.against.startswith("own")
        return likely(question, lambda one: 10 if own and one.openness > 1 else 3)

    found, asked, _ = matched(histories, users={8: "u8"}, answer=answer)
    (one,) = found
    assert [c.persona.openness for c in one.candidates] == [1, 2, 3]
    assert [c.score for c in one.candidates] == [0, 7, 7]
    assert one.persona is one.candidates[1].persona
    assert one.calls == 1 + 10 + 8
    assert all("You like what is good." in a.question.prompt() for a in asked[1:])


def test_failures_are_left_out_and_never_guessed(histories):
    def answer(question):
        if isinstance(question, Guess):
            number = question.number
            return None if number < 8 else Portrait.of(persona(number - 7))
        if isinstance(question, Agree):
            return None if question.against == "own 0" else likely(question, lambda one: 4 + one.openness)
        return None

    (one,), _, _ = matched(histories, users={8: "u8"}, answer=answer)
    assert one.taste == "" and [c.score for c in one.candidates] == [0, 0] and one.persona == persona(1)
    (none,), _, _ = matched(histories, users={8: "u8"}, answer=lambda question: None)
    assert none.persona is None and none.candidates == () and none.calls == 11
    unscored = lambda question: None if isinstance(question, Agree) else answer(question)  # noqa: E731
    (unscored_one,), _, _ = matched(histories, users={8: "u8"}, answer=unscored)
    assert unscored_one.persona is None and len(unscored_one.candidates) == 2


def test_a_lone_candidate_is_chosen_without_being_scored(histories):
    (one,), asked, _ = matched(
        histories, users={8: "u8"}, answer=lambda q: Portrait.of(persona(2)) if isinstance(q, Guess) else None
    )
    assert one.persona == persona(2) and one.calls == len(asked) == 11


def test_equation_2_against_a_loop():
    generator = np.random.default_rng(1)
    ratings = generator.integers(1, 11, (4, 9)).astype(float)
    ratings[1, 2] = ratings[2, 5] = np.nan
    ratings[3, :3] = np.nan
    for row, found in zip(ratings, score_candidates(ratings, 3), strict=True):
        own, others = ([r for r in side if r == r] for side in (row[:3], row[3:]))
        if not own or not others:
            assert np.isnan(found)
            continue
        assert found == pytest.approx(np.mean(own) - np.mean(others), abs=1e-5)


def test_bad_input_is_told(histories):
    with pytest.raises(InputError, match="no training ratings"):
        match_offline({12: "u12"}, histories, Draw(7, Guess.kind))


def test_questions_keep_the_contract(histories, monkeypatch):
    monkeypatch.setattr(matching, "CANDIDATES", 3)
    _, asked, _ = matched(replace(histories, others=2), {9: "u9", 5: "u5", 0: "u0"})
    groups = probing.group_by_kind(asked)
    assert sorted(groups) == sorted(KINDS)
    for group in groups.values():
        assert not probing.batch_differs(group)
        for one in group:
            assert not probing.find_unbounded(one.question)
            assert probing.explain_unusable(one) is None
            assert probing.explain_impure(one) is None


def test_prompts_show_nothing_of_the_data_sets_users(histories):
    _, asked, _ = matched(histories, users={8: "secret-id"})
    assert not [one for one in asked if "secret-id" in one.question.prompt()]


def persona(openness):
    rest = dict.fromkeys(("conscientiousness", "extraversion", "agreeableness", "neuroticism"), 2)
    return PersonaCandidate(age="25-34", occupation="writer", openness=openness, **rest)


def likely(question, of):
    people = question.candidates
    return Agreements(people=tuple(Agreement(number=n, likely=of(one)) for n, one in enumerate(people, 1)))
