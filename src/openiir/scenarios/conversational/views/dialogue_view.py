"""View of dialogues: the need, the utterances with their acts, and the ending."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any

from openiir.kit.text_tables import read_text_table
from openiir.plugin import AnswerNote, AnswerNotes, Entry, Event, Log, Ref, int_sum
from openiir.scenarios.conversational.questions.understand import Understand
from openiir.scenarios.conversational.run.actions import DialogueLogged, first_answers

ENDS = read_text_table("""
satisfied | The user took | you took {taken}
gave-up | The user gave up | you gave up
turn-limit | The user had no turn left | you had no time left
system-ended | The system said goodbye | it said goodbye
system-error | The system failed | it broke off
simulator-error | The simulator failed | you broke off
""")
"""How a reader of the dialogue and the user itself are told of its end."""


def dialogue(log: Log, since: int = 0, agent: str | None = None, n: int | None = None) -> Sequence[Entry]:
    """List the dialogues in log order: the first n if given, and of one user if named."""
    names = {persona.id: persona.name for persona in log.personas}
    answers = AnswerNotes(log, since)
    found: list[Entry] = []
    for event in islice(log.events(DialogueLogged.kind, actor=agent, since=since), n):
        actor = event.actor or ""
        notes = _notes_by_utterance(event, answers.before(event))
        for turn, part in enumerate(_entry_parts(event.payload, names.get(actor, actor or "user"), notes)):
            place: dict[str, Any] = {"id": f"{event.seq}.{turn}", "turn": turn, "seq": event.seq}
            place |= {"step": event.step, "lane": event.lane, "kind": event.kind}
            by_user = turn == 0 or part.get("side") == "user"
            question = _question_of(notes.get(turn - 1, ()))
            found.append(Entry(**place, **part, agent=actor if by_user else "", of=question))
    return found


def _entry_parts(
    held: Mapping[str, Any], name: str, notes: Mapping[int, Sequence[AnswerNote]]
) -> Iterator[dict[str, Any]]:
    """Yield the fields of a dialogue's entries: its need, its utterances and its end."""
    need, titles, offers = held["need"], offered_titles(held), _offers_by_utterance(held)

    def refer_to(items: Iterable[str]) -> tuple[Ref, ...]:
        return tuple(Ref(to="item", id=item, label=titles.get(item, "")) for item in items if item)

    def remarks(place: int) -> tuple[str, ...]:
        return tuple(dict.fromkeys(words for note in notes.get(place, ()) for words in note.words))

    wants = "; ".join(f"{slot}: {value}" for slot, value in need["constraints"]) or "anything"
    asks = f" Will ask for: {', '.join(need['requests'])}." if need["requests"] else ""
    targets = len(need["targets"])
    hard = f"{targets} item{'s' * (targets != 1)} would do, difficulty {held['difficulty']:.2f}"
    yield {
        "actor": name,
        "heading": f"need {held['number'] + 1}: {held['simulator']} meets {held['system']}",
        "text": f"Wants {wants}.{asks}",
        "notes": (f"{hard}; group {held['group']}",),
        "refs": refer_to(need["targets"]),
    }
    for place, said in enumerate(held["utterances"]):
        offer = offers.get(place, {"items": (), "titles": (), "utilities": ()})
        yield {
            "actor": name if said["speaker"] == "user" else held["system"],
            "text": said["text"],
            "notes": (*_describe_worth(offer, need["targets"]), *remarks(place)),
            "side": said["speaker"],
            "acts": tuple(map(_act_words, said["acts"])),
            "refs": refer_to(offer["items"]),
        }
    end = {"actor": None, "heading": "end", "text": _ending(held), "notes": remarks(len(held["utterances"]))}
    yield {**end, "refs": refer_to([held["accepted"]])}


def _question_of(notes: Sequence[AnswerNote]) -> str:
    """Place of the question behind an utterance: the last that chose its words, else the one that understood
    it."""
    words = [note for note in notes if note.kind != Understand.kind] or notes
    return str(words[-1].seq) if words else ""


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
    answers = first_answers(said["speaker"] for said in held["utterances"])
    return {answers[offer["turn"]]: offer for offer in held["offers"] if offer["turn"] in answers}


def _describe_worth(offer: Mapping[str, Any], targets: Sequence[str]) -> Iterator[str]:
    """Describe the utility of each item of an offer."""
    for item, title, worth in zip(offer["items"], offer["titles"], offer["utilities"], strict=True):
        kind = ", a target" if item in targets else "" if item else ", not in the catalogue"
        yield f"{title}: worth {worth:.2f}{kind}"


def _act_words(act: Mapping[str, Any]) -> str:
    slots = ", ".join(
        slot["slot"] + (f" = {slot['value']}" if slot["value"] is not None else "") for slot in act["slots"]
    )
    return f"{act['intent']} {slots}".strip()


def _ending(held: Mapping[str, Any]) -> str:
    words = ENDS[held["end"]][0]
    if held["end"] == "satisfied":
        took = offered_titles(held).get(held["accepted"], held["accepted"] or "an item")
        fits = "" if held["accepted"] in held["need"]["targets"] else "not "
        words = f"{words} {took}, which is {fits}what was wanted"
    turns = int_sum(said["speaker"] == "user" for said in held["utterances"])
    after = f"after {turns} turn{'s' * (turns != 1)} of the user's"
    return f"{words}, {after}{': ' + held['reason'] if held['reason'] else ''}."
