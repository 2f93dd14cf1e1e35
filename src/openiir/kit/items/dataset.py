"""A data set: a collection, its users' ratings, and what is known of the users."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from openiir.kit.items.collection import Collection
from openiir.kit.items.ratings import Ratings


@dataclass(frozen=True, eq=False)
class DataSet:
    """What a loader returns; everything in it is in a fixed order."""

    name: str
    collection: Collection
    ratings: Ratings
    users: tuple[str, ...]
    """Ids, in the order of the ratings' user indices."""
    demographics: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """By name (`age`, `occupation`): one value a user. Only to check inferred personas against; agents never see it."""
    skipped: Mapping[str, int] = field(default_factory=dict)
    """What the loader left out, by reason, with how often."""
    digest: str = ""
    """sha256 over the files it was read from (name and content of each, in order of name)."""
    licence: str = ""
