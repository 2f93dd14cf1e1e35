"""Dialogues as one reads them: the need, what each said and what it did with it, and why it ended."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from openiir.plugin import Entry, Log, int_sum
from openiir.scenarios.conversational.actions import Held

_END = {
    "satisfied": "The user took",
    "gave-up": "The user gave up",
    "turn-limit": "The user had no turn left",
    "system-ended": "The system said goodbye",
    "system-error": "The system failed",
    "simulator-error": "The simulator failed",
}


def dialogue(log: Log, since: int = 0, agent: str | None = None, n: int | None = None) -> Sequence[Entry]:
    """The dialogues in the log's order, the first n where a number is given; of one user where it is named."""
    names = {persona.id: persona.name for persona in log.personas}
    found: list[Entry] = []
    for told, event in enumerate(log.events(Held.kind, actor=agent, since=since)):
        if n is not None and told >= n:
            break
        name = names.get(event.actor or "", event.actor or "user")
        found += (
            Entry(step=event.step, actor=actor, heading=heading, text=text, notes=notes)
            for actor, heading, text, notes in _told(event.payload, name)
        )
    return found


Part = tuple[str | None, str, str, tuple[str, ...]]
"""Actor, heading, text and small print."""


def _told(held: Mapping[str, Any], name: str) -> Iterator[Part]:
    need = held["need"]
    wants = "; ".join(f"{slot}: {value}" for slot, value in need["constraints"]) or "anything"
    asks = f" Will ask for: {', '.join(need['requests'])}." if need["requests"] else ""
    targets = len(need["targets"])
    hard = f"{targets} item{'s' * (targets != 1)} would do, difficulty {held['difficulty']:.2f}"
    meets = f"need {held['number'] + 1}: {held['simulator']} meets {held['system']}"
    yield name, meets, f"Wants {wants}.{asks}", (f"{hard}; group {held['group']}",)
    offers = _by_turn(held)
    for place, said in enumerate(held["utterances"]):
        user = said["speaker"] == "user"
        notes = tuple(_act_words(act) for act in said["acts"])
        worth = offers.get(place, ())
        yield name if user else held["system"], "", said["text"], (*notes, *worth)
    yield None, "end", _ending(held), ()


def _by_turn(held: Mapping[str, Any]) -> dict[int, tuple[str, ...]]:
    """By the place of the utterance that made them, what offers were worth."""
    answers: dict[int, int] = {}
    user = 0
    for place, said in enumerate(held["utterances"]):
        user += said["speaker"] == "user"
        if said["speaker"] == "system":
            answers.setdefault(user, place)
    found: dict[int, tuple[str, ...]] = {}
    targets = set(held["need"]["targets"])
    for offer in held["offers"]:
        if offer["turn"] in answers:
            found[answers[offer["turn"]]] = tuple(
                f"{title}: worth {worth:.2f}{', a target' if item in targets else ''}{'' if item else ', not in the catalogue'}"
                for item, title, worth in zip(
                    offer["items"], offer["titles"], offer["utilities"], strict=True
                )
            )
    return found


def _act_words(act: Mapping[str, Any]) -> str:
    slots = ", ".join(
        slot["slot"] + (f" = {slot['value']}" if slot["value"] is not None else "") for slot in act["slots"]
    )
    return f"{act['intent']} {slots}".strip()


def _ending(held: Mapping[str, Any]) -> str:
    words = _END[held["end"]]
    if held["end"] == "satisfied":
        titles = {
            item: title
            for offer in held["offers"]
            for item, title in zip(offer["items"], offer["titles"], strict=True)
        }
        took = titles.get(held["accepted"], held["accepted"] or "an item")
        fits = (
            "which is what was wanted"
            if held["accepted"] in held["need"]["targets"]
            else "which is not what was wanted"
        )
        words = f"{words} {took}, {fits}"
    turns = int_sum(said["speaker"] == "user" for said in held["utterances"])
    after = f"after {turns} turn{'s' * (turns != 1)}"
    return f"{words}, {after}{': ' + held['reason'] if held['reason'] else ''}."
