"""Look up recommenders by name: built-in ones, and those that a study brings."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any

from pydantic import AfterValidator, Field

from openiir.kit.items import Collection
from openiir.kit.options import options_of
from openiir.plugin import CodeName, InputError, Record
from openiir.scenarios.recommender.model.recommenders.als import Als, AlsOptions
from openiir.scenarios.recommender.model.recommenders.callables import OwnRecommender
from openiir.scenarios.recommender.model.recommenders.lenskit import FILES, LensKit, LensKitOptions
from openiir.scenarios.recommender.model.recommenders.multvae import MultVae, MultVaeOptions
from openiir.scenarios.recommender.model.recommenders.neighbours import (
    Ease,
    EaseOptions,
    ItemKnn,
    ItemKnnOptions,
)
from openiir.scenarios.recommender.model.recommenders.recommender import (
    NoOptions,
    PopularityRecommender,
    RandomRecommender,
    Recommender,
)
from openiir.scenarios.recommender.model.recommenders.scored import ScoredLists, ScoredOptions

RECOMMENDERS: Mapping[str, tuple[type[Record], Callable[[Any, int], Recommender]]] = {
    "random": (NoOptions, RandomRecommender),
    "popularity": (NoOptions, PopularityRecommender),
    "itemknn": (ItemKnnOptions, ItemKnn),
    "als": (AlsOptions, Als),
    "multvae": (MultVaeOptions, MultVae),
    "ease": (EaseOptions, Ease),
}
"""Built-in recommenders by name: the type of their options, and the constructor from options and a seed."""
BROUGHT = ("file:PATH", "lenskit:PIPELINE", "package.module:name")
"""Forms of the names of recommenders that a study brings."""


def path_in_name(name: str) -> str:
    """Extract the path from a recommender's name; empty for a name without a file."""
    form, _, rest = name.partition(":")
    return rest if form == "file" or (form == "lenskit" and rest.endswith(FILES)) else ""


def _code_in(name: str) -> str:
    form, _, rest = name.partition(":")
    if not rest or form in ("file", "system"):
        return name
    return CodeName(name, rest if form == "lenskit" else name)


RecommenderName = Annotated[str, Field(min_length=1, max_length=500), AfterValidator(_code_in)]
"""Type of a configuration key that names a recommender, or a declared system as `system:NAME`. Code of the
study needs permission to run."""


def recommender(
    name: str, options: Mapping[str, Any], collection: Collection, seed: int, users: Sequence[str] = ()
) -> Recommender:
    """Build a recommender by name, not fitted yet; `users` are the data set's ids, for `file:`.

    Raises InputError for an unknown name or option, a file that is not as it should be, a callable that
    cannot be imported, and LensKit where it is not installed.
    """
    whose = f"recommender {name!r}"
    if name in RECOMMENDERS:
        kind, make = RECOMMENDERS[name]
        return make(options_of(kind, whose, options), seed)
    form, _, rest = name.partition(":")
    if not rest or not form:
        raise InputError(f"{whose}: none is called so; known: {', '.join((*RECOMMENDERS, *BROUGHT))}")
    if form == "file":
        if not users:
            raise ValueError("file: names users by the data set's ids; hand them over as users")
        return ScoredLists(Path(rest), options_of(ScoredOptions, whose, options), collection, users)
    if form == "lenskit":
        return LensKit(rest, options_of(LensKitOptions, whose, options), collection, seed)
    return OwnRecommender(name, options, collection, seed)
