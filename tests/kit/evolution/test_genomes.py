"""Loci, genomes and births: what may be held, what mutates, and that nothing drifts by itself."""

import json
import math

import numpy as np
import pytest

from openiir.core.errors import InputError
from openiir.core.seeds import Draw
from openiir.kit.evolution import GenomeSpec, Mutation, NumberLocus, TextLocus

DRAW = Draw(9, "test.genomes")
TEXTS = {"plain": "Say what is so.", "source": "Name one good source.", "number": "Give a number."}
LOCI = {
    "template": TextLocus(options=TEXTS, most=60),
    "cue": NumberLocus(low=0, high=1),
    "weight": NumberLocus(size=0.4),
    "evidence": NumberLocus(low=0, size=0.4),
    "depth": NumberLocus(low=1, high=10, size=2, whole=True),
}
SPEC = GenomeSpec("producer", 1, LOCI)
VALUES = {"template": TEXTS["plain"], "cue": 0.5, "weight": -1.25, "evidence": 0.0, "depth": 4}


def with_rates(rate, loci=LOCI):
    return GenomeSpec("producer", 1, {k: type(v)(**{**vars(v), "rate": rate}) for k, v in loci.items()})


# Genomes


def test_a_genome_is_known_by_what_it_holds():
    genome = SPEC.build(VALUES)
    assert genome.id == SPEC.build(dict(reversed(VALUES.items()))).id and len(genome.id) == 16
    changed = {"template": "Say it.", "cue": 0.25, "weight": 0.0, "evidence": 1.0, "depth": 5}
    others = {SPEC.build({**VALUES, name: value}).id for name, value in changed.items()}
    others |= {
        GenomeSpec("detector", 1, LOCI).build(VALUES).id,
        GenomeSpec("producer", 2, LOCI).build(VALUES).id,
    }
    assert len(others - {genome.id}) == 7


def test_a_genome_survives_json():
    genome = SPEC.build({**VALUES, "weight": 2.0})
    again = type(genome).model_validate_json(json.dumps(genome.model_dump(mode="json")))
    assert again == genome and again.id == genome.id and type(again.values["depth"]) is int
    SPEC.check(again)


@pytest.mark.parametrize(("kind", "version"), [("producer", 2), ("detector", 1)])
def test_a_genome_of_another_version_is_refused(kind, version):
    stranger = GenomeSpec(kind, version, LOCI).build(VALUES)
    with pytest.raises(InputError, match=f"{kind} version {version}, not producer version 1"):
        SPEC.check(stranger)
    with pytest.raises(InputError, match="begin with founders"):
        SPEC.reproduce([SPEC.build(VALUES), stranger], [0, 0], DRAW, 1)


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ({"template": " "}, "locus template: ' ' is no text"),
        ({"template": "x" * 61}, "no text of 1 to 60 characters"),
        ({"template": 3}, "no text"),
        ({"cue": 1.01}, "locus cue: 1.01 is no number from 0 to 1"),
        ({"cue": math.nan}, "no number"),
        ({"cue": True}, "no number"),
        ({"cue": "high"}, "no number"),
        ({"weight": math.inf}, "no number"),
        ({"evidence": -0.1}, "no number from 0 to inf"),
        ({"depth": 2.5}, "no whole number"),
        ({"depth": 11}, "no number from 1 to 10"),
        ({"length": 3}, "has the loci template, cue"),
    ],
)
def test_values_that_cannot_be_are_refused(values, words):
    with pytest.raises(InputError, match=words):
        SPEC.build({**VALUES, **values})


@pytest.mark.parametrize(
    ("locus", "words"),
    [
        (lambda: NumberLocus(low=1, high=1), "lower bound first"),
        (lambda: NumberLocus(size=0), "above 0"),
        (lambda: NumberLocus(span=math.inf), "above 0"),
        (lambda: NumberLocus(low=0, high=3.5, size=1, whole=True), "whole bounds"),
        (lambda: NumberLocus(low=0, size=1, whole=True), "whole bounds"),
        (lambda: TextLocus(options={}), "give one at least"),
        (lambda: TextLocus(options={"a": "x", "b": "x"}), "each with its own text"),
        (lambda: TextLocus(options={"a": "xy"}, most=1), "no text of 1 to 1"),
        (lambda: GenomeSpec("p", 1, {"x": NumberLocus(rate=1.1)}), "locus x mutates with rate 1.1"),
    ],
)
def test_loci_that_cannot_be_are_refused(locus, words):
    with pytest.raises(InputError, match=words):
        locus()


