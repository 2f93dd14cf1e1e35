"""The ordered rules of relations, the shipped pairs, and likeness against scikit-learn."""

import csv
from collections import Counter
from pathlib import Path

import pytest

import openiir.core.claims
from openiir.core.claims import relate
from openiir.core.claims.similarity import containment, cosine, overlap, tf_idf

TREES = "Cities should plant more trees"


@pytest.mark.parametrize(
    ("earlier", "later", "kind"),
    [
        ("Trees cool the streets.", "How do we know that trees cool the streets?", "questions"),
        ("Trees cool the streets.", "What evidence is there for that", "questions"),
        ("Trees cool the streets.", "However, trees only cool the streets at noon.", "counters"),
        ("Trees cool the streets.", "Trees do not cool the streets.", "counters"),
        (
            "Trees cost the city 20 percent of its budget.",
            "Trees cost the city 3 percent of its budget.",
            "counters",
        ),
        ("Cities must plant trees.", "Cities must not plant trees in narrow streets.", "counters"),
        ("Trees are healthy.", "Trees are a danger to pipes and roofs.", "counters"),
        ("Trees cool the streets.", "Trees cool the streets of old towns by three degrees.", "refines"),
        ("Trees help.", "Trees help only if somebody waters the trees.", "refines"),
        ("Trees are healthy.", "For example, asthma is rare in leafy quarters.", "supports"),
        ("Trees are healthy.", "Trees improve the air.", "supports"),
    ],
)
def test_rules(earlier, later, kind):
    relation = relate(later, earlier, TREES)
    assert relation is not None
    assert relation.type == kind
    assert 0 < relation.confidence < 1


def test_no_rule_no_relation():
    assert relate("The library opens at ten.", "The river is wide.", TREES) is None


def test_a_reply_needs_less_than_a_chance_neighbour():
    earlier, later = "Trees offer shade.", "Oaks attract birds."
    assert relate(later, earlier, TREES) is None
    assert relate(later, earlier, TREES, replying=True) == ("supports", pytest.approx(0.28, abs=0.05))


def test_more_overlap_more_confidence():
    close = relate("However, trees cool the streets at noon.", "Trees cool the streets.", TREES)
    far = relate("However, buses are full.", "Trees cool the streets.", TREES)
    assert close and far and close.confidence > far.confidence


def pairs() -> list[dict[str, str]]:
    path = Path(openiir.core.claims.__file__).parent / "data" / "pairs.tsv"
    with path.open(encoding="utf-8") as lines:
        return list(csv.DictReader(lines, delimiter="\t"))


def test_the_shipped_pairs_are_balanced_and_mostly_without_connectives():
    rows = pairs()
    assert len(rows) == len({(row["earlier"], row["later"]) for row in rows}) == 200
    assert set(Counter(row["label"] for row in rows).values()) == {40}
    assert len({row["topic"] for row in rows}) == 10
    halves = {half: {row["topic"] for row in rows if row["half"] == half} for half in ("dev", "held-out")}
    assert not halves["dev"] & halves["held-out"]
    assert sum(row["connective"] == "0" for row in rows) > 100


def test_the_rules_beat_a_constant_answer_on_the_half_left_out():
    rows = [row for row in pairs() if row["half"] == "held-out"]
    said = [relate(row["later"], row["earlier"], row["topic"]) for row in rows]
    hits = sum((r.type if r else "none") == row["label"] for r, row in zip(said, rows, strict=True))
    assert hits / len(rows) > 0.5


def test_tf_idf_is_that_of_scikit_learn():
    from sklearn.feature_extraction.text import TfidfVectorizer

    texts = ["alpha beta beta gamma", "beta gamma delta", "alpha alpha epsilon", "zeta"]
    theirs = TfidfVectorizer().fit_transform(texts).toarray()
    ours = tf_idf(texts)
    for i in range(len(texts)):
        for j in range(len(texts)):
            assert cosine(ours[i], ours[j]) == pytest.approx(theirs[i] @ theirs[j], abs=1e-6)


def test_likeness_of_nothing_is_zero():
    empty, full = tf_idf(["the of", "alpha"])
    assert cosine(empty, full) == 0.0
    assert overlap([], ["a"]) == containment([], ["a"]) == 0.0
    assert overlap(["a", "b"], ["b", "a"]) == containment(["a"], ["b", "a"]) == 1.0
