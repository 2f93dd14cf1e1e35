"""Metrics of a dialogue's outcome: success, turns, recall of targets, accepted rounds, reward."""

import math
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import pairwise
from statistics import fmean

from openiir.kit.statistics.statistic import Statistic, Undefined
from openiir.scenarios.conversational.model.dialogue import Act, Utterance


@Statistic
def recall_at(items: Sequence[str], targets: Collection[str], k: int) -> float:
    """Compute the share of targets among the first k different items, 0 to 1."""
    wanted = set(targets)
    if not wanted:
        raise Undefined("no item is a target")
    return len(wanted & set(list(dict.fromkeys(items))[:k])) / len(wanted)


def target_rank(offers: Iterable[Sequence[str]], targets: Collection[str]) -> float:
    """Return the number of different items recommended up to the first target; NaN without a target.

    An item without an id ("", one that is not in the catalogue) counts each time, since it was read.
    """
    everything = enumerate(item for offer in offers for item in offer)
    read = dict.fromkeys((item, None if item else place) for place, item in everything)
    return next((float(rank) for rank, (item, _) in enumerate(read, 1) if item in targets), math.nan)


@Statistic
def reciprocal_rank(offers: Iterable[Sequence[str]], targets: Collection[str]) -> float:
    """Compute 1 / `target_rank`, or 0 without a target; the mean is MRR (Voorhees, TREC-8, 1999)."""
    if not targets:
        raise Undefined("no item is a target")
    rank = target_rank(offers, targets)
    return 0.0 if math.isnan(rank) else 1 / rank


def turns_to_target(offers: Iterable[tuple[int, Sequence[str]]], targets: Collection[str]) -> float:
    """Return the turn of the first recommendation with a target; NaN if there is none.

    `offers` holds (turn, items).
    """
    wanted = set(targets)
    return next((float(turn) for turn, items in offers if not wanted.isdisjoint(items)), math.nan)


@Statistic
def round_ratio(dialogue: Sequence[Utterance]) -> float:
    """Compute the successful recommendation round ratio: accepted rounds over all rounds, 0 to 1.

    A round goes from one recommendation to the next and is accepted where the user's last act of judgement in
    it is ACCEPT. What comes before the first recommendation is no round, nor is one in which the user had no
    turn, as with the last recommendation before a turn limit. Undefined without a round.
    """
    verdicts = [_accepts(one) for one in rounds(dialogue) if any(said.speaker == "user" for said in one)]
    if not verdicts:
        raise Undefined("no recommendation was answered")
    return fmean(verdicts)


def rounds(dialogue: Sequence[Utterance]) -> Iterator[Sequence[Utterance]]:
    """Split a dialogue into rounds, each from one recommendation to the next.

    What comes before the first recommendation belongs to none.
    """
    starts = [n for n, said in enumerate(dialogue) if said.offers]
    for start, end in pairwise([*starts, len(dialogue)]):
        yield dialogue[start:end]


_VERDICTS = ("ACCEPT", "LIKE", "NEUTRAL", "DISLIKE", "CRITIQUE")


def _accepts(one: Iterable[Utterance]) -> bool:
    acts = [
        act.intent for said in one if said.speaker == "user" for act in said.acts if act.intent in _VERDICTS
    ]
    return bool(acts) and acts[-1] == "ACCEPT"


@Statistic
def reward_per_length(dialogue: Sequence[Utterance]) -> float:
    """Compute user turns with ACCEPT over all utterances, 0 to below 1 (Bernard & Balog, SIGIR-AP 2025)."""
    if not dialogue:
        raise Undefined("nothing was said")
    return fmean(said.speaker == "user" and said.does("ACCEPT") for said in dialogue)


def usersimcrs_reward(dialogue: Sequence[Utterance]) -> float:
    """Compute UserSimCRS's reward: max(0, 20 - missing - repeats - user turns).

    `missing` is 4 where the user never INQUIREs in this dialogue. A repeat is a turn with the same acts
    (intents, slots and values) as the same speaker's turn before. The settings are those of UserSimCRS's
    files; the formula it came with is not published in a form that could be checked, and this is a reading of
    it.
    """
    users = [said for said in dialogue if said.speaker == "user"]
    missing = 0.0 if any(said.does("INQUIRE") for said in users) else 4.0
    last: dict[str, tuple[Act, ...]] = {}
    repeats = 0
    for said in dialogue:
        repeats += bool(said.acts) and last.get(said.speaker) == said.acts
        last[said.speaker] = said.acts
    return max(0.0, 20.0 - missing - repeats - len(users))


@Statistic
def user_act_ratio(dialogue: Iterable[Utterance]) -> float:
    """Compute the number of user acts over system acts (Zhang & Balog, KDD 2020).

    Undefined without system acts.
    """
    counts = Counter({"user": 0, "system": 0})
    for said in dialogue:
        counts[said.speaker] += len(said.acts)
    if not counts["system"]:
        raise Undefined("no act of the system is known")
    return counts["user"] / counts["system"]
