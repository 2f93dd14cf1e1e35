"""Line charts of success and recall by turn."""

from collections.abc import Callable, Mapping
from typing import Any

from openiir.plugin import Log, Series, int_sum
from openiir.scenarios.conversational.measures.averages import order_names
from openiir.scenarios.conversational.measures.dialogue_rows import setting
from openiir.scenarios.conversational.measures.outcome import recall_at
from openiir.scenarios.conversational.run.actions import FAILED, DialogueLogged

K = 10


def success_by_turn(log: Log) -> Series:
    """Compute the share of dialogues that have succeeded by each user turn; failed dialogues are left out."""

    def by_turn(held: Mapping[str, Any], turns: int) -> list[float]:
        won = held["accepted"] is not None and held["accepted"] in held["need"]["targets"]
        taken = int_sum(said["speaker"] == "user" for said in held["utterances"])
        return [float(won and taken <= turn) for turn in range(turns + 1)]

    return _average_lines(log, "share of successes", by_turn)


def recall_by_turn(log: Log) -> Series:
    """Compute the mean recall of targets by turn, over the first ten items of every recommendation so far."""

    def by_turn(held: Mapping[str, Any], turns: int) -> list[float]:
        seen: list[list[str]] = [[] for _ in range(turns + 1)]
        for offer in held["offers"]:
            for turn in range(min(offer["turn"], turns), turns + 1):
                seen[turn] += offer["items"][:K]
        found = [recall_at(items, held["need"]["targets"], len(items)) for items in seen]
        return [value for value in found if value == value]

    return _average_lines(log, f"recall@{K}, all turns so far", by_turn)


def _average_lines(log: Log, unit: str, by_turn: Callable[[Mapping[str, Any], int], list[float]]) -> Series:
    """Average a value by turn over the dialogues of each simulator and system."""
    how = setting(log)
    sums: dict[tuple[str, str], list[float]] = {}
    counts: dict[tuple[str, str], int] = {}
    for held in (event.payload for event in log.events(DialogueLogged.kind)):
        if held["end"] in FAILED or not (values := by_turn(held, how.limit)):
            continue
        key = held["simulator"], held["system"]
        before = sums.get(key, [0.0] * len(values))
        sums[key] = [one + other for one, other in zip(before, values, strict=True)]
        counts[key] = counts.get(key, 0) + 1
    lines = {
        f"{simulator}/{system}": tuple(
            (turn, round(value / counts[simulator, system], 4)) for turn, value in enumerate(total)
        )
        for simulator in order_names(how.simulators, (one for one, _ in sums))
        for system in order_names(how.systems, (other for _, other in sums))
        if (total := sums.get((simulator, system)))
    }
    return Series(along="user's turns", unit=unit, low=0.0, high=1.0, lines=lines)
