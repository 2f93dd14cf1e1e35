"""View of dialogues: the need, the utterances with their acts, and the ending."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from openiir.plugin import AnswerNote, AnswerNotes, Entry, Event, Log, Ref, int_sum
from openiir.scenarios.conversational.questions.understand import Understand
from openiir.scenarios.conversational.run.actions import DialogueLogged

_END = {
    "satisfied": "The user took",
    "gave-up": "The user gave up",
    "turn-limit": "The user had no turn left",
    "system-ended": "The system said goodbye",
    "system-error": "The system failed",
    "simulator-error": "The simulator failed",
}


def dialogue(log: Log, since: int = 0, agent: str | None = None, n: int | None = None) -> Sequence[Entry]:
    """List the dialogues in log order: the first n if given, and of one user if named."""
    names = {persona.id: persona.name for persona in log.personas}
    answers = AnswerNotes(log, since)
    found: list[Entry] = []
    for told, event in enumerate(log.events(DialogueLogged.kind, actor=agent, since=since)):
        if n is not None and told >= n:
            break
        name = names.get(event.actor or "", event.actor or "user")
        by_place = _notes_by_utterance(event, answers.before(event))
        said = {
            place: tuple(dict.fromkeys(words for note in notes for words in note.words))
            for place, notes in by_place.items()
        }
        sides = ["", *(one["speaker"] for one in event.payload["utterances"]), ""]
        acts = [(), *(tuple(map(_act_words, one["acts"])) for one in event.payload["utterances"]), ()]
        refs = _refs_by_place(event.payload)
        found += (
            Entry(
                step=event.step,
                actor=actor,
                heading=heading,
                text=text,
                notes=notes,
                id=f"{event.seq}.{place}",
                seq=event.seq,
                lane=event.lane,
                agent=(event.actor or "") if actor == name else "",
                kind=event.kind,
                side=sides[place],
                turn=place,
                acts=acts[place],
                refs=refs.get(place, ()),
                of=_question_of(by_place.get(place - 1, ())),
            )
            for place, (actor, heading, text, notes) in enumerate(_entry_parts(event.payload, name, said))
        )
    return found


Part = tuple[str | None, str, str, tuple[str, ...]]
"""Actor, heading, text and notes of a view entry."""


def _entry_parts(
    held: Mapping[str, Any], name: str, answers: Mapping[int, tuple[str, ...]]
) -> Iterator[Part]:
    need = held["need"]
    wants = "; ".join(f"{slot}: {value}" for slot, value in need["constraints"]) or "anything"
    asks = f" Will ask for: {', '.join(need['requests'])}." if need["requests"] else ""
    targets = len(need["targets"])
    hard = f"{targets} item{'s' * (targets != 1)} would do, difficulty {held['difficulty']:.2f}"
    meets = f"need {held['number'] + 1}: {held['simulator']} meets {held['system']}"
    yield name, meets, f"Wants {wants}.{asks}", (f"{hard}; group {held['group']}",)
    offers = _utilities_by_utterance(held)
    for place, said in enumerate(held["utterances"]):
        user = said["speaker"] == "user"
        worth = offers.get(place, ())
        yield name if user else held["system"], "", said["text"], (*worth, *answers.get(place, ()))
    yield None, "end", _ending(held), answers.get(len(held["utterances"]), ())


def _question_of(notes: Sequence[AnswerNote]) -> str:
    """Place of the question behind an utterance: the last that chose its words, else the one that understood
    it."""
    words = [note for note in notes if note.kind != Understand.kind] or notes
    return str(words[-1].seq) if words else ""


def _refs_by_place(held: Mapping[str, Any]) -> dict[int, tuple[Ref, ...]]:
    """Refer to items by entry: the targets at the need, offers at the utterance, the item taken at the
    end."""
    titles = offered_titles(held)
    found = {
        place + 1: tuple(Ref(to="item", id=item, label=titles[item]) for item in offer["items"] if item)
        for place, offer in _offers_by_utterance(held).items()
    }
    found[0] = tuple(Ref(to="item", id=item, label=titles.get(item, "")) for item in held["need"]["targets"])
    if held["accepted"]:
        taken = Ref(to="item", id=held["accepted"], label=titles.get(held["accepted"], ""))
        found[len(held["utterances"]) + 1] = (taken,)
    return found


def offered_titles(held: Mapping[str, Any]) -> dict[str, str]:
    """Map the offered items to their titles."""
    return {
        item: title
        for offer in held["offers"]
        for item, title in zip(offer["items"], offer["titles"], strict=True)
    }


def _notes_by_utterance(event: Event, notes: Sequence[AnswerNote]) -> dict[int, tuple[AnswerNote, ...]]:
    """Collect notes on answers by the index of the utterance that they produced; other notes go after the
    last.

    A user understands the system's nth utterance, and says its own nth, by the nth question of a kind.
    """
    speakers = [said["speaker"] for said in event.payload["utterances"]]
    turns = {
        side: [place for place, speaker in enumerate(speakers) if speaker == side]
        for side in ("user", "system")
    }
    silent = speakers[:1] == ["user"]  # a system that was asked for first words had none
    found: dict[int, tuple[AnswerNote, ...]] = {}
    for note in notes:
        of_user = note.asker == event.actor
        places = turns["user" if of_user and note.kind != Understand.kind else "system"]
        nth = note.ordinal - (silent and not of_user)
        place = places[nth] if 0 <= nth < len(places) else len(speakers)
        found[place] = (*found.get(place, ()), note)
    return found


def _offers_by_utterance(held: Mapping[str, Any]) -> dict[int, Mapping[str, Any]]:
    """Return the offers by the index of the utterance that makes them."""
    answers: dict[int, int] = {}
    user = 0
    for place, said in enumerate(held["utterances"]):
        user += said["speaker"] == "user"
        if said["speaker"] == "system":
            answers.setdefault(user, place)
    return {answers[offer["turn"]]: offer for offer in held["offers"] if offer["turn"] in answers}


def _utilities_by_utterance(held: Mapping[str, Any]) -> dict[int, tuple[str, ...]]:
    """Describe the utility of recommended items, by the index of the utterance that recommends them."""
    targets = set(held["need"]["targets"])
    return {
        place: tuple(
            (
                f"{title}: worth {worth:.2f}{', a target' if item in targets else ''}"
                f"{'' if item else ', not in the catalogue'}"
            )
            for item, title, worth in zip(offer["items"], offer["titles"], offer["utilities"], strict=True)
        )
        for place, offer in _offers_by_utterance(held).items()
    }


def _act_words(act: Mapping[str, Any]) -> str:
    slots = ", ".join(
        slot["slot"] + (f" = {slot['value']}" if slot["value"] is not None else "") for slot in act["slots"]
    )
    return f"{act['intent']} {slots}".strip()


def _ending(held: Mapping[str, Any]) -> str:
    words = _END[held["end"]]
    if held["end"] == "satisfied":
        took = offered_titles(held).get(held["accepted"], held["accepted"] or "an item")
        fits = "" if held["accepted"] in held["need"]["targets"] else "not "
        words = f"{words} {took}, which is {fits}what was wanted"
    turns = int_sum(said["speaker"] == "user" for said in held["utterances"])
    after = f"after {turns} turn{'s' * (turns != 1)} of the user's"
    return f"{words}, {after}{': ' + held['reason'] if held['reason'] else ''}."
