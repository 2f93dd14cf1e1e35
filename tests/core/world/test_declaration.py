import pytest
from pydantic import ValidationError

from openiir.core.retrieval import WEIGHT
from openiir.core.world import WorldSpec


def test_a_table_of_a_study_becomes_a_world():
    spec = WorldSpec.model_validate({"sources": ["articles"], "chunk_words": 80, "weight": 0.25})
    assert (spec.sources, spec.chunk_words, spec.weight, spec.urls) == (("articles",), 80, 0.25, ())
    assert WorldSpec().weight == WEIGHT


@pytest.mark.parametrize(
    "table", [{"source": ["a"]}, {"weight": 1.5}, {"chunk_words": 0}, {"sources": [""]}, {"dimensions": 0}]
)
def test_impossible_tables_are_refused(table):
    with pytest.raises(ValidationError):
        WorldSpec.model_validate(table)
