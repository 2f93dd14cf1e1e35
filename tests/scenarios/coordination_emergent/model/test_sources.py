"""Sources are drawn, or found among documents, with judgements or without."""

import numpy as np
import pytest

from openiir.plugin import Draw, InputError
from openiir.scenarios.coordination_emergent.model.record import concentrations, hold_most
from openiir.scenarios.coordination_emergent.model.sources import (
    LOOKS,
    MOST_SOURCES,
    NOISE,
    QUALITY,
    SPECIALTY,
    as_grades,
    draw_sources,
)

DRAW = Draw(9, "tests.sources")
GOALS = {f"g{n}": f"what {n} is" for n in range(200)}


class TestSynthetic:
    def test_worth_looks_and_answers_have_their_spread(self):
        sources = draw_sources(MOST_SOURCES, GOALS, DRAW)
        assert len(set(sources.names)) == MOST_SOURCES
        assert sources.worth.mean() == pytest.approx(0.5, abs=0.03)
        assert sources.worth.mean(axis=0).std() == pytest.approx(QUALITY, abs=0.025)
        assert (sources.worth - sources.worth.mean(axis=0)).std() == pytest.approx(SPECIALTY, abs=0.02)
        assert np.corrcoef(sources.worth.ravel(), sources.looks.ravel())[0, 1] > 0.7
        middling = int(np.abs(sources.worth[0] - 0.5).argmin())
        goal = np.zeros(4_000, dtype=np.int64)
        grades = sources.answer(goal, goal[:, None] + middling, DRAW) / 4
        assert grades.mean() == pytest.approx(sources.worth[0, middling], abs=0.02)
        assert grades.std() == pytest.approx(np.hypot(NOISE, 0.25 / np.sqrt(12)), abs=0.02)

    def test_fewer_sources_are_the_first_of_more(self):
        few, many = (draw_sources(n, GOALS, DRAW) for n in (5, 50))
        assert (few.worth == many.worth[:, :5]).all() and few.names == many.names[:5]

    def test_a_source_tells_what_it_offers_for_a_goal(self):
        sources = draw_sources(3, GOALS, DRAW)
        told = sources.describe(7, 1)
        assert told == f"The {sources.names[1]} {LOOKS[sources.looks[7, 1]]}."

    def test_grades_round_to_the_nearest(self):
        assert as_grades(np.array([-1, 0, 0.124, 0.126, 0.5, 1, 2])).tolist() == [0, 0, 0, 1, 2, 4, 4]


class TestDocuments:
    def test_documents_and_folders_are_sources(self, documents):
        one = documents()
        assert one.names == ("pumps", "notice board", "keys", "moving out")
        assert [one.names[n] for n in one.worth.argmax(axis=1)] == ["moving out", "pumps"]
        folders = documents("config.documents=folder")
        assert folders.names == ("heat", "sources", "tenants")
        assert folders.worth[0].argmax() == 2 and folders.worth[1].argmax() == 0
        assert "heat pump" in folders.describe(1, 0) and folders.describe(1, 0).startswith('"heat" ')

    def test_judgements_say_what_sources_are_worth_and_scores_what_they_look(self, documents):
        plain, judged = documents(), documents('config.qrels="qrels.txt"')
        assert (plain.looks == judged.looks).all()
        assert plain.worth[0].max() == 1.0 == judged.worth[0].max()
        by_name = dict(zip(judged.names, judged.worth.T.tolist(), strict=True))
        assert by_name == {"pumps": [0, 1], "notice board": [0, 0], "keys": [0.5, 0], "moving out": [1, 0]}

    def test_one_source_is_none_to_choose_from(self, documents):
        with pytest.raises(InputError, match=r"\[world\] has 1 sources"):
            documents("config.documents=folder", 'world.sources=["sources/heat"]')


def test_those_who_hold_most_are_a_tenth_and_at_least_one():
    assert np.flatnonzero(hold_most(np.array([3, 9, 1, 9, 2]))).tolist() == [1]
    assert hold_most(np.arange(40)).nonzero()[0].tolist() == [36, 37, 38, 39]


def test_concentration_is_one_over_the_number_of_equal_shares():
    found = concentrations(np.array([[2.0, 2, 2, 2], [5, 0, 0, 0], [3, 1, 0, 0], [0, 0, 0, 0]]))
    assert found.tolist() == [0.25, 1.0, 0.625, 0.0]
