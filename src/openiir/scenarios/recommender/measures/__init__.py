"""Measures of a recommender study, computed from its log, with a module for each experiment."""

from collections.abc import Mapping

from openiir.plugin import Log, Measure
from openiir.scenarios.recommender.measures.offers import click_measures, offer_measures
from openiir.scenarios.recommender.measures.personas import persona_measures
from openiir.scenarios.recommender.measures.ratings import rating_measures
from openiir.scenarios.recommender.measures.recognition import recognition_measures
from openiir.scenarios.recommender.measures.systems import visits_measures

__all__ = ["recommender_measures"]

_ALL = (
    visits_measures,
    recognition_measures,
    rating_measures,
    click_measures,
    offer_measures,
    persona_measures,
)


def recommender_measures(log: Log) -> Mapping[str, Measure]:
    """Compute all measures of a run: SYSTEM/NAME for systems, EXPERIMENT.NAME for experiments."""
    return {name: measure for measures in _ALL for name, measure in measures(log).items()}
