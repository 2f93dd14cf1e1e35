"""Readers that learn from annotated dialogues: in another scheme than ours, made here from our templates."""

import pytest

from openiir.kit.dialogue import Act, Dialogue, Slot, Utterance
from openiir.plugin import Draw, InputError
from openiir.scenarios.conversational.generation import Templates
from openiir.scenarios.conversational.understanding.scoring import held_out, judged, triples_of
from openiir.scenarios.conversational.understanding.trained import NearestReader, TrainedReader

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


def reading(reader):
    return lambda speaker, text, context: (reader.user_acts if speaker == "user" else reader.system_acts)(
        text, context
    )


@pytest.fixture(scope="module")
def trained():
    return TrainedReader(TRAIN)


def test_intents_and_values_are_learnt(trained):
    found = judged(TEST, reading(trained), draws=20)
    assert found.micro.f1 > 0.95 and found.triples.f1 > 0.9
    assert found.micro.low <= found.micro.f1 <= found.micro.high


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


def test_the_nearest_utterance_gives_its_acts():
    two = Utterance(speaker="user", text="thanks and bye", acts=(Act(intent="THANK"), Act(intent="END")))
    nearest = NearestReader([*TRAIN, Dialogue(id="x", utterances=(two,))])
    assert [act.intent for act in nearest.user_acts("thanks, and bye")] == ["THANK", "END"]
    single = NearestReader([*TRAIN, Dialogue(id="x", utterances=(two,))], single=True)
    assert [act.intent for act in single.user_acts("thanks, and bye")] == ["THANK"]
    assert len(nearest.user_acts("qwertz")) == 1


def test_dialogues_without_acts_teach_nothing():
    plain = Dialogue(id="p", utterances=(Utterance(speaker="user", text="hi"),))
    with pytest.raises(InputError, match="none of the 1 dialogues"):
        TrainedReader([plain])


def test_scores_count_what_they_say():
    gold = (Act(intent="A", slots=(Slot(slot="s", value="x"), Slot(slot="s", value="y"))), Act(intent="B"))
    dialogue = Dialogue(id="d", utterances=(Utterance(speaker="user", text="t", acts=gold),))
    read = (Act(intent="A", slots=(Slot(slot="S", value="X."),)), Act(intent="C"))
    found = judged([dialogue], lambda *_: read, draws=5)
    assert found.micro.f1 == 0.5  # A found, B missed, C wrong
    assert found.macro.f1 == 0.5  # of A and B; C is nobody's label
    assert found.triples.f1 == 0.4  # (A, s, x) of three there and two found
    assert triples_of(gold) == {("A", "S", "x"): 1, ("A", "S", "y"): 1, ("B", "", ""): 1}


def test_one_speaker_can_be_scored_alone():
    perfect = {u.text: u.acts for dialogue in TEST for u in dialogue.utterances if u.speaker == "user"}
    read = lambda speaker, text, context: perfect.get(text, ())  # noqa: E731
    assert judged(TEST, read, "user", draws=5).micro.f1 == 1.0 > judged(TEST, read, draws=5).micro.f1


def test_the_held_out_half_is_fixed():
    assert [held_out(id) for id in ("474", "622", "957", "1002")] == [False, False, True, True]
