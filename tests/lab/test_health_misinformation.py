"""Judgements of TREC 2021 Health Misinformation: the track's grades, and refusals."""

import os
from pathlib import Path

import pytest

from lab.health_misinformation import read_health_judgements
from openiir.kit.measures import measure_help_and_harm
from openiir.plugin import InputError, Ranking

TOPICS = """<topics>
<topic><number>1</number><query>a</query><stance>helpful</stance></topic>
<topic><number>2</number><query>b</query><stance>unhelpful</stance></topic>
</topics>"""


def read(folder, *lines, topics=TOPICS):
    (folder / "topics.xml").write_text(topics, encoding="utf-8")
    (folder / "qrels").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return read_health_judgements(folder / "qrels", folder / "topics.xml")


@pytest.mark.parametrize(
    ("judged", "helpful", "harmful"),
    [
        ((2, 2, 2), 12, -3),
        ((1, 2, 2), 11, -3),
        ((2, 2, 1), 10, -2),
        ((1, 2, 1), 9, -2),
        ((2, 2, 0), 8, -1),
        ((1, 2, -2), 7, -1),
        ((2, 1, 2), 6, 6),
        ((1, -2, 2), 5, 5),
        ((2, 1, 1), 4, 4),
        ((1, 1, 1), 3, 3),
        ((2, -2, -2), 2, 2),
        ((1, 1, 0), 1, 1),
        ((0, -1, -1), None, None),
        ((2, 0, 0), -1, 8),
        ((1, 0, 1), -2, 9),
        ((2, 0, 2), -3, 12),
    ],
)
def test_grades_are_those_of_the_track(tmp_path, judged, helpful, harmful):
    found = read(tmp_path, *(f"{topic} 0 d {' '.join(map(str, judged))}" for topic in (1, 2)))
    signed = {one.topic: one.relevance for one in found.helpful} | {
        one.topic: -one.relevance for one in found.harmful
    }
    assert (signed.get("1"), signed.get("2")) == (helpful, harmful)


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("1 0 d 1 2", "line 2: judgements have 6 columns"),
        ("1 0 d 1 2 high", "line 2: judgements have 6 columns"),
        ("1 0 d 1 2 3", "grades of -2 to 2"),
        ("3 0 d 1 2 1", "has no topic 3 with a stance"),
    ],
)
def test_bad_lines_are_refused(tmp_path, line, message):
    with pytest.raises(InputError, match=message):
        read(tmp_path, "1 0 d 1 2 1", line)


def test_a_topic_without_a_stance_does_not_take_that_of_the_next(tmp_path):
    with pytest.raises(InputError, match="has no topic 1 with a stance"):
        read(tmp_path, "1 0 d 1 2 1", topics=TOPICS.replace("<stance>helpful</stance>", ""))


@pytest.mark.skipif("OPENIIR_DATA" not in os.environ, reason="needs the data sets: set OPENIIR_DATA")
def test_a_run_of_helpful_documents_helps_and_one_of_harmful_ones_harms():
    folder = Path(os.environ["OPENIIR_DATA"]) / "claims-trec-misinfo2021"
    judged = read_health_judgements(folder / "filtered_qrels.txt", folder / "misinfo-2021-topics.xml")
    assert (len(judged.helpful), len(judged.harmful)) == (4839, 1596)

    def run(judgements):
        return Ranking.of([(one.topic, one.item, float(one.relevance)) for one in judgements], "ideal")

    helpful, harmful = (measure_help_and_harm(run(side), *judged) for side in judged)
    assert helpful.helpful.total / helpful.helpful.counted == pytest.approx(1)
    assert harmful.difference.value == pytest.approx(-1)
    assert helpful.harmful.total == harmful.helpful.total == 0
