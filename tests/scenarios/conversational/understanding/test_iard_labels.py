"""IARD's labels by rules: what they say, and what they reach on the published gold annotations."""

import os
from pathlib import Path

import pytest

from openiir.kit.dialogue.formats import read_dialogues
from openiir.scenarios.conversational.understanding import format_acts
from openiir.scenarios.conversational.understanding.iard import IardReader
from openiir.scenarios.conversational.understanding.scoring import held_out, judged
from openiir.scenarios.conversational.understanding.trained import NearestReader

DATA = os.environ.get("OPENIIR_DATA")
needs_data = pytest.mark.skipif(not DATA, reason="OPENIIR_DATA is not set: IARD's dialogues are not here")
BEFORE = (("user", "hello"), ("system", "Have you seen Harbour Lights (1999)?"))


@pytest.fixture(scope="module")
def rules(reader):
    return IardReader(reader)


@pytest.mark.parametrize(
    ("text", "context", "acts"),
    [
        ("Hi, I am looking for a horror movie", (), 'OTH()|IQU(GENRE="horror")'),
        ("comedies", (("system", "What genre do you like?"),), 'ANS(GENRE="comedies")'),
        ("Yes, I loved it", BEFORE, "SEE()"),
        ("I'll check it out, thanks", BEFORE, "ACC()|OTH()"),
        ("No, I don't like that one", BEFORE, "REJ()"),
        ("I have not seen that. Who is in it?", BEFORE, "INQ(ACTOR)"),
        ("No, I haven't seen it", BEFORE, "NRE()"),
        ("I'd rather have a comedy", BEFORE, 'CRI-A(GENRE="comedy")'),
        ("Goodbye", BEFORE, "END()"),
        ("", (), "OTH()"),
    ],
)
def test_what_seekers_do(rules, text, context, acts):
    assert format_acts(rules.user_acts(text, context)) == acts


@pytest.mark.parametrize(
    ("text", "context", "acts"),
    [
        ("Hello, what kind of movies do you like?", (), "OTH()|REQ(GENRE)"),
        ("Have you seen It (2017)?", (), 'REC-E(TITLE="It")'),
        ("You could try It (2017).", (), 'REC-S(TITLE="It")'),
        ("Ida Fenn is in it", (("user", "Who is in it?"),), 'R-ANS(ACTOR="Ida Fenn")'),
        ("Have a good night!", BEFORE, "END()"),
        ("I see", BEFORE, "RESP()"),
    ],
)
def test_what_recommenders_do(rules, text, context, acts):
    assert format_acts(rules.system_acts(text, context)) == acts


@needs_data
def test_rules_alone_beat_the_nearest_neighbour_on_the_held_out_half(films):
    folder = Path(str(DATA)) / "crs"
    dialogues = read_dialogues(folder / "iard/formatted_IARD_annotated_gold.json")
    train, test = ([d for d in dialogues if held_out(d.id) == part] for part in (False, True))
    assert (len(train), len(test)) == (44, 33)

    def scored(reader):
        read = lambda who, text, before: (reader.user_acts if who == "user" else reader.system_acts)(
            text, before
        )  # noqa: E731
        return judged(test, read, draws=50)

    rules, nearest = scored(IardReader(films)), scored(NearestReader(train))
    assert rules.micro.f1 > 0.65 and rules.macro.f1 > 0.48 and rules.triples.f1 > 0.52
    assert rules.micro.low > nearest.micro.high and rules.triples.low > nearest.triples.high
