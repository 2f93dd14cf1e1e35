"""Whatever a user says to whichever system over whatever catalogue, the rules hold."""

import random
import string

import numpy as np
import pytest

from openiir.kit.items import Collection, Ratings
from openiir.plugin import Draw
from openiir.scenarios.conversational.behaviour.systems import REFERENCE_SYSTEMS, reference_system
from openiir.scenarios.conversational.behaviour.systems.dialogue_state import DialogueState
from openiir.scenarios.conversational.behaviour.systems.knowledge import SystemKnowledge
from openiir.scenarios.conversational.behaviour.systems.system import ReferenceSystem
from openiir.scenarios.conversational.model.dialogue import Act, Need, Slot
from openiir.scenarios.conversational.model.titles.facets import Facets
from openiir.scenarios.conversational.questions.system_turn import SystemTurn

from .conftest import FILMS, PAST, USERS, known_of, ratings_of

INTENTS = ("GREET DISCLOSE INQUIRE CONSUMED LIKE NEUTRAL DISLIKE CRITIQUE YES NO DONT_KNOW OTHER").split()
ENDS = ("ACCEPT", "GIVE_UP", "BYE")
DIALOGUES = 75
"""Of each system."""


def some_collection(rng: random.Random) -> Collection:
    """One to twelve items with few attributes, values missing, titles that are empty or not, all of them
    tricky."""
    n = rng.randint(1, 12)
    names = (
        "",
        " ",
        "It",
        "It",
        "Up, Up & Away!",
        "{title}",
        'A %s "quoted" title',
        "x" * 301,
        "Été; ou: 1999 (1999)",
    )
    titles = tuple(
        rng.choice(names) if rng.random() < 0.4 else f"Film {rng.randint(1, 99)}, The" for _ in range(n)
    )
    attributes = {}
    for slot in rng.sample(["genre", "year", "mood_of_day", "plot"], rng.randint(0, 4)):
        values = ["Comedy", "comedy ", "1999", "{x}", "y" * 250, "rock, and roll"][: rng.randint(1, 6)]
        attributes[slot] = tuple(
            tuple(rng.sample(values, rng.randint(0, min(2, len(values))))) for _ in range(n)
        )
    return Collection("item", tuple(f"id{at}" for at in range(n)), titles, attributes)


def some_known(rng: random.Random) -> SystemKnowledge:
    if rng.random() < 0.2:
        return known_of(FILMS, ratings_of(USERS, FILMS))
    collection = some_collection(rng)
    at = sorted(rng.sample(range(3 * len(collection)), rng.randint(1, 3 * len(collection))))
    user, item = np.divmod(np.array(at), len(collection))
    ratings = Ratings(3, len(collection), user, item, np.array([float(rng.randint(1, 5)) for _ in at]))
    return SystemKnowledge(collection, Facets(collection), ratings, dialogues=lambda name: PAST)


def some_acts(rng: random.Random, known: SystemKnowledge) -> tuple[Act, ...]:
    acts = []
    for _ in range(rng.randint(0, 3)):
        intent = rng.choice(ENDS) if rng.random() < 0.02 else rng.choice(INTENTS)
        slots = []
        for _ in range(rng.choice((0, 0, 1, 1, 2))):
            slot = rng.choice([*known.facets.slots, "title", "GENRE", "nonsense"])
            values = [
                *known.facets.values(slot),
                *known.collection.titles,
                "what is not there",
                "z" * 1_000,
                None,
            ]
            slots.append(Slot(slot=slot, value=rng.choice(values)))
        acts.append(Act(intent=intent, slots=tuple(slots)))
    return tuple(acts)


def some_options(rng: random.Random, name: str) -> dict[str, object]:
    options: dict[str, object] = {"at_once": rng.choice((1, 1, 2, 10))}
    if name in ("attribute", "prompted"):
        options |= {"few": rng.randint(1, 4), "asks": rng.randint(0, 4), "ask_at_once": rng.randint(1, 3)}
    if name == "neighbours":
        options |= {"neighbours": rng.randint(1, 5), "history": rng.random() < 0.5}
    if name == "retrieval":
        options |= {"dialogues": "past.json", "window": rng.randint(1, 4)}
    return options


def check_turn(talk: DialogueState, turn: SystemTurn, known: SystemKnowledge, asked: list[str]) -> None:
    SystemTurn.model_validate(turn.model_dump())
    assert turn.text and not turn.fault
    index = known.collection.index
    ids = [index[id] for id in turn.items]
    assert len(set(ids)) == len(ids)
    for item in ids:
        assert item not in talk.consumed
        assert item in talk.named or (item not in talk.recommended and item not in talk.disliked)
    for one in turn.acts:
        for slot in one.slots:
            if slot.value:
                assert slot.start is not None and turn.text[slot.start : slot.end] == slot.value
        if one.intent == "ELICIT":
            asked += [slot for slot, _ in one.pairs]
    recommended = [value for one in turn.acts if one.intent == "RECOMMEND" for _, value in one.pairs]
    assert not turn.acts or recommended == [known.collection.titles[item] for item in ids]
    assert turn.ended == any(one.intent == "BYE" for one in turn.acts)
    assert turn.ended or not talk.over


def held(rng: random.Random, system: ReferenceSystem, known: SystemKnowledge, seed: int) -> list[SystemTurn]:
    need = Need(
        targets=tuple(rng.sample(known.collection.ids, rng.randint(0, min(3, len(known.collection)))))
    )
    talk = system.open(need, rng.choice((None, 0, 2)))
    asked: list[str] = []
    turns = []
    for step in range(40):
        draw = Draw(seed, "talk", step=step)
        turn = talk.respond(draw)
        assert turn == talk.respond(draw)
        check_turn(talk, turn, known, asked)
        turns.append(turn)
        talk.note_turn(turn)
        if turn.ended:
            break
        words = "".join(rng.choices(string.ascii_lowercase + " ", k=12)) + rng.choice(
            (" scary", " cartoons", "")
        )
        talk.hear(words, some_acts(rng, known))
    assert len(set(asked)) == len(asked), "a slot is asked for once"
    return turns


@pytest.mark.parametrize("name", REFERENCE_SYSTEMS)
def test_rules_hold_for_any_user_and_catalogue(name: str) -> None:
    for seed in range(DIALOGUES):
        rng = random.Random(f"{name} {seed}")
        known = some_known(rng)
        system = reference_system(name, some_options(rng, name), known)
        state = rng.getstate()
        turns = held(rng, system, known, seed)
        rng.setstate(state)
        assert held(rng, system, known, seed) == turns, "a system remembers no dialogue"


@pytest.mark.parametrize("name", REFERENCE_SYSTEMS)
def test_a_dialogue_comes_to_an_end_by_itself(name: str, known: SystemKnowledge) -> None:
    """A user who says nothing of use is asked no question for ever: each item is recommended once, and that
    was all."""
    options = {"dialogues": "past.json"} if name == "retrieval" else {}
    talk = reference_system(name, options, known).open()
    recommended: list[str] = []
    for step in range(30):
        turn = talk.respond(Draw(1, "silent", step=step))
        recommended += turn.items
        talk.note_turn(turn)
        if turn.ended:
            break
        talk.hear("hm", ())
    assert turn.ended and sorted(recommended) == sorted(FILMS.ids)
