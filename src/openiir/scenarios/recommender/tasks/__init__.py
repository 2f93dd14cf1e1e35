"""The experiments: what visitors are put through, and what the log keeps of it."""

from collections.abc import AsyncIterator, Callable, Mapping

from openiir.plugin import Stage, Step
from openiir.scenarios.recommender.founding import Ground
from openiir.scenarios.recommender.tasks.rating import rating
from openiir.scenarios.recommender.tasks.visits import visits

EXPERIMENTS: Mapping[str, Callable[[Stage, Ground], AsyncIterator[Step]]] = {
    "visits": visits,
    "rating": rating,
}
"""By what a study's `config.experiment` calls them."""
