"""Persona matching (SimUSER, phase 1): score candidate personas on rating histories and keep the best.

Candidates are scored on the user's history and on others'.
Equation 2 of the paper: what a candidate gives the user's own subsets minus what it gives other users'. Sums
would weigh 30 others ten times as heavily as 3 subsets of one's own, so means are taken.
"""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from openiir.kit.items.ratings import Floats
from openiir.plugin import Agent, Draw, Lane, first_largest, quantise
from openiir.scenarios.recommender.model.persona.histories import Histories
from openiir.scenarios.recommender.model.persona.inference import shipped_coefficients
from openiir.scenarios.recommender.model.persona.taste_words import taste_in_words
from openiir.scenarios.recommender.model.persona.traits import PersonaCandidate, candidate_of_codes
from openiir.scenarios.recommender.questions.matching import (
    Agree,
    DescribeTaste,
    Guess,
    draw_candidates,
    draw_uniforms,
)

CANDIDATES = 10
"""Number of personas proposed for a user, before duplicates are merged (SimUSER: 5 in its section 3.1, 10 in
its appendix B)."""


class ScoredCandidate(NamedTuple):
    """A candidate persona with its score by equation 2; NaN without ratings."""

    persona: PersonaCandidate
    score: float


class PersonaMatch(NamedTuple):
    """The persona matched to a user, with all candidates and their scores."""

    user: int
    taste: str
    """Summary of the user's taste; empty where no usable one came."""
    candidates: tuple[ScoredCandidate, ...]
    """Candidates in the order in which they were proposed."""
    persona: PersonaCandidate | None
    """Candidate of the highest score, the first of equals; None where none was both proposed and scored."""
    calls: int
    """Number of questions asked: 1 + candidates + subsets + others."""


async def match_personas(
    lane: Lane,
    asker: Agent | str,
    users: Mapping[int, str],
    histories: Histories,
) -> list[PersonaMatch]:
    """Match a persona to each user by questions to a model, in three rounds for all users at once.

    `users` maps index to id, in the order wanted.
    Whoever the study lets answer `recommender.taste`, `recommender.persona` and `recommender.match` is asked.
    A lone candidate is not scored against anybody: it is chosen anyway, and its score is NaN. Raises
    InputError where a user has no training ratings.
    """
    shown = {user: histories.sample(user) for user in users}
    summaries = await lane.ask_all([(asker, DescribeTaste(shown[user], id)) for user, id in users.items()])
    tastes = {user: reply.summary if reply else "" for user, reply in zip(users, summaries, strict=True)}
    places = [(user, n) for user in users for n in range(CANDIDATES)]
    guesses = await lane.ask_all(
        [(asker, Guess(shown[user], tastes[user], users[user], n)) for user, n in places]
    )
    named: dict[int, list[PersonaCandidate]] = {user: [] for user in users}
    for (user, _), guess in zip(places, guesses, strict=True):
        if guess is not None and guess.candidate not in named[user]:
            named[user].append(guess.candidate)
    questions = {
        user: _ask_to_score(histories, user, users[user], tastes[user], named[user]) for user in users
    }
    replies = iter(await lane.ask_all([(asker, one) for own in questions.values() for one in own]))
    done: list[PersonaMatch] = []
    for user, asked in questions.items():
        ratings = np.full((len(asked), len(named[user])), np.nan)
        for row, reply in zip(ratings, replies, strict=False):
            if reply is not None:
                row[:] = [one.likely for one in sorted(reply.people, key=lambda one: one.number)]
        scores = score_candidates(ratings.T, histories.subsets)
        done.append(_choose(user, tastes[user], named[user], scores, 1 + CANDIDATES + len(asked)))
    return done


def _ask_to_score(
    histories: Histories, user: int, id: str, taste: str, candidates: Sequence[PersonaCandidate]
) -> list[Agree]:
    """Build the questions that score a user's candidates, own subsets first; none for a lone candidate."""
    if len(candidates) < 2:
        return []
    people = tuple(one.words() for one in candidates)
    samples = {f"own {n}": histories.sample(user, n) for n in range(histories.subsets)}
    samples |= {f"other {other}": histories.sample(other, 0) for other in histories.other_users(user)}
    return [Agree(people, items, taste, id, name, tuple(candidates)) for name, items in samples.items()]


def match_offline(
    users: Mapping[int, str],
    histories: Histories,
    draw: Draw,
) -> list[PersonaMatch]:
    """Match personas as `match_personas` does offline, vectorised over users.

    `draw` names the asker's answers to `recommender.persona`: `Draw(seed, Guess.kind, agent=asker,
    step=step)`.
    """
    coefficients, chosen = shipped_coefficients(), list(users)
    names = [f"{id}/{n}" for id in users.values() for n in range(CANDIDATES)]
    codes = draw_candidates(
        coefficients.posterior(histories.features()[chosen]),
        np.repeat(np.arange(len(chosen)), CANDIDATES),
        np.array([draw_uniforms(draw.at(item=name)) for name in names]),
    )
    drawn = codes.reshape(len(chosen), CANDIDATES, -1)
    # The posterior of each subset is computed once, for all users.
    own = [coefficients.posterior(histories.features(n)[chosen]) for n in range(histories.subsets)]
    anyone = coefficients.posterior(histories.features(0))
    done: list[PersonaMatch] = []
    for row, user in enumerate(chosen):
        sample = histories.sample(user)
        first = np.unique(drawn[row], axis=0, return_index=True)[1]
        distinct = drawn[row][np.sort(first)]
        scores, calls = np.full(1, np.nan), 1 + CANDIDATES
        if len(distinct) > 1:
            others = np.array(histories.other_users(user), dtype=np.int64)
            here = np.full(len(distinct), row)
            mine = [coefficients.rating(posterior, here, distinct) for posterior in own]
            theirs = coefficients.rating(anyone, others[None, :], distinct[:, None, :])
            ratings = np.column_stack([*mine, theirs]).astype(np.float64)
            scores = score_candidates(ratings, histories.subsets)
            calls += histories.scored_subsets
        personas = [candidate_of_codes(one) for one in distinct]
        done.append(_choose(user, taste_in_words(sample), personas, scores, calls))
    return done


def score_candidates(ratings: Floats, own: int) -> Floats:
    """Score personas, (candidates,): mean rating on the user's own subsets minus that on other users'.

    NaN where a side has no rating.
    """
    if not ratings.size:
        return np.full(len(ratings), np.nan)
    sides = ratings[:, :own], ratings[:, own:]
    with np.errstate(invalid="ignore"):
        means = [np.nansum(side, axis=1) / np.sum(~np.isnan(side), axis=1) for side in sides]
    return np.asarray(quantise(means[0] - means[1]))


def _choose(
    user: int, taste: str, personas: Sequence[PersonaCandidate], scores: Floats, calls: int
) -> PersonaMatch:
    scored = tuple(map(ScoredCandidate, personas, scores.tolist()))
    if len(personas) == 1:
        return PersonaMatch(user, taste, scored, personas[0], calls)
    unknown = np.isnan(scores)
    best = None if unknown.all() else personas[int(first_largest(np.where(unknown, -np.inf, scores)))]
    return PersonaMatch(user, taste, scored, best, calls)
