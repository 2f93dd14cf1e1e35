"""Acts of other schemes in our terms."""

import os
from pathlib import Path
from typing import get_args

import pytest

from openiir.scenarios.conversational.model.dialogue import (
    SCHEMES,
    Act,
    Dialogue,
    Slot,
    SystemIntent,
    UserIntent,
    Utterance,
    all_to_openiir_acts,
    scheme_of,
    to_openiir_acts,
)
from openiir.scenarios.conversational.model.formats.dialoguekit import read_dialogues

DATA = os.environ.get("OPENIIR_DATA")


def said(speaker: str, *intents: str, slot: str = "GENRE") -> Utterance:
    acts = tuple(Act(intent=intent, slots=(Slot(slot=slot, value="drama"),)) for intent in intents)
    return Utterance(speaker=speaker, text="", acts=acts)  # type: ignore[arg-type]


def test_every_name_means_one_of_our_intents() -> None:
    for scheme in SCHEMES.values():
        assert set(scheme.user.values()) <= set(get_args(UserIntent)), scheme.name
        assert set(scheme.system.values()) <= set(get_args(SystemIntent)), scheme.name


def test_our_own_scheme_changes_no_intent() -> None:
    ours = SCHEMES["openiir"]
    assert all(
        ours.ours("user", intent) == intent == ours.theirs("user", intent) for intent in get_args(UserIntent)
    )
    assert all(ours.ours("system", intent) == intent for intent in get_args(SystemIntent))


def test_names_with_dots_fall_back_to_what_stands_before_them() -> None:
    cir = SCHEMES["cir"]
    assert cir.ours("system", "REVEAL.SOMETHING.NEW") == "RECOMMEND"
    assert cir.ours("system", "REVEAL.NONE") == "NOTHING_FOUND"
    assert cir.ours("user", "XYZ.A") == cir.ours("user", "") == "OTHER"


def test_there_and_back_ends_where_it_began() -> None:
    for scheme in SCHEMES.values():
        for ours in dict.fromkeys(scheme.user.values()):
            theirs = scheme.theirs("user", ours)
            assert theirs is not None and scheme.ours("user", theirs) == ours
    assert SCHEMES["iard"].theirs("user", "GIVE_UP") is None


def test_a_dialogue_in_our_terms() -> None:
    dialogue = Dialogue(
        id="d", utterances=(said("user", "PRO", "CRI-A"), said("system", "REC-E", slot="KEYWORDS"))
    )
    mapped = to_openiir_acts(dialogue, SCHEMES["iard"], {"KEYWORDS": "keyword"})
    assert [[act.intent for act in u.acts] for u in mapped.utterances] == [
        ["DISCLOSE", "CRITIQUE"],
        ["RECOMMEND"],
    ]
    assert [u.acts[0].slots[0].slot for u in mapped.utterances] == ["genre", "keyword"]


def test_the_scheme_of_dialogues_is_told_by_its_names() -> None:
    assert scheme_of([]) is None
    unknown = Dialogue(id="d", utterances=(said("user", "a", "b", "PRO"),))
    assert scheme_of([unknown]) is None
    assert all_to_openiir_acts([unknown]) == (unknown,)
    (known,) = all_to_openiir_acts([Dialogue(id="d", utterances=(said("user", "SEE"),))])
    assert known.utterances[0].acts[0].intent == "CONSUMED"
    one = scheme_of([Dialogue(id="d", utterances=(said("user", "DISCLOSE"), said("system", "ELICIT")))])
    assert one is SCHEMES["openiir"]


@pytest.mark.skipif(not DATA, reason="OPENIIR_DATA is not set: the published dialogues are not here")
@pytest.mark.parametrize(
    ("file", "scheme", "other"),
    [
        ("iard/formatted_IARD_annotated_gold.json", "iard", 206),
        ("iard/formatted_IARD_annotated_partially.json", "iard", 1194),
        ("inspired/annotated_sample.json", "inspired", 8),
        ("moviebot/annotated_dialogues.json", "cir", 4),
    ],
)
def test_published_dialogues_are_mapped(file: str, scheme: str, other: int) -> None:
    path = Path(DATA or "") / "crs" / file
    if not path.is_file():
        pytest.skip(f"{path} is not here")
    dialogues = read_dialogues(path)
    found = scheme_of(dialogues)
    assert found is SCHEMES[scheme]
    acts = [act for d in dialogues for u in to_openiir_acts(d, found).utterances for act in u.acts]
    assert sum(act.intent == "OTHER" for act in acts) == other
    if scheme != "inspired":
        unknown = {
            (u.speaker, a.intent)
            for d in dialogues
            for u in d.utterances
            for a in u.acts
            if not found.knows(u.speaker, a.intent)
        }
        assert unknown == set()
