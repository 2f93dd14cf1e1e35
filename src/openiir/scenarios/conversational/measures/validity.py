"""Comparison of simulated with human dialogues: length, words, acts, transitions, vocabulary, acceptance."""

from collections.abc import Callable, Container, Mapping, Sequence
from itertools import accumulate
from math import fsum
from statistics import fmean
from typing import Any, NamedTuple

import numpy as np

from openiir.kit.statistics import Estimate
from openiir.kit.statistics.estimate import percentile_interval
from openiir.plugin import Draw, Log, Measure, int_sum
from openiir.scenarios.conversational.measures.averages import order_names, resample_weights
from openiir.scenarios.conversational.measures.conduct import (
    act_counts,
    symmetric_kl,
    transition_distance,
    transitions,
)
from openiir.scenarios.conversational.measures.dialogue_rows import setting
from openiir.scenarios.conversational.measures.language import distinct_n, vocabulary_overlap
from openiir.scenarios.conversational.model.dialogue import (
    Utterance,
    build_utterance,
    load_utterances,
    spoken_words,
)
from openiir.scenarios.conversational.run.actions import FAILED, DialogueLogged, HumanDialogueLogged

Talk = Sequence[Utterance]
Counted = Callable[[Talk], Mapping[Any, float]]
Distance = Callable[[Any, Any], float]
"""Function from two counts to a distance."""
MOST = 2_000
"""Number of dialogues of a simulator, from the first on, that are compared."""
DRAWS = 500
TOKENS = 2_000
"""Maximum number of user tokens for the comparison of vocabularies; fewer if one side has less."""
NO_ACTS = "no act of people is known"


class ValidityResult(NamedTuple):
    """Result of one comparison between simulated and human dialogues."""

    what: str
    simulated: float
    """Mean over simulated dialogues; NaN for a distance."""
    people: float
    apart: Estimate
    """Difference of means, or distance, with a percentile bootstrap interval over dialogues."""
    halves: float = float("nan")
    """For a distance, its value between two halves of the human dialogues: the level expected by chance."""
    left_out: Mapping[str, float] = {}
    """For a distance of acts, the simulated acts that do not occur in human dialogues and were not compared,
    with their share."""


def compare_with_people(simulated: Sequence[Talk], people: Sequence[Talk]) -> list[ValidityResult]:
    """Compare simulated with human dialogues by each measure; [] if either side has none.

    Acts and transitions are compared over the acts that occur in people's dialogues, whose scheme may have no
    name for others. What people do and the simulator never does counts. Distances of resamples lie above that
    of the whole, so that an interval may lie above its value.
    """
    if not simulated or not people:
        return []
    means = [_compare_means(name, of, simulated, people) for name, of in MEANS.items()]
    return [*means, *_compare_acts(simulated, people), *_compare_wording(simulated, people)]


def likeness_by_simulator(log: Log) -> Mapping[str, list[ValidityResult]]:
    """Compare each simulator's dialogues, over all systems, with the human dialogues in the log.

    The result is empty without human dialogues. Failed dialogues are left out.
    """
    people = [load_utterances(event.payload["utterances"]) for event in log.events(HumanDialogueLogged.kind)]
    if not people:
        return {}
    found: dict[str, list[Talk]] = {}
    for event in log.events(DialogueLogged.kind):
        of = found.setdefault(event.payload["simulator"], [])
        if event.payload["end"] not in FAILED and len(of) < MOST:
            of.append(load_utterances(event.payload["utterances"]))
    simulators = order_names(setting(log).simulators, found)
    return {name: compare_with_people(found[name], people) for name in simulators}


def validity_measures(log: Log) -> dict[str, Measure]:
    """Compute `validity.RESPECT[SIMULATOR]`, the difference from human dialogues; {} without such dialogues.

    `validity.RESPECT.left-out[SIMULATOR]` is the share of simulated acts that are not compared.
    """
    found = {}
    for simulator, respects in likeness_by_simulator(log).items():
        for one in respects:
            why = one.apart.reason if np.isnan(one.apart.value) else None
            found[f"validity.{one.what}[{simulator}]"] = Measure(one.apart.value, why)
            if one.what in ACTS:
                found[f"validity.{one.what}.left-out[{simulator}]"] = Measure(fsum(one.left_out.values()))
    return found


def _words_a_turn(talk: Talk, speaker: str) -> float:
    return _mean([len(spoken_words(said.text)) for said in talk if said.speaker == speaker])


def _accepts(talk: Talk) -> float:
    if not any(said.acts for said in talk):
        return float("nan")
    return float(any(said.speaker == "user" and said.does("ACCEPT") for said in talk))


MEANS: Mapping[str, Callable[[Talk], float]] = {
    "turns": lambda talk: float(int_sum(said.speaker == "user" for said in talk)),
    "words.user": lambda talk: _words_a_turn(talk, "user"),
    "words.system": lambda talk: _words_a_turn(talk, "system"),
    "acts.turn": lambda talk: _mean([len(one.acts) for one in talk if one.speaker == "user" and one.acts]),
    "acceptance": _accepts,
}
"""Quantities averaged over dialogues: user turns, words per user and system turn, user acts per turn,
acceptance."""


