"""The experiments: what visitors are put through, and what the log keeps of it."""

from collections.abc import AsyncIterator, Callable, Mapping

from openiir.plugin import Stage, Step
from openiir.scenarios.recommender.setup import StudyContext
from openiir.scenarios.recommender.tasks.coherence import coherence
from openiir.scenarios.recommender.tasks.discrimination import discrimination
from openiir.scenarios.recommender.tasks.personas import personas
from openiir.scenarios.recommender.tasks.rating import rating
from openiir.scenarios.recommender.tasks.thumbnails import thumbnails
from openiir.scenarios.recommender.tasks.visits import visits

EXPERIMENTS: Mapping[str, Callable[[Stage, StudyContext], AsyncIterator[Step]]] = {
    "visits": visits,
    "discrimination": discrimination,
    "rating": rating,
    "thumbnails": thumbnails,
    "coherence": coherence,
    "personas": personas,
}
"""By what a study's `config.experiment` calls them."""
