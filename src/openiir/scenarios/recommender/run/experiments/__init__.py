"""Experiments of a recommender study: what visitors do in each, and what is logged."""

from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from typing import NamedTuple

from openiir.plugin import Stage, Step
from openiir.scenarios.recommender.config import RecommenderConfig
from openiir.scenarios.recommender.run.experiments.coherence import LABEL, run_coherence
from openiir.scenarios.recommender.run.experiments.discrimination import label_kind, run_discrimination
from openiir.scenarios.recommender.run.experiments.rating import RATED, SORTED, run_rating
from openiir.scenarios.recommender.run.experiments.thumbnails import LABELS, run_thumbnails
from openiir.scenarios.recommender.run.experiments.visits import label_visits, run_visits
from openiir.scenarios.recommender.run.study_context import StudyContext


class Experiment(NamedTuple):
    """An experiment: its schedule after setup, and the labels of its steps."""

    schedule: Callable[[Stage, StudyContext], AsyncIterator[Step]]
    labels: Callable[[RecommenderConfig], Sequence[str]]


async def _personas(stage: Stage, study: StudyContext) -> AsyncIterator[Step]:
    """Run the experiment on persona inference (SimUSER, table 8), which the setup has logged."""
    (label,) = EXPERIMENTS["personas"].labels(stage.config)
    yield Step(label)


EXPERIMENTS: Mapping[str, Experiment] = {
    "visits": Experiment(run_visits, label_visits),
    "discrimination": Experiment(
        run_discrimination, lambda config: [*map(label_kind, config.discrimination.kinds)]
    ),
    "rating": Experiment(run_rating, lambda config: [SORTED, RATED] if config.rating.unknown else [RATED]),
    "thumbnails": Experiment(run_thumbnails, lambda config: LABELS),
    "coherence": Experiment(run_coherence, lambda config: [LABEL]),
    "personas": Experiment(_personas, lambda config: [f"{config.users} personas matched"]),
}
"""Experiments by their names in `config.experiment`."""