def _compare_means(
    name: str, of: Callable[[Talk], float], simulated: Sequence[Talk], people: Sequence[Talk]
) -> ValidityResult:
    values = [
        np.array([value for talk in talks if (value := of(talk)) == value]) for talks in (simulated, people)
    ]
    if not all(len(column) for column in values):
        one, other = map(_mean, values)
        return ValidityResult(name, one, other, Estimate(float("nan"), reason=NO_ACTS))
    own, theirs = (_resample(column[:, None], n)[:, 0] / len(column) for n, column in enumerate(values))
    one, other = (float(column.mean()) for column in values)
    apart = percentile_interval(one - other, own - theirs, 0.95, "percentile bootstrap")
    return ValidityResult(name, one, other, apart)


def _compare_acts(simulated: Sequence[Talk], people: Sequence[Talk]) -> list[ValidityResult]:
    """Compute the distances between user act distributions and between act transitions."""
    found = []
    for name, (speaker, counted, distance) in ACTS.items():
        done, all_acts = act_counts(people, speaker), act_counts(simulated, speaker)
        apart = {act: count / all_acts.total() for act, count in sorted(all_acts.items()) if act not in done}
        comparable = [[_keep_acts(said, done) for said in talk] for talk in simulated]
        found.append(_distance(name, counted, distance, comparable, people)._replace(left_out=apart))
    return found


def _keep_acts(said: Utterance, names: Container[str]) -> Utterance:
    """Return the utterance with its acts of these names alone."""
    acts = (act for act, name in zip(said.acts, said.act_names, strict=True) if name in names)
    return build_utterance(said.speaker, said.text, acts)


def _distance(
    name: str, counted: Counted, distance: Distance, simulated: Sequence[Talk], people: Sequence[Talk]
) -> ValidityResult:
    counts = [[counted(talk) for talk in talks] for talks in (simulated, people)]
    names = sorted({key for talks in counts for one in talks for key in one})
    tables = [np.array([[one.get(key, 0.0) for key in names] for one in talks]) for talks in counts]
    if any(not table.any() for table in tables):
        return ValidityResult(name, np.nan, np.nan, Estimate(float("nan"), reason=NO_ACTS))

    def measure(one: np.ndarray, other: np.ndarray) -> float:
        both = (zip(names, sums.tolist(), strict=True) for sums in (one, other))
        first, second = ({name: count for name, count in counts if count} for counts in both)
        return distance(first, second)

    value = measure(*(table.sum(axis=0) for table in tables))
    resampled = zip(*(_resample(table, n) for n, table in enumerate(tables)), strict=True)
    draws = np.array([measure(*sums) for sums in resampled])
    split = [tables[1][n::2].sum(axis=0) for n in (0, 1)]
    halves = measure(*split) if all(half.any() for half in split) else float("nan")
    apart = percentile_interval(value, draws, 0.95, "percentile bootstrap")
    return ValidityResult(name, np.nan, np.nan, apart, halves)


def _resample(table: np.ndarray, side: int) -> np.ndarray:
    """Sum columns over resampled dialogues: (DRAWS, columns)."""
    draw = Draw(0, "conversational.validity", item=side)
    return np.concatenate([weights @ table for weights in resample_weights(len(table), draw, DRAWS)])


ACTS: Mapping[str, tuple[str | None, Counted, Distance]] = {
    "acts": ("user", lambda talk: act_counts([talk], "user"), symmetric_kl),
    "transitions": (
        None,
        lambda talk: transitions([talk]) if any(said.acts for said in talk) else {},
        transition_distance,
    ),
}
"""Distances between acts: the speaker (None for both), the counts of a dialogue, and the distance of two
counts."""


def _compare_wording(simulated: Sequence[Talk], people: Sequence[Talk]) -> list[ValidityResult]:
    """Compare the vocabulary and lexical diversity of users, on equally many tokens of all sides."""
    three = [_texts(simulated), _texts(people[::2]), _texts(people[1::2])]
    budget = min([TOKENS, *(int_sum(map(len, texts)) for texts in three)])
    if not budget:
        return []
    own, theirs, others = (_cut_to_budget(texts, budget) for texts in three)
    apart, halves = 1 - vocabulary_overlap(own, theirs), 1 - vocabulary_overlap(theirs, others)
    one, other = distinct_n(own, 2), distinct_n(theirs, 2)
    return [
        ValidityResult("vocabulary", np.nan, np.nan, Estimate(apart), halves),
        ValidityResult("distinct-2", one, other, Estimate(one - other)),
    ]


def _texts(talks: Sequence[Talk]) -> list[list[str]]:
    return [spoken_words(said.text) for talk in talks for said in talk if said.speaker == "user"]


def _cut_to_budget(texts: Sequence[Sequence[str]], budget: int) -> list[Sequence[str]]:
    before = accumulate((len(text) for text in texts), initial=0)
    return [text[: budget - used] for text, used in zip(texts, before, strict=False) if used < budget]


def _mean(values: Sequence[float] | np.ndarray) -> float:
    return fmean(values) if len(values) else float("nan")
