"""TREC files and retrieval measures, against ir_measures called directly on the files."""

import gzip
import sys
from pathlib import Path
from urllib.parse import unquote

import ir_measures
import pytest

from openiir.kit.measures.retrieval import MEASURES, evaluate
from openiir.kit.measures.trec import Judgement, qrels_of, read_run, to_trec
from openiir.plugin import Draw, InputError, Ranked, Ranking

DRAW = Draw(3, "trec")


def made(topics: int = 12, items: int = 40) -> Ranking:
    scored = [
        (f"q{t}", f"d{i:02d}", float(DRAW.uniform(agent=t, item=i)) * 2 - 1)
        for t in range(topics)
        for i in range(items)
    ]
    return Ranking.of(scored, "noise")


def judged(path: Path) -> Path:
    lines = [
        f"q{t} 0 d{i:02d} {DRAW.at('judged').below(4, agent=t, item=i) - 1}"
        for t in range(2, 15)
        for i in range(0, 60, 3)
    ]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def test_measures_are_those_of_ir_measures_on_the_files(tmp_path: Path) -> None:
    run, qrels = tmp_path / "run", judged(tmp_path / "qrels")
    run.write_text(to_trec(made()) + "\n", encoding="utf-8")
    wanted = [ir_measures.parse_measure(name) for name in (*MEASURES, "AP(rel=2)", "Compat(p=0.9)")]
    direct = ir_measures.calc_aggregate(
        wanted, list(ir_measures.read_trec_qrels(str(qrels))), list(ir_measures.read_trec_run(str(run)))
    )
    ours = evaluate(made(), qrels_of(qrels), (*MEASURES, "AP(rel=2)", "Compat(p=0.9)"))
    assert {name: found.value for name, found in ours.items()} == {str(m): direct[m] for m in wanted}


def test_a_line_has_six_columns_and_ids_no_blanks() -> None:
    text = to_trec(Ranking.of([("user 1", "my file.txt", 0.5), ("user 1", "my%20file.txt", 0.5)], "a tag"))
    assert text.split("\n") == [
        "user%201 Q0 my%20file.txt 1 0.5 a%20tag",
        "user%201 Q0 my%2520file.txt 2 0.5 a%20tag",
    ]


def test_ids_with_blanks_come_back_from_files(tmp_path: Path) -> None:
    ids = ("my file.txt", "my%20file.txt", "a\u00a0b", "100%", "%2520", "%41", "\tx\n")
    shown = Ranking.of([(f"user {n}", id, 1.0 - n) for n, id in enumerate(ids)], "a tag")
    read = [line.split(" ") for line in to_trec(shown).split("\n")]
    assert [(unquote(topic), unquote(item), float(score)) for topic, _, item, _, score, _ in read] == [
        (row.topic, row.item, row.score) for row in shown.rows
    ]
    (tmp_path / "qrels").write_text("".join(f"{line[0]} 0 {line[2]} 1\n" for line in read), encoding="utf-8")
    assert [one.item for one in qrels_of(tmp_path / "qrels")] == list(ids)
    assert evaluate(shown, qrels_of(tmp_path / "qrels"), ("AP",))["AP"].value == 1.0


def test_a_ranking_breaks_ties_by_id_and_keeps_topics_in_order() -> None:
    found = Ranking.of([("b", "y", 1.0), ("a", "z", 0.0), ("b", "x", 1.0), ("b", "w", 2.0)], "t")
    assert [(r.topic, r.rank, r.item) for r in found.rows] == [
        ("b", 1, "w"),
        ("b", 2, "x"),
        ("b", 3, "y"),
        ("a", 1, "z"),
    ]
    assert [r.item for r in found.first(1).rows] == ["w", "z"]


@pytest.mark.parametrize(
    "rows, wrong",
    [
        ([("a", "x", 2, 1.0)], "not the next one"),
        ([("a", "x", 1, 1.0), ("a", "y", 2, 1.5)], "scores above"),
        ([("a", "x", 1, 1.0), ("a", "x", 2, 0.5)], "twice"),
        ([("a", "x", 1, 1.0), ("b", "x", 1, 1.0), ("a", "y", 1, 1.0)], "two places"),
        ([("a", "x", 1, float("nan"))], "finite"),
    ],
)
def test_a_ranking_that_a_run_file_would_lose_is_refused(
    rows: list[tuple[str, str, int, float]], wrong: str
) -> None:
    with pytest.raises(ValueError, match=wrong):
        Ranking.model_validate(
            {"rows": [{"topic": t, "item": i, "rank": r, "score": s, "tag": "t"} for t, i, r, s in rows]}
        )


