"""Readers that learn from annotated dialogues: in another scheme than ours, made here from our templates."""

import pytest

from openiir.plugin import Draw, InputError
from openiir.scenarios.conversational.model.dialogue import Act, Dialogue, Slot, Utterance
from openiir.scenarios.conversational.model.generation.templates import Templates
from openiir.scenarios.conversational.model.understanding.trained import TrainedReader

WORDS = Templates()
SCHEME = {"DISCLOSE": "WANT", "LIKE": "PRO", "BYE": "END", "INQUIRE": "ASK", "DISLIKE": "REJ"}
GENRES, NAMES = ("horror", "comedy", "western", "drama"), ("Ole Brandt", "Ida Fenn", "Rex Howe", "Jo Silva")
ANSWERS = (
    ("What genre do you like?", "REQ"),
    ("How about this one?", "REC"),
    ("It has a great cast.", "EXP"),
    ("Goodbye!", "END"),
)


def made(n):
    """A dialogue of one user turn for each intent, and answers of a system."""
    utterances = []
    for at, intent in enumerate(SCHEME):
        draw = Draw(5, intent, item=n)
        slot = {"DISCLOSE": ("GENRE", GENRES[draw.below(4)]), "LIKE": ("ACTOR", NAMES[draw.below(4)])}.get(
            intent
        )
        slots = (Slot(slot=slot[0], value=slot[1]),) if slot else ()
        text = WORDS.render([Act(intent=intent, slots=slots)], draw)
        utterances.append(
            Utterance(speaker="user", text=text, acts=(Act(intent=SCHEME[intent], slots=slots),))
        )
        said, label = ANSWERS[(at + n) % 4]
        utterances.append(Utterance(speaker="system", text=said, acts=(Act(intent=label),)))
    return Dialogue(id=f"d{n}", utterances=tuple(utterances))


TRAIN, TEST = [made(n) for n in range(24)], [made(n) for n in range(100, 108)]


@pytest.fixture(scope="module")
def trained():
    return TrainedReader(TRAIN)


def test_intents_and_values_are_learnt(trained):
    read = {"user": trained.user_acts, "system": trained.system_acts}
    right = []
    for dialogue in TEST:
        context = []
        for said in dialogue.utterances:
            found = read[said.speaker](said.text, context)
            context.append((said.speaker, said.text))
            right.append([(a.intent, a.pairs) for a in found] == [(a.intent, a.pairs) for a in said.acts])
    assert right.count(True) > 0.9 * len(right)


def test_values_have_their_places(trained):
    text = "I am looking for a western movie."
    slot = trained.user_acts(text)[0].slots[0]
    assert (slot.slot, slot.value, text[slot.start : slot.end]) == ("GENRE", "western", "western")


def test_training_is_deterministic(trained):
    again = TrainedReader(TRAIN)
    texts = [u.text for dialogue in TEST for u in dialogue.utterances]
    assert [again.user_acts(text) for text in texts] == [trained.user_acts(text) for text in texts]


def test_a_catalogue_reader_can_be_seen(reader):
    seen = TrainedReader(TRAIN, reader)
    assert seen.user_acts("I want a horror movie.")[0].intent == "WANT"


def test_dialogues_without_acts_teach_nothing():
    plain = Dialogue(id="p", utterances=(Utterance(speaker="user", text="hi"),))
    with pytest.raises(InputError, match="none of the 1 dialogues"):
        TrainedReader([plain])
