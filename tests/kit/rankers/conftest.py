"""A small platform as a ranker sees it."""

from collections.abc import Callable

import numpy as np
import pytest

from openiir.core.grid import quantise
from openiir.core.seeds import Draw
from openiir.kit.items import synthetic
from openiir.kit.rankers import Shelf, View


@pytest.fixture(scope="session")
def seen() -> Callable[..., View]:
    """Makes a view of some users; `own` gives each user items of their own."""

    def make(users: list[int], own: bool = False, k: int = 3, items: int = 24) -> View:
        shelf = Shelf(synthetic(Draw(2, "items"), items, [f"topic {n}" for n in range(k)], 8))
        everyone = 40
        rng = np.random.default_rng(8)
        counts = rng.integers(0, 4, (3, items))
        taste, evidence, belief = (quantise(rng.uniform(-1, 1, (everyone, k))) for _ in range(3))
        taste[::4] = 0.0
        evidence[::5] = 0.0
        belief[7] = 0.0
        offered = np.sort(np.argsort(rng.random((everyone, items)), axis=1)[:, :10], axis=1)
        return View(
            shelf=shelf,
            users=np.array(users),
            items=offered[users] if own else np.arange(items),
            week=3,
            session=7,
            all_clicks=counts[0],
            all_shown=counts[0] + counts[1],
            chart=counts[2],
            taste=taste[users],
            evidence=evidence[users],
            draw=Draw(6, "rank"),
            belief=belief[users],
        )

    return make


@pytest.fixture(autouse=True)
def callables_are_trusted(every_callable):
    """What is tested here is what becomes of callables once they are."""
