"""Recommenders by name."""

from collections.abc import Mapping
from typing import Any

from openiir.kit.items import Collection
from openiir.kit.rankers.recommenders.als import Als, AlsOptions
from openiir.kit.rankers.recommenders.multvae import MultVae, MultVaeOptions
from openiir.kit.rankers.recommenders.neighbours import Ease, EaseOptions, ItemKnn, ItemKnnOptions
from openiir.kit.rankers.recommenders.plain import Popularity, Random
from openiir.kit.rankers.recommenders.recommender import Fixed, Kind, Recommender
from openiir.plugin import InputError

RECOMMENDERS: Mapping[str, Kind] = {
    "random": Kind(Fixed, Random),
    "popularity": Kind(Fixed, Popularity),
    "itemknn": Kind(ItemKnnOptions, ItemKnn),
    "als": Kind(AlsOptions, Als),
    "multvae": Kind(MultVaeOptions, MultVae),
    "ease": Kind(EaseOptions, Ease),
}
"""Those that come with the platform."""


def recommender(name: str, options: Mapping[str, Any], collection: Collection, seed: int) -> Recommender:
    """A recommender that is not fitted yet. Raises InputError for an unknown name or option."""
    if name in RECOMMENDERS:
        kind = RECOMMENDERS[name]
        return kind.make(kind.options(name, options), seed)
    raise InputError(f"recommender {name!r}: none is called so; known: {', '.join(RECOMMENDERS)}")