# Mutation


def test_random_genomes_fill_their_ranges():
    genomes = SPEC.random(2_000, DRAW)
    column = {name: np.array([g.values[name] for g in genomes]) for name in LOCI}
    assert abs(np.sort(column["cue"]) - np.linspace(0, 1, 2_000)).max() < 1.63 / np.sqrt(2_000)
    assert column["weight"].std() == pytest.approx(1, abs=0.06) and (column["evidence"] >= 0).all()
    for name in ("depth", "template"):
        counts = np.unique(column[name], return_counts=True)[1]
        assert len(counts) == {"depth": 10, "template": 3}[name]
        assert counts == pytest.approx(2_000 / len(counts), abs=4 * np.sqrt(2_000 / len(counts)))


def test_a_genome_does_not_depend_on_how_many_are_drawn():
    assert SPEC.random(7, DRAW)[:3] == SPEC.random(3, DRAW)
    founders = SPEC.random(5, DRAW)
    some, more = (SPEC.reproduce(founders, [0, 1, 2, 3][:n], DRAW, 1) for n in (2, 4))
    assert more[:2] == some
    alone = GenomeSpec("producer", 1, {k: LOCI[k] for k in ("cue",)})
    births = alone.reproduce([alone.build({"cue": g.values["cue"]}) for g in founders], [0, 1, 2, 3], DRAW, 1)
    assert [b.genome.values["cue"] for b in births] == [b.genome.values["cue"] for b in more]


def test_mutation_alone_leaves_a_uniform_population_uniform():
    """Reflection has no drift; clipping would gather a tenth of these at the bounds."""
    spec = with_rates(1, {"cue": LOCI["cue"], "depth": LOCI["depth"]})
    grid = [spec.build({"cue": (n + 0.5) / 3_000, "depth": 1 + n % 10}) for n in range(3_000)]
    children = [birth.genome.values for birth in spec.reproduce(grid, range(3_000), DRAW, 1)]
    cues, depths = (np.array([child[name] for child in children]) for name in ("cue", "depth"))
    assert abs(np.sort(cues) - np.linspace(0, 1, 3_000)).max() < 1.63 / np.sqrt(3_000)
    assert np.bincount(depths)[1:] == pytest.approx(300, abs=4 * np.sqrt(300))


@pytest.mark.parametrize("low", [-7, 0, 3])
def test_whole_numbers_step_within_their_bounds(low):
    locus = NumberLocus(low=low, high=low + 3, size=2, whole=True)
    for start in range(low, low + 4):
        reached = {locus.mutate(start, DRAW.at(item=n)) for n in range(200)}
        steps = [start + step for step in (-2, -1, 1, 2)]
        expected = {
            2 * low - 1 - x if x < low else 2 * (low + 3) + 1 - x if x > low + 3 else x for x in steps
        }
        assert reached == expected and all(type(x) is int for x in reached)


def test_steps_have_the_size_that_the_locus_says():
    steps = np.array([LOCI["weight"].mutate(3.0, DRAW.at(item=n)) for n in range(2_000)]) - 3
    assert steps.mean() == pytest.approx(0, abs=0.03) and steps.std() == pytest.approx(0.4, abs=0.02)
    assert all(LOCI["evidence"].mutate(0.01, DRAW.at(item=n)) >= 0 for n in range(200))


def test_rates_hold_by_locus():
    founders = [SPEC.build(VALUES)] * 4_000
    births = SPEC.reproduce(founders, range(4_000), DRAW, 1)
    for name, locus in LOCI.items():
        share = np.mean([any(m.locus == name for m in birth.mutations) for birth in births])
        assert share == pytest.approx(locus.rate, abs=4 * np.sqrt(locus.rate / 4_000)), name


