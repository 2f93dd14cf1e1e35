"""Tables of pairs by a map of columns, and COVID-Fact."""

import json
import os
from pathlib import Path

import pytest

from lab.pair_baselines import score_baseline
from openiir.kit.items.table_files import TableFile
from openiir.plugin import InputError
from openiir.scenarios.multi_generational.model.credibility.pairs import (
    ClaimPair,
    PairColumns,
    covid_fact_pairs,
    read_pairs,
)

COLUMNS = PairColumns(
    id="nr", topic="field", true="yes", false="no", evidence="ev", true_ratings="p", false_ratings="q"
)
ROW = {"nr": "1", "field": "tea", "yes": "It is hot.", "no": "It is cold.", "ev": 0.5, "p": 4, "q": 5}


def read(folder, rows, columns=COLUMNS, ending="jsonl"):
    path = folder / f"pairs.{ending}"
    names = list(rows[0]) if rows else []
    if ending == "jsonl":
        text = "\n\n".join(json.dumps(row) for row in rows) + "\n"
    elif ending == "json":
        text = json.dumps(rows)
    else:
        mark = {"csv": ",", "tsv": "\t"}[ending]
        text = "\n".join(
            mark.join(str(row[name]) for name in names)
            for row in [dict(zip(names, names, strict=True)), *rows]
        )
    path.write_text(text, encoding="utf-8")
    return read_pairs(TableFile(file=path.name, separator="\t" if ending == "tsv" else ","), path, columns)


@pytest.mark.parametrize("ending", ["jsonl", "json", "csv", "tsv"])
def test_any_table_is_read_by_a_map_of_its_columns(tmp_path, ending):
    (first, second) = read(tmp_path, [ROW, {**ROW, "nr": "2", "field": "milk"}], ending=ending)
    assert (first.id, first.topic, first.true, first.false) == ("1", "tea", "It is hot.", "It is cold.")
    assert (first.evidence, first.plausibility_lead, second.topic) == (0.5, -1, "milk")


def test_ratings_may_be_lists_and_columns_may_be_missing(tmp_path):
    assert read(tmp_path, [{**ROW, "p": [4, 6], "q": [3, 3, 6]}])[0].plausibility_lead == 1
    bare = PairColumns(id="nr", topic="field", true="yes", false="no")
    (pair,) = read(tmp_path, [ROW], bare)
    assert pair.evidence is None and pair.true_ratings == ()
    with pytest.raises(InputError, match="name the columns with the ratings"):
        _ = pair.plausibility_lead


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"no": None}, "pair '1' has no false"),
        ({"no": "it is HOT."}, "identical"),
        ({"nr": ""}, "row 1: nr is empty"),
        ({"ev": "much"}, "ev = 'much' is no number"),
        ({"ev": 2}, "outside 0 to 1"),
        ({"p": "high"}, "p holds a rating that is no number"),
    ],
)
def test_bad_rows_are_refused(tmp_path, change, message):
    with pytest.raises(InputError, match=message):
        read(tmp_path, [{**ROW, **change}])


def test_unknown_columns_and_repeated_ids_are_refused(tmp_path):
    with pytest.raises(InputError, match="has no column 'truth'; it has nr, field"):
        read(tmp_path, [ROW], PairColumns(id="nr", topic="field", true="truth", false="no"))
    with pytest.raises(InputError, match="two pairs with the id '1'"):
        read(tmp_path, [ROW, ROW])


def test_counter_claims_are_paired_with_the_claim_of_their_source_and_evidence(tmp_path):
    rows = [
        ("It helps.", "SUPPORTED", ["e"], "a"),
        ("It harms.", "REFUTED", ["e"], "a"),
        ("It hums.", "REFUTED", ["e"], "a"),
        ("It kills.", "REFUTED", ["f"], "a"),
        ("It grows.", "SUPPORTED", ["g", "h"], "b"),
        ("it GROWS.", "REFUTED", ["g", "h"], "b"),
    ]
    path = tmp_path / "facts.jsonl"
    names = ("claim", "label", "evidence", "gold_source")
    path.write_text(
        "\n".join(json.dumps(dict(zip(names, row, strict=True))) for row in rows), encoding="utf-8"
    )
    (pair,) = covid_fact_pairs(path)
    assert (pair.true, pair.false, pair.topic, pair.passages) == ("It helps.", "It harms.", "a", ("e",))


@pytest.mark.skipif("OPENIIR_DATA" not in os.environ, reason="needs the data sets: set OPENIIR_DATA")
def test_covid_fact_has_surface_cues():
    pairs = covid_fact_pairs(
        Path(os.environ["OPENIIR_DATA"]) / "claims-covidfact" / "COVIDFACT_dataset.jsonl"
    )
    assert len(pairs) == 1273 and len({pair.topic for pair in pairs}) == 1257
    assert score_baseline(pairs[:300], "words").paired.low > 0.5


def test_a_baseline_finds_a_cue_that_is_there():
    pairs = [
        ClaimPair(str(n), f"t{n % 6}", f"Thing {n} is so.", f"Thing {n} is allegedly so, they say.")
        for n in range(60)
    ]
    for cue in ("words", "length"):
        found = score_baseline(pairs, cue)
        assert found.accuracy.value == found.paired.value == 1
    with pytest.raises(InputError, match="at least 2 topics"):
        score_baseline(pairs[:1], "words")
