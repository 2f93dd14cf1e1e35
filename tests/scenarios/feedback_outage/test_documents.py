"""Documents that somebody wrote and judged: their scores and relevance are those of the world."""

from pathlib import Path

import numpy as np
import pytest

from openiir.kit.measures.trec import qrels_of
from openiir.plugin import InputError
from openiir.scenarios.feedback_outage import FeedbackOutage
from openiir.scenarios.feedback_outage.model.losses import OutageRecord
from openiir.testing import run_offline

JUDGED = FeedbackOutage.reference / "audit" / "judged.toml"
QRELS = qrels_of(JUDGED.with_name("qrels.txt"))


def test_without_clicks_the_pages_are_those_of_the_retrieval(tmp_path: Path) -> None:
    """Contents alone rank at first, so the first round measures the world's own search."""
    done = run_offline(JUDGED, tmp_path / "run")
    first = {arm: one["ndcg"][0] for arm, one in OutageRecord.read(done.log).values.items()}
    assert 0.9 < first["control"] < 1, "eleven short questions on fourteen short pages"
    assert len(set(first.values())) == 1
    assert done.log.columns("queries")["text"][0] == "bicycle chain jumps", "the first by id"


def test_clicks_find_what_retrieval_missed(tmp_path: Path) -> None:
    done = run_offline(
        JUDGED, tmp_path / "run", "config.content=0.0", "config.rounds=40", "config.searchers=600"
    )
    ndcg = OutageRecord.read(done.log).values["control"]["ndcg"]
    assert ndcg[-5:].mean() > ndcg[0] + 0.1


@pytest.mark.parametrize(
    ("sets", "words"),
    [
        ("config.documents=20", "14 documents for config.documents = 20"),
        ('config.queries.tap="my tap drips"', None),
        (
            'config.queries={"a"="1","b"="2","c"="3","d"="4","e"="5","f"="6","g"="7","h"="8","i"="9","j"="10"}',
            "'a'",
        ),
        ('config.qrels="sources/limescale.md"', "columns"),
        ('config.qrels="../qrels.txt"', "outside"),
    ],
)
def test_what_does_not_fit_is_refused(sets: str, words: str | None, tmp_path: Path) -> None:
    if words is None:
        run_offline(JUDGED, tmp_path / "run", sets, "config.rounds=9")
        return
    with pytest.raises(InputError, match=words):
        run_offline(JUDGED, tmp_path / "run", sets, "config.rounds=9")


def test_relevance_has_the_judged_grades(tmp_path: Path) -> None:
    """Without drift the best documents of a query stay those that were judged so."""
    done = run_offline(JUDGED, tmp_path / "run")
    freshness = OutageRecord.read(done.log).values["control"]["freshness"]
    assert {one.relevance for one in QRELS} == {1, 2, 3}
    assert np.diff(freshness).max() <= 1, "what is best has been best since the start"