@pytest.mark.parametrize(
    "text, wrong",
    [
        ("q1 0 d1 1\n\nq1 0 d2\n", "line 3: a TREC qrels has 4 columns .* this line has 3"),
        ("q1 0 d1 yes\n", "line 1: the relevance 'yes' is no whole number"),
        ("q1 0 d1 1\nq1 0 d1 2\n", "line 2: topic q1 judges d1 as 2, but as 1 above"),
        (" \n", "holds no line"),
    ],
)
def test_wrong_qrels_are_named_by_line(tmp_path: Path, text: str, wrong: str) -> None:
    (tmp_path / "qrels").write_text(text, encoding="utf-8")
    with pytest.raises(InputError, match=wrong):
        qrels_of(tmp_path / "qrels")
    with pytest.raises(InputError, match=r"nothing does not exist"):
        qrels_of(tmp_path / "nothing")


def test_qrels_may_be_compressed_and_repeat_themselves(tmp_path: Path) -> None:
    (tmp_path / "qrels.gz").write_bytes(gzip.compress(b"q1 0 d1 1\nq1 0 d1 1\nq1 1 d2 -1\n"))
    assert qrels_of(tmp_path / "qrels.gz") == (Judgement("q1", "d1", 1), Judgement("q1", "d2", -1, "1"))


def test_a_topic_that_nobody_judged_gives_no_measure() -> None:
    found = evaluate(made(2), [Judgement("other", "d01", 1)], ("AP",))["AP"]
    assert not found.defined and "no topic of the ranking is judged" in (found.reason or "")
    assert not evaluate(Ranking(rows=()), [Judgement("q1", "d01", 1)], ("AP",))["AP"].defined


def test_a_judged_topic_that_was_not_ranked_counts_as_zero() -> None:
    one = Ranking(rows=(Ranked(topic="q1", item="d1", rank=1, score=1.0, tag="t"),))
    assert evaluate(one, [Judgement("q1", "d1", 1), Judgement("q2", "d1", 1)], ("AP",))["AP"].value == 0.5


@pytest.mark.parametrize("name", ["nDGC@10", "nDCG@", "nDCG(foo=3)@10", "alpha_nDCG@5"])
def test_an_unknown_measure_is_refused(name: str) -> None:
    with pytest.raises(InputError, match="measures: "):
        evaluate(made(2), [Judgement("q1", "d01", 1)], (name,))


def test_without_ir_measures_the_remedy_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ir_measures", None)
    with pytest.raises(InputError, match=r"pip install 'openiir\[ir\]'"):
        evaluate(made(2), [Judgement("q1", "d01", 1)], ("AP",))


def test_a_run_is_read_as_it_was_written(tmp_path: Path) -> None:
    ranking = Ranking.of(
        [("q 1", "d%1", 2.5), ("q 1", "d 2", -1e-9), ("q2", "a", 1.0), ("q2", "b", 1.0)], "a tag"
    )
    (tmp_path / "run").write_text(to_trec(ranking) + "\n\n", encoding="utf-8")
    assert read_run(tmp_path / "run") == ranking
    lines = "q Q0 low 1 0.25 x\nq Q0 high 2 1e3 x\r\n"
    (tmp_path / "run.gz").write_bytes(gzip.compress(lines.encode()))
    assert [(row.item, row.rank) for row in read_run(tmp_path / "run.gz").rows] == [("high", 1), ("low", 2)]


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("q Q0 d 1 0.5", "line 2: a TREC run has 6 columns .* this line has 5"),
        ("q Q0 d 1 much x", "line 2: the score 'much' is no number"),
        ("q Q0 d 1 nan x", "line 2: the score 'nan' is no number"),
        ("q Q0 first 1 0.5 x", "line 2: topic q ranks first a second time"),
    ],
)
def test_lines_that_are_no_run_are_refused(tmp_path: Path, line: str, message: str) -> None:
    (tmp_path / "run").write_text(f"q Q0 first 1 0.5 x\n{line}\n", encoding="utf-8")
    with pytest.raises(InputError, match=message):
        read_run(tmp_path / "run")


def test_an_empty_run_is_refused(tmp_path: Path) -> None:
    (tmp_path / "run").write_text("\n", encoding="utf-8")
    with pytest.raises(InputError, match="holds no line"):
        read_run(tmp_path / "run")
