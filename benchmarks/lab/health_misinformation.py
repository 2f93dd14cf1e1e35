"""Judgements of TREC 2021 Health Misinformation, as preferences for helpful and against harmful documents."""

import re
from pathlib import Path
from typing import NamedTuple

from openiir.kit.measures.trec import Judgement
from openiir.plugin import InputError, read_text

_TOPIC = re.compile(r"<number>\s*(\S+?)\s*</number>.*?<stance>\s*(helpful|unhelpful)\s*</stance>", re.DOTALL)


class HealthJudgements(NamedTuple):
    """Graded judgements for `measure_help_and_harm`; a higher grade is more helpful, or more harmful."""

    helpful: tuple[Judgement, ...]
    harmful: tuple[Judgement, ...]


def read_health_judgements(qrels: Path, topics: Path) -> HealthJudgements:
    """Read judgements of usefulness, supportiveness and credibility, and the topics with their stance.

    Grades are those of the track (Clarke, Maistro & Smucker, TREC 2021). A useful document (1, 2) is helpful,
    by its usefulness + 2 x credibility, + 6 if it answers correctly: if it supports (2) a helpful treatment
    or dissuades (0) from an unhelpful one. One that answers wrongly is harmful, by 1 + credibility. What was
    not judged (below 0) counts as neutral, and as of low credibility. Raises InputError naming file and line.
    """
    found = (_TOPIC.search(block) for block in read_text(topics).split("</topic>"))
    stances = {topic[1]: topic[2] for topic in found if topic}
    helpful, harmful = [], []
    for number, line in enumerate(read_text(qrels).split("\n"), 1):
        columns, where = line.split(), f"{qrels} line {number}"
        if not columns:
            continue
        if len(columns) != 6 or not all(re.fullmatch(r"-[12]|[012]", grade) for grade in columns[3:]):
            columns = "topic 0 document usefulness supportiveness credibility"
            form = f"judgements have 6 columns ({columns}) with grades of -2 to 2"
            raise InputError(f"{where}: {form}, this line is {line!r:.80}; correct it")
        topic, _, document = columns[:3]
        if topic not in stances:
            raise InputError(f"{where}: {topics} has no topic {topic} with a stance; name their own file")
        useful, supports, credible = map(int, columns[3:])
        correct = (supports - 1) * (1 if stances[topic] == "helpful" else -1) if supports >= 0 else 0
        if useful > 0 and correct < 0:
            harmful.append(Judgement(topic, document, 1 + max(credible, 0)))
        elif useful > 0:
            helpful.append(Judgement(topic, document, useful + 2 * max(credible, 0) + 6 * correct))
    return HealthJudgements(tuple(helpful), tuple(harmful))