def test_rate_0_copies_and_rate_1_changes_every_locus():
    founders = SPEC.random(20, DRAW)
    assert all(
        not b.mutations and b.genome is founders[b.parent]
        for b in with_rates(0).reproduce(founders, range(20), DRAW, 1)
    )
    births = with_rates(1).reproduce(founders, range(20), DRAW, 1)
    assert all(len(b.mutations) >= 4 for b in births)
    assert not any(b.mutations for b in with_rates(1).reproduce(founders, range(20), DRAW, 1, elites=20))


def test_a_birth_tells_what_changed_and_by_which_draw():
    founders = SPEC.random(30, DRAW)
    births = with_rates(0.5).reproduce(founders, list(range(29, -1, -1)), DRAW, 6, elites=3)
    assert any(b.mutations for b in births) and not any(b.mutations for b in births[:3])
    for child, birth in enumerate(births):
        assert birth.parent == 29 - child
        before, after = founders[birth.parent].values, birth.genome.values
        assert {m.locus: (m.before, m.after) for m in birth.mutations} == {
            name: (before[name], after[name]) for name in LOCI if before[name] != after[name]
        }
        for m in birth.mutations:
            assert m.draw == f"test.genomes/mutate step=6 item={child} agent={m.locus}"
            own = DRAW.at("mutate", step=6, item=child, agent=m.locus)
            assert own.uniform() < 0.5 and LOCI[m.locus].mutate(m.before, own.at("value")) == m.after


# Texts


def test_a_text_that_a_model_wrote_is_taken_within_bounds():
    spec, founders = with_rates(1), [SPEC.build(VALUES)] * 5
    assert spec.list_rewrites(5, DRAW, 1, elites=1) == [(n, "template") for n in range(1, 5)]
    written = {
        (1, "template"): "  Say what is so, kindly. ",
        (2, "template"): "word " * 20,
        (3, "template"): "   ",
        (0, "template"): "An elite is never rewritten.",
    }
    births = spec.reproduce(founders, range(5), DRAW, 1, elites=1, texts=written)
    texts = [birth.genome.values["template"] for birth in births]
    assert texts[0] == texts[3] == TEXTS["plain"] and texts[1] == "Say what is so, kindly."
    assert texts[2] == " ".join(["word"] * 12) and texts[4] in list(TEXTS.values())[1:]
    assert not any(m.locus == "template" for m in births[3].mutations)


def test_a_word_that_is_too_long_is_cut():
    locus = TextLocus(options={"a": "x"}, most=5)
    texts = {"abcdefgh": "abcde", "ab cdefgh": "ab", "abcde fg": "abcde", "abcde": "abcde", "": ""}
    assert {text: locus.shorten(text) for text in texts} == texts


def test_a_change_is_told_in_words():
    assert Mutation("cue", 0.5, 0.25, "").words == "0.5 -> 0.25"
    assert Mutation("depth", 4, 6, "").words == "4 -> 6"
    text = Mutation("template", "Name one good source.", "Name two good sources now.", "")
    assert text.words == "Name [-one-] {+two+} good [-source.-] {+sources now.+}"
    assert Mutation("template", "Say it.", "Say it. Briefly.", "").words == "Say it. {+Briefly.+}"
    apart = Mutation("template", "Say that most have it wrong.", "Ask a question that readers may have.", "")
    assert apart.words == "[-Say that most have it wrong.-] {+Ask a question that readers may have.+}"


# Distance


def test_distance_is_that_of_a_plain_loop():
    genomes = SPEC.random(9, DRAW)
    ranges = {"cue": 1.0, "depth": 9.0, "weight": 1.0, "evidence": 1.0}

    def apart(a, b):
        parts = [min(abs(a.values[k] - b.values[k]) / ranges[k], 1) for k in ranges]
        return (math.fsum(parts) + (a.values["template"] != b.values["template"])) / len(LOCI)

    pairs = [apart(genomes[i], genomes[j]) for i in range(9) for j in range(i)]
    assert SPEC.distance(genomes) == pytest.approx(math.fsum(pairs) / len(pairs))
    assert SPEC.distance(genomes[:1] * 4) == 0 and math.isnan(SPEC.distance(genomes[:1]))
