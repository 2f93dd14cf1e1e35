"""Experiments of a recommender study: what visitors do in each, and what is logged."""

from collections.abc import AsyncIterator, Callable, Mapping

from openiir.plugin import Stage, Step
from openiir.scenarios.recommender.config import RecommenderConfig
from openiir.scenarios.recommender.run.experiments.coherence import coherence
from openiir.scenarios.recommender.run.experiments.discrimination import discrimination
from openiir.scenarios.recommender.run.experiments.rating import rating
from openiir.scenarios.recommender.run.experiments.thumbnails import thumbnails
from openiir.scenarios.recommender.run.experiments.visits import most_steps_of_visits, visits
from openiir.scenarios.recommender.run.setup import StudyContext


async def personas(stage: Stage, study: StudyContext) -> AsyncIterator[Step]:
    """Run the experiment on persona inference (SimUSER, table 8).

    It adds nothing, since the setup has logged the matched personas.
    """
    yield Step(f"{len(study.visitors)} personas matched")


EXPERIMENTS: Mapping[str, Callable[[Stage, StudyContext], AsyncIterator[Step]]] = {
    "visits": visits,
    "discrimination": discrimination,
    "rating": rating,
    "thumbnails": thumbnails,
    "coherence": coherence,
    "personas": personas,
}
"""Experiments by their names in `config.experiment`."""


def most_steps(config: RecommenderConfig) -> int:
    """Return the number of steps of a study's experiment, after the setup."""
    match config.experiment:
        case "visits":
            return most_steps_of_visits(config)
        case "discrimination":
            return len(config.discrimination.kinds)
        case "rating":
            return 1 + config.rating.unknown
        case "thumbnails":
            return 2
    return 1
