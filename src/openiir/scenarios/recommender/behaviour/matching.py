"""Persona matching (SimUSER, phase 1): score candidate personas on rating histories and keep the best.

Candidates are scored on the user's history and on others'.
Equation 2 of the paper: what a candidate gives the user's own subsets minus what it gives other users'. Sums
would weigh 30 others ten times as heavily as 3 subsets of one's own, so means are taken.
"""

import math
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from openiir.kit.items.ratings import Floats
from openiir.plugin import Agent, Draw, Lane, first_largest, quantise
from openiir.scenarios.recommender.model.persona.histories import Histories
from openiir.scenarios.recommender.model.persona.inference import shipped_coefficients
from openiir.scenarios.recommender.model.persona.samples import RatingSample
from openiir.scenarios.recommender.model.persona.taste_words import taste_in_words
from openiir.scenarios.recommender.model.persona.traits import PersonaCandidate, candidate_of_codes
from openiir.scenarios.recommender.questions.matching import (
    Agree,
    Agreements,
    DescribeTaste,
    Guess,
    draw_candidates,
    draw_uniforms,
)

CANDIDATES = 10
"""Number of personas proposed for a user, before duplicates are merged (SimUSER: 5 in its section 3.1, 10 in
its appendix B)."""


class Scored(NamedTuple):
    """A candidate persona with its score by equation 2; NaN without ratings."""

    persona: PersonaCandidate
    score: float


class PersonaMatch(NamedTuple):
    """The persona matched to a user, with all candidates and their scores."""

    user: int
    taste: str
    """Summary of the user's taste; empty where no usable one came."""
    candidates: tuple[Scored, ...]
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
    """Match personas to users by questions to the answerer, for all users in three rounds.

    `users` maps index to id, in the order wanted.
    Whoever the study lets answer `recommender.taste`, `recommender.persona` and `recommender.match` is asked.
    A lone candidate is not scored against anybody: it is chosen anyway, and its score is NaN. Raises
    InputError where a user has no training ratings.
    """
    shown = {user: histories.sample(user) for user in users}
    tasted = [(asker, DescribeTaste(shown[user], id)) for user, id in users.items()]
    summaries = await lane.ask_all(tasted)
    tastes = {user: reply.summary if reply else "" for user, reply in zip(users, summaries, strict=True)}
    places = [(user, n) for user in users for n in range(CANDIDATES)]
    guessed = [(asker, Guess(shown[u], tastes[u], users[u], n)) for u, n in places]
    guesses = await lane.ask_all(guessed)
    named: dict[int, list[PersonaCandidate]] = {user: [] for user in users}
    for (user, _), guess in zip(places, guesses, strict=True):
        if guess is not None and guess.candidate not in named[user]:
            named[user].append(guess.candidate)
    against = {user: _samples_against(histories, user) for user in users if len(named[user]) > 1}
    asked = [
        (
            asker,
            Agree(
                people=tuple(one.words() for one in named[user]),
                shown=items,
                taste=tastes[user],
                user=users[user],
                against=name,
                candidates=tuple(named[user]),
            ),
        )
        for user, sets in against.items()
        for name, items in sets.items()
    ]
    replies = iter(await lane.ask_all(asked))
    done: list[PersonaMatch] = []
    for user in users:
        count = len(against.get(user, ()))
        ratings = np.array(
            [_read_ratings(next(replies), len(named[user])) for _ in range(count)], dtype=np.float64
        )
        by_candidate = ratings.reshape(count, len(named[user])).T
        scores = score_candidates(by_candidate, histories.subsets)
        done.append(_choose(user, tastes[user], named[user], scores, 1 + CANDIDATES + count))
    return done


def _read_ratings(reply: Agreements | None, candidates: int) -> list[float]:
    """Read a reply's ratings in the order of the candidates; NaN for a missing reply."""
    if reply is None:
        return [math.nan] * candidates
    return [float(one.likely) for one in sorted(reply.people, key=lambda one: one.number)]


def match_offline(
    users: Mapping[int, str],
    histories: Histories,
    draw: Draw,
) -> list[PersonaMatch]:
    """Match personas as `match_personas` does when all questions are answered offline, but in arrays.

    `draw` names the asker's answers to `recommender.persona`: `Draw(seed, Guess.kind, agent=asker,
    step=step)`.
    """
    chosen = np.array(list(users), dtype=np.int64)
    shown = [histories.sample(user) for user in users]
    named = _draw_offline(users, histories, draw)
    scores = _score_offline(chosen, named, histories)
    done: list[PersonaMatch] = []
    for user, sample, codes, score in zip(users, shown, named, scores, strict=True):
        personas = [candidate_of_codes(one) for one in codes]
        against = histories.held_against if len(personas) > 1 else 0
        calls = 1 + CANDIDATES + against
        done.append(_choose(user, taste_in_words(sample), personas, score, calls))
    return done


def score_candidates(ratings: Floats, own: int) -> Floats:
    """Score candidates, (candidates,): mean rating on own subsets minus that on others'.

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
    scored = tuple(map(Scored, personas, scores.tolist()))
    if len(personas) == 1:
        return PersonaMatch(user, taste, scored, personas[0], calls)
    unknown = np.isnan(scores)
    best = None if unknown.all() else personas[int(first_largest(np.where(unknown, -np.inf, scores)))]
    return PersonaMatch(user, taste, scored, best, calls)


def _samples_against(histories: Histories, user: int) -> dict[str, RatingSample]:
    """List the samples by name on which a candidate is scored: the user's own subsets first."""
    own = {f"own {n}": histories.sample(user, n) for n in range(histories.subsets)}
    return own | {f"other {other}": histories.sample(other, 0) for other in histories.other_users(user)}


def _draw_offline(users: Mapping[int, str], histories: Histories, draw: Draw) -> list[np.ndarray]:
    """Draw each user's distinct candidates as codes, in the order drawn."""
    posterior = shipped_coefficients().posterior(histories.features()[list(users)])
    rows = np.repeat(np.arange(len(users)), CANDIDATES)
    names = [f"{id}/{n}" for id in users.values() for n in range(CANDIDATES)]
    codes = draw_candidates(posterior, rows, np.array([draw_uniforms(draw.at(item=name)) for name in names]))
    found = []
    for one in codes.reshape(len(users), CANDIDATES, -1):
        _, first = np.unique(one, axis=0, return_index=True)
        found.append(one[np.sort(first)])
    return found


def _score_offline(users: np.ndarray, named: Sequence[np.ndarray], histories: Histories) -> list[Floats]:
    """Score each user's candidates by equation 2; NaN where there is only one.

    Each subset's posterior is computed once.
    """
    coefficients = shipped_coefficients()
    own = [coefficients.posterior(histories.features(n)[users]) for n in range(histories.subsets)]
    anyone = coefficients.posterior(histories.features(0))
    found = []
    for row, (user, codes) in enumerate(zip(users.tolist(), named, strict=True)):
        if len(codes) == 1:
            found.append(np.full(1, np.nan))
            continue
        others = np.array(histories.other_users(user), dtype=np.int64)
        here = np.full(len(codes), row)
        mine = [coefficients.rating(posterior, here, codes) for posterior in own]
        theirs = coefficients.rating(
            anyone,
            np.repeat(others[None, :], len(codes), axis=0),
            codes[:, None, :].repeat(len(others), axis=1),
        )
        found.append(score_candidates(np.column_stack([*mine, theirs]).astype(np.float64), histories.subsets))
    return found
